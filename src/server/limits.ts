/** Bytes of a body; a host refuses a larger input. */
export const MOST_BODY = 64 * 1024 * 1024;

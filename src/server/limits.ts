/** The most bytes of a request's body; a host refuses a larger input anyway. */
export const MOST_BODY = 64 * 1024 * 1024;

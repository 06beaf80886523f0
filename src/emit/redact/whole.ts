/** Whether every text in a value is masked: no; as a secret, unless it stands for one; or because the caller chose its path or name. */
export type WholeMask = typeof NOT | typeof SECRET | typeof CHOSEN;
export const NOT = 0;
export const SECRET = 1;
export const CHOSEN = 2;

export const most = (one: WholeMask, other: WholeMask, third: WholeMask): WholeMask =>
  Math.max(one, other, third) as WholeMask;

/** A value that is already masked as a whole. */
export const MASKED = /^\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]$/;
/** A value that the caller's function masked as a whole. */
export const MASKED_BY_CALLER = /^\[redacted\b[^\]]*\]$/;

/** When a record was made, from its text; undefined: it does not say. */
export function timeIn(text: string): number | undefined {
  const at = Date.parse(/"time":"([^"]{10,40})"/.exec(text)?.[1] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** Where to look back from: shortly before the newest record and the last that came, whichever is earlier, as a clock may have been set back. */
export function lookBackFrom(newest: number | undefined, heard: number | undefined, back: number): number {
  return Math.max(0, Math.floor(Math.min(newest ?? 0, heard ?? Number.POSITIVE_INFINITY) - back));
}

/** One event of Chrome's trace format, as ui.perfetto.dev and chrome://tracing read it. Times are microseconds, whole ones. */
export type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly cat?: string;
  readonly args?: Readonly<Record<string, unknown>>;
} & (
  | { readonly ph: 'M' }
  /** A slice. Slices of one track that overlap, but are not nested, are not drawn. */
  | { readonly ph: 'X'; readonly ts: number; readonly dur: number }
  /** An instant: of its track, or of its process. */
  | { readonly ph: 'i'; readonly ts: number; readonly s: 't' | 'p' }
  /** An arrow, from a slice to a slice. */
  | { readonly ph: 's'; readonly ts: number; readonly id: number }
  | { readonly ph: 'f'; readonly ts: number; readonly id: number; readonly bp: 'e' }
);

/** A slice that was drawn. */
export interface TraceSlice {
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
}

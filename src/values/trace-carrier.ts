/** The W3C trace context of a caller in another process. */
export interface TraceCarrier {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** A `traceparent` header. Version 00 has exactly these four fields; later versions may append more. */
const PARENT = /^(?!ff|00.{53}.)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/** The trace context in a request or an environment; undefined if there is none or it is invalid. */
export function carrierOf(traceparent: unknown, tracestate: unknown): TraceCarrier | undefined {
  if (typeof traceparent !== 'string' || !PARENT.test(traceparent)) return undefined;
  return typeof tracestate === 'string' && tracestate !== '' ? { traceparent, tracestate } : { traceparent };
}

/** Reads the trace context from the `TRACEPARENT` and `TRACESTATE` variables. */
export const carrierIn = (env: Readonly<Record<string, string | undefined>>): TraceCarrier | undefined =>
  carrierOf(env['TRACEPARENT'], env['TRACESTATE']);

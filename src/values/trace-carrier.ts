/** The W3C trace context of a caller in another process. */
export interface TraceCarrier {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** Later versions may have more fields than version 00. */
const PARENT = /^(?!ff|00.{53}.)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/** The trace context in a request or an environment; undefined: none that is valid. */
export function carrierOf(traceparent: unknown, tracestate: unknown): TraceCarrier | undefined {
  if (typeof traceparent !== 'string' || !PARENT.test(traceparent)) return undefined;
  return typeof tracestate === 'string' && tracestate !== '' ? { traceparent, tracestate } : { traceparent };
}

/** The same, from an environment. */
export const carrierIn = (env: Readonly<Record<string, string | undefined>>): TraceCarrier | undefined =>
  carrierOf(env['TRACEPARENT'], env['TRACESTATE']);

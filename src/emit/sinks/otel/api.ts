import type * as Api from '@opentelemetry/api';
import type { Context, Link, Span } from '@opentelemetry/api';
import type { TraceCarrier } from '../../../values/trace-carrier.js';
import { loadPeer } from '../../../values/waiting/peer.js';

const api: typeof Api = await loadPeer(
  { entry: 'hookscope/sinks/otel', peer: '@opentelemetry/api', range: '^1.9.0' },
  () => import('@opentelemetry/api'),
  (loaded) => typeof loaded.createContextKey === 'function' && typeof loaded.metrics === 'object',
);
export const { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
const { createContextKey, createTraceState, isSpanContextValid } = api;

/** The context key of hookscope's innermost span. */
const LIVE = createContextKey('hookscope');

/** A span of hookscope, as far as finding a parent needs it. */
interface TracedSpan {
  readonly span: Span;
  readonly context: Context;
  isWithin(other: TracedSpan): boolean;
  /** Whether its outermost hookscope span is a child of that span. */
  isFrom(spanId: string): boolean;
}

/** The parent of a new span. */
export interface SpanPlace<P extends TracedSpan = TracedSpan> {
  readonly context: Context;
  /** The enclosing span of hookscope. */
  readonly above: P | undefined;
  readonly links?: Link[];
}

/**
 * The place of a span that belongs to `parent`: the caller's active context if that is within `parent`, so that a tool's own spans stay in
 * between; else `parent` itself, with a link to the active span if `mayLink`. Without `parent`: the active context, or else `incoming`.
 */
export function placeInTrace<P extends TracedSpan>(
  parent: P | undefined,
  incoming: TraceCarrier | undefined,
  mayLink = false,
): SpanPlace<P> {
  const active = context.active();
  const span = trace.getSpanContext(active);
  const here = active.getValue(LIVE) as P | undefined;
  if (parent === undefined) {
    const isRemote = incoming !== undefined && span === undefined;
    return { context: isRemote ? remote(active, incoming) : active, above: here };
  }
  if (here?.isWithin(parent)) return { context: active, above: here };
  const beside = { context: parent.context, above: parent };
  if (!mayLink || (here !== undefined && parent.isWithin(here))) return beside;
  if (span === undefined || !isSpanContextValid(span) || parent.isFrom(span.spanId)) return beside;
  return { ...beside, links: [{ context: span }] };
}

/** Always reads the W3C format, whichever propagator the program uses: hookscope passes that format between processes and servers. */
function remote(active: Context, { traceparent, tracestate }: TraceCarrier): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return trace.setSpanContext(active, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  });
}

export const contextOf = (place: Context, piece: TracedSpan): Context =>
  trace.setSpan(place, piece.span).setValue(LIVE, piece);

/** The trace context to pass to another process; undefined: nothing is recorded. */
export function carrierFor(piece: TracedSpan): TraceCarrier | undefined {
  const { traceId, spanId, traceFlags, traceState } = piece.span.spanContext();
  if (!isSpanContextValid({ traceId, spanId, traceFlags })) return undefined;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

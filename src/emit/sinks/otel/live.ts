import type { Context, Span } from '@opentelemetry/api';
import type { TraceCarrier } from '../../../values/trace-carrier.js';
import type { HookAnswer } from '../../reading/answers.js';
import type { FireRecord, HandlerRecord, HookResponse } from '../../record.js';
import type { Traced, TracedWork } from '../../tracing.js';
import { carrierFor, context, contextOf, type SpanPlace, trace } from './api.js';

/** The end of one call of a hook. */
export interface CallEnd {
  readonly record: HookResponse;
  /** The masked record, if spans have contents. */
  readonly masked: HookResponse | undefined;
  readonly mark: number;
}

/** What a fire's record says about a call; kept for a call that continues in the background. */
export interface ReportedCall {
  readonly fire: FireRecord;
  readonly row: HandlerRecord | undefined;
  readonly answer: HookAnswer | undefined;
  readonly masked: FireRecord | undefined;
}

interface LiveOptions {
  readonly at: number;
  readonly mark: number;
  readonly isRecorded: boolean;
  readonly end: (live: LiveSpan, mark: number) => void;
}

/** A span that hookscope has begun. */
export class LiveSpan implements Traced {
  readonly work: TracedWork;
  readonly span: Span;
  readonly context: Context;
  readonly above: LiveSpan | undefined;
  /** When it began: milliseconds since 1970, and the same moment as `performance.now()`. */
  readonly at: number;
  readonly mark: number;
  /** The calls of a fire. */
  readonly calls: LiveSpan[] = [];
  /** The response of a call. */
  response: CallEnd | undefined = undefined;
  left: ReportedCall | undefined = undefined;
  /** The kind of scope in which a call's hook is registered. */
  scopeKind: string;
  over = false;
  /** The span was begun from a record, after the work. */
  readonly isRecorded: boolean;
  /** The id of the enclosing span, if that is not hookscope's. */
  readonly #outer: string | undefined;
  readonly #end: (live: LiveSpan, mark: number) => void;

  constructor(work: TracedWork, span: Span, place: SpanPlace<LiveSpan>, { at, mark, isRecorded, end }: LiveOptions) {
    this.work = work;
    this.scopeKind = work.kind === 'call' ? work.scope_kind : '';
    this.span = span;
    this.above = place.above;
    this.at = at;
    this.isRecorded = isRecorded;
    this.mark = mark;
    this.#end = end;
    this.#outer = place.above === undefined ? trace.getSpanContext(place.context)?.spanId : undefined;
    this.context = contextOf(place.context, this);
  }

  run<T>(work: () => T): T {
    return context.with(this.context, work);
  }

  get carrier(): TraceCarrier | undefined {
    return carrierFor(this);
  }

  end(): void {
    this.#end(this, performance.now());
  }

  /** Whether it is `other` or a descendant of it. */
  isWithin(other: LiveSpan): boolean {
    for (let live: LiveSpan | undefined = this; live !== undefined; live = live.above) if (live === other) return true;
    return false;
  }

  /** Whether its outermost hookscope span is a child of that span. */
  isFrom(spanId: string): boolean {
    return this.above === undefined ? this.#outer === spanId : this.above.isFrom(spanId);
  }

  /** The time of `mark`, counted from the span's start: setting the system clock never puts an end before it. */
  timeOf(mark: number): number {
    return this.at + Math.max(0, mark - this.mark);
  }
}

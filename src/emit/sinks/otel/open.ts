import type { Attributes } from '@opentelemetry/api';
import { requests } from '../../../events/handler-kinds.js';
import type { TraceCarrier } from '../../../values/trace-carrier.js';
import type { TracedWork } from '../../tracing.js';
import { placeInTrace, ROOT_CONTEXT, SpanKind, SpanStatusCode } from './api.js';
import { spanStart } from './attributes.js';
import { keyOf } from './keys.js';
import { LiveSpan } from './live.js';
import type { MaskedSpans } from './masked.js';
import { NAME } from './names.js';

export interface OpenSpansOptions {
  readonly spans: MaskedSpans;
  /** Called when `end()` ends a piece that no record ends. */
  ended(live: LiveSpan, mark: number): void;
}

/** The most open spans, and the most open spans of agents; beyond that, the oldest is ended as unfinished. */
const MOST_OPEN = 10_000;
/** How many tool calls are remembered so that an alarm finds its parent span. */
const MOST_JUDGED = 1000;

/** The most milliseconds between reading the two clocks, and how often they are read again if it took longer. */
const APART = 0.25;
const AGAIN = 3;

/** The current moment by both clocks. If the process was suspended between the two readings, its spans would end that much too late. */
function now(): { readonly mark: number; readonly time: number } {
  for (let tries = 0; ; tries++) {
    const mark = performance.now();
    const time = Date.now();
    if (performance.now() - mark < APART || tries === AGAIN) return { mark, time };
  }
}

/** The spans that have not ended. */
export class OpenSpans {
  readonly fires = new Map<string, LiveSpan>();
  readonly calls = new Map<string, LiveSpan>();
  /** By the call's key; a list, because two calls that run at the same time may have the same id. */
  readonly #tools = new Map<string, LiveSpan[]>();
  /** The latest span of each tool call, kept after it ends because an alarm may follow. */
  readonly judged = new Map<string, LiveSpan>();
  readonly #options: OpenSpansOptions;
  readonly #open = new Set<LiveSpan>();
  readonly #agents = new Set<LiveSpan>();

  constructor(options: OpenSpansOptions) {
    this.#options = options;
  }

  begin(work: TracedWork, above: LiveSpan | undefined, incoming?: TraceCarrier, at?: number): LiveSpan {
    const { spans, ended } = this.#options;
    // With `at`, the span is built from a record: the active context is the reader's and says nothing about the parent.
    const place =
      at === undefined
        ? placeInTrace(above, incoming, work.kind === 'tool' || work.kind === 'agent')
        : { context: above?.context ?? ROOT_CONTEXT, above };
    const { mark, time } = now();
    // A hook's start is counted from its fire's; longer work uses the system clock, which also advances while the machine sleeps.
    const startTime = at ?? (work.kind === 'call' && above !== undefined ? above.timeOf(mark) : time);
    const isElsewhere = work.kind === 'call' && requests(work.handler);
    const span = spans.start(
      spanStart(work, above?.work),
      {
        kind: isElsewhere ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime,
        ...(place.links && { links: place.links }),
      },
      place.context,
    );
    const live = new LiveSpan(work, span, place, { at: startTime, mark, isRecorded: at !== undefined, end: ended });
    if (work.kind === 'fire') this.fires.set(work.fire_id, live);
    else if (work.kind === 'tool') this.#keepTool(keyOf(work), live);
    else if (work.kind === 'call') {
      this.calls.set(work.hook_id, live);
      above?.calls.push(live);
    }
    this.#keep(work.kind === 'agent' ? this.#agents : this.#open, live);
    this.#remember(live);
    return live;
  }

  /** The span of a tool call that runs. Of several with the same id: the first of that tool, or else the first. */
  tool(key: string, name?: string): LiveSpan | undefined {
    const open = this.#tools.get(key) ?? [];
    return open.find(({ work }) => work.kind === 'tool' && work.tool_name === name) ?? open[0];
  }

  #keepTool(key: string, live: LiveSpan): void {
    const open = this.#tools.get(key);
    if (open === undefined) this.#tools.set(key, [live]);
    else open.push(live);
  }

  #forgetTool(key: string, live: LiveSpan): void {
    const others = (this.#tools.get(key) ?? []).filter((other) => other !== live);
    if (others.length > 0) this.#tools.set(key, others);
    else this.#tools.delete(key);
  }

  #remember(live: LiveSpan): void {
    const { work } = live;
    if (work.kind !== 'tool' && work.kind !== 'fire') return;
    const { host_id, session_id, agent_id, tool_use_id } = work;
    if (tool_use_id === undefined || live.above?.work.kind === 'tool') return;
    const key = keyOf({ host_id, session_id, agent_id, tool_use_id });
    if (work.kind === 'fire' && this.judged.has(key)) return;
    this.judged.set(key, live);
    if (this.judged.size > MOST_JUDGED) this.judged.delete(this.judged.keys().next().value as string);
  }

  #keep(open: Set<LiveSpan>, live: LiveSpan): void {
    open.add(live);
    if (open.size <= MOST_OPEN) return;
    const [oldest] = open;
    this.abandon(oldest as LiveSpan, performance.now());
  }

  /** An agent or session has ended, and its subagents with it. Its other spans are ended by their own records. */
  end(live: LiveSpan, mark: number): void {
    for (const other of [...this.#agents]) if (other !== live && other.isWithin(live)) this.abandon(other, mark);
    this.finish(live, live.timeOf(mark), {});
  }

  /** Ends all open spans as unfinished. */
  close(): void {
    const mark = performance.now();
    for (const live of [...this.#open, ...this.#agents]) this.abandon(live, mark);
  }

  abandon(live: LiveSpan, mark: number): void {
    this.finish(live, live.timeOf(mark), { [NAME.unfinished]: true });
  }

  finish(live: LiveSpan, time: number, attributes: Attributes, isError = false): void {
    if (live.over) return;
    live.over = true;
    const { work, span } = live;
    if (work.kind === 'fire') this.fires.delete(work.fire_id);
    else if (work.kind === 'call') this.calls.delete(work.hook_id);
    else if (work.kind === 'tool') this.#forgetTool(keyOf(work), live);
    (work.kind === 'agent' ? this.#agents : this.#open).delete(live);
    this.#options.spans.set(span, attributes);
    if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(time);
  }
}

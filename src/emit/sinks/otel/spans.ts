import type { Attributes, Tracer } from '@opentelemetry/api';
import type { TraceCarrier } from '../../../values/trace-carrier.js';
import type {
  AlarmRecord,
  FireRecord,
  HandlerRecord,
  HookRecord,
  HookResponse,
  HookStarted,
  ToolCallRecord,
} from '../../record.js';
import type { TracedWork } from '../../tracing.js';
import { placeIn, ROOT_CONTEXT, SpanKind, SpanStatusCode } from './api.js';
import {
  beginning,
  callContent,
  callEnd,
  fireContent,
  fireEnd,
  reasonContent,
  toolContent,
  toolEnd,
} from './attributes.js';
import { handlerOf, isGate, keyOf, scopeKindOf, startOf } from './keys.js';
import { Live } from './live.js';
import type { HookMetrics } from './metrics.js';
import { NAME } from './names.js';

export interface SpansOptions {
  readonly tracer: Tracer;
  readonly metrics: HookMetrics;
  /** What was typed and said is on spans. */
  readonly content: boolean;
  /** A name, with any secret in it masked. */
  name(text: string): string;
  /** A piece that no record ends is over. */
  ended(live: Live, mark: number): void;
}

/** Spans that are open at once, agents apart; of more, the oldest end without what came of them. */
const MOST_OPEN = 10_000;

/** The spans of a sink: begun by a host while it works, or by records; ended by records. */
export class Spans {
  readonly #options: SpansOptions;
  readonly #fires = new Map<string, Live>();
  readonly #calls = new Map<string, Live>();
  readonly #tools = new Map<string, Live>();
  readonly #open = new Set<Live>();
  readonly #agents = new Set<Live>();

  constructor(options: SpansOptions) {
    this.#options = options;
  }

  begin(work: TracedWork, above: Live | undefined, incoming?: TraceCarrier, at?: number): Live {
    const { tracer, name, ended } = this.#options;
    // Whoever reads a record is not the caller of what it tells of.
    const place = at === undefined ? placeIn(above, incoming) : { context: above?.context ?? ROOT_CONTEXT };
    const { name: title, attributes } = beginning(work, above?.work, name);
    const startTime = at ?? Date.now();
    const isElsewhere = work.kind === 'call' && (work.handler === 'http' || work.handler === 'mcp_tool');
    const span = tracer.startSpan(
      title,
      {
        kind: isElsewhere ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime,
        attributes,
        ...(place.links && { links: place.links }),
      },
      place.context,
    );
    const live = new Live(work, span, place, { above, at: startTime, isRecorded: at !== undefined, end: ended });
    if (work.kind === 'fire') this.#fires.set(work.fire_id, live);
    else if (work.kind === 'tool') this.#tools.set(keyOf(work), live);
    else if (work.kind === 'call') {
      this.#calls.set(work.hook_id, live);
      above?.calls.push(live);
    }
    this.#keep(work.kind === 'agent' ? this.#agents : this.#open, live);
    return live;
  }

  #keep(open: Set<Live>, live: Live): void {
    open.add(live);
    if (open.size <= MOST_OPEN) return;
    const [oldest] = open;
    this.abandon(oldest as Live, performance.now());
  }

  /** `mark`: when it was told, of the monotonic clock. */
  take(record: HookRecord, mark: number): void {
    if (record.type === 'hook_fire') this.#fire(record, mark);
    else if (record.type === 'tool_call') this.#tool(record, mark);
    else if (record.type === 'hook_alarm') this.#alarm(record, mark);
    else if (record.subtype === 'hook_started') this.#callOf(record);
    else if (record.subtype === 'hook_response') this.#response(record, mark);
  }

  /** Nobody will be told what came of it. */
  lose(record: HookRecord, mark: number): void {
    const live =
      record.type === 'hook_fire'
        ? this.#fires.get(record.fire_id)
        : record.type === 'tool_call'
          ? this.#tools.get(keyOf(record))
          : record.type === 'system' && record.subtype === 'hook_response'
            ? this.#calls.get(record.hook_id)
            : undefined;
    if (live === undefined) return;
    for (const call of live.calls) this.abandon(call, mark);
    this.abandon(live, mark);
  }

  /** An agent or session has ended, and with it what began in it; hooks in the background go on. */
  end(live: Live, mark: number): void {
    for (const other of [...this.#open])
      if (other.left === undefined && other.isWithin(live)) this.abandon(other, mark);
    this.#finish(live, live.timeOf(mark), {});
  }

  /** Nothing more will come. */
  close(): void {
    const mark = performance.now();
    for (const live of [...this.#open, ...this.#agents]) this.abandon(live, mark);
  }

  abandon(live: Live, mark: number): void {
    this.#finish(live, live.timeOf(mark), { [NAME.unfinished]: true });
  }

  #finish(live: Live, time: number, attributes: Attributes, isError = false): void {
    if (live.over) return;
    live.over = true;
    const { work, span } = live;
    if (work.kind === 'fire') this.#fires.delete(work.fire_id);
    else if (work.kind === 'call') this.#calls.delete(work.hook_id);
    else if (work.kind === 'tool' && this.#tools.get(keyOf(work)) === live) this.#tools.delete(keyOf(work));
    (work.kind === 'agent' ? this.#agents : this.#open).delete(live);
    span.setAttributes(attributes);
    if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(time);
  }

  #callOf(record: HookStarted | HookResponse): Live {
    const known = this.#calls.get(record.hook_id);
    if (known !== undefined) return known;
    const at = startOf(record);
    const fire = record.origin === undefined ? this.#fireOf(record, record.hook_event, at) : undefined;
    const work = {
      kind: 'call',
      hook_id: record.hook_id,
      handler_id: record.handler_id,
      // A record does not say whether its name is a command line.
      name: record.handler,
      handler: record.handler,
      plugin: record.plugin,
      scope_kind: record.agent_id === undefined ? 'session' : 'agent',
      isGate: isGate(record.hook_event),
    } as const;
    return this.begin(work, fire, undefined, at);
  }

  #fireOf(record: FireRecord | HookStarted | HookResponse, event: string, at: number): Live {
    const { fire_id, session_id, agent_id, tool_use_id } = record;
    const work = { kind: 'fire', fire_id, event, session_id, agent_id, tool_use_id } as const;
    return this.#fires.get(fire_id) ?? this.begin(work, undefined, undefined, at);
  }

  #response(record: HookResponse, mark: number): void {
    const call = this.#callOf(record);
    call.response = { record, mark };
    // Another program's hook, or one that its fire did not wait for.
    if (record.origin !== undefined) this.#endCall(call, undefined, undefined);
    else if (call.left !== undefined) this.#endCall(call, call.left.fire, call.left.row);
  }

  #fire(record: FireRecord, mark: number): void {
    const live = this.#fireOf(record, record.event, Date.parse(record.time));
    const rows = new Map(record.handlers.map((row) => [row.id, row]));
    const last = new Map<string, Live>();
    for (const call of live.calls) last.set(handlerOf(call), call);
    for (const [id, row] of rows) if (row.status === 'failed' && !last.has(id)) this.#notStarted(record, row);
    const decider = record.decision.decidedBy;
    const shown = decider === undefined ? undefined : this.#shown(last.get(decider), rows.get(decider));
    for (const call of live.calls) {
      const row = last.get(handlerOf(call)) === call ? rows.get(handlerOf(call)) : undefined;
      if (call.response !== undefined) this.#endCall(call, record, row);
      else if (row?.status === 'background') call.left = { fire: record, row };
      else this.abandon(call, mark);
    }
    const attributes = { ...fireEnd(record, shown), ...this.#redacted(record) };
    if (this.#options.content) {
      Object.assign(attributes, fireContent(record));
      const { session_id, agent_id, tool_use_id } = record;
      const tool =
        tool_use_id === undefined ? undefined : this.#tools.get(keyOf({ session_id, agent_id, tool_use_id }));
      tool?.span.setAttributes(toolContent(record));
    }
    this.#finish(live, this.#endOf(live, record, mark), attributes, record.error !== undefined);
  }

  /** How a hook is called where it may be seen by others. */
  #shown(call: Live | undefined, row: HandlerRecord | undefined): string | undefined {
    return call?.work.kind === 'call' ? this.#options.name(call.work.name) : row?.handler;
  }

  #notStarted(record: FireRecord, row: HandlerRecord): void {
    const scopeKind = scopeKindOf(row, record);
    this.#options.metrics.failed({ event: record.event, name: row.handler, scopeKind, outcome: 'error' });
  }

  #endCall(call: Live, fire: FireRecord | undefined, row: HandlerRecord | undefined): void {
    const { work, response } = call;
    if (work.kind !== 'call' || response === undefined || call.over) return;
    const { record, mark } = response;
    const attributes = { ...callEnd(record, fire, row), ...this.#redacted(record) };
    if (this.#options.content) Object.assign(attributes, callContent(record, fire));
    this.#finish(call, this.#endOf(call, record, mark), attributes, record.failure !== undefined);
    const word = row?.verdict ?? record.decision;
    this.#options.metrics.ran({
      event: record.hook_event,
      name: this.#options.name(work.name),
      scopeKind: work.scope_kind,
      outcome: record.outcome,
      isDenial: word === 'deny' || word === 'block',
      isFailure: record.failure !== undefined,
      durationMs: record.duration_ms,
    });
  }

  #tool(record: ToolCallRecord, mark: number): void {
    const { session_id, agent_id, agent_type, tool_name, tool_use_id } = record;
    const work = { kind: 'tool', session_id, agent_id, agent_type, tool_name, tool_use_id } as const;
    const live = this.#tools.get(keyOf(record)) ?? this.begin(work, undefined, undefined, Date.parse(record.time));
    const attributes = { ...toolEnd(record), ...this.#redacted(record) };
    if (this.#options.content) Object.assign(attributes, reasonContent(record));
    this.#finish(live, this.#endOf(live, record, mark), attributes, record.status === 'failed');
  }

  #alarm(record: AlarmRecord, mark: number): void {
    this.#options.metrics.alarmed(record);
    const tool = this.#tools.get(keyOf(record));
    const attributes = { [NAME.alarm]: record.alarm, [NAME.evidence]: record.evidence };
    tool?.span.addEvent(NAME.alarm, attributes, tool.timeOf(mark)).setAttribute(NAME.alarm, record.alarm);
  }

  #redacted({ redacted }: HookRecord): Attributes {
    return redacted === undefined ? {} : { [NAME.redacted]: redacted.count };
  }

  /** When it ended: of what a host has begun by the clock that it began by, else by its record. */
  #endOf(live: Live, record: HookRecord, mark: number): number {
    return live.isRecorded ? Math.max(live.at, Date.parse(record.time)) : live.timeOf(mark);
  }
}

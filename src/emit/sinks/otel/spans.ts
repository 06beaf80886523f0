import type { Attributes } from '@opentelemetry/api';
import { answersIn, type HookAnswer } from '../../reading/answers.js';
import type {
  AlarmRecord,
  FireRecord,
  HandlerRecord,
  HookRecord,
  HookResponse,
  HookStarted,
  ToolCallRecord,
} from '../../record.js';
import { ROOT_CONTEXT, SpanStatusCode } from './api.js';
import {
  alarmOf,
  callContent,
  callEnd,
  fireContent,
  fireEnd,
  isRewrite,
  messageContent,
  reasonContent,
  toolContent,
  toolEnd,
} from './attributes.js';

import { handlerOf, isGate, keyOf, scopeKindOf, startOf } from './keys.js';
import type { LiveSpan, ReportedCall } from './live.js';
import type { HookMetrics } from './metrics.js';
import { NAME } from './names.js';
import { OpenSpans, type OpenSpansOptions } from './open.js';

export interface SpansOptions extends OpenSpansOptions {
  readonly metrics: HookMetrics;
  /** Masks a record whose inputs and outputs go on spans; undefined: spans have no contents. */
  readonly content: (<R extends HookRecord>(record: R) => R) | undefined;
}

/** Makes spans and metrics from records: begins spans that no host has begun, ends all but agents' and sessions'. */
export class Spans {
  readonly open: OpenSpans;
  readonly #options: SpansOptions;

  constructor(options: SpansOptions) {
    this.#options = options;
    this.open = new OpenSpans(options);
  }

  /** `mark`: the `performance.now()` at which the record arrived. */
  take(record: HookRecord, mark: number): void {
    if (record.type === 'hook_fire') this.#fire(record, mark);
    else if (record.type === 'tool_call') this.#tool(record, mark);
    else if (record.type === 'hook_alarm') this.#alarm(record);
    else if (record.subtype === 'hook_started') this.#callOf(record);
    else if (record.subtype === 'hook_response') this.#response(record, mark);
  }

  /** Whether the record says nothing new: the host has already begun its span. */
  isKnown(record: HookRecord): boolean {
    return record.type === 'system' && record.subtype === 'hook_started' && this.open.calls.has(record.hook_id);
  }

  /** The record was dropped: its spans end without a result. */
  lose(record: HookRecord, mark: number): void {
    const live =
      record.type === 'hook_fire'
        ? this.open.fires.get(record.fire_id)
        : record.type === 'tool_call'
          ? this.open.tool(keyOf(record), record.tool_name)
          : record.type === 'system' && record.subtype === 'hook_response'
            ? this.open.calls.get(record.hook_id)
            : undefined;
    if (live === undefined) return;
    for (const call of live.calls) this.open.abandon(call, mark);
    this.open.abandon(live, mark);
  }

  #callOf(record: HookStarted | HookResponse): LiveSpan {
    const known = this.open.calls.get(record.hook_id);
    if (known !== undefined) return known;
    const at = startOf(record);
    const fire = record.origin === undefined ? this.#fireOf(record, record.hook_event, at) : undefined;
    const work = {
      kind: 'call',
      hook_id: record.hook_id,
      handler_id: record.handler_id,
      // Not `record.name`: it may be a command line.
      name: record.handler,
      handler: record.handler,
      plugin: record.plugin,
      // Set when the fire's record arrives; another program's hook has none.
      scope_kind: 'unknown',
      isGate: isGate(record.hook_event),
    } as const;
    return this.open.begin(work, fire, undefined, at);
  }

  #fireOf(record: FireRecord | HookStarted | HookResponse, event: string, at: number): LiveSpan {
    const { fire_id, host_id, session_id, agent_id, tool_use_id } = record;
    const work = { kind: 'fire', fire_id, host_id, event, session_id, agent_id, tool_use_id } as const;
    return this.open.fires.get(fire_id) ?? this.open.begin(work, undefined, undefined, at);
  }

  #response(record: HookResponse, mark: number): void {
    const call = this.#callOf(record);
    call.response = { record, masked: this.#options.content?.(record), mark };
    // Another program's hook has no fire record; a background call ends after its fire.
    if (record.origin !== undefined) this.#endCall(call, {});
    else if (call.left !== undefined) this.#endCall(call, call.left);
  }

  #fire(record: FireRecord, mark: number): void {
    const live = this.#fireOf(record, record.event, Date.parse(record.time));
    const masked = this.#options.content?.(record);
    const rows = new Map(record.handlers.map((row) => [row.id, row]));
    const last = new Map<string, LiveSpan>();
    for (const call of live.calls) last.set(handlerOf(call), call);
    for (const [id, row] of rows) if (row.status === 'failed' && !last.has(id)) this.#notStarted(record, row);
    const decider = record.decision.decidedBy;
    const shown = decider === undefined ? undefined : shownName(last.get(decider), rows.get(decider));
    const answers = answersOf(record, live.calls);
    for (const call of live.calls) {
      const own = rows.get(handlerOf(call));
      const row = last.get(handlerOf(call)) === call ? own : undefined;
      const answer = answers?.get(call);
      if (own !== undefined && call.isRecorded) call.scopeKind = scopeKindOf(own);
      if (call.response !== undefined) this.#endCall(call, { fire: record, row, answer, masked });
      else if (row?.status === 'background') call.left = { fire: record, row, answer, masked };
      else this.open.abandon(call, mark);
    }
    const attributes = withCount(fireEnd(record, shown), masked ?? record);
    if (masked !== undefined) {
      this.#options.spans.setContent(live.span, fireContent(masked));
      const tool = this.#toolOf(live, record);
      if (tool !== undefined) this.#options.spans.setContent(tool.span, toolContent(masked));
    }
    this.open.finish(live, this.#endOf(live, record, mark), attributes, record.error !== undefined);
  }

  /** The span of the tool call that the fire is about. */
  #toolOf(live: LiveSpan, { host_id, session_id, agent_id, tool_use_id }: FireRecord): LiveSpan | undefined {
    if (live.above?.work.kind === 'tool') return live.above;
    return tool_use_id === undefined
      ? undefined
      : this.open.tool(keyOf({ host_id, session_id, agent_id, tool_use_id }));
  }

  #notStarted(record: FireRecord, row: HandlerRecord): void {
    const scopeKind = scopeKindOf(row);
    this.#options.metrics.failed({
      event: record.event,
      name: row.handler,
      scopeKind,
      outcome: 'error',
      isShadow: record.shadow_of !== undefined,
    });
  }

  #endCall(call: LiveSpan, end: Partial<ReportedCall>): void {
    const { work, response, scopeKind } = call;
    if (work.kind !== 'call' || response === undefined || call.over) return;
    const { record, masked, mark } = response;
    const { fire, row, answer } = end;
    const attributes = withCount(callEnd(record, fire, row, answer), masked ?? record);
    attributes[NAME.scopeKind] = scopeKind;
    if (masked !== undefined) this.#options.spans.setContent(call.span, callContent(masked, end.masked));
    this.open.finish(call, this.#endOf(call, record, mark), attributes, record.failure !== undefined);
    const word = row?.verdict ?? record.decision;
    this.#options.metrics.ran({
      event: record.hook_event,
      name: work.name,
      scopeKind,
      outcome: record.outcome,
      isShadow: record.shadow === true,
      isDenial: word === 'deny' || word === 'block',
      isFailure: record.failure !== undefined,
      durationMs: record.duration_ms,
    });
  }

  #tool(record: ToolCallRecord, mark: number): void {
    const { host_id, session_id, agent_id, agent_type, tool_name, tool_use_id } = record;
    const work = { kind: 'tool', host_id, session_id, agent_id, agent_type, tool_name, tool_use_id } as const;
    const live =
      this.open.tool(keyOf(record), tool_name) ?? this.open.begin(work, undefined, undefined, Date.parse(record.time));
    const masked = this.#options.content?.(record);
    const attributes = withCount(toolEnd(record), masked ?? record);
    if (masked !== undefined) this.#options.spans.setContent(live.span, reasonContent(masked));
    this.open.finish(live, this.#endOf(live, record, mark), attributes, record.status === 'failed');
  }

  /** An alarm is an error span of its own, a child of the tool call or else of the fire that judged the call. */
  #alarm(record: AlarmRecord): void {
    this.#options.metrics.alarmed(record);
    const startTime = Date.parse(record.time);
    const masked = this.#options.content?.(record);
    const { attributes, ...named } = alarmOf(record);
    const span = this.#options.spans.start(
      { ...named, attributes: withCount(attributes, masked ?? record) },
      { startTime },
      this.open.judged.get(keyOf(record))?.context ?? ROOT_CONTEXT,
    );
    span.setStatus({ code: SpanStatusCode.ERROR });
    if (masked !== undefined) this.#options.spans.setContent(span, messageContent(masked));
    span.end(startTime);
  }

  /** The end time: by the monotonic clock if a host began the span, else the record's time. */
  #endOf(live: LiveSpan, record: HookRecord, mark: number): number {
    return live.isRecorded ? Math.max(live.at, Date.parse(record.time)) : live.timeOf(mark);
  }
}

/** The answer of each call; undefined: the rows of the fire's record say all of it. */
function answersOf(record: FireRecord, calls: readonly LiveSpan[]): ReadonlyMap<LiveSpan, HookAnswer> | undefined {
  const isTold = ({ answers, output }: HandlerRecord): boolean => answers === undefined && !isRewrite(output, record);
  if (record.handlers.every(isTold)) return undefined;
  const found = new Map<LiveSpan, HookAnswer>();
  for (const [id, answers] of answersIn(record)) {
    const own = calls.filter((call) => handlerOf(call) === id);
    // In a truncated record the order of answers does not identify the calls.
    if (own.length === answers.length) for (const [i, call] of own.entries()) found.set(call, answers[i] as HookAnswer);
  }
  return found;
}

/** A hook's name as spans show it: never a command line. */
const shownName = (call: LiveSpan | undefined, row: HandlerRecord | undefined): string | undefined =>
  call?.work.kind === 'call' ? call.work.name : row?.handler;

/** Adds the number of values that were masked in the record. */
function withCount(attributes: Attributes, { redacted }: HookRecord): Attributes {
  if (redacted !== undefined) attributes[NAME.redacted] = redacted.count;
  return attributes;
}

import { duration } from '../../emit/reading/headline.js';
import type { AlarmRecord, FireRecord, HandlerRecord, HookRecord } from '../../emit/record.js';
import { alarmsInWords } from '../../host/alarms/words.js';
import { clip, plain } from '../../plain.js';
import { skipWords } from '../../scopes/skip.js';
import { isObject } from '../../values/shape.js';
import { BackgroundRuns, type RunEnd } from '../../why/background.js';
import { percentile } from '../../why/meaning.js';
import { mendFor } from '../../why/mends.js';
import { whyNotAsked } from '../../why/not-asked.js';
import { listed, placeOf, shortName } from '../../why/words.js';
import type { UnclosedFile } from '../history/unclosed.js';
import type { DoctorFinding } from './finding.js';
import { SequenceGaps } from './gaps.js';
import { OwnAnswers } from './own-answers.js';

interface HandlerInFire {
  readonly record: FireRecord;
  readonly handler: HandlerRecord;
}

/** What records show about one hook on one event. */
interface EventHealth {
  readonly event: string;
  listed: number;
  ran: number;
  failed: number;
  readonly times: number[];
  readonly skips: Map<string, number>;
  readonly causes: Map<string, number>;
  last: HandlerInFire;
  lastFailed?: HandlerInFire;
}

/** A hook that went on in the background, whose end is not known yet. */
interface BackgroundRun extends HandlerInFire {
  readonly seen: EventHealth;
}

/** `EventHealth` with its secrets masked. */
interface MaskedHealth extends Omit<EventHealth, 'lastFailed'> {
  readonly lastFailed: HandlerRecord | undefined;
}

/** A fire that was answered without a server. */
export interface StatelessFire {
  /** When it was recorded, in ISO 8601. */
  readonly time: string;
  /** When it began, in milliseconds since 1970. */
  readonly began: number;
}

/** The most pairs of event and hook that are distinguished; further ones are not judged. */
const MOST = 5_000;
/** Milliseconds until a command has started Node and loaded the hooks. */
const STARTING = 1_000;
/** How often a hook must have been skipped before it is reported. */
const OFTEN = 5;

/** What records show about hooks: which never run, always fail, or are slow. */
export class Health {
  readonly #seen = new Map<string, EventHealth>();
  readonly #fires = new Map<string, number>();
  readonly #alarms = new Map<string, { count: number; last: AlarmRecord }>();
  readonly #gaps = new SequenceGaps();
  readonly #unanswered = new OwnAnswers();
  readonly #background = new BackgroundRuns<BackgroundRun>();
  readonly #mask: <R extends HookRecord>(record: R) => R;
  /** The option by which commands read the same records. */
  readonly #records: string;
  /** When each agent's own hooks last fired, in milliseconds since 1970; agents that use our format count as `claude-code`. */
  readonly agents = new Map<string, number>();
  fires = 0;
  /** Of the fires that were answered without a server, the one that began last. */
  alone: StatelessFire | undefined;
  /** When the newest record of the store was made, also one that was not read, in ISO 8601. */
  latest: string | undefined;

  /** `mask` is applied to records before findings quote them: a secret in a shortened text would no longer be recognised. */
  constructor(mask: <R extends HookRecord>(record: R) => R, records = '') {
    this.#mask = mask;
    this.#records = records;
  }

  add(record: HookRecord): void {
    this.#gaps.add(record);
    if (record.type === 'hook_alarm') {
      const { count = 0 } = this.#alarms.get(record.alarm) ?? {};
      this.#alarms.set(record.alarm, { count: count + 1, last: record });
    }
    if (record.type === 'system' && record.subtype === 'hook_response') {
      const late = this.#background.end(record);
      if (late !== undefined) failedLate(late, record);
    }
    if (record.type !== 'hook_fire') return;
    this.fires += 1;
    if (record.unanswered !== undefined) this.#unanswered.add(record);
    if (record.stateless) {
      const began = beganAt(record);
      if (this.alone === undefined || began > this.alone.began) this.alone = { time: record.time, began };
    }
    const agent = agentOf(record);
    if (agent !== undefined)
      this.agents.set(agent, Math.max(this.agents.get(agent) ?? 0, Date.parse(record.time) || 0));
    if (this.#fires.size < MOST) this.#fires.set(record.event, (this.#fires.get(record.event) ?? 0) + 1);
    for (const handler of record.handlers) this.#hook(record, handler);
  }

  /** Whether a hook of this name was ever listed for the event. */
  lists(event: string, name: string): boolean {
    return this.#seen.has(keyOf(event, name));
  }

  /** Records that may be missing because their writer was killed or could not write them. */
  unclosed(one: UnclosedFile, place: string | undefined): DoctorFinding[] {
    return this.#gaps.unclosed(one, this.latest, place);
  }

  findings(slow: number): DoctorFinding[] {
    const hooks = [...this.#seen.values()];
    return [
      ...[...this.#alarms].map(([kind, { count, last }]) => alarmFinding(kind, count, this.#mask(last), this.#records)),
      ...this.#unanswered.findings(this.#mask, this.#records),
      ...hooks.flatMap((seen) => this.#judge(seen, slow)),
      ...this.#gaps.findings(),
    ];
  }

  #hook(record: FireRecord, handler: HandlerRecord): void {
    const key = keyOf(record.event, handler.name);
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      if (this.#seen.size >= MOST) return;
      const counts = { listed: 0, ran: 0, failed: 0, times: [], skips: new Map(), causes: new Map() };
      seen = { event: record.event, ...counts, last: { record, handler } };
      this.#seen.set(key, seen);
    }
    seen.listed += 1;
    seen.last = { record, handler };
    if (handler.status === 'skipped') {
      count(seen.skips, handler.reason ?? 'unknown');
      return;
    }
    seen.ran += 1;
    if (handler.duration_ms !== undefined && handler.status !== 'background') seen.times.push(handler.duration_ms);
    const late = { seen, record: handler.status === 'background' ? withoutInput(record, handler) : record, handler };
    const end = this.#background.begin(record.fire_id, handler, late);
    if (end !== undefined) failedLate(late, end);
    if (handler.status === 'failed') failed(seen, { record, handler });
  }

  #judge(seen: EventHealth, slow: number): DoctorFinding[] {
    const { lastFailed } = seen;
    const shown = {
      ...seen,
      last: this.#shown(seen.last),
      lastFailed: lastFailed === undefined ? undefined : this.#shown(lastFailed).handler,
    };
    if (seen.ran === 0) return neverRan(shown, this.#records);
    return [...failing(shown), ...slowness(shown, slow)];
  }

  #shown({ record, handler }: HandlerInFire): HandlerInFire {
    const shown = this.#mask(record);
    return { record: shown, handler: shown.handlers[record.handlers.indexOf(handler)] ?? handler };
  }
}

function failed(seen: EventHealth, told: HandlerInFire): void {
  seen.failed += 1;
  seen.lastFailed = told;
  count(seen.causes, told.handler.failure?.cause ?? 'unknown');
}

function failedLate({ seen, record, handler: begun }: BackgroundRun, { failure, exit_code }: RunEnd): void {
  if (failure === undefined) return;
  const handler = { ...begun, failure, ...(exit_code === undefined ? {} : { exit_code }) };
  failed(seen, { record: { ...record, handlers: [handler] }, handler });
}

/** When the command of a fire was started at the latest: its record is made when its hooks have answered, which may have run one after the other. */
function beganAt({ time, handlers }: FireRecord): number {
  const ran = handlers.reduce((sum, { duration_ms: took = 0 }) => sum + took, 0);
  return Date.parse(time) - ran - STARTING;
}

/** Thousands of background runs may be waiting for their end, and inputs can be long. */
function withoutInput({ final_input: _, ...record }: FireRecord, handler: HandlerRecord): FireRecord {
  return { ...record, input: {}, handlers: [handler] };
}

/** The agent whose own hook made the fire; undefined if a program did. */
function agentOf({ input: { via }, fired, stateless }: FireRecord): string | undefined {
  if (isObject(via) && typeof via['agent'] === 'string') return via['agent'];
  return fired?.done_by === 'client' || stateless === true ? 'claude-code' : undefined;
}

const keyOf = (event: string, name: string): string => JSON.stringify([event, name]);

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Reasons for skipping a hook that do not depend on the call. */
const WRONG: readonly string[] = ['policy', 'disabled', 'trust', 'invalid', 'unsupported'];

function neverRan({ event, listed: often, skips, last }: MaskedHealth, records: string): DoctorFinding[] {
  const reasons = [...skips].sort(([, a], [, b]) => b - a);
  const [[reason = ''] = []] = reasons;
  const wrong = WRONG.includes(reason);
  if (!wrong && often < OFTEN) return [];
  const words = reasons.map(([name, times]) => `${plain(skipWords(name))}${reasons.length > 1 ? ` (${times})` : ''}`);
  const { change } = whyNotAsked(last.record, last.handler, records);
  return [
    {
      level: wrong ? 'problem' : 'remark',
      about: 'hook',
      text: `${whoIs(last.handler)} never ran, although ${plain(event)} was fired ${times(often)} while it was registered: ${listed(words)}.`,
      fix: reason === 'matcher' || reason === 'if' ? `If it should have run: ${lower(change)}` : change,
    },
  ];
}

function failing({ event, ran, failed, causes, lastFailed }: MaskedHealth): DoctorFinding[] {
  if (lastFailed === undefined) return [];
  const always = failed === ran;
  const names = [...causes].sort(([, a], [, b]) => b - a).map(([cause]) => plain(cause));
  const often = always
    ? ran === 1
      ? 'the one time it ran'
      : `each of the ${ran} times it ran`
    : `${failed} of ${ran} times`;
  const message = lastFailed.failure?.message ?? '';
  return [
    {
      level: always ? 'problem' : 'remark',
      about: 'hook',
      text: `${whoIs(lastFailed)} failed ${often} on ${plain(event)} (${listed(names)})${message === '' ? '' : `, the last time with: ${clip(message.trim(), 160)}`}.`,
      fix: `${upper(mendFor(lastFailed, event))}.`,
    },
  ];
}

function slowness({ event, times: measured, last }: MaskedHealth, slow: number): DoctorFinding[] {
  if (measured.length === 0) return [];
  const p95 = percentile(Float64Array.from(measured).sort(), 95);
  if (p95 < slow) return [];
  return [
    {
      level: 'remark',
      about: 'hook',
      text: `${whoIs(last.handler)} is slow on ${plain(event)}: 95 of 100 runs take up to ${duration(p95)}.`,
      fix: 'Narrow its matcher, let it run in the background (async) if it decides nothing, or let a server run it (hookscope serve).',
    },
  ];
}

function alarmFinding(
  kind: string,
  often: number,
  { message, tool_use_id: id }: AlarmRecord,
  records: string,
): DoctorFinding {
  return {
    level: 'problem',
    about: 'alarm',
    text: `${alarmsInWords(kind)}, ${times(often)} (${plain(kind)}), the last time: ${clip(message.trim(), 200)}.`,
    fix: `See hookscope history --alarms${records}, and hookscope why ${clip(id, 60)}${records}.`,
  };
}

const whoIs = (handler: HandlerRecord): string => `${shortName(handler.name)} (${placeOf(handler)})`;
const times = (often: number): string => (often === 1 ? 'once' : `${often} times`);
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

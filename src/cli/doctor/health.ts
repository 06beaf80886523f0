import type { ClaudeSourceKind } from '../../claude-code/files/source.js';
import type { AlarmRecord, FireRecord, HandlerRecord, HookRecord } from '../../emit/record.js';
import { alarmsInWords } from '../../host/alarms/words.js';
import { clip, plain } from '../../plain.js';
import { isObject } from '../../values/shape.js';
import { BackgroundRuns, type RunEnd } from '../../why/background.js';
import { placeIn, SameHooks } from '../../why/same-hook.js';
import { sharing } from '../../why/tally.js';
import { numbered, shortName, subjectOf } from '../../why/words.js';
import type { UnclosedFile } from '../history/unclosed.js';
import type { DoctorFinding } from './finding.js';
import { SequenceGaps } from './gaps.js';
import { type EventHealth, type HandlerInFire, isDoubt, judged, times } from './hook-health.js';
import { OwnAnswers } from './own-answers.js';

/** A hook that went on in the background, whose end is not known yet. */
interface BackgroundRun extends HandlerInFire {
  readonly seen: EventHealth;
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

/** What records show about hooks: which never run, always fail, or are slow. */
export class Health {
  readonly #hooks = new SameHooks();
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
  /** Whether a host has read the files that Claude Code finds by itself. */
  readsClaude = false;
  /** Of the fires that were answered without a server, the one that began last. */
  alone: StatelessFire | undefined;
  /** How many there were since a server answered an agent last; 0 also if none has. */
  missed = 0;
  #wasServed = false;
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
      if (this.#wasServed) this.missed += 1;
    }
    const agent = agentOf(record);
    if (agent !== undefined && !record.stateless && record.unanswered === undefined) {
      this.#wasServed = true;
      this.missed = 0;
    }
    if (agent !== undefined)
      this.agents.set(agent, Math.max(this.agents.get(agent) ?? 0, Date.parse(record.time) || 0));
    if (this.#fires.size < MOST) this.#fires.set(record.event, (this.#fires.get(record.event) ?? 0) + 1);
    const keys = this.#hooks.keysOf(record);
    for (const [i, handler] of record.handlers.entries()) this.#hook(record, handler, keys[i] as string);
  }

  /** Whether a hook of this name was ever listed for the event. */
  lists(event: string, name: string): boolean {
    return [...this.#seen.values()].some((seen) => seen.event === event && seen.last.handler.name === name);
  }

  /** Records that may be missing because their writer was killed or could not write them. */
  unclosed(one: UnclosedFile, place: string | undefined): DoctorFinding[] {
    return this.#gaps.unclosed(one, this.latest, place);
  }

  findings(slow: number): DoctorFinding[] {
    const hooks = [...this.#seen.values()];
    const isShared = sharing(hooks, ({ last: { record, handler } }) =>
      JSON.stringify([handler.name, placeIn(record, handler)]),
    );
    return [
      ...[...this.#alarms].map(([kind, { count, last }]) => alarmFinding(kind, count, this.#mask(last), this.#records)),
      ...this.#unanswered.findings(this.#mask, this.#records),
      ...hooks.flatMap((seen) => this.#judge(seen, slow, isShared(seen))),
      ...this.#gaps.findings(),
    ];
  }

  #hook(record: FireRecord, handler: HandlerRecord, hook: string): void {
    if (FOUND.includes(handler.source.kind)) this.readsClaude = true;
    const key = JSON.stringify([record.event, hook]);
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      if (this.#seen.size >= MOST) return;
      const counts = {
        listed: 0,
        ran: 0,
        cut: [],
        failed: 0,
        alone: 0,
        doubted: 0,
        times: [],
        skips: new Map(),
        causes: new Map(),
      };
      seen = { event: record.event, key: hook, ...counts, last: { record, handler } };
      this.#seen.set(key, seen);
    }
    seen.listed += 1;
    seen.last = { record, handler };
    if (handler.status === 'skipped') {
      if (handler.reason === 'matcher' && differsInCase(handler.matcher, subjectOf(record)))
        seen.meant = { record, handler };
      count(seen.skips, handler.reason ?? 'unknown');
      return;
    }
    seen.ran += 1;
    if (handler.failure?.cause === 'aborted') {
      seen.cut.push(handler.duration_ms ?? 0);
      return;
    }
    if (record.stateless) seen.alone += 1;
    if (handler.warnings?.some(isDoubt)) {
      seen.doubted += 1;
      seen.lastDoubted = { record, handler };
    }
    if (handler.duration_ms !== undefined && handler.status !== 'background') seen.times.push(handler.duration_ms);
    const late = { seen, record: handler.status === 'background' ? withoutInput(record, handler) : record, handler };
    const end = this.#background.begin(record.fire_id, handler, late);
    if (end !== undefined) failedLate(late, end);
    if (handler.status === 'failed') failed(seen, { record, handler });
  }

  /** `isShared`: another hook has its name and place. */
  #judge(seen: EventHealth, slow: number, isShared: boolean): DoctorFinding[] {
    const { lastFailed, lastDoubted } = seen;
    const handlerOf = (one: HandlerInFire | undefined): HandlerRecord | undefined => one && this.#shown(one).handler;
    const last = this.#shown((seen.ran === 0 ? seen.meant : undefined) ?? seen.last);
    const place = placeIn(last.record, last.handler);
    const who = `${shortName(last.handler.name)} (${isShared ? numbered(place, last.handler.id) : place})`;
    const shown = { ...seen, who, last, lastFailed: handlerOf(lastFailed), lastDoubted: handlerOf(lastDoubted) };
    return judged(shown, slow, this.#records);
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

function failedLate(
  { seen, record, handler: begun }: BackgroundRun,
  { failure, exit_code, duration_ms }: RunEnd,
): void {
  if (failure === undefined) return;
  if (failure.cause === 'aborted') {
    seen.cut.push(duration_ms);
    return;
  }
  const handler = { ...begun, failure, ...(exit_code === undefined ? {} : { exit_code }) };
  failed(seen, { record: { ...record, handlers: [handler] }, handler });
}

/** Where hooks of Claude Code's settings come from, if no option of ours has named them. */
const FOUND: readonly string[] = ['user', 'project', 'local'] satisfies readonly ClaudeSourceKind[];

/** Whether a matcher has a name that is the subject's in another case, so that it was probably meant. */
const differsInCase = (matcher = '', subject = ''): boolean =>
  matcher.split(/[|,]/).some((name) => name.trim().toLowerCase() === subject.toLowerCase());

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

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
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

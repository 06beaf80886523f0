import { isSame } from '../emit/reading/answers.js';
import type { FireRecord, HookRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { append } from '../values/append.js';
import { agentIdOf, isDenied, isShadow } from './meaning.js';
import {
  answeredCalls,
  besideOf,
  type CallRecording,
  fittingCalls,
  hasDenial,
  isPlaced,
  isStateless,
  roleIn,
} from './parallel.js';
import { type Placing, settle } from './settle.js';

/** The records of one tool call. */
export interface CallFound {
  /** The records that are certainly about the call, ordered by time. */
  readonly records: readonly HookRecord[];
  /** Earlier and later records with its id that may be about the same call or another one. */
  readonly before: readonly HookRecord[];
  readonly after: readonly HookRecord[];
  /** How many other calls have its id. */
  readonly others: number;
  /** The fires in which hooks denied those. */
  readonly denials?: readonly FireRecord[];
}

/** The call that a record is about. `records`: all records with its session and `tool_use_id`, of all hosts, in any order. */
export function callOf(records: readonly HookRecord[], record: HookRecord): CallFound {
  const { host_id: host, session_id: session } = record as HookRecord & { readonly session_id?: string };
  // Without a session, the same id on another host is another call.
  const ordered = (session ? [...records] : records.filter((one) => one.host_id === host)).sort(byTime);
  const calls = callsIn(ordered);
  const call = calls.find((one) => one.records.includes(record));
  if (call === undefined) return { records: [], before: [], after: [], others: 0 };
  const linked = calls.filter((one) => one.chain === call.chain);
  const at = linked.indexOf(call);
  const recordsOf = (some: readonly CallRecording[]): HookRecord[] => some.flatMap((one) => one.records).sort(byTime);
  return {
    records: call.records,
    before: recordsOf(linked.slice(0, at)),
    after: recordsOf(linked.slice(at + 1)),
    others: calls.length - linked.length,
    denials: calls.filter((one) => one.chain !== call.chain).flatMap(({ asks }) => asks.find(isDenied) ?? []),
  };
}

const byTime = (a: HookRecord, b: HookRecord): number => Date.parse(a.time) - Date.parse(b.time) || a.seq - b.seq;

/**
 * Splits the records with one session and `tool_use_id`, ordered by time, into calls: a model may reuse its ids at every step, or within one, and for
 * an agent without ids a repeated call gets the same id again. Each agent has ids of its own.
 */
export function callsIn(records: readonly HookRecord[]): readonly CallRecording[] {
  const calls = new Set<CallRecording>();
  const last = new Map<string | undefined, CallRecording>();
  const fires = new Set<string>();
  const shadows: HookRecord[] = [];
  const placings: Placing[] = [];
  for (const record of records) {
    if (record.type === 'hook_fire' && record.shadow_of !== undefined && fires.has(record.shadow_of)) {
      shadows.push(record);
      continue;
    }
    if (record.type === 'hook_fire') fires.add(record.fire_id);
    const agent = agentIdOf(record);
    const before = last.get(agent);
    const among =
      before === undefined || roleIn(record) !== 'answers'
        ? []
        : answeredCalls(record as FireRecord & HookRecord, before);
    const [answered, ...more] = among;
    if (more.length > 0) {
      place(record, among, placings);
      continue;
    }
    // What may have ended the latest may also be about another one.
    if (answered !== undefined && (answered !== before || before.end !== undefined)) {
      add(answered, record as FireRecord & HookRecord);
      continue;
    }
    const placed = placeOf(record, before, calls);
    last.set(agent, placed);
    if (isAsk(record)) {
      add(placed, record);
      placed.chain.byHost.set(record.host_id, placed);
    } else place(record, fittingCalls(record, placed), placings);
  }
  settle(placings, calls);
  return inOrder(calls, { records, shadows });
}

/** Notes which calls a record may be about; until all are known, it counts as one about the latest that no hook denied. */
function place(record: HookRecord, among: readonly CallRecording[], placings: Placing[]): void {
  placings.push({ record, among });
  const call = among.find((one) => !hasDenial(one)) ?? (among[0] as CallRecording);
  if (among.length === 1 && isPlaced(record)) call.certain.push(record);
  if (record.type === 'tool_call') call.isDeferred = record.status === 'deferred';
  if (ends(record)) call.end ??= record;
}

/** Puts all records, and what calls they belong to, in the order of time. A shadow record is about the call of its fire, however late it came. */
function inOrder(
  calls: ReadonlySet<CallRecording>,
  { records, shadows }: { readonly records: readonly HookRecord[]; readonly shadows: readonly HookRecord[] },
): readonly CallRecording[] {
  const byFire = new Map<string, CallRecording>();
  for (const call of calls)
    for (const record of call.records)
      if (record.type === 'hook_fire' && !byFire.has(record.fire_id)) byFire.set(record.fire_id, call);
  for (const shadow of shadows) byFire.get((shadow as FireRecord).shadow_of as string)?.records.push(shadow);
  const at = new Map(records.map((record, i) => [record, i]));
  const placeIn = (record: HookRecord | undefined): number => (record && at.get(record)) ?? records.length;
  for (const call of calls) call.records.sort((a, b) => placeIn(a) - placeIn(b));
  const byBegin = (a: CallRecording, b: CallRecording): number => placeIn(a.records[0]) - placeIn(b.records[0]);
  for (const chain of new Set([...calls].map((call) => call.chain))) chain.calls.sort(byBegin);
  return [...calls].sort(byBegin);
}

/** The call that the record is about: a new one, or `before`, which the record may prove to be one with earlier parts. */
function placeOf(record: HookRecord, before: CallRecording | undefined, calls: Set<CallRecording>): CallRecording {
  const asks = isAsk(record) ? record : undefined;
  const how = before === undefined ? 'another' : asks === undefined ? 'same' : relationOf(asks, before);
  if (before !== undefined && how === 'same') return asks === undefined ? joined(record, before, calls) : before;
  const isLinked = before !== undefined && how === 'unknown';
  const chain = isLinked ? before.chain : { calls: [], byHost: new Map<string, CallRecording>() };
  const beside = before === undefined ? [] : besideOf(before);
  const call: CallRecording = { records: [], asks: [], end: undefined, isDeferred: false, chain, certain: [], beside };
  chain.calls.push(call);
  calls.add(call);
  return call;
}

function add(call: CallRecording, record: FireRecord & HookRecord): void {
  call.records.push(record);
  call.asks.push(record);
  call.isDeferred = record.decision.verdict === 'defer' && record.error === undefined;
}

/**
 * Joins parts of a call. A host's record belongs to its latest fire, so fires of other hosts in between are about the same call. They stay
 * apart if one of them is hookscope's own answer, which may stand for a fire of this host.
 */
function joined(record: HookRecord, last: CallRecording, calls: Set<CallRecording>): CallRecording {
  const { chain } = last;
  const own = chain.byHost.get(record.host_id);
  if (own === undefined || own === last) return last;
  const at = chain.calls.indexOf(own);
  const later = chain.calls.slice(at + 1);
  if (later.some(({ asks }) => asks.some(({ unanswered }) => unanswered !== undefined))) return last;
  for (const one of later) {
    append(own.records, one.records);
    append(own.asks, one.asks);
    append(own.certain, one.certain);
    own.end ??= one.end;
    one.into = own;
    calls.delete(one);
  }
  chain.calls = chain.calls.slice(0, at + 1);
  for (const { host_id: host } of own.asks) chain.byHost.set(host, own);
  return own;
}

/** Whether a fire is about the call before it or about another one, if that is known. */
function relationOf(record: FireRecord, call: CallRecording): 'same' | 'another' | 'unknown' {
  const { host_id: host } = record as HookRecord;
  const ofHost = call.asks.filter((one) => (one as HookRecord).host_id === host).at(-1);
  if (call.end !== undefined) return isLate(record, call, ofHost) ? 'unknown' : 'another';
  // A process that answers one event.
  if (ofHost !== undefined && isStateless(ofHost)) return 'same';
  const role = roleIn(record);
  const asked = call.asks.filter((one) => roleIn(one) === role).at(-1);
  if (asked === undefined && role === 'answers') return 'same';
  if (asked !== undefined && !isAlike(asked, record)) return 'another';
  const last = call.asks.at(-1);
  if (call.isDeferred || isAnswered(last, record)) return 'same';
  if (ofHost !== undefined) return isDenied(ofHost) || ofHost.unanswered !== undefined ? 'another' : 'unknown';
  const isAgain = last?.revision !== undefined && last.revision === record.revision;
  // A command that asks the same hooks, in a process of its own, was started for another event.
  return isAgain && isStateless(last) && isStateless(record) ? 'another' : 'unknown';
}

/** Whether a fire may be about a call that is over: its host has not been asked about the call yet, and its hooks began before the end. */
function isLate(record: FireRecord, { asks, end }: CallRecording, ofHost: FireRecord | undefined): boolean {
  if (ofHost !== undefined || asks.length === 0 || !asks.every((one) => isAlike(one, record))) return false;
  const took = record.handlers.reduce((most, { duration_ms: ms = 0 }) => Math.max(most, ms), 0);
  return end !== undefined && Date.parse((record as HookRecord).time) - took < Date.parse(end.time);
}

/** The most milliseconds between a rejected fire's record and that of hookscope's own answer to it. */
const APART = 5_000;

const isAnswered = (rejected: FireRecord | undefined, answer: FireRecord | undefined): boolean =>
  rejected?.error !== undefined &&
  answer?.unanswered !== undefined &&
  Math.abs(Date.parse(rejected.time) - Date.parse(answer.time)) <= APART;

/** Whether two fires were about the same tool and input, as far as their records hold them. Hosts and agents add other fields, such as a time. */
function isAlike(a: FireRecord, b: FireRecord): boolean {
  if ([a, b].some(({ truncated = [] }) => truncated.length > 0)) return true;
  const told = ['tool_name', 'tool_input'].filter((key) => [a, b].every(({ input }) => Object.hasOwn(input, key)));
  return told.every((key) => isSame(a.input[key], b.input[key]));
}

function isAsk(record: HookRecord): record is FireRecord & HookRecord {
  const role = roleIn(record);
  return role === 'judges' || role === 'answers';
}

/** Whether a fire after this record is about another call. */
function ends(record: HookRecord): boolean {
  // A deferred call is asked about again, with the same id.
  if (record.type === 'tool_call') return record.status !== 'deferred';
  if (record.type !== 'hook_fire' || isShadow(record)) return false;
  const role = roleIn(record);
  return role === 'ran' || (role === undefined && specOf(record.event)?.tool === true);
}

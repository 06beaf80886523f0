import { isSame } from '../emit/reading/answers.js';
import type { FireRecord, HookRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { agentIdOf, isDenied, isShadow } from './meaning.js';
import { besideOf, type CallChain, type CallRecording, fittingCall } from './parallel.js';

/** The records of one tool call. */
export interface CallFound {
  /** The records that are certainly about the call, ordered by time. */
  readonly records: readonly HookRecord[];
  /** Earlier and later records with its id that may be about the same call or another one. */
  readonly before: readonly HookRecord[];
  readonly after: readonly HookRecord[];
  /** How many other calls have its id. */
  readonly others: number;
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
  };
}

const byTime = (a: HookRecord, b: HookRecord): number => Date.parse(a.time) - Date.parse(b.time) || a.seq - b.seq;

/**
 * Splits the records with one session and `tool_use_id`, ordered by time, into calls: a model may reuse its ids at every step, and for an agent
 * without ids a repeated call gets the same id again. Each agent has ids of its own.
 */
export function callsIn(records: readonly HookRecord[]): readonly CallRecording[] {
  const calls = new Set<CallRecording>();
  const last = new Map<string | undefined, CallRecording>();
  const byFire = new Map<string, CallChain>();
  for (const record of records) {
    const agent = agentIdOf(record);
    const shadowed = shadowedBy(record, byFire);
    if (shadowed !== undefined) {
      shadowed.records.push(record);
      continue;
    }
    const before = last.get(agent);
    const placed = placeOf(record, before, calls);
    last.set(agent, placed);
    const call = isAsk(record) ? placed : fittingCall(record, placed);
    add(call, record);
    if (record.type === 'hook_fire' && !byFire.has(record.fire_id)) byFire.set(record.fire_id, call.chain);
  }
  return [...calls];
}

/** The call that the record is about: a new one, or `before`, which the record may prove to be one with earlier parts. */
function placeOf(record: HookRecord, before: CallRecording | undefined, calls: Set<CallRecording>): CallRecording {
  const asks = isAsk(record) ? record : undefined;
  const how = before === undefined ? 'another' : asks === undefined ? 'same' : relationOf(asks, before);
  if (before !== undefined && how === 'same') return asks === undefined ? joined(record, before, calls) : before;
  const isLinked = before !== undefined && how === 'unknown';
  const chain = isLinked ? before.chain : { calls: [], byHost: new Map<string, CallRecording>() };
  const beside = before === undefined || isLinked ? [] : besideOf(before);
  const call: CallRecording = { records: [], asks: [], isOver: false, isDeferred: false, chain, beside };
  chain.calls.push(call);
  calls.add(call);
  return call;
}

function add(call: CallRecording, record: HookRecord): void {
  call.records.push(record);
  if (isAsk(record)) {
    call.asks.push(record);
    call.chain.byHost.set(record.host_id, call);
    call.isDeferred = record.decision.verdict === 'defer' && record.error === undefined;
  }
  if (record.type === 'tool_call') call.isDeferred = record.status === 'deferred';
  call.isOver ||= ends(record);
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
    own.records.push(...one.records);
    own.asks.push(...one.asks);
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
  if (call.isOver) return isLate(record, call, ofHost) ? 'unknown' : 'another';
  // A process that answers one event.
  if (ofHost !== undefined && isStateless(ofHost)) return 'same';
  const role = roleOf(record);
  const asked = call.asks.filter((one) => roleOf(one) === role).at(-1);
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
function isLate(record: FireRecord, { records, asks }: CallRecording, ofHost: FireRecord | undefined): boolean {
  if (ofHost !== undefined || asks.length === 0 || !asks.every((one) => isAlike(one, record))) return false;
  const took = record.handlers.reduce((most, { duration_ms: ms = 0 }) => Math.max(most, ms), 0);
  const over = records.find(ends);
  return over !== undefined && Date.parse((record as HookRecord).time) - took < Date.parse(over.time);
}

/** The most milliseconds between a rejected fire's record and that of hookscope's own answer to it. */
const APART = 5_000;

const isAnswered = (rejected: FireRecord | undefined, answer: FireRecord | undefined): boolean =>
  rejected?.error !== undefined &&
  answer?.unanswered !== undefined &&
  Math.abs(Date.parse(rejected.time) - Date.parse(answer.time)) <= APART;

const isStateless = (record: FireRecord): boolean => (record as { readonly stateless?: boolean }).stateless === true;

/** Whether two fires were about the same tool and input, as far as their records hold them. Hosts and agents add other fields, such as a time. */
function isAlike(a: FireRecord, b: FireRecord): boolean {
  if ([a, b].some(({ truncated = [] }) => truncated.length > 0)) return true;
  const told = ['tool_name', 'tool_input'].filter((key) => [a, b].every(({ input }) => Object.hasOwn(input, key)));
  return told.every((key) => isSame(a.input[key], b.input[key]));
}

/** The call of the fire that a shadow record belongs to: its hook may be called late, after the next call began. */
function shadowedBy(record: HookRecord, byFire: ReadonlyMap<string, CallChain>): CallRecording | undefined {
  if (record.type !== 'hook_fire' || record.shadow_of === undefined) return undefined;
  const { shadow_of: fire } = record;
  const calls = byFire.get(fire)?.calls ?? [];
  return calls.length < 2
    ? calls[0]
    : calls.find((call) => call.records.some((one) => one.type === 'hook_fire' && one.fire_id === fire));
}

function isAsk(record: HookRecord): record is FireRecord & HookRecord {
  const role = roleOf(record);
  return role === 'judges' || role === 'answers';
}

function roleOf(record: HookRecord): string | undefined {
  return record.type === 'hook_fire' && !isShadow(record) ? specOf(record.event)?.callRole : undefined;
}

/** Whether a fire after this record is about another call. */
function ends(record: HookRecord): boolean {
  // A deferred call is asked about again, with the same id.
  if (record.type === 'tool_call') return record.status !== 'deferred';
  if (record.type !== 'hook_fire' || isShadow(record)) return false;
  const role = roleOf(record);
  return role === 'ran' || (role === undefined && specOf(record.event)?.tool === true);
}

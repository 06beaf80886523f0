import { isSame } from '../emit/reading/answers.js';
import type { FireRecord, HookRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { agentIdOf, isShadow } from './meaning.js';

interface Call {
  readonly records: HookRecord[];
  isOver: boolean;
}

/**
 * Cuts the records with one id of a session, in their order, into calls: a model may number its calls anew at every step. A fire that judges
 * begins the next call where the one before was denied or has ended. Each agent's ids are its own.
 */
export function callsIn(records: readonly HookRecord[]): readonly (readonly HookRecord[])[] {
  const calls: Call[] = [];
  const last = new Map<string | undefined, Call>();
  const byFire = new Map<string, Call>();
  for (const record of records) {
    const agent = agentIdOf(record);
    let call = shadowedBy(record, byFire) ?? last.get(agent);
    if (call === undefined || (call.isOver && roleOf(record) === 'judges' && !answersFor(record, call))) {
      call = { records: [], isOver: false };
      calls.push(call);
      last.set(agent, call);
    }
    call.records.push(record);
    if (record.type === 'hook_fire' && !byFire.has(record.fire_id)) byFire.set(record.fire_id, call);
    call.isOver ||= ends(record);
  }
  return calls.map((call) => call.records);
}

/** Hookscope's own answer is about the same call as the fire that was rejected for want of it, and as what another host decided about the same input. */
function answersFor(record: HookRecord, { records }: Call): boolean {
  const last = records.at(-1);
  if (record.type !== 'hook_fire' || last?.type !== 'hook_fire') return false;
  if (record.unanswered !== undefined && last.error !== undefined) return true;
  const isOwn = [...records, record].some((one) => one.type === 'hook_fire' && one.unanswered !== undefined);
  return (
    isOwn &&
    records.every((one) => one.host_id !== record.host_id && roleOf(one) === 'judges') &&
    isSame(last.input, record.input)
  );
}

/**
 * Of the records with one id of a session those that may be about the same call as this one, in the order of their time. Each event of a call may
 * have come to a host of its own. Of hosts that were asked about the same event, one has fired another one's session again: the last is meant.
 */
export function withHostOf(own: HookRecord, records: readonly HookRecord[]): readonly HookRecord[] {
  const { host_id: host, session_id: session } = own as HookRecord & { readonly session_id?: string };
  const asked = records.filter(isAsked);
  const hosts = new Map<string, string | undefined>();
  // The later ones replace the earlier ones, and the host itself comes last.
  for (const record of asked) hosts.set(record.event, record.host_id);
  for (const record of asked) if (record.host_id === host) hosts.set(record.event, host);
  const others = new Set<string | undefined>();
  for (const { event, host_id: other } of asked) if (hosts.get(event) !== other) others.add(other);
  others.delete(host);
  return records
    .filter((record) => record.host_id === host || (session && !others.has(record.host_id)))
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/** Whether a host was to ask hooks about an event. */
const isAsked = (record: HookRecord): record is FireRecord & HookRecord =>
  record.type === 'hook_fire' && record.unanswered === undefined && !isShadow(record);

/** The records of the call that this one of them is about. */
export function callOf(records: readonly HookRecord[], record: HookRecord): readonly HookRecord[] {
  return callsIn(records).find((call) => call.includes(record)) ?? [];
}

/** What is not enforced may be asked late, when the next call has begun. */
function shadowedBy(record: HookRecord, byFire: ReadonlyMap<string, Call>): Call | undefined {
  if (record.type !== 'hook_fire' || record.shadow_of === undefined) return undefined;
  return byFire.get(record.shadow_of);
}

function roleOf(record: HookRecord): string | undefined {
  return record.type === 'hook_fire' && !isShadow(record) ? specOf(record.event)?.callRole : undefined;
}

/** Whether nothing more is decided about the call after this. */
function ends(record: HookRecord): boolean {
  // What was left for later is asked about again, with the same id.
  if (record.type === 'tool_call') return record.status !== 'deferred';
  if (record.type !== 'hook_fire' || isShadow(record)) return false;
  const role = roleOf(record);
  if (role === 'judges' || role === 'answers') return record.decision.verdict === 'deny';
  return role === 'ran' || specOf(record.event)?.tool === true;
}

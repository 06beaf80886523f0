import { isSame } from '../emit/reading/answers.js';
import type { FireRecord, HookRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { agentIdOf, isShadow } from './meaning.js';

interface Call {
  readonly records: HookRecord[];
  isOver: boolean;
}

/**
 * Splits records with the same `tool_use_id` into tool calls, in their order: a model may reuse its ids at every step. A fire that judges
 * begins the next call if the previous one was denied or has ended. Each agent has ids of its own.
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

/** Whether a fire is about a call that has ended: hookscope's own answer after a rejected fire, or beside another host's fire for the same input. */
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
 * The records that may be about the same call as `own`, ordered by time, out of `records` with the same session and `tool_use_id`. Different events
 * of one call may have reached different hosts. If several hosts fired the same event, one replayed another's session; then the last host counts.
 */
export function withHostOf(own: HookRecord, records: readonly HookRecord[]): readonly HookRecord[] {
  const { host_id: host, session_id: session } = own as HookRecord & { readonly session_id?: string };
  const asked = records.filter(isAsked);
  const hosts = new Map<string, string | undefined>();
  // Later hosts replace earlier ones, and `own`'s host replaces all.
  for (const record of asked) hosts.set(record.event, record.host_id);
  for (const record of asked) if (record.host_id === host) hosts.set(record.event, host);
  const others = new Set<string | undefined>();
  for (const { event, host_id: other } of asked) if (hosts.get(event) !== other) others.add(other);
  others.delete(host);
  return records
    .filter((record) => record.host_id === host || (session && !others.has(record.host_id)))
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/** Whether it is the record of a fire in which a host called hooks. */
const isAsked = (record: HookRecord): record is FireRecord & HookRecord =>
  record.type === 'hook_fire' && record.unanswered === undefined && !isShadow(record);

/** The records of the tool call that `record` belongs to. */
export function callOf(records: readonly HookRecord[], record: HookRecord): readonly HookRecord[] {
  return callsIn(records).find((call) => call.includes(record)) ?? [];
}

/** The call of the fire that a shadow record belongs to: its hook may be called late, after the next call began. */
function shadowedBy(record: HookRecord, byFire: ReadonlyMap<string, Call>): Call | undefined {
  if (record.type !== 'hook_fire' || record.shadow_of === undefined) return undefined;
  return byFire.get(record.shadow_of);
}

function roleOf(record: HookRecord): string | undefined {
  return record.type === 'hook_fire' && !isShadow(record) ? specOf(record.event)?.callRole : undefined;
}

/** Whether nothing more is decided about the call after this record. */
function ends(record: HookRecord): boolean {
  // A deferred call is asked about again, with the same id.
  if (record.type === 'tool_call') return record.status !== 'deferred';
  if (record.type !== 'hook_fire' || isShadow(record)) return false;
  const role = roleOf(record);
  if (role === 'judges' || role === 'answers') return record.decision.verdict === 'deny';
  return role === 'ran' || specOf(record.event)?.tool === true;
}

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

/** Hookscope's own answer to a fire that was rejected is about the same call. */
function answersFor(record: HookRecord, { records }: Call): boolean {
  if (record.type !== 'hook_fire' || record.unanswered === undefined) return false;
  return records.at(-1)?.type === 'hook_fire' && (records.at(-1) as FireRecord).error !== undefined;
}

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

import type { EventName } from '../../events/catalogue.js';
import { canonical, hashOf } from '../../host/alarms/canonical.js';
import type { FireSettings } from '../../host/fire-options.js';
import type { Decision } from '../../host/types.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Core } from '../core.js';
import type { CheckedCall, ToolResult } from './call.js';
import type { DeniedBy, Judgement } from './judgement.js';

/** Fires an event of a call. With subscribers, the time of its hooks is kept for the call's record, without waiting for an external approver. */
export function fireFor<E extends EventName>(
  core: Core,
  { watched }: CheckedCall,
  event: E,
  fields: Readonly<Record<string, unknown>>,
  how: FireSettings,
): Promise<Decision<E>> {
  if (watched === undefined) return core.fire(event, fields, how);
  const { hooksMs, traced } = watched;
  const began = performance.now();
  let others = 0;
  const waited = (ms: number): void => {
    others += ms;
  };
  return core
    .fire(event, fields, traced === undefined ? { ...how, waited } : { ...how, waited, traced })
    .finally(() => {
      hooksMs[event] = (hooksMs[event] ?? 0) + performance.now() - began - others;
    });
}

/** The words for `denied_by` in records. */
const WHO: Readonly<Record<Exclude<DeniedBy, 'hook'>, 'rule' | 'mode' | 'classifier' | 'user' | 'nobody' | 'failure'>> =
  {
    rules: 'rule',
    mode: 'mode',
    classifier: 'classifier',
    person: 'user',
    nobody: 'nobody',
    failure: 'failure',
  };

/** Emits the record of a call that is over, with its result or the error that was thrown. */
export function recordCall(
  core: Core,
  call: CheckedCall,
  judged: Judgement | undefined,
  end: ToolResult | { readonly thrown: unknown },
): void {
  const { records } = core.deps;
  const { watched } = call;
  if (watched === undefined) return;
  const result = 'thrown' in end ? undefined : end;
  const input = canonical(result?.input ?? judged?.input ?? call.input);
  const reason = result === undefined ? messageOf((end as { thrown: unknown }).thrown) : reasonOf(result, judged);
  const deniedBy = deniedByOf(result, judged);
  const { session_id, agent_id, agent_type } = core.who;
  records.emit(() => ({
    type: 'tool_call',
    session_id,
    scope: core.scope.id,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(agent_type === undefined ? {} : { agent_type }),
    tool_name: call.name,
    tool_use_id: call.id,
    status: result?.status ?? 'interrupted',
    ran: watched.ran,
    ...(deniedBy === undefined ? {} : { denied_by: deniedBy }),
    ...(judged?.approver === undefined ? {} : { approver: judged.approver }),
    ...(judged?.decidedBy === undefined ? {} : { decided_by: judged.decidedBy }),
    ...(reason === undefined ? {} : { reason }),
    ...(input === undefined ? {} : { input_sha256: hashOf(input) }),
    ...(result?.duration_ms === undefined ? {} : { duration_ms: result.duration_ms }),
    hooks_ms: { ...watched.hooksMs },
  }));
}

/** Emits the record of a call that was refused before anything was fired, because its input, or that of another call, cannot be serialised. */
export function recordRefused(core: Core, { name, id }: { name: string; id: string }, error: unknown): void {
  const { session_id, agent_id, agent_type } = core.who;
  core.deps.records.emit(() => ({
    type: 'tool_call',
    session_id,
    scope: core.scope.id,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(agent_type === undefined ? {} : { agent_type }),
    tool_name: name,
    tool_use_id: id,
    status: 'failed',
    ran: false,
    reason: messageOf(error),
    hooks_ms: {},
  }));
}

/** The reason of the result or, for a call that ran, of the hook that allowed it. */
const reasonOf = ({ status, reason }: ToolResult, judged: Judgement | undefined): string | undefined =>
  status === 'ran' ? judged?.reason : reason;

function deniedByOf(result: ToolResult | undefined, judged: Judgement | undefined) {
  // A thrown error is not a denial: after control flow the call may be made again, for example with the user's answer.
  if (result === undefined) return undefined;
  if (result.status === 'interrupted') return 'abort' as const;
  if (result.status !== 'denied') return undefined;
  const by = result.deniedBy ?? judged?.by;
  return by === undefined || by === 'hook' ? ('hook' as const) : WHO[by];
}

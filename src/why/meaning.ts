import type { FireRecord, HandlerRecord, HookRecord } from '../emit/record.js';
import { VERDICTS } from '../events/spec.js';

/** Whether hooks stopped the action; on a stop event, whether they kept the agent going. */
export function isBlocked({ decision, error }: Pick<FireRecord, 'decision' | 'error'>): boolean {
  const { verdict, blocked, continues } = decision;
  // Of a fire that was rejected it says what had been answered by then.
  return error === undefined && (verdict === 'deny' || blocked === true || continues === true);
}

/** Whether hooks denied the call. */
export const isDenied = ({ decision, error }: Pick<FireRecord, 'decision' | 'error'>): boolean =>
  error === undefined && decision.verdict === 'deny';

/** A rank that rises with the strictness of the decision. */
export function strength(fire: FireRecord): number {
  return isBlocked(fire) ? VERDICTS.length : VERDICTS.indexOf(fire.decision.verdict ?? 'none');
}

/** Whether a record is that of a hook that is not enforced. */
export const isShadow = (record: HookRecord): boolean => record.type === 'hook_fire' && record.shadow_of !== undefined;

/** Whether a hook that is not enforced would have stopped the action, or the agent. */
export const wouldBlock = ({ would, would_decide }: Pick<FireRecord, 'would' | 'would_decide'>): boolean =>
  would === 'deny' || would === 'block' || would_decide?.continue === false;

/** Whether a hook is the one that the user named: by name, by id, or by its name within a plugin. */
export function isMeant({ name, id }: Pick<HandlerRecord, 'name' | 'id'>, hook: string | undefined): boolean {
  return hook === undefined || name === hook || id === hook || name.endsWith(`/${hook}`);
}

export const hasRun = ({ status }: Pick<HandlerRecord, 'status'>): boolean => status !== 'skipped';

/** Whether a hook denied or blocked, also by a failure that counts as a block. */
export function stopsIt(
  record: { readonly decision: Pick<FireRecord['decision'], 'failures'>; readonly error?: string },
  handler: Pick<HandlerRecord, 'id' | 'verdict' | 'status' | 'phase'>,
): boolean {
  // An observer decides nothing, and a fire that was rejected decided nothing.
  if (handler.phase === 'observe' || record.error !== undefined) return false;
  if (handler.verdict === 'deny' || handler.verdict === 'block') return true;
  return handler.status === 'failed' && record.decision.failures.some((f) => f.id === handler.id && f.blocked);
}

/** A percentile by nearest rank: the result is a measured time, not an interpolated one. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] as number;
}

/** The agent of a record; undefined: the main agent, which some programs name by an empty id. */
export const agentIdOf = (record: HookRecord): string | undefined =>
  (record as { readonly agent_id?: string }).agent_id || undefined;

/** The agent's type, if the record has it. */
export function typeOf(record: HookRecord): string | undefined {
  const type =
    record.type === 'hook_fire'
      ? record.input['agent_type']
      : record.type === 'tool_call' || record.type === 'hook_alarm'
        ? record.agent_type
        : undefined;
  return typeof type === 'string' && type !== '' ? type : undefined;
}

import { HookscopeError } from '../../errors.js';
import type { EventSpec } from '../../events/spec.js';
import type { Json } from '../../values/shape.js';
import { linkAbort } from '../../values/waiting/link-abort.js';
import type { CallFire } from '../alarms/use.js';
import type { HostCore } from '../core.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import type { AskAnswer, SettledAsk } from '../elsewhere.js';
import type { FireSettings } from '../fire-options.js';

/** A fire whose decision is an ask. */
export interface AskingFire extends CallFire {
  readonly services: HostCore;
  readonly spec: EventSpec;
  readonly id: string;
  readonly options: FireSettings;
  readonly finalInput: Json;
  readonly began: number;
  readonly cancelled: HookscopeError | undefined;
  /** Rejects the fire. */
  cancel(error: HookscopeError): void;
  /** Reports the fire to subscribers, and returns what the agent is told. */
  tell(decision: AnyDecision, settled?: SettledAsk): AnyDecision;
}

/** Used after the fold, where any deny has already won. `isOpen` is only called for asks. */
export const isAsk = ({ verdict }: AnyDecision): boolean => verdict === 'ask';

/** Whether someone outside the process may settle this ask. A permission mode in which nobody is asked rules that out. */
export function isOpen({ services, options, spec, cancelled, input }: AskingFire): boolean {
  return (
    services.elsewhere !== undefined &&
    spec.fold === 'gate' &&
    cancelled === undefined &&
    options.shadowOf === undefined &&
    input['permission_mode'] !== 'dontAsk'
  );
}

/** Asks outside the process, and reports the fire once there is a result. Rejects with ABORTED, or with CLOSED if the host closes meanwhile. */
export function settleAsk(run: AskingFire, decision: AnyDecision): Promise<AnyDecision> {
  const over = new AbortController();
  const settled = answerTo(run, decision, over);
  const close = async (): Promise<void> => over.abort(new HookscopeError('CLOSED', {}));
  run.services.background.keep(`an answer to ${run.spec.name}`, settled, close, { followed: true });
  return settled;
}

async function answerTo(run: AskingFire, decision: AnyDecision, over: AbortController): Promise<AnyDecision> {
  const { services, options, began } = run;
  const { attended = options.canAsk !== false, within } = options.asked ?? {};
  const ended = (): void =>
    over.abort(new HookscopeError('ABORTED', { event: run.spec.name }, { cause: options.signal?.reason }));
  const forget = options.signal === undefined ? undefined : linkAbort(options.signal, { end: ended });
  if (options.signal?.aborted) ended();
  const asks = decision.outcomes.filter(saysAsk).map(({ name }) => name);
  const input = run.finalInput;
  const asked = performance.now();
  const answering = services.elsewhere?.ask(
    {
      fireId: run.id,
      event: run.spec.name,
      input,
      rewritten: input !== run.input,
      reason: decision.reason,
      hooks: asks,
      attended,
      within: within === undefined ? undefined : within * 1000 - (performance.now() - began),
    },
    over.signal,
  );
  const answered = await answering;
  options.waited?.(performance.now() - asked);
  forget?.();
  if (over.signal.aborted) {
    const error = over.signal.reason as HookscopeError;
    run.cancel(error);
    run.tell(decision);
    throw error;
  }
  if (answered === undefined) return run.tell(decision);
  return run.tell(decision, { answered, decision: withAnswer(run, decision, answered) });
}

const saysAsk = ({ decision, hookSpecificOutput }: AnyDecision['outcomes'][number]): boolean =>
  decision === 'ask' || hookSpecificOutput?.['permissionDecision'] === 'ask';

/** The decision that the agent gets. Without an answer the ask stands, unless the fire or the host denies unanswered asks. */
function withAnswer({ spec, options, services }: AskingFire, decision: AnyDecision, answered: AskAnswer): AnyDecision {
  const { answer, by, reason } = answered;
  const usual = services.unanswered === 'block' ? 'deny' : 'ask';
  const verdict = answer === 'none' ? (options.asked?.unanswered ?? usual) : answer;
  const said =
    answer === 'none' ? `${decision.reason ?? 'a hook asks'} (${reason})` : (reason ?? `${by} said ${answer}`);
  const { decidedBy, updatedInput, ...rest } = decision;
  const kept = verdict === 'deny' || updatedInput === undefined ? {} : { updatedInput };
  const told = { ...rest, ...kept, ...(verdict === 'ask' && decidedBy !== undefined ? { decidedBy } : {}) };
  return makeDecision(spec, { ...told, verdict, reason: said, answered }, decision.outcomes);
}

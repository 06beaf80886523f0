import type { FireRecord } from '../../emit/record.js';
import { HookscopeError } from '../../errors.js';
import { linkAbort } from '../../values/link-abort.js';
import type { Json } from '../../values/shape.js';
import { undecided } from '../alarms/use.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import type { FireRun } from './fire-run.js';

/** Who answered an ask, as the fire's record has it. */
export type Answered = NonNullable<FireRecord['answered']>;

/** What it came to, and what the agent is told. */
export interface Settled {
  readonly answered: Answered;
  readonly decision: AnyDecision;
}

/** An ask, as the fold left it: about the final input. */
export interface OpenAsk {
  readonly fireId: string;
  readonly event: string;
  readonly input: Json;
  /** Another input than the agent's stands in it. */
  readonly rewritten: boolean;
  readonly reason: string | undefined;
  /** The hooks that ask, by their names. */
  readonly hooks: readonly string[];
  /** A person sits at the agent. */
  readonly attended: boolean;
  /** Milliseconds until the agent gives up; undefined: nobody has said. */
  readonly within: number | undefined;
}

/** What an ask comes to elsewhere. */
export interface Elsewhere {
  /** Undefined: it is not asked there. The signal ends the question. Never rejects. */
  ask(open: OpenAsk, signal: AbortSignal): Promise<Answered> | undefined;
}

/**
 * Whether the decision is an ask that somebody elsewhere may settle. It is one after the fold, so that a deny of any hook has won by then; and where the
 * permission mode asks nobody, nobody is asked.
 */
export function isOpen({ services, options, spec, cancelled, input }: FireRun, { verdict }: AnyDecision): boolean {
  return (
    verdict === 'ask' &&
    services.elsewhere !== undefined &&
    spec.fold === 'gate' &&
    cancelled === undefined &&
    options.shadowOf === undefined &&
    input['permission_mode'] !== 'dontAsk'
  );
}

/** Asks elsewhere, and tells of the fire once that has come to something. Rejects with ABORTED. */
export async function settle(run: FireRun, decision: AnyDecision): Promise<AnyDecision> {
  const { services, options, began } = run;
  const { attended = options.canAsk !== false, within } = options.asked ?? {};
  const over = new AbortController();
  const ended = (): void => over.abort();
  const forget = options.signal === undefined ? undefined : linkAbort(options.signal, { end: ended });
  if (options.signal?.aborted) ended();
  const asks = decision.outcomes.filter(saysAsk).map(({ name }) => name);
  const input = run.finalInput;
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
  forget?.();
  if (over.signal.aborted) {
    const error = new HookscopeError('ABORTED', { event: run.spec.name }, { cause: options.signal?.reason });
    run.cancelled = error;
    undecided(run, error);
    run.tell(decision);
    throw error;
  }
  if (answered === undefined) return run.tell(decision);
  return run.tell(decision, { answered, decision: withAnswer(run, decision, answered) });
}

const saysAsk = ({ decision, hookSpecificOutput }: AnyDecision['outcomes'][number]): boolean =>
  decision === 'ask' || hookSpecificOutput?.['permissionDecision'] === 'ask';

/** What the agent is told. Without an answer the ask stands, or is denied where failures are. */
function withAnswer({ spec, options, services }: FireRun, decision: AnyDecision, answered: Answered): AnyDecision {
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

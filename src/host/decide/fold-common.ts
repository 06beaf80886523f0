import type { Failure } from '../../events/failure.js';
import { effectOf } from '../../events/failure.js';
import type { Outcome } from '../../events/output/outcome.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { DecisionFailure, DecisionFields, HandlerOutcome, OutcomesLater } from './decision.js';

/** The result of one handler: its answer, its failure, or (after a failed re-ask) both. */
export interface HandlerResult {
  readonly registration: Registration;
  readonly outcome?: Outcome | undefined;
  readonly failure?: Failure | undefined;
  /** Its allow was for an input that will not run, or a re-ask failed: the allow counts as `none`. */
  readonly allowLapsed?: boolean;
}

/** Whether the answer has only a verdict: none of the fields that `common` handles. */
export const isVerdict = ({
  additionalContext,
  systemMessage,
  suppressOutput,
  continue: goesOn,
  specific,
}: Outcome): boolean =>
  additionalContext === undefined &&
  systemMessage === undefined &&
  !suppressOutput &&
  goesOn !== false &&
  specific === undefined;

/** Sets the fields that do not depend on the fold. */
export function common(
  fields: DecisionFields,
  spec: EventSpec,
  said: readonly HandlerResult[],
  subject: Subject,
): void {
  // Created for the first item only: a decision already has shared empty lists.
  let additionalContext: string[] | undefined;
  let systemMessages: string[] | undefined;
  let failures: DecisionFailure[] | undefined;
  let own: Record<string, unknown> | undefined;
  for (const s of said) {
    const { outcome } = s;
    if (s.failure !== undefined) failures = add(failures, listFailure(spec, s, subject));
    if (outcome === undefined) continue;
    if (outcome.additionalContext !== undefined) additionalContext = add(additionalContext, outcome.additionalContext);
    if (outcome.systemMessage !== undefined) systemMessages = add(systemMessages, outcome.systemMessage);
    if (outcome.suppressOutput && s.registration.dialect === 'code') fields.suppressOutput = true;
    if (outcome.continue === false) ends(fields, spec, outcome.stopReason);
    if (outcome.specific !== undefined) {
      own ??= {};
      specifics(own, spec, outcome.specific);
    }
  }
  if (additionalContext !== undefined) fields.additionalContext = additionalContext;
  if (systemMessages !== undefined) fields.systemMessages = systemMessages;
  if (failures !== undefined) fields.failures = failures;
  if (own !== undefined) Object.assign(fields, own);
}

/**
 * Of the decision of a fire that was rejected, leaves what refuses and what was said besides: a verdict that permits or asks is no verdict, nothing is
 * rewritten, and there is no value. `refuses`: hooks have given the value that stands for a refusal.
 */
export function permitNothing(fields: DecisionFields, refuses: boolean): void {
  delete fields.updatedInput;
  delete fields.updatedOutput;
  const permits = fields.fold === 'gate' ? fields.verdict !== 'deny' : fields.fold === 'replace' && !fields.blocked;
  if (!permits || refuses) return;
  if (fields.fold === 'gate') fields.verdict = 'none';
  fields.overruled = [];
  for (const key of ['decidedBy', 'reason', 'updatedPermissions', 'value'] as const) delete fields[key];
}

/** Adds to a list, which is created for its first item. */
function add<T>(list: T[] | undefined, item: T): T[] {
  if (list === undefined) return [item];
  list.push(item);
  return list;
}

function ends(fields: DecisionFields, spec: EventSpec, stopReason: string | undefined): void {
  if (spec.interrupts) fields.interrupt = true;
  if (!spec.endsLoop) return;
  fields.continue = false;
  if (stopReason !== undefined) fields.stopReason ??= stopReason;
}

function listFailure(spec: EventSpec, s: HandlerResult, subject: Subject): DecisionFailure {
  const { id, name, onFailure } = s.registration;
  const failure = s.failure as Failure;
  return {
    id,
    name,
    cause: failure.cause,
    message: failure.message,
    ...(failure.blocks ? { blocks: true as const } : {}),
    blocked: effectOf(spec, onFailure, failure) !== 'none' && !spec.unblockable?.includes(subject ?? ''),
  };
}

/** Event-specific keys: lists are concatenated; of flags and strings, the last in plan order counts. Keys of a nested verdict are handled with the verdict. */
function specifics(
  fields: Record<string, unknown>,
  spec: EventSpec,
  { terminalSequence, ...own }: Readonly<Record<string, unknown>>,
): void {
  if (terminalSequence !== undefined)
    fields['terminalSequence'] = `${fields['terminalSequence'] ?? ''}${terminalSequence}`;
  if (spec.nestedDecision) return;
  for (const [key, value] of Object.entries(own)) {
    const before = fields[key];
    fields[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
}

/** Lists all handlers' answers on demand. */
export class OutcomeList implements OutcomesLater {
  readonly #said: readonly HandlerResult[];

  constructor(said: readonly HandlerResult[]) {
    this.#said = said;
  }

  listOutcomes(): HandlerOutcome[] {
    return listOutcomes(this.#said);
  }
}

/** Each handler's answer, in plan order. */
export function listOutcomes(said: readonly HandlerResult[]): HandlerOutcome[] {
  return said.map(({ registration, outcome }) => {
    const out: { -readonly [K in keyof HandlerOutcome]: HandlerOutcome[K] } = {
      id: registration.id,
      name: registration.name,
    };
    if (registration.dialect === 'claude') out.dialect = 'claude';
    if (!outcome) return out;
    const decision = outcome.verdict ?? (outcome.block ? 'block' : undefined);
    if (decision !== undefined) out.decision = decision;
    const message = outcome.systemMessage ?? outcome.reason;
    if (message !== undefined) out.message = message;
    if (outcome.continue !== undefined) out.continue = outcome.continue;
    if (outcome.systemMessage !== undefined) out.systemMessage = outcome.systemMessage;
    if (outcome.suppressOutput !== undefined) out.suppressOutput = outcome.suppressOutput;
    if (outcome.stopReason !== undefined) out.stopReason = outcome.stopReason;
    if (outcome.reason !== undefined) out.reason = outcome.reason;
    const specific = outcome.output['hookSpecificOutput'];
    if (specific !== undefined) out.hookSpecificOutput = specific as Readonly<Record<string, unknown>>;
    return out;
  });
}

import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../events/spec.js';
import { ended } from '../plain.js';
import { isObject, type Json } from '../values/shape.js';
import { whyUnreadable } from '../values/unreadable.js';
import { blockOutput } from './blocking.js';

/** Why Claude Code would run another input than the decided one; undefined if it would not, or if the input was not changed. */
export function whyUntold(spec: EventSpec, { hookSpecificOutput }: Json, input: Json): string | undefined {
  if (spec.fold !== 'gate' || !isObject(hookSpecificOutput)) return undefined;
  const { updatedInput, decision } = hookSpecificOutput;
  const said = updatedInput ?? (isObject(decision) ? decision['updatedInput'] : undefined);
  return said === undefined ? undefined : whyOther(said, input['tool_input']);
}

/** Why Claude Code cannot be given `said` in place of `before`; undefined if it can, or if they are equal. */
export function whyOther(said: unknown, before: unknown): string | undefined {
  const why = whyUnreadable(said);
  return why === undefined || isDeepStrictEqual(said, before) ? undefined : why;
}

/** The reason for denying such a call. `asked` is the reason for which the user would have been asked. */
export function untoldReason(why: string, asked: unknown): string {
  const untold = `A hook would have run this with another input, which Claude Code cannot be told of here: ${why}.`;
  return typeof asked === 'string' && asked !== '' ? `${ended(asked)} ${untold}` : untold;
}

/** The output for Claude Code. A rewritten input that JSON cannot represent faithfully becomes a deny. */
export function claudeDecision(spec: EventSpec, output: Json, input: Json): Json {
  const why = whyUntold(spec, output, input);
  if (why === undefined) return output;
  const { hookSpecificOutput, ...rest } = output;
  const { permissionDecision, permissionDecisionReason } = isObject(hookSpecificOutput) ? hookSpecificOutput : {};
  const reason = untoldReason(why, permissionDecision === 'ask' ? permissionDecisionReason : undefined);
  return { ...rest, ...blockOutput({ spec, eventName: spec.name }, reason, undefined) };
}

/** Why Claude Code shows what a hook would hide; undefined if no hook would hide anything. */
export function whyShown({ hides, rewrites }: EventSpec, suppressOutput: unknown): string | undefined {
  if (suppressOutput !== true || hides === undefined) return undefined;
  const instead = rewrites === undefined ? '' : `; answer ${rewrites.keys[0]} instead`;
  return `Claude Code shows ${hides} all the same: suppressOutput hides only what the hook itself has printed${instead}`;
}

/** The part of a decision that is read here. */
interface DecisionChange {
  readonly updatedInput?: unknown;
  readonly suppressOutput?: boolean;
  toJSON(): Json;
}

/** Where the output for Claude Code differs from the decision, for the record. */
export function lossesIn(spec: EventSpec, decision: DecisionChange, input: Json): { what: string; why: string }[] {
  const why = decision.updatedInput === undefined ? undefined : whyUntold(spec, decision.toJSON(), input);
  const untold = `Claude Code cannot be told of another input (${why}) on ${spec.name}: the call is denied`;
  const shown = whyShown(spec, decision.suppressOutput);
  return [
    ...(why === undefined ? [] : [{ what: 'rewrite', why: untold }]),
    ...(shown === undefined ? [] : [{ what: 'suppress', why: shown }]),
  ];
}

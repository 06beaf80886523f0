import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../events/spec.js';
import { ended } from '../plain.js';
import { isObject, type Json } from '../values/shape.js';
import { whyUnreadable } from '../values/unreadable.js';
import { blockOutput } from './blocking.js';

/** Why Claude Code would run another input than the one that was decided; undefined: it would not, or the input is as it was. */
export function whyUntold(spec: EventSpec, { hookSpecificOutput }: Json, input: Json): string | undefined {
  if (spec.fold !== 'gate' || !isObject(hookSpecificOutput)) return undefined;
  const { updatedInput, decision } = hookSpecificOutput;
  const said = updatedInput ?? (isObject(decision) ? decision['updatedInput'] : undefined);
  return said === undefined ? undefined : whyOther(said, input['tool_input']);
}

/** The same of one input in the place of another. */
export function whyOther(said: unknown, before: unknown): string | undefined {
  const why = whyUnreadable(said);
  return why === undefined || isDeepStrictEqual(said, before) ? undefined : why;
}

/** Why a call is denied that would run so. `asked`: why the user was to be asked about it. */
export function untoldReason(why: string, asked: unknown): string {
  const untold = `A hook would have run this with another input, which Claude Code cannot be told of here: ${why}.`;
  return typeof asked === 'string' && asked !== '' ? `${ended(asked)} ${untold}` : untold;
}

/** The decision for Claude Code, which reads JSON: a rewritten input that JSON does not carry as it was decided denies the call. */
export function carried(spec: EventSpec, output: Json, input: Json): Json {
  const why = whyUntold(spec, output, input);
  if (why === undefined) return output;
  const { hookSpecificOutput, ...rest } = output;
  const { permissionDecision, permissionDecisionReason } = isObject(hookSpecificOutput) ? hookSpecificOutput : {};
  const reason = untoldReason(why, permissionDecision === 'ask' ? permissionDecisionReason : undefined);
  return { ...rest, ...blockOutput({ spec, eventName: spec.name }, reason, undefined) };
}

/** A decision, as far as it is read here. */
interface Decided {
  readonly updatedInput?: unknown;
  toJSON(): Json;
}

/** What Claude Code is told otherwise than it was decided, for the record. */
export function lossesIn(spec: EventSpec, decision: Decided, input: Json): { what: string; why: string }[] {
  const why = decision.updatedInput === undefined ? undefined : whyUntold(spec, decision.toJSON(), input);
  const untold = `Claude Code cannot be told of another input (${why}) on ${spec.name}: the call is denied`;
  return why === undefined ? [] : [{ what: 'rewrite', why: untold }];
}

import { specOf } from '../../events/catalogue.js';
import { valueAmong } from '../../events/output/what-counts.js';
import { isObject, type Json } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';
import { isSame } from './answers.js';

/** The value that an answer gives on a `replace` event; undefined: none, as far as the record shows. No `value`: the record lacks it. */
export function valueIn(
  record: Pick<FireRecord, 'event' | 'decision' | 'handlers' | 'would_decide'>,
  { id, output, verdict, phase }: Pick<HandlerRecord, 'id' | 'output' | 'verdict' | 'phase'>,
): { readonly value?: unknown } | undefined {
  const { event, would_decide: would, decision } = record;
  const own = specificIn(output);
  if (decision.fold !== 'replace' || verdict === 'block' || own === undefined) return undefined;
  const keys = specOf(event)?.value;
  if (keys !== undefined) return valueAmong(keys, own);
  // An event that is not in the catalogue: its key is found by looking for the value that counts in the winner's answer.
  const proof = would ?? decision;
  if (!isGiven(proof) || phase === 'observe') return undefined;
  if (proof.decidedBy === id) return 'value' in proof ? { value: givenIn(proof) } : {};
  if (!proof.overruled.includes(id)) return undefined;
  const key = keyOf(givenIn(proof), specificIn(record.handlers.find((one) => one.id === proof.decidedBy)?.output));
  return key !== undefined && own[key] !== undefined ? { value: own[key] } : {};
}

/** The only key of `own` whose value is the whole `value`; undefined: there is none, or it is ambiguous. */
function keyOf(value: unknown, own: Json = {}): string | undefined {
  const keys = Object.keys(own).filter((key) => isSame(own[key], value));
  const isOfSeveral = isObject(value) && Object.keys(value).every((key) => isSame(value[key], own[key]));
  return keys.length === 1 && !isOfSeveral ? keys[0] : undefined;
}

function specificIn(output: unknown): Json | undefined {
  const own = isObject(output) ? output['hookSpecificOutput'] : undefined;
  return isObject(own) ? own : undefined;
}

/** Whether a hook gave the decision's value. */
export const isGiven = ({ fold, blocked, decidedBy }: FireRecord['decision']): boolean =>
  fold === 'replace' && !blocked && decidedBy !== undefined;

/** The decision's value, if the record had room for it. */
export const givenIn = (decision: Readonly<Record<string, unknown>>): unknown => decision['value'];

import { plain } from '../../plain.js';
import type { FireRecord } from '../fire-record.js';

/** What a hook that is not enforced would have done, as a list: `deny`, `rewrite it`, `add context`. Empty: nothing. */
export function wouldDo({
  would = 'none',
  would_decide,
  final_input,
}: Pick<FireRecord, 'would' | 'would_decide' | 'final_input'>): string[] {
  const decision: Readonly<Record<string, unknown>> = { ...would_decide };
  const words = would === 'none' ? [] : [plain(would)];
  const rewrites = [final_input, decision['updatedInput'], decision['updatedOutput']];
  if (rewrites.some((value) => value !== undefined)) words.push('rewrite it');
  if (decision['value'] !== undefined) words.push('give the value');
  if (hasSome(decision['additionalContext'])) words.push('add context');
  if (hasSome(decision['systemMessages'])) words.push('tell the user something');
  if (decision['suppressOutput'] === true) words.push('hide the output');
  if (decision['continue'] === false) words.push("end the agent's loop");
  return words;
}

const hasSome = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

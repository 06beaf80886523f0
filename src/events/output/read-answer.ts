import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import { helperToOutput, saysByHelper } from './helper-words.js';
import { isHelperKey } from './helpers.js';
import { type OutputOptions, type ReadOutput, readBeside, readOutput } from './outcome.js';

/** Translates what helpers say in an answer (after `toJSON`), and reads the whole. Throws BadOutput. */
export function readAnswer(spec: EventSpec, answer: unknown, how: OutputOptions): ReadOutput {
  const read = readWhole(spec, answer, how);
  if (!('bad' in read) || how.dialect !== 'claude' || !isObject(answer) || !saysByHelper(answer)) return read;
  return answer['async'] === true ? read : readParts(spec, answer, how, read.bad);
}

function readWhole(spec: EventSpec, answer: unknown, how: OutputOptions): ReadOutput {
  return readOutput(spec, helperToOutput(spec, answer, how.nameRequired ? how.eventName : undefined), how);
}

/**
 * In Claude Code's own files one wrong word makes the whole of Claude Code's words wrong. A helper's words are ours: what is wrong with one of them takes none of the
 * others away, and nothing of Claude Code's, which in turn take nothing away from a helper's.
 */
function readParts(spec: EventSpec, answer: Json, how: OutputOptions, bad: string): ReadOutput {
  const readPart = (part: readonly [string, unknown][]): ReadOutput => readWhole(spec, Object.fromEntries(part), how);
  const isRight = (part: readonly [string, unknown][]): boolean => !('bad' in readPart(part));
  const all = Object.entries(answer);
  const own = all.filter(([key]) => !isHelperKey(key));
  const helpers = all.filter((one) => isHelperKey(one[0]) && isRight([one]));
  const right = [[...own, ...helpers], helpers, own].find(isRight) ?? [];
  return readBeside(spec, readPart(right), how, bad);
}

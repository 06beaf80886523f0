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
  const isRight = (part: Json): boolean => !('bad' in readWhole(spec, part, how));
  const all = Object.entries(answer);
  const helpers = all.filter(([key, value]) => isHelperKey(key) && isRight({ [key]: value }));
  const own = all.filter(([key]) => !isHelperKey(key));
  const right = isRight(Object.fromEntries(own)) ? [...own, ...helpers] : helpers;
  return readBeside(spec, readWhole(spec, Object.fromEntries(right), how), how, bad);
}

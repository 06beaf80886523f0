import { patchedByShell } from '../events/named-files.js';
import { isObject } from '../values/shape.js';
import { compileCommandPattern } from './command-pattern.js';

/** What a line that applies a patch is, besides. */
export const PATCHED: readonly string[] = ['Edit'];

/** The program that applies patches, by both of its names. */
const RUNS = ['apply_patch *', 'applypatch *'].map(compileCommandPattern);

/** Whether a line of a shell may apply a patch, as a rule about the program would say. */
export function mayPatch(given: unknown): boolean {
  const line = isTexts(given) ? given.map(quoted).join(' ') : given;
  if (typeof line !== 'string') return false;
  // Nearly all lines do not have its name, however it is quoted.
  return /apply_?patch/.test(line.replace(/['"\\\n]/g, '')) && RUNS.some((runs) => runs(line));
}

const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string');
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The files of the patches that a line of a shell applies; undefined stands for those that are not known. */
export function filesPatched(line: unknown): readonly (string | undefined)[] {
  if (!mayPatch(line)) return [];
  const files = [...new Set(patchedByShell(line))];
  return files.length === 0 ? [undefined] : files;
}

/** Where the payload of another agent has lines in which patches may be applied. */
export function shellPatch(via: unknown): string | undefined {
  const key = isObject(via) ? via['patches'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

import { readPatchesWith } from '../events/named-files.js';
import { isObject } from '../values/shape.js';
import { compileCommandPattern } from './command-pattern.js';

/** The program that applies patches, by both of its names. */
const RUNS = ['apply_patch *', 'applypatch *'].map(compileCommandPattern);

readPatchesWith((line) => RUNS.some((runs) => runs(line)));

/** Where the payload of another agent has lines in which patches may be applied. */
export function shellPatch(via: unknown): string | undefined {
  const key = isObject(via) ? via['patches'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

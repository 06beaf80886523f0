import { isErrorOf } from '../../errors.js';
import { copyJson, NotJson } from '../../values/copies/copy.js';
import { put } from '../../values/copies/put.js';
import { findProblem, kindOf } from '../../values/problem.js';
import { isObject, isPlain, type Json } from '../../values/shape.js';
import { ignoreRejections, messageOf } from '../../values/waiting/promises.js';
import type { Dialect, EventSpec } from '../spec.js';
import { lostIn } from './lost.js';
import { asObject, asPrinted, BadOutput, FAULTS, REFUSED, refuseInherited } from './printed.js';
import { asyncFields, type OutputField, type OutputShape, topFields } from './shape.js';
import { idleAsync, repeatedInput, unknownSpecific, unknownTop } from './warnings.js';

/** The context in which one output is read. */
export interface OutputReading {
  readonly spec: EventSpec;
  readonly shape: OutputShape;
  readonly eventName: string;
  readonly nameRequired: boolean;
  readonly dialect?: Dialect | undefined;
  readonly warnings: string[];
  /** What is wrong with the output although the rest of it counts. */
  readonly problems: string[];
}

/**
 * Returns a plain copy of the output, with the type of every known key checked. Unknown keys are kept, with a warning. A key that is wrong is left out and becomes a
 * problem, so that no mistake takes out of the answer what restricts. In Claude Code's own files, which are read as Claude Code reads them, the whole is wrong then: throws
 * BadOutput, NotJson, or what the handler's own getters throw.
 */
export function checkOutput(reading: OutputReading, given: unknown): Json {
  const output = asObject(given, '');
  if (output['async'] === true) return checkAsync(reading, output);
  if (!isPlain(output))
    orProblem(reading, () => refuseInherited(output, '', [...topFields().keys(), 'hookSpecificOutput']));
  for (const fault of faultsOf(output)) orProblem(reading, () => refuse(fault));
  const copied: Record<string, unknown> = {};
  const repeated: string[] = [];
  for (const key of Object.keys(output)) {
    const field = topFields().get(key);
    if (field) orProblem(reading, () => copyField(field, output[key], copied, key, ''));
    else if (key === 'hookSpecificOutput') orProblem(reading, () => copySpecific(reading, output[key], copied));
    else if (isUnwrapped(reading, key)) {
      if (output[key] !== undefined)
        reading.problems.push(`${key} belongs into hookSpecificOutput: { hookSpecificOutput: { ${key}: … } }`);
    } else if (repeatsInput(reading, key)) repeated.push(keepUnknown(output, key, copied));
    else if (key === 'async') orProblem(reading, () => checkSync(output[key]));
    else reading.warnings.push(unknownTop(reading, keepUnknown(output, key, copied)));
  }
  for (const [key, value] of Object.entries(refusedOf(output))) {
    const field = topFields().get(key);
    orProblem(reading, () => (field ? copyField(field, value, {}, key, '') : copySpecific(reading, value, {})));
  }
  if (repeated.length > 0) reading.warnings.push(repeatedInput(repeated));
  if (isStrict(reading)) {
    const lost = lostIn(reading, copied, (copied['hookSpecificOutput'] ?? {}) as Json);
    if (lost !== undefined) reading.problems.push(lost);
  }
  return copied;
}

/** Claude Code's own files are read as Claude Code reads them: it drops the whole of a wrong answer. */
const isStrict = ({ spec, dialect }: OutputReading): boolean => dialect !== 'claude' && spec.fold === 'gate';

/** Reads a part of the output. The rest counts although this part is wrong. */
function orProblem(reading: OutputReading, read: () => void): void {
  if (reading.dialect === 'claude') {
    read();
    return;
  }
  try {
    read();
  } catch (error) {
    reading.problems.push(whyBad(error));
  }
}

/** Whether a gate's own key is outside `hookSpecificOutput`. It was meant as an answer, so it must not be ignored. */
const isUnwrapped = (reading: OutputReading, key: string): boolean =>
  isStrict(reading) && reading.shape.specific.has(key);

function refuse(why: string): never {
  throw new BadOutput(why);
}

const faultsOf = (said: { readonly [FAULTS]?: readonly string[] }): readonly string[] => said[FAULTS] ?? [];
const refusedOf = (said: { readonly [REFUSED]?: Json }): Json => said[REFUSED] ?? {};

const repeatsInput = ({ spec, shape }: OutputReading, key: string): boolean =>
  Object.hasOwn(spec.input.shape, key) && !shape.specific.has(key);

function copyField(
  field: OutputField,
  value: unknown,
  into: Record<string, unknown>,
  key: string,
  where: string,
): void {
  if (value === undefined) return;
  const copied = typeof value === 'object' || typeof value === 'function' ? copyJson(value, where + key) : value;
  if (!field.accepts(copied)) {
    const problem = findProblem(field.schema, copied);
    if (problem) throw wrongType(where + key + (/^(\[|$)/.test(problem.field) ? '' : '.') + problem.field, problem);
  }
  into[key] = copied;
}

function wrongType(field: string, { expected, got }: { expected: string; got: string }): BadOutput {
  return new BadOutput(`${field}: expected ${expected}, got ${got}`);
}

const SPECIFIC = 'hookSpecificOutput.';

function copySpecific(reading: OutputReading, given: unknown, into: Record<string, unknown>): void {
  if (given === undefined) return;
  const specific = asPrinted(given, 'hookSpecificOutput');
  orProblem(reading, () => refuseInherited(specific, SPECIFIC, reading.shape.specific.keys()));
  const copied: Record<string, unknown> = {};
  orProblem(reading, () => copyName(reading, specific['hookEventName'], copied));
  for (const key of Object.keys(specific)) {
    const field = reading.shape.specific.get(key);
    if (field) orProblem(reading, () => copySaid(reading, field, specific[key], copied, key));
    else if (key !== 'hookEventName')
      reading.warnings.push(unknownSpecific(reading, keepUnknown(specific, key, copied)));
  }
  for (const [key, value] of Object.entries(refusedOf(specific)))
    orProblem(reading, () => refuseField(reading, key, value));
  into['hookSpecificOutput'] = copied;
}

function copyName({ eventName, nameRequired }: OutputReading, name: unknown, into: Record<string, unknown>): void {
  if (name === eventName) into['hookEventName'] = name;
  else if (name !== undefined || nameRequired) {
    const got = typeof name === 'string' ? JSON.stringify(name) : kindOf(name);
    throw wrongType(`${SPECIFIC}hookEventName`, { expected: JSON.stringify(eventName), got });
  }
}

/** A nested denial counts without what is wrong in it. */
function copySaid(
  reading: OutputReading,
  field: OutputField,
  value: unknown,
  into: Record<string, unknown>,
  key: string,
): void {
  try {
    copyField(field, value, into, key, SPECIFIC);
  } catch (error) {
    if (isStrict(reading) && key === 'decision' && isObject(value) && value['behavior'] === 'deny')
      into[key] = acceptedOf(field, value, reading.shape.nested?.get('deny') ?? []);
    throw error;
  }
}

/** What the field takes of a nested denial. */
export function acceptedOf(field: OutputField, value: Json, keys: readonly string[]): Json {
  let accepted: Json = { behavior: value['behavior'] };
  for (const key of keys)
    try {
      const more: Json = { ...accepted, [key]: copyJson(value[key], key) };
      if (value[key] !== undefined && field.accepts(more)) accepted = more;
    } catch (error) {
      ignoreRejections(error);
    }
  return accepted;
}

/** Throws BadOutput if the event has the key and this is no value of it. */
function refuseField({ shape }: OutputReading, key: string, value: unknown): void {
  const field = shape.specific.get(key);
  if (field) copyField(field, value, {}, key, SPECIFIC);
}

/** Copies an unknown key, or leaves it out if it cannot be copied: an unknown key never fails a handler. The caller adds the warning. */
function keepUnknown(from: Json, key: string, into: Record<string, unknown>): string {
  try {
    const copied = from[key] === undefined ? undefined : copyJson(from[key], key);
    if (copied !== undefined) put(into, key, copied);
    return key;
  } catch (error) {
    ignoreRejections(error);
    return key;
  }
}

/** `async: false` is the default and needs no warning. Throws BadOutput if `async` is not a boolean. */
function checkSync(value: unknown): void {
  if (value !== undefined && value !== false) throw wrongType('async', { expected: 'boolean', got: kindOf(value) });
}

function checkAsync(reading: OutputReading, output: Json): Json {
  const copied: Record<string, unknown> = {};
  for (const [key, field] of asyncFields()) copyField(field, output[key], copied, key, '');
  const idle = idleAsync(output);
  if (idle !== undefined) reading.warnings.push(idle);
  return copied;
}

/** Explains why an output could not be read, from whatever was thrown. */
export function whyBad(error: unknown): string {
  if (isErrorOf(error, BadOutput) || isErrorOf(error, NotJson)) return error.message;
  return `it cannot be read: ${messageOf(error)}`;
}

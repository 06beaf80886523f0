import { nearest } from '../../values/nearest.js';
import { CATALOGUE } from '../catalogue.js';
import { once } from '../once.js';
import type { Dialect, EventSpec } from '../spec.js';
import { asyncFields, type OutputShape, outputShape, topFields } from './shape.js';
import { canEnd } from './what-counts.js';

/** What a warning is about: the event, and the keys that its output accepts. */
interface WarningSubject {
  readonly spec: EventSpec;
  readonly shape: OutputShape;
}

const topKeys = once(() => [...topFields().keys(), 'hookSpecificOutput', ...asyncFields().keys()]);

/** Warns about an unknown top-level key. */
export function unknownTop({ spec, shape }: WarningSubject, key: string): string {
  if (shape.specific.has(key)) return `"${key}" at top level does nothing; put it in hookSpecificOutput`;
  if (nestedKeys(shape).includes(key))
    return `"${key}" at top level does nothing; put it in hookSpecificOutput.decision`;
  if (key === 'asyncTimeout' || key === 'result') return `"${key}" does nothing without "async": true`;
  if (allSpecificKeys().has(key)) return `"${key}" does nothing on ${spec.name}`;
  const misplaced = nearest(key, topKeys()) === undefined ? nearest(key, shape.specific.keys()) : undefined;
  if (misplaced !== undefined) return `unknown key "${key}"; did you mean "${misplaced}" in hookSpecificOutput?`;
  return unknown(`unknown key "${key}"`, key, topKeys());
}

/** Warns about a key of `hookSpecificOutput` that the event does not have. */
export function unknownSpecific({ spec, shape }: WarningSubject, key: string): string {
  if (topKeys().includes(key)) return `"${key}" in hookSpecificOutput does nothing; put it at top level`;
  if (nestedKeys(shape).includes(key)) return `"${key}" does nothing there; put it in hookSpecificOutput.decision`;
  if (allSpecificKeys().has(key)) return `"${key}" in hookSpecificOutput does nothing on ${spec.name}${instead(spec)}`;
  return unknown(`unknown key "${key}" in hookSpecificOutput`, key, [...shape.specific.keys(), 'hookEventName']);
}

/** Warns about a key of the nested decision that this `behavior` does not have. */
export function unknownNested(shape: OutputShape, key: string, behavior: string): string {
  const known = shape.nested?.get(behavior) ?? [];
  if (nestedKeys(shape).includes(key)) {
    return `"${key}" in hookSpecificOutput.decision does nothing with behavior "${behavior}"`;
  }
  return unknown(`unknown key "${key}" in hookSpecificOutput.decision`, key, known);
}

/** Warns about a known key that has no effect on this event. */
export function idleKey(spec: EventSpec, key: string): string {
  return `${key} does nothing on ${spec.name}${instead(spec)}`;
}

/** Warns about `continue: false` where there is no loop to end. From code, it denies on a gate, and on every event it skips later hooks. */
export function idleStop(
  spec: EventSpec,
  { continue: goesOn }: { readonly continue?: boolean | undefined },
  dialect: Dialect = 'code',
): readonly string[] {
  if (goesOn !== false || canEnd(spec, dialect)) return [];
  const skips = `continue: false ends no loop on ${spec.name}; all that it does is that later hooks do not run`;
  return [dialect === 'code' ? skips : idleKey(spec, 'continue: false')];
}

/** Warns about an output that repeats input fields: some hooks print their whole input. */
export function repeatedInput(keys: readonly string[]): string {
  const few = keys.length > 3 ? `${keys.slice(0, 3).join(', ')} …` : keys.join(', ');
  return `the output repeats fields of the input (${few}), which does nothing`;
}

/** Warns about keys besides `"async": true`, which are ignored; `undefined` if there are none. */
export function idleAsync(output: object): string | undefined {
  const keys = Object.keys(output).filter((key) => key !== 'result' && !asyncFields().has(key));
  return keys.length === 0 ? undefined : `with "async": true nothing else is read (${keys.join(', ')})`;
}

const instead = (spec: EventSpec): string =>
  spec.nestedDecision ? '; say hookSpecificOutput.decision { behavior: "allow" or "deny" }' : '';

function unknown(what: string, key: string, known: Iterable<string>): string {
  const near = nearest(key, known);
  return near === undefined ? what : `${what}; did you mean "${near}"?`;
}

const nestedKeys = (shape: OutputShape): readonly string[] => [...(shape.nested?.values() ?? [])].flat();

let everyKey: ReadonlySet<string> | undefined;

/** The event-specific keys of all built-in events. */
function allSpecificKeys(): ReadonlySet<string> {
  const entries: readonly EventSpec[] = Object.values(CATALOGUE);
  everyKey ??= new Set(
    entries.flatMap((spec) => [...Object.keys(spec.output.shape), ...nestedKeys(outputShape(spec))]),
  );
  return everyKey;
}

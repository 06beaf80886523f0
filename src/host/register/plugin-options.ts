import { HookscopeError } from '../../errors.js';
import { nearest } from '../../values/nearest.js';
import { formatPath, kindOf } from '../../values/problem.js';
import { isObject } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { OptionsReader, Plugin } from '../plugin-types.js';
import { type UnknownKey, unknownKeys } from '../unknown-keys.js';

/** Parses options with the plugin's schema. Throws INVALID_PLUGIN, which names the wrong key. */
export function readOptions({ name, options: reader }: Plugin, given: unknown): unknown {
  try {
    return reader === undefined ? refuseAny(given) : parsed(reader, given);
  } catch (error) {
    const expected = `options: ${messageOf(error)}`;
    const cause = error instanceof Refusal ? (error.cause ?? error) : error;
    throw new HookscopeError('INVALID_PLUGIN', { plugin: name, expected }, { cause });
  }
}

class Refusal extends Error {}

function parsed(reader: OptionsReader, given: unknown): unknown {
  const value = given ?? (hasDefault(reader) ? undefined : {});
  // zod drops unknown keys, so a misspelt option would silently keep its default. `z.looseObject` accepts all keys.
  const unknown = (): string[] => unknownKeys(reader, value).map(sayUnknown);
  let options: unknown;
  try {
    options = reader.parse(value);
  } catch (error) {
    if (isAsync(error)) throw new Refusal(ASYNC, { cause: error });
    const issues = issuesOf(error);
    if (issues === undefined) throw error;
    const dropped = unknown();
    const wrong = dropped.length > 0 ? issues.filter(({ code }) => code !== 'unrecognized_keys') : issues;
    throw new Refusal([...dropped, ...wrong.map(sayIssue)].join('; '), { cause: error });
  }
  if (options instanceof Promise) {
    options.catch(() => undefined);
    throw new Refusal(ASYNC);
  }
  const dropped = unknown();
  if (dropped.length > 0) throw new Refusal(dropped.join('; '));
  return options;
}

const ASYNC =
  'the schema is asynchronous (a refinement or a transform that returns a promise), and options are read at once; do that work in apply(), which may be async';

/** zod reports an asynchronous schema only in this message. */
const isAsync = (error: unknown): boolean => messageOf(error).includes('.parseAsync()');

/** Whether the whole schema has a default: `z.object({ … }).default({ … })`. */
function hasDefault(schema: unknown): boolean {
  const { def } = (schema as { readonly _zod?: { readonly def: SchemaDefinition } })._zod ?? { def: undefined };
  if (def === undefined) return false;
  if (def.type === 'default' || def.type === 'prefault') return true;
  return hasDefault(def.innerType ?? def.in ?? def.getter?.() ?? {});
}

interface SchemaDefinition {
  readonly type: string;
  readonly in?: unknown;
  readonly innerType?: unknown;
  /** Of `z.lazy`. */
  readonly getter?: () => unknown;
}

/** Refuses options for a plugin that declares none: options meant for `use` itself, or for another plugin, must not be silently ignored. */
function refuseAny(given: unknown): unknown {
  if (given === undefined || given === null) return given;
  const keys = isObject(given) ? Object.keys(given) : [];
  if (isObject(given) && keys.length === 0) return given;
  const what = isObject(given) ? `${keys[0]}: is not a known option` : `got ${kindOf(given)}`;
  throw new Refusal(`${what}; the plugin has none, since it declares no schema for them (definePlugin({ options }))`);
}

function sayUnknown({ path, key, names }: UnknownKey): string {
  const near = nearest(key, names);
  const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
  return `${formatPath([...path, key])}: is not a known option; ${there}${hint}`;
}

/** The issues of a schema's error; undefined: the error has none that say something. Other libraries leave the path out, or give objects with a `key`. */
function issuesOf(error: unknown): readonly Issue[] | undefined {
  const found = isObject(error) ? error['issues'] : undefined;
  if (!Array.isArray(found) || found.length === 0 || !found.every(isObject)) return undefined;
  return found.map((issue) => {
    const path = Array.isArray(issue['path']) ? issue['path'] : [];
    return {
      ...issue,
      message: String(issue['message']),
      path: path.map((at) => (isObject(at) ? (at['key'] as PropertyKey) : at)),
    };
  });
}

/** A zod issue. */
interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** For a union: the issues of each of its options. */
  readonly errors?: readonly (readonly Issue[])[];
  /** For an invalid key of a record: the issues of that key. */
  readonly issues?: readonly Issue[];
}

/** `max: Invalid input: expected number, received string`; for a union, the issues of each of its options. */
function sayIssue({ path, message, errors, issues }: Issue): string {
  const at = path.length === 0 ? '' : `${formatPath(path)}: `;
  const inside = (found: readonly Issue[]): string =>
    found.map((issue) => sayIssue({ ...issue, path: [...path, ...issue.path] })).join(', ');
  if (errors !== undefined && errors.length > 0) return `either ${errors.map(inside).join('; or ')}`;
  return issues === undefined ? at + message : `${at}${message}: ${issues.map((issue) => issue.message).join(', ')}`;
}

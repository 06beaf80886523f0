import type { z } from 'zod';

/** A key that a schema does not name, and would drop. */
export interface UnknownKey {
  /** The path of the object that has the key. */
  readonly path: readonly PropertyKey[];
  readonly key: string;
  /** The keys that the schema names in that object. */
  readonly names: readonly string[];
}

type Schema = z.core.$ZodType;
type KeyPath = readonly PropertyKey[];
type Def = z.core.$ZodTypes['_zod']['def'];

const NONE: readonly UnknownKey[] = [];

/**
 * The keys of a value that a zod schema does not name, which zod drops by default. A loose object, or one with a catchall, accepts any key.
 * Inputs of `z.preprocess` and `z.custom`, and schemas of other libraries, cannot be inspected: they give no unknown keys.
 */
export function unknownKeys(schema: unknown, value: unknown, path: KeyPath = []): readonly UnknownKey[] {
  const def = (schema as Schema | undefined)?._zod?.def as Def | undefined;
  if (def === undefined || typeof value !== 'object' || value === null) return NONE;
  switch (def.type) {
    case 'object':
      return Array.isArray(value) ? NONE : ofObject(def as z.core.$ZodObjectDef, value, path);
    case 'array':
      return ofItems(value, path, () => def.element);
    case 'tuple':
      return ofItems(value, path, (at) => def.items[at] ?? def.rest ?? undefined);
    case 'set':
      return value instanceof Set ? ofItems([...value], path, () => def.valueType) : NONE;
    case 'map':
      return value instanceof Map ? ofFields([...value], path, () => def.valueType) : NONE;
    case 'record':
      return ofFields(Object.entries(value), path, () => def.valueType);
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return unknownKeys(def.innerType, value, path);
    case 'lazy':
      return unknownKeys(def.getter(), value, path);
    case 'pipe':
      return [...unknownKeys(def.in, value, path), ...(isPassedOn(def) ? unknownKeys(def.out, value, path) : NONE)];
    case 'union':
      return ofUnion(def.options, value, path);
    case 'intersection':
      return inBoth(unknownKeys(def.left, value, path), unknownKeys(def.right, value, path));
    default:
      return NONE;
  }
}

function ofObject({ shape, catchall }: z.core.$ZodObjectDef, value: object, path: KeyPath): readonly UnknownKey[] {
  const rest = catchall?._zod.def.type === 'never' ? undefined : catchall;
  const names = Object.keys(shape);
  return Object.entries(value).flatMap(([key, field]) => {
    if (Object.hasOwn(shape, key)) return unknownKeys(shape[key], field, [...path, key]);
    return rest === undefined ? { path, key, names } : unknownKeys(rest, field, [...path, key]);
  });
}

function ofItems(value: object, path: KeyPath, schemaAt: (at: number) => Schema | undefined): readonly UnknownKey[] {
  return Array.isArray(value) ? ofFields([...value.entries()], path, (at) => schemaAt(at as number)) : NONE;
}

function ofFields(
  fields: readonly (readonly [unknown, unknown])[],
  path: KeyPath,
  schemaOf: (key: unknown) => Schema | undefined,
): readonly UnknownKey[] {
  return fields.flatMap(([key, field]) =>
    unknownKeys(schemaOf(key), field, [...path, typeof key === 'number' ? key : String(key)]),
  );
}

/** The unknown keys by the first option that accepts the value, which is the one that zod uses. If none does: those that no option names. */
function ofUnion(options: readonly Schema[], value: object, path: KeyPath): readonly UnknownKey[] {
  const taken = options.find((option) => accepts(option, value));
  if (taken !== undefined) return unknownKeys(taken, value, path);
  return (
    options
      .map((option) => unknownKeys(option, value, path))
      .reduce<readonly UnknownKey[] | undefined>(inBoth, undefined) ?? NONE
  );
}

function accepts(schema: Schema, value: unknown): boolean {
  try {
    const result = schema._zod.run({ value, issues: [] }, { async: false });
    return 'issues' in result && result.issues.length === 0;
  } catch {
    // The schema is asynchronous, or a refinement throws.
    return false;
  }
}

/** The keys that neither of two schemas names. */
function inBoth(one: readonly UnknownKey[] | undefined, other: readonly UnknownKey[]): readonly UnknownKey[] {
  if (one === undefined) return other;
  const shared = (found: readonly UnknownKey[], by: readonly UnknownKey[]): UnknownKey[] =>
    found.flatMap((unknown) => {
      const same = by.find((its) => coversKey(its, unknown));
      return same === undefined ? [] : { ...unknown, names: namesOf(unknown, same) };
    });
  const left = shared(one, other);
  return [...left, ...shared(other, one).filter((its) => !left.some((mine) => coversKey(mine, its)))];
}

/** Whether `outer` is the same key as `inner`, or a key whose value contains it. */
function coversKey(outer: UnknownKey, inner: UnknownKey): boolean {
  const full = [...outer.path, outer.key];
  const at = [...inner.path, inner.key];
  return full.length <= at.length && full.every((key, i) => key === at[i]);
}

const namesOf = (one: UnknownKey, other: UnknownKey): readonly string[] =>
  one.path.length === other.path.length ? [...new Set([...one.names, ...other.names])] : one.names;

/** Whether a pipe's second schema gets the value with the keys that were given: nothing in the first one changes it. A codec does, and so may a check, or the schema of a record's keys. */
function isPassedOn(pipe: z.core.$ZodPipeDef): boolean {
  const { type, checks = [], ...def } = (pipe.in as z.core.$ZodTypes)._zod.def;
  if ('transform' in pipe || checks.some(({ _zod: { def: of } }) => of.check === 'overwrite')) return false;
  if (type !== 'record') return ['any', 'unknown', 'custom'].includes(type);
  const { type: keys, checks: ofKeys = [] } = ((def as z.core.$ZodRecordDef).keyType as z.core.$ZodTypes)._zod.def;
  return keys === 'string' && ofKeys.length === 0;
}

import type { z } from 'zod';

/**
 * Compiles a fast check for common schemas. True means that zod would accept the value; after false, ask zod.
 * The check takes tens of nanoseconds, zod's own `safeParse` hundreds.
 */
export function compilePredicate(schema: z.core.$ZodType): (value: unknown) => boolean {
  const source = expression(schema, 'value');
  if (source === undefined) return (value) => accepts(schema, value);
  try {
    // Generates code, as zod's object parser and tapable do. Names come from the schema and are quoted.
    return new Function('value', `return ${source};`) as (value: unknown) => boolean;
  } catch (error) {
    // This process may not: --disallow-code-generation-from-strings.
    if (!(error instanceof EvalError)) throw error;
    return (value) => accepts(schema, value);
  }
}

/** The check by zod itself, which may walk the whole value. */
export function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success;
}

/** A JavaScript expression that tests `name`; undefined for schemas that only zod can check (formats, refinements, transforms …). */
function expression(schema: z.core.$ZodType, name: string): string | undefined {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  if ((def.checks?.length ?? 0) > 0 || 'check' in def) return undefined;
  // An exact optional has the type `optional` too, but rejects undefined.
  if (schema._zod.traits.has('$ZodExactOptional')) return undefined;
  switch (def.type) {
    case 'unknown':
    case 'any':
      return 'true';
    case 'string':
    case 'boolean':
      return `typeof ${name} === '${def.type}'`;
    case 'number':
      return `Number.isFinite(${name})`;
    case 'literal':
      return oneOf(name, def.values);
    case 'enum':
      return oneOf(name, Object.values(def.entries));
    case 'optional':
      return either(`${name} === undefined`, expression(def.innerType, name));
    case 'nullable':
      return either(`${name} === null`, expression(def.innerType, name));
    case 'array':
      return array(name, expression(def.element, 'item'));
    case 'record':
      return plainRecord(name, def);
    case 'object':
      return object(name, def);
    default:
      return undefined;
  }
}

function oneOf(name: string, values: readonly unknown[]): string | undefined {
  if (!values.every((value) => typeof value === 'string')) return undefined;
  return `(${values.map((value) => `${name} === ${JSON.stringify(value)}`).join(' || ')})`;
}

function either(test: string, inner: string | undefined): string | undefined {
  return inner === undefined ? undefined : `(${test} || ${inner})`;
}

/** If items may be of any type, the array is not walked. */
function array(name: string, item: string | undefined): string | undefined {
  if (item === undefined) return undefined;
  return item === 'true' ? `Array.isArray(${name})` : `(Array.isArray(${name}) && ${name}.every((item) => ${item}))`;
}

function plainRecord(name: string, def: z.core.$ZodRecordDef): string | undefined {
  if (expression(def.keyType, name) !== `typeof ${name} === 'string'`) return undefined;
  if (expression(def.valueType, name) !== 'true') return undefined;
  return `(${isObject(name)} && Object.getPrototypeOf(${name}) === Object.prototype)`;
}

function object(name: string, def: z.core.$ZodObjectDef): string | undefined {
  if (def.catchall !== undefined && expression(def.catchall, name) !== 'true') return undefined;
  const tests = Object.entries(def.shape).map(([key, field]) => {
    const at = `${name}[${JSON.stringify(key)}]`;
    const test = expression(field, at);
    const missing = field._zod.optin === 'optional' ? 'true' : `${at} !== undefined`;
    return test === undefined ? undefined : `${missing} && ${test}`;
  });
  return tests.includes(undefined) ? undefined : `(${[isObject(name), ...tests].join(' && ')})`;
}

const isObject = (name: string): string => `typeof ${name} === 'object' && ${name} !== null && !Array.isArray(${name})`;

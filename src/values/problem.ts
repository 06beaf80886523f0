import type { z } from 'zod';

/** The first problem of a value: the field, what was expected there and what was found. */
export interface Problem {
  /** `tool_calls[0].tool_name`; empty for the value itself. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** Explains in words why zod rejects the value; undefined if zod accepts it. */
export function findProblem(schema: z.core.$ZodType, value: unknown): Problem | undefined {
  const result = (schema as z.ZodType).safeParse(value);
  const issue = result.success ? undefined : result.error.issues[0];
  if (!issue) return undefined;
  const found = issue.path.reduce<unknown>((at, key) => (isIndexable(at) ? at[key] : undefined), value);
  return {
    field: formatPath(issue.path),
    expected: expectation(issue),
    got: gotIn(issue, found),
  };
}

function gotIn(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code === 'unrecognized_keys') return issue.keys.length === 1 ? 'one' : String(issue.keys.length);
  return isChoice(issue) ? shown(found) : isSize(issue) ? sizeOf(found) : kindOf(found);
}

function isIndexable(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return choices(issue.values);
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? choices(issue.options) : 'another type';
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`;
    case 'unrecognized_keys':
      return `no key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    default:
      // The message of a custom check may start with "expected", which the caller adds.
      return issue.message.replace(/^expected /, '');
  }
}

/** Whether one of a few literals was expected. Then the message shows the value that was given, not only its type. */
const isChoice = (issue: z.core.$ZodIssue): boolean => issue.code === 'invalid_value' || issue.code === 'invalid_union';

const isSize = (issue: z.core.$ZodIssue): boolean => issue.code === 'too_small' || issue.code === 'too_big';

/** The unit of a size limit, by the type that zod reports; numbers have none. */
const UNITS: Readonly<Record<string, string>> = { array: ' in the array', string: ' characters' };

const unitOf = (origin: string): string => UNITS[origin] ?? '';

function sizeOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return Array.isArray(value) || typeof value === 'string' ? String(value.length) : kindOf(value);
}

function shown(value: unknown): string {
  return typeof value === 'string' && value.length <= 40 ? JSON.stringify(value) : kindOf(value);
}

/** What a required field without a type must be. */
export const ANYTHING = 'a value';
const TYPE_WORDS: Readonly<Record<string, string>> = { record: 'object', nonoptional: ANYTHING };

function choices(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length > 1 ? `one of ${quoted}` : quoted;
}

/** The type of a value, as messages name it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Paths with more keys than this are shortened. */
const SHOWN = 16;

/** Formats a path as it is written in code: `a.b[0]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  if (path.length > SHOWN)
    return `${formatPath(path.slice(0, SHOWN / 2))} … ${path.length - SHOWN} more … ${formatPath(path.slice(-SHOWN / 2))}`;
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

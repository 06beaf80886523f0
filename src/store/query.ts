import type { HookRecord } from '../emit/record.js';
import { HookscopeError } from '../errors.js';
import type { RecordQuery } from './store.js';

const TEXTS = ['agent', 'event', 'fire', 'toolUse', 'session'] as const;
const NUMBERS = ['since', 'until', 'limit'] as const;
const TYPES: readonly HookRecord['type'][] = ['system', 'hook_fire', 'tool_call', 'hook_alarm'];

/** A query as parameters of a server's `GET /records`: one for each key, and `types` once for each type. */
export function queryParams(query: RecordQuery): URLSearchParams {
  const params = new URLSearchParams();
  for (const key of [...TEXTS, ...NUMBERS]) {
    const value = query[key];
    if (value !== undefined) params.set(key, String(value));
  }
  for (const type of query.types ?? []) params.append('types', type);
  if (query.newest) params.set('newest', 'true');
  return params;
}

/** Parses the parameters. Throws INVALID_OPTIONS for an unknown key, or an invalid number or type. */
export function readQuery(params: URLSearchParams): RecordQuery {
  const query: { -readonly [K in keyof RecordQuery]: RecordQuery[K] } = {};
  for (const [key, value] of params) {
    if (TEXTS.some((text) => text === key)) query[key as (typeof TEXTS)[number]] = value;
    else if (NUMBERS.some((number) => number === key)) query[key as (typeof NUMBERS)[number]] = numberIn(key, value);
    else if (key === 'types') query.types = [...(query.types ?? []), typeIn(value)];
    else if (key === 'newest') query.newest = value === 'true';
    else throw wrong(key, `is not known; there are ${[...TEXTS, ...NUMBERS, 'types', 'newest'].join(', ')}`);
  }
  return query;
}

function numberIn(key: string, value: string): number {
  if (/^\d{1,15}(?:\.\d+)?$/.test(value)) return Number(value);
  throw wrong(key, `expected a number, got "${value}"`);
}

function typeIn(value: string): HookRecord['type'] {
  const found = TYPES.find((type) => type === value);
  if (found !== undefined) return found;
  throw wrong('types', `expected ${TYPES.join(', ')}, got "${value}"`);
}

const wrong = (key: string, expected: string): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', { where: `query ${key}`, expected });

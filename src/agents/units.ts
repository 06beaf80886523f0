import { isDeepStrictEqual } from 'node:util';
import { wellFormedJson } from '../plain.js';
import type { Field } from './table.js';

/** Converts an agent's value to our unit or word. */
export function toOurs({ unit, values }: Field, value: unknown): unknown {
  if (values !== undefined) return typeof value === 'string' && Object.hasOwn(values, value) ? values[value] : value;
  if (unit === 'ms') return isoOf(value);
  if ((unit === 'json' || unit === 'maybe-json') && typeof value === 'string') return parsed(value);
  return value;
}

/** The inverse of `toOurs`; `was` is the original value, if it was kept. */
export function toTheirs(field: Field, value: unknown, was: unknown): unknown {
  // The original is used only if our value has not changed since.
  if (was !== undefined && isDeepStrictEqual(toOurs(field, was), value)) return was;
  if (field.values !== undefined) return Object.entries(field.values).find(([, ours]) => ours === value)?.[0] ?? value;
  if (field.unit === 'ms' && typeof value === 'string' && isoOf(Date.parse(value)) === value) return Date.parse(value);
  if (field.unit === 'json' || (field.unit === 'maybe-json' && wasJson(field, was))) return wellFormedJson(value);
  return value;
}

/** Whether the original was a string that held JSON. */
const wasJson = (field: Field, was: unknown): boolean => typeof was === 'string' && toOurs(field, was) !== was;

function isoOf(value: unknown): unknown {
  const isTime = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 8.64e15;
  return isTime ? new Date(value).toISOString() : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the text itself is the value.
    return text;
  }
}

import { DEEPEST } from '../values/copies/copy.js';
import type { HookRecord } from './record.js';

/** Rough bytes of a record besides its texts: names, ids, numbers. */
const RECORD = 500;
const VALUE = 16;
/** The most values counted: a record that is larger, or has a cycle, is heavy enough by then. */
const MOST = 100_000;
let left = 0;

/** About how many bytes a record holds, without serialising it. */
export function weightOf(record: HookRecord): number {
  left = MOST;
  if (record.type === 'hook_fire') {
    let weight = RECORD + weightIn(record.input) + weightIn(record.decision) + weightIn(record.handlers);
    if (record.final_input !== undefined) weight += weightIn(record.final_input);
    return weight;
  }
  if (record.type !== 'system') return RECORD + weightIn(record);
  if (record.subtype === 'control_problem') return RECORD + record.message.length;
  const { name } = record;
  if (record.subtype === 'hook_started') return RECORD + name.length;
  return RECORD + name.length + record.stdout.length + record.stderr.length + record.output.length;
}

function weightIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return VALUE + value.length;
  if (typeof value !== 'object' || value === null || --left < 0 || depth > DEEPEST) return VALUE;
  let weight = VALUE;
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) weight += weightIn(value[i], depth + 1);
  else for (const key in value) weight += key.length + weightIn((value as Record<string, unknown>)[key], depth + 1);
  return weight;
}

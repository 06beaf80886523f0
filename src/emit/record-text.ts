import type { HookRecord } from './record.js';

let known: { readonly record: HookRecord; readonly text: string } | undefined;

/** A record that was read from JSON: who writes it next, unchanged, need not print it again. */
export function readRecordText(text: string): HookRecord {
  const record = JSON.parse(text) as HookRecord;
  known = { record, text };
  return record;
}

/** A record as JSON. */
export const textOf = (record: HookRecord): string => (known?.record === record ? known.text : JSON.stringify(record));

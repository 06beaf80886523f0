import type { HookRecord } from '../emit/record.js';
import type { FileLine } from './lines.js';
import type { StoreNotes } from './notes.js';
import { readRecord } from './read-record.js';

/** The type of the last line of `hookscope run --json`, a summary of the lines before it. */
const RUN_SUMMARY = 'run_summary';

/** The record on a line; undefined: there is none, which `notes` reports with its place. */
export async function recordOf(
  line: FileLine,
  notes: StoreNotes,
  place: () => Promise<string>,
): Promise<HookRecord | undefined> {
  if (line.tooLong) return void (await notes.foreign(place, 'is longer than a record can be'));
  const text = line.bytes.toString('utf8').trim();
  if (text === '') return undefined;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    if (line.open) return void (await notes.torn(place));
    return void (await notes.foreign(place, 'is not JSON'));
  }
  const reading = readRecord(found);
  if (reading.record) return reading.record;
  if (reading.unknown === undefined) await notes.foreign(place, 'is no record of hookscope');
  else if (reading.unknown !== RUN_SUMMARY) notes.unknown(reading.unknown);
  return undefined;
}

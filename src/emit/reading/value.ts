import { specOf } from '../../events/catalogue.js';
import { valueAmong } from '../../events/output/what-counts.js';
import { isObject } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';

/** The value that an answer gives on an event that asks for one; undefined: none. */
export function valueIn(
  { event, decision: { fold } }: Pick<FireRecord, 'event' | 'decision'>,
  { output, verdict }: Pick<HandlerRecord, 'output' | 'verdict'>,
): ReturnType<typeof valueAmong> {
  const own = isObject(output) ? output['hookSpecificOutput'] : undefined;
  if (fold !== 'replace' || verdict === 'block' || !isObject(own)) return undefined;
  return valueAmong(specOf(event)?.value ?? Object.keys(own).filter((key) => key !== 'hookEventName'), own);
}

/** Whether hooks gave the value that counts. */
export const isGiven = ({ fold, blocked, decidedBy }: FireRecord['decision']): boolean =>
  fold === 'replace' && !blocked && decidedBy !== undefined;

/** That value, where the record has room for it. */
export const givenIn = (decision: Readonly<Record<string, unknown>>): unknown => decision['value'];

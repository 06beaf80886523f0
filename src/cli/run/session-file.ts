import { basename } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { parseJson, readNamedBytes } from '../../files/json-file.js';
import { isObject } from '../../values/shape.js';

/** One event of a recorded session. */
export interface RecordedEvent {
  /** `session.jsonl:12`, for messages. */
  readonly place: string;
  /** Milliseconds from the start of the recording. */
  readonly at: number;
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface RecordedSession {
  readonly name: string;
  readonly events: readonly RecordedEvent[];
  /** Parts that cannot be replayed as they were. */
  readonly notes: readonly string[];
}

/** Recordings are larger than other files that are read. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads a recording: one `{"at_ms", "event", "input"}` a line, or the records that our own sinks write, whose fires are the events.
 * Rejects with FILE, naming file and line, before anything is fired.
 */
export async function readSession(file: string): Promise<RecordedSession> {
  const lines = String(await readNamedBytes(file, MOST_BYTES)).split('\n');
  const events: RecordedEvent[] = [];
  const notes: string[] = [];
  const clock: FileClock = {};
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `${file}:${i + 1}`;
    const isLast = i === lines.length - 1;
    try {
      const found = await parseJson(line, place);
      const read = isRecord(found) ? readRecord(found, place, clock, notes) : readEvent(found, place);
      if (read) events.push(read);
    } catch (error) {
      // In a file that is still being written, the text after the last newline is not a record yet.
      if (!isLast || clock.records === undefined) throw error;
      notes.push(`${place}: its last line is not complete, and is left out`);
    }
  }
  if (events.length === 0) {
    const none = notes.length === 0 ? 'holds no events' : `holds no events that can be fired (${notes[0]})`;
    throw new HookscopeError('FILE', { file, problem: none });
  }
  return { name: basename(file), events, notes };
}

/** When the first fire of a file was recorded, in milliseconds since 1970, and how many records were read. */
interface FileClock {
  began?: number;
  records?: number;
}

/** Each of our records has a type, and no line of a recording does. */
function isRecord(found: unknown): found is Readonly<Record<string, unknown>> {
  return isObject(found) && typeof found['type'] === 'string' && found['at_ms'] === undefined;
}

/** A fire contains its event; all other records describe what followed. */
function readRecord(
  record: Readonly<Record<string, unknown>>,
  place: string,
  clock: FileClock,
  notes: string[],
): RecordedEvent | undefined {
  clock.records = (clock.records ?? 0) + 1;
  const { type, time, event, input, truncated, error, unanswered } = record;
  // A shadow fire is not an event of its own.
  if (type !== 'hook_fire' || record['shadow_of'] !== undefined) return undefined;
  if (typeof event !== 'string') throw wrong(place, '"event" must be a string');
  if (!isObject(input)) throw wrong(place, '"input" must be an object');
  const made = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(made)) throw wrong(place, '"time" must be a date');
  // No hook was asked, or the fire that got no answer has a record of its own.
  if (unanswered !== undefined) {
    notes.push(`${place}: hookscope itself answered this ${event} when it was recorded, and its answer is left out`);
    return undefined;
  }
  if (error === 'INVALID_INPUT') {
    notes.push(`${place}: ${event} was refused for its input when it was recorded, and is left out`);
    return undefined;
  }
  const missing = Array.isArray(truncated) ? truncated.filter((path) => /^input\b/.test(String(path))) : [];
  if (missing.length > 0) notes.push(`${place}: the record does not hold all of its input: ${missing.join(', ')}`);
  clock.began ??= made;
  return { place, at: Math.max(0, made - clock.began), event, input };
}

function readEvent(found: unknown, place: string): RecordedEvent {
  if (!isObject(found) || (found['at_ms'] === undefined && found['event'] === undefined))
    throw wrong(
      place,
      'is not a line of a recorded session, {"at_ms", "event", "input"} or a record of hookscope; hookscope history --json > session.ndjson writes one, and hookscope fire fires a single event',
    );
  const { at_ms: at, event, input } = found;
  if (typeof at !== 'number' || !(at >= 0)) throw wrong(place, '"at_ms" must be a number of milliseconds, 0 or more');
  if (typeof event !== 'string') throw wrong(place, '"event" must be a string');
  if (!isObject(input)) throw wrong(place, '"input" must be an object');
  return { place, at, event, input };
}

const wrong = (file: string, problem: string): HookscopeError => new HookscopeError('FILE', { file, problem });

import { basename } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { parseJson, readNamedText } from '../../files/json-file.js';
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
}

/** Recordings are long. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Reads a recording, one `{"at_ms", "event", "input"}` a line. Rejects with FILE, naming file and line, before anything is fired. */
export async function readSession(file: string): Promise<RecordedSession> {
  const lines = (await readNamedText(file, MOST_BYTES)).split('\n');
  const events: RecordedEvent[] = [];
  for (const [i, line] of lines.entries()) {
    if (line.trim() !== '') events.push(await readEvent(line, `${file}:${i + 1}`));
  }
  if (events.length === 0) throw new HookscopeError('FILE', { file, problem: 'holds no events' });
  return { name: basename(file), events };
}

async function readEvent(line: string, place: string): Promise<RecordedEvent> {
  const wrong = (problem: string): HookscopeError => new HookscopeError('FILE', { file: place, problem });
  const found = await parseJson(line, place);
  if (!isObject(found)) throw wrong('expected {"at_ms", "event", "input"}');
  const { at_ms: at, event, input } = found;
  if (typeof at !== 'number' || !(at >= 0)) throw wrong('"at_ms" must be a number of milliseconds, 0 or more');
  if (typeof event !== 'string') throw wrong('"event" must be a string');
  if (!isObject(input)) throw wrong('"input" must be an object');
  return { place, at, event, input };
}

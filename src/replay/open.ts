import { openStore } from '../store/place.js';
import { openFile } from '../store/rotated.js';
import type { StoreOptions } from '../store/store.js';
import { isObject } from '../values/shape.js';
import type { RecordedFire } from './recorded.js';
import { recordedEvents } from './session-recording.js';
import { firesOf } from './source.js';
import { isTranscriptLine, transcriptFires } from './transcript.js';

/** The number of bytes that are read to detect the kind of file. */
const HEAD = 1024 * 1024;

/**
 * The fires of a recording, whose kind is detected from its content: a sink's (NDJSON with its rotated files, SQLite, a server's address), the
 * events of a session as `hookscope run` takes them, or a transcript of Claude Code with those of its subagents.
 */
export async function* openFires(place: string, options: StoreOptions = {}): AsyncGenerator<RecordedFire> {
  const first = await firstLine(place);
  if (first !== undefined && 'at_ms' in first && 'event' in first) return yield* recordedEvents(place, options);
  if (first !== undefined && isTranscriptLine(first)) return yield* transcriptFires(place, options);
  const store = await openStore(place, options);
  try {
    yield* firesOf(store.records({ types: ['hook_fire'] }), place);
  } finally {
    await store.close();
  }
}

/** The first line that is a JSON object; undefined if there is none, or the file has no lines. Rejects with FILE if it is not a regular file. */
async function firstLine(place: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const file = (await openFile(place))?.handle;
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const text = buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
    const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
    const found: unknown = JSON.parse(line);
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

import type { HookRecord } from '../emit/record.js';
import { HookscopeError } from '../errors.js';
import { linesBackward, linesBefore, linesForward } from './lines.js';
import { followFile } from './ndjson-follow.js';
import { createNotes, type StoreNotes } from './notes.js';
import { recordOf } from './record-line.js';
import { closeFiles, type OpenedFile, openRotated } from './rotated.js';
import { isWanted, type RecordQuery, type RecordStore, type StoreOptions } from './store.js';

/** The records that `ndjsonSink` wrote to a file and its rotated predecessors. No file is opened until it is read. */
export function ndjsonStore(path: string, options: StoreOptions = {}): RecordStore {
  return {
    place: path,
    records: (query = {}) => limited(readFiles(path, query, options), query.limit),
    follow: (signal) => followFile(path, signal, options),
    close: async () => undefined,
  };
}

async function* limited(records: AsyncIterable<HookRecord>, limit = Number.POSITIVE_INFINITY) {
  let left = limit;
  if (left <= 0) return;
  for await (const record of records) {
    yield record;
    left -= 1;
    if (left <= 0) return;
  }
}

async function* readFiles(
  path: string,
  query: RecordQuery,
  { note, progress }: StoreOptions,
): AsyncGenerator<HookRecord> {
  const files = await openRotated(path);
  if (files.length === 0) throw new HookscopeError('FILE', { file: path, problem: 'there is no such file' });
  const notes = createNotes(note, path);
  const total = files.reduce((sum, { stats }) => sum + stats.size, 0);
  let before = 0;
  try {
    for (const file of query.newest ? files.reverse() : files) {
      // All records in a file are older than its last write; the file system's clock may be slightly behind.
      if (query.since !== undefined && file.stats.mtimeMs < query.since - 1000) continue;
      const start = before;
      before += file.stats.size;
      yield* readFile(file, query, notes, (bytes) => progress?.((start + bytes) / total));
    }
  } finally {
    notes.end();
    await closeFiles(files);
  }
}

async function* readFile(
  { handle, path, stats }: OpenedFile,
  query: RecordQuery,
  notes: StoreNotes,
  told: (bytes: number) => void,
): AsyncGenerator<HookRecord> {
  const mayHold = quickLook(query);
  let read = 0;
  for await (const lines of (query.newest ? linesBackward : linesForward)(handle, stats.size)) {
    for (const line of lines) {
      read += line.bytes.length + 1;
      told(read);
      if (!mayHold(line.bytes)) continue;
      const record = await recordOf(line, notes, async () => `${path}:${(await linesBefore(handle, line.at)) + 1}`);
      if (record && isWanted(record, query)) yield record;
    }
  }
}

const MARK = 0x22;

/** Tells before parsing whether a line can match the query, since most lines of a large file do not. */
function quickLook({ fire, toolUse, session, agent, since }: RecordQuery): (bytes: Buffer) => boolean {
  const texts = [fire, toolUse, session, agent].flatMap((id) =>
    id === undefined ? [] : [Buffer.from(JSON.stringify(id))],
  );
  const from = since === undefined ? undefined : new Date(since).toISOString();
  return (bytes) => texts.every((text) => bytes.includes(text)) && (from === undefined || !isBefore(bytes, from));
}

const TIME = Buffer.from('"time":"');
/** Within this many bytes of `{"seq":…,"time":"…` no other field can contain `"time":"`. */
const HEAD = 60;

/** Whether a record is older than `from`; false also for lines that do not begin with a record's stamp. */
function isBefore(bytes: Buffer, from: string): boolean {
  const head = bytes.subarray(0, HEAD);
  const at = head.indexOf(TIME);
  if (at < 0 || head.indexOf('{"seq":') !== 0) return false;
  const start = at + TIME.length;
  const time = bytes.toString('latin1', start, start + 24);
  return bytes[start + 24] === MARK && time.endsWith('Z') && time < from;
}

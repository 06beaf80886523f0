import { existsSync, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileError } from '../files/json-file.js';
import { readRegularFile } from '../files/regular-file.js';
import { linesBefore, linesForward } from '../store/lines.js';
import { createNotes, type StoreNotes } from '../store/notes.js';
import type { StoreOptions } from '../store/store.js';
import { isObject, isText, type Json } from '../values/shape.js';
import type { RecordedFire, RecordedFires } from './recorded.js';
import { type ThreadOf, TranscriptThread } from './transcript-thread.js';

/** The longest line in bytes; a longer one has no call that could be passed to a hook. */
const LONGEST = 64 * 1024 * 1024;

/** Whether the first line of a file belongs to a transcript of Claude Code. Its keys are camelCase; those of our own records are snake_case. */
export function isTranscriptLine(line: Json): boolean {
  if (!isText(line['type'])) return false;
  return isText(line['sessionId']) || isText(line['leafUuid']) || line['type'] === 'file-history-snapshot';
}

/**
 * The fires of a transcript of Claude Code (`~/.claude/projects/…/SESSION.jsonl`), with those of its subagents if their files are next to it, in
 * the order in which they happened. A transcript has messages and tool calls, but does not say which hooks there were: `hooks` is absent, and
 * conclusions are listed in `inferred`. It does not contain InstructionsLoaded, Notification and SessionEnd, and PermissionRequest only if its hooks denied.
 */
export async function* transcriptFires(place: string, options: StoreOptions = {}): RecordedFires {
  const notes = createNotes(options.note, place);
  try {
    const { session, agent } = await headOf(place);
    const beside = agent === undefined ? await agentFiles(place, session) : [];
    const mentioned = new Set<string>();
    const of = { place, transcript: place, agent, agentType: typeBeside(place), session: {}, mentioned };
    const main = await Track.open(of, notes);
    yield* merged(main, beside, of, notes);
    for (const file of beside) mentioned.delete(agentOf(file));
    if (mentioned.size > 0) options.note?.(`${place}: ${absent(mentioned)}`);
  } finally {
    notes.end();
  }
}

interface TranscriptHead {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly time: string;
}

/** The head of a transcript; each fact is from the first line that has it. */
async function headOf(place: string): Promise<TranscriptHead> {
  let head: TranscriptHead = { time: '' };
  for await (const { entry } of entriesOf(place, createNotes())) {
    const { sessionId, timestamp, agentId, isSidechain } = entry;
    // In older versions, a main transcript contains its subagents' lines too.
    const own = isSidechain === true && isText(agentId) ? agentId : undefined;
    head = {
      session: isText(sessionId) ? sessionId : head.session,
      agent: own,
      time: isText(timestamp) ? timestamp : head.time,
    };
    if (head.session !== undefined && head.time !== '') break;
  }
  return head;
}

interface AgentTranscript extends TranscriptHead {
  readonly file: string;
}

interface FileOf extends ThreadOf {
  /** Ids of the subagents whose results the file has. */
  readonly mentioned?: Set<string>;
}

/** The most subagents that are remembered, to note those without a transcript. */
const MOST = 10_000;

const agentOf = ({ agent, file }: AgentTranscript): string =>
  agent ?? basename(file).replace(/^.*agent-|\.jsonl$/g, '');

/** The note that the work of these subagents is not replayed. */
function absent(agents: ReadonlySet<string>): string {
  const [first = ''] = agents;
  const which = agents.size === 1 ? `of the subagent ${first}` : `of ${agents.size} subagents (${first}, …)`;
  return `the transcript ${which} is not beside it, so that what was done there is left out`;
}

/** The transcripts of subagents: in `SESSION/subagents/` or, by older versions, beside the main transcript as `agent-*` or `SESSION.agent-*`. */
async function agentFiles(place: string, session: string | undefined): Promise<AgentTranscript[]> {
  const own = place.replace(/\.jsonl$/, '');
  const found: AgentTranscript[] = [];
  const look = async (folder: string, mayBe: (name: string) => boolean): Promise<void> => {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of names.filter((one) => /agent-[\w-]+\.jsonl$/.test(one) && mayBe(one))) {
      const file = join(folder, name);
      // A pipe in its place may never end.
      if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
      const head = await headOf(file);
      if (head.session === session) found.push({ file, ...head });
    }
  };
  await look(join(own, 'subagents'), () => true);
  await look(dirname(place), (name) => name.startsWith('agent-') || name.startsWith(`${basename(own)}.agent-`));
  return found.sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** The agent's type from the `.meta.json` file beside its transcript. */
function typeBeside(place: string): string | undefined {
  const file = place.replace(/\.jsonl$/, '.meta.json');
  try {
    const type = parsed(readRegularFile(file).toString('utf8'))?.['agentType'];
    return isText(type) ? type : undefined;
  } catch {
    // It is not there, or is no file that is read.
    return undefined;
  }
}

/** The fires of one file, with the next one available in advance. */
class Track {
  readonly #fires: AsyncIterator<RecordedFire>;
  head: RecordedFire | undefined;
  /** The time to merge by. It never goes back, so that the file's own order is kept even if the clock was changed. */
  time = '';

  private constructor(fires: AsyncIterator<RecordedFire>) {
    this.#fires = fires;
  }

  static async open(of: FileOf, notes: StoreNotes): Promise<Track> {
    const track = new Track(firesOfFile(of, notes)[Symbol.asyncIterator]());
    await track.advance();
    return track;
  }

  async advance(): Promise<void> {
    const { value, done } = await this.#fires.next();
    this.head = done ? undefined : value;
    if (this.head && this.head.time > this.time) this.time = this.head.time;
  }

  async close(): Promise<void> {
    await this.#fires.return?.();
  }
}

/** Merges the fires of all files by time. A subagent's file is opened only when its first fire is due. */
async function* merged(
  main: Track,
  agents: readonly AgentTranscript[],
  { transcript, session }: ThreadOf,
  notes: StoreNotes,
): AsyncGenerator<RecordedFire> {
  const waiting = [...agents];
  const tracks = [main];
  try {
    for (;;) {
      const next = tracks
        .filter(({ head }) => head)
        .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))[0];
      const [first] = waiting;
      if (first && (next === undefined || first.time <= next.time)) {
        waiting.shift();
        const agent = agentOf(first);
        const of = { place: first.file, transcript, agent, agentType: typeBeside(first.file), session };
        tracks.push(await Track.open(of, notes));
        continue;
      }
      if (next?.head === undefined) return;
      yield next.head;
      await next.advance();
      for (const [i, { head }] of [...tracks.entries()].reverse()) if (head === undefined) tracks.splice(i, 1);
    }
  } finally {
    for (const track of tracks) await track.close();
  }
}

/** The fires of one file. In older versions it also has the lines of subagents, each of which gets a thread of its own. */
async function* firesOfFile(of: FileOf, notes: StoreNotes): AsyncGenerator<RecordedFire> {
  const own = new TranscriptThread(of);
  const inside = new Map<string, TranscriptThread>();
  const roots = new Map<unknown, string>();
  let last = 0;
  for await (const { entry, line } of entriesOf(of.place, notes)) {
    last = line;
    const { toolUseResult: result } = entry;
    if (isObject(result) && isText(result['agentId']) && (of.mentioned?.size ?? MOST) < MOST)
      of.mentioned?.add(result['agentId']);
    if (of.agent === undefined && entry['isSidechain'] === true) {
      const agent = isText(entry['agentId'])
        ? entry['agentId']
        : (roots.get(entry['parentUuid']) ?? String(entry['uuid'] ?? line).slice(0, 8));
      roots.set(entry['uuid'], agent);
      const thread = inside.get(agent) ?? new TranscriptThread({ ...of, agent });
      inside.set(agent, thread);
      yield* thread.take(entry, line);
    } else {
      yield* own.take(entry, line);
    }
  }
  for (const [agent, thread] of inside) {
    of.mentioned?.delete(agent);
    yield* thread.end(last);
  }
  yield* own.end(last);
}

/** The lines that hold a JSON object. A line that is cut off, too long or not JSON is noted and left out. */
async function* entriesOf(
  place: string,
  notes: StoreNotes,
): AsyncGenerator<{ readonly entry: Json; readonly line: number }> {
  const file = await open(place, 'r').catch((error: unknown) => {
    throw fileError(place, error);
  });
  try {
    const { size } = await file.stat();
    let line = 0;
    for await (const lines of linesForward(file, size, { longest: LONGEST })) {
      for (const { bytes, at, open: isOpen, tooLong } of lines) {
        line += 1;
        const where = async (): Promise<string> => `${place}:${(await linesBefore(file, at)) + 1}`;
        const text = tooLong ? '' : bytes.toString('utf8').trim();
        const entry = text === '' ? undefined : parsed(text);
        if (tooLong) await notes.foreign(where, 'is too long');
        else if (entry) yield { entry, line };
        else if (text !== '' && isOpen) await notes.torn(where);
        else if (text !== '') await notes.foreign(where, 'is no JSON object');
      }
    }
  } finally {
    await file.close();
  }
}

function parsed(text: string): Json | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isObject(found) ? found : undefined;
  } catch {
    // The caller reports it.
    return undefined;
  }
}

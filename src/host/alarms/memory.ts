import { sha256 } from '../../values/sha256.js';

/** A call: the session and the agent it was made in (absent: the main thread), and its id there. */
export interface CallKey {
  readonly session: string;
  readonly agent: string | undefined;
  readonly id: string;
}

/** Whether the call names its tool; not every result does. */
export const isNamed = <T extends { readonly tool: string | undefined }>(
  call: T,
): call is T & { readonly tool: string } => call.tool !== undefined;

/** The most bytes of entries, and the size of the marks that forgotten entries leave. */
const MOST = 15 << 20;
const MARKS = 1 << 20;
const LAST_MARK = MARKS * 8 - 1;
/** Bytes of an entry apart from its texts. */
const ENTRY = 400;
/** Bytes of an agent. */
const AGENT = 400;
/** How many calls that have run are kept, for evidence that comes a second time, soon after the first. With more, a collection of garbage copies them. */
const RAN = 250;
/** Longer names are stored as their hash. */
const NAME = 256;

/** The calls of one agent, keyed by id alone: each call is looked up three times, and a key built from several parts would be hashed each time. */
interface AgentCalls<T> {
  readonly name: string;
  readonly session: string;
  readonly agent: string | undefined;
  readonly byId: Map<string, T>;
  /** Of the name, with which the marks of its calls begin. */
  readonly hash: Hash;
}

/** What is known about a call. One object each, in a list from the oldest to the newest: tens of thousands are kept, and all that is kept costs the garbage collector. */
export class MemoryEntry {
  /** Absent while it is in no memory. */
  of: AgentCalls<MemoryEntry> | undefined = undefined;
  /** The list that it is in. */
  line: EntryList | undefined = undefined;
  id = '';
  bytes = 0;
  older: MemoryEntry | undefined = undefined;
  newer: MemoryEntry | undefined = undefined;

  /** The call that it is about. */
  get call(): CallKey {
    const { session, agent } = this.of as AgentCalls<MemoryEntry>;
    return { session, agent, id: this.id };
  }
}

/** Entries from the oldest to the newest. */
class EntryList {
  oldest: MemoryEntry | undefined = undefined;
  newest: MemoryEntry | undefined = undefined;
  size = 0;
  bytes = 0;

  add(entry: MemoryEntry): void {
    entry.line = this;
    entry.older = this.newest;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
    this.bytes += entry.bytes;
    this.size++;
  }

  remove(entry: MemoryEntry): void {
    const { older, newer } = entry;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
    entry.older = entry.newer = entry.line = undefined;
    this.bytes -= entry.bytes;
    this.size--;
  }
}

/** What is known about calls: the newest 15 MiB, and of those that have run the last `RAN`. */
export class Memory<T extends MemoryEntry> {
  readonly #agents = new Map<string, AgentCalls<T>>();
  /** The agent of the last lookup. */
  #last: AgentCalls<T> | undefined;
  readonly #open = new EntryList();
  readonly #ran = new EntryList();
  /** Bytes of the agents. */
  #bytes = 0;
  /** A Bloom filter of the forgotten entries, three bits each: a marked call may have been known. */
  #marks: Uint8Array | undefined;

  get size(): number {
    return this.#open.size + this.#ran.size;
  }
  get bytes(): number {
    return this.#bytes + this.#open.bytes + this.#ran.bytes;
  }

  get(call: CallKey): T | undefined {
    return this.#agentOf(call)?.byId.get(shorten(call.id));
  }

  /** Adds or replaces an entry as the newest. `chars`: how many characters it holds. */
  set(call: CallKey, entry: T, chars: number): void {
    const of = this.#agentOf(call) ?? this.#newAgent(call);
    const id = shorten(call.id);
    const known = of.byId.get(id);
    known?.line?.remove(known);
    of.byId.set(id, entry);
    entry.of = of as AgentCalls<MemoryEntry>;
    entry.id = id;
    entry.bytes = ENTRY + 2 * (of.name.length + id.length + chars);
    this.#open.add(entry);
    while (this.bytes > MOST) this.#forget((this.#ran.oldest ?? this.#open.oldest) as T);
  }

  /** Accounts for an entry that has grown. */
  resize(entry: T, chars: number): void {
    const { line } = entry;
    this.set(entry.call, entry, chars);
    if (line === this.#ran) this.ran(entry);
  }

  /** The call has run, so that nearly nothing more is asked about it. */
  ran(entry: T): void {
    entry.line?.remove(entry);
    this.#ran.add(entry);
    if (this.#ran.size > RAN) this.#forget(this.#ran.oldest as T);
  }

  /** The newest entries of calls that have not run, newest first. */
  *newest(count: number): Generator<T> {
    let entry = this.#open.newest;
    for (let i = 0; i < count && entry !== undefined; i++, entry = entry.older) yield entry as T;
  }

  /** The call was forgotten, or is indistinguishable from one that was, so nothing can be said about it. */
  mayBeForgotten(call: CallKey): boolean {
    const marks = this.#marks;
    const isMarked = (at: number): boolean => (((marks as Uint8Array)[at >> 3] as number) & (1 << (at & 7))) !== 0;
    return marks !== undefined && marksOf(hashed(hashed(START, nameOf(call)), shorten(call.id)), isMarked);
  }

  #forget(entry: T): void {
    const { of, id } = entry as T & { of: AgentCalls<T> };
    entry.line?.remove(entry);
    of.byId.delete(id);
    if (of.byId.size === 0) {
      this.#agents.delete(of.name);
      this.#bytes -= AGENT;
      if (this.#last === of) this.#last = undefined;
    }
    this.#marks ??= new Uint8Array(MARKS);
    marksOf(hashed(of.hash, id), this.#mark);
  }

  readonly #mark = (at: number): true => {
    const marks = this.#marks as Uint8Array;
    marks[at >> 3] = (marks[at >> 3] as number) | (1 << (at & 7));
    return true;
  };

  #agentOf(call: CallKey): AgentCalls<T> | undefined {
    const last = this.#last;
    if (last !== undefined && last.session === call.session && last.agent === call.agent) return last;
    const known = this.#agents.get(nameOf(call));
    if (known !== undefined) this.#last = known;
    return known;
  }

  #newAgent(call: CallKey): AgentCalls<T> {
    const { session, agent } = call;
    const name = nameOf(call);
    const made: AgentCalls<T> = { name, session, agent, byId: new Map(), hash: hashed(START, name) };
    this.#agents.set(made.name, made);
    this.#bytes += AGENT;
    this.#last = made;
    return made;
  }
}

/** Prefixed with lengths, so that different names can never collide. */
function nameOf(call: CallKey): string {
  const session = shorten(call.session);
  const agent = call.agent === undefined ? '' : `@${shorten(call.agent)}`;
  return `${session.length}.${agent.length}.${session}${agent}`;
}

export const shorten = (name: string): string => (name.length > NAME ? sha256(name) : name);

/** Two hashes of a text, from which that of a longer text can go on. */
interface Hash {
  readonly a: number;
  readonly b: number;
}
const START: Hash = { a: 0x811c9dc5, b: 0x9747b28c };

/** FNV-1a: an attacker who finds two names with one hash hides a call that no hook was asked about, as one who fills the memory does. */
function hashed({ a, b }: Hash, text: string): Hash {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 15);
  }
  return { a, b };
}

/** Calls `use` with its three positions in the Bloom filter, until it answers false. */
function marksOf({ a, b }: Hash, use: (at: number) => boolean): boolean {
  return use(a & LAST_MARK) && use(b & LAST_MARK) && use((a ^ (b >>> 7)) & LAST_MARK);
}

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

/** The most bytes of entries, and the size in bytes of the Bloom filter of forgotten entries. */
const MOST = 15 << 20;
const MARKS = 1 << 20;
const LAST_MARK = MARKS * 8 - 1;
/** Approximate bytes of an entry without its texts. */
const ENTRY = 400;
/** Approximate bytes of an agent's entry. */
const AGENT = 400;
/** How many calls that have run are kept, because evidence may come a second time soon after the first. More would survive, and slow, garbage collections. */
const RAN = 250;
/** Longer names are stored as their hash. */
const NAME = 256;

/** The calls of one agent, keyed by id alone: each call is looked up three times, and a key built from several parts would be hashed each time. */
interface AgentCalls<T> {
  readonly name: string;
  readonly session: string;
  readonly agent: string | undefined;
  readonly byId: Map<string, T>;
  /** The hash of `name`, from which the hashes of its calls continue. */
  readonly hash: Hash;
}

/** What is known about a call; also a node of a linked list. One object per call, because tens of thousands are kept and each costs the garbage collector. */
export class MemoryEntry {
  /** The agent of the call; absent while the entry is in no memory. */
  of: AgentCalls<MemoryEntry> | undefined = undefined;
  /** The list that contains the entry. */
  line: EntryList | undefined = undefined;
  id = '';
  bytes = 0;
  older: MemoryEntry | undefined = undefined;
  newer: MemoryEntry | undefined = undefined;

  /** The call that the entry is about. */
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

/** Remembers calls: the newest `MOST` bytes, but of those that have run only the last `RAN`. */
export class Memory<T extends MemoryEntry> {
  readonly #agents = new Map<string, AgentCalls<T>>();
  /** The agent of the last lookup. */
  #last: AgentCalls<T> | undefined;
  readonly #open = new EntryList();
  readonly #ran = new EntryList();
  /** Bytes of the agents' entries. */
  #bytes = 0;
  /** A Bloom filter of the forgotten entries, three bits each: a marked call was perhaps known. */
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

  /** Adds or replaces an entry as the newest. `chars`: its size in characters. */
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

  /** The call has run, so it is hardly ever looked up again. */
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

  /** Whether the call was forgotten, or cannot be told from one that was. */
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

/** Two hashes of a text, which can be continued with more text. */
interface Hash {
  readonly a: number;
  readonly b: number;
}
const START: Hash = { a: 0x811c9dc5, b: 0x9747b28c };

/** FNV-1a and a variant. Not collision-resistant: a collision can hide a call that no hook was asked about, but so can filling the memory. */
function hashed({ a, b }: Hash, text: string): Hash {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 15);
  }
  return { a, b };
}

/** Calls `use` with the three bit positions of a hash in the Bloom filter, until it returns false. Returns whether all returned true. */
function marksOf({ a, b }: Hash, use: (at: number) => boolean): boolean {
  return use(a & LAST_MARK) && use(b & LAST_MARK) && use((a ^ (b >>> 7)) & LAST_MARK);
}

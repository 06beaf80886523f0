import { sha256 } from './canonical.js';

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
/** Bytes of an entry apart from its texts. */
const ENTRY = 400;
/** Bytes of an agent. */
const AGENT = 400;
/** Longer names are stored as their hash. */
const NAME = 256;

/** The calls of one agent, keyed by id alone: each call is looked up three times, and a key built from several parts would be hashed each time. */
interface Agent<T> {
  readonly name: string;
  readonly session: string;
  readonly agent: string | undefined;
  readonly byId: Map<string, RememberedCall<T>>;
}

interface RememberedCall<T> {
  readonly of: Agent<T>;
  readonly id: string;
  /** Absent once the entry was forgotten or replaced. */
  value: T | undefined;
  readonly bytes: number;
}

/** What is known about calls: the newest 15 MiB. */
export class Memory<T extends object> {
  readonly #agents = new Map<string, Agent<T>>();
  /** The agent of the last lookup. */
  #last: Agent<T> | undefined;
  #size = 0;
  /** Oldest first, starting at `#first`; replaced entries are listed twice. A Map's first key is slow to find after many deletions. */
  #order: RememberedCall<T>[] = [];
  #first = 0;
  #bytes = 0;
  /** A Bloom filter of the forgotten entries, three bits each: a marked call may have been known. */
  #marks: Uint8Array | undefined;

  get size(): number {
    return this.#size;
  }
  get bytes(): number {
    return this.#bytes;
  }

  get(call: CallKey): T | undefined {
    return this.#agentOf(call)?.byId.get(shorten(call.id))?.value;
  }

  /** Adds or replaces an entry as the newest. `chars`: how many characters it holds. */
  set(call: CallKey, value: T, chars: number): void {
    const of = this.#agentOf(call) ?? this.#newAgent(call);
    const id = shorten(call.id);
    const known = of.byId.get(id);
    if (known !== undefined) this.#empty(known);
    const kept = { of, id, value, bytes: ENTRY + 2 * (of.name.length + id.length + chars) };
    of.byId.set(id, kept);
    this.#size++;
    this.#order.push(kept);
    this.#bytes += kept.bytes;
    while (this.#bytes > MOST) this.#forgetOldest();
    if (this.#order.length > 1_000 && this.#order.length > 2 * this.#size) this.#tidy();
  }

  /** Accounts for an entry that has grown. */
  resize(call: CallKey, chars: number): void {
    const value = this.get(call);
    if (value !== undefined) this.set(call, value, chars);
  }

  /** The newest entries, newest first. */
  *newest(count: number): Generator<T> {
    const { length } = this.#order;
    for (let at = length - 1; at >= Math.max(this.#first, length - count); at--) {
      const { value } = this.#order[at] as RememberedCall<T>;
      if (value !== undefined) yield value;
    }
  }

  /** The call was forgotten, or is indistinguishable from one that was, so nothing can be said about it. */
  mayBeForgotten(call: CallKey): boolean {
    const marks = this.#marks;
    return (
      marks !== undefined &&
      placesOf(nameOf(call) + shorten(call.id)).every((at) => ((marks[at >> 3] as number) >> (at & 7)) & 1)
    );
  }

  #forgetOldest(): void {
    const kept = this.#order[this.#first++] as RememberedCall<T>;
    if (kept.value === undefined) return;
    const { of, id } = kept;
    this.#empty(kept);
    of.byId.delete(id);
    if (of.byId.size === 0) {
      this.#agents.delete(of.name);
      this.#bytes -= AGENT;
      if (this.#last === of) this.#last = undefined;
    }
    this.#marks ??= new Uint8Array(MARKS);
    for (const at of placesOf(of.name + id)) this.#marks[at >> 3] = (this.#marks[at >> 3] as number) | (1 << (at & 7));
  }

  #tidy(): void {
    this.#order = this.#order.slice(this.#first).filter(({ value }) => value !== undefined);
    this.#first = 0;
  }

  #empty(kept: RememberedCall<T>): void {
    this.#bytes -= kept.bytes;
    this.#size--;
    kept.value = undefined;
  }

  #agentOf(call: CallKey): Agent<T> | undefined {
    const last = this.#last;
    if (last !== undefined && last.session === call.session && last.agent === call.agent) return last;
    const known = this.#agents.get(nameOf(call));
    if (known !== undefined) this.#last = known;
    return known;
  }

  #newAgent(call: CallKey): Agent<T> {
    const { session, agent } = call;
    const made: Agent<T> = { name: nameOf(call), session, agent, byId: new Map() };
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

/** Its three positions in the Bloom filter. */
function placesOf(key: string): number[] {
  // FNV-1a: whoever makes two names meet hides a call that nobody asked about, as whoever fills the memory does.
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 15);
  }
  return [a, b, a ^ (b >>> 7)].map((hash) => (hash >>> 0) % (MARKS * 8));
}

import { sha256 } from './canonical.js';

/** A call: the session and the agent it was made in (absent: the main thread), and its id there. */
export interface CallKey {
  readonly session: string;
  readonly agent: string | undefined;
  readonly id: string;
}

/** Bytes of what is remembered, and of the marks that the forgotten leave. */
const MOST = 15 << 20;
const MARKS = 1 << 20;
/** Of an entry beside its texts. */
const ENTRY = 400;
/** A longer name is remembered by its hash. */
const NAME = 256;

interface Kept<T> {
  readonly key: string;
  /** Absent once it was forgotten, or put anew. */
  value: T | undefined;
  readonly bytes: number;
}

/** What is known of calls, the newest 15 MiB of it. */
export class Memory<T extends object> {
  readonly #kept = new Map<string, Kept<T>>();
  /** The oldest first, from `#first` on; what was put anew stands here twice. A Map's own first key is slow to find after deletions. */
  #order: Kept<T>[] = [];
  #first = 0;
  #bytes = 0;
  /** One bit for each that was forgotten, at three places: whoever is marked may have been known. */
  #marks: Uint8Array | undefined;

  get size(): number {
    return this.#kept.size;
  }
  get bytes(): number {
    return this.#bytes;
  }

  get(call: CallKey): T | undefined {
    return this.#kept.get(keyOf(call))?.value;
  }

  /** Puts it behind all others. `chars`: how many it holds. */
  set(call: CallKey, value: T, chars: number): void {
    const key = keyOf(call);
    this.#drop(key);
    const bytes = ENTRY + 2 * (key.length + chars);
    const kept = { key, value, bytes };
    this.#kept.set(key, kept);
    this.#order.push(kept);
    this.#bytes += bytes;
    while (this.#bytes > MOST) this.#forgetOldest();
    if (this.#order.length > 1_000 && this.#order.length > 2 * this.#kept.size) this.#tidy();
  }

  /** It holds more than before. */
  resize(call: CallKey, chars: number): void {
    const key = keyOf(call);
    const value = this.#kept.get(key)?.value;
    if (value !== undefined) this.set(call, value, chars);
  }

  /** The newest first. */
  *newest(count: number): Generator<T> {
    const { length } = this.#order;
    for (let at = length - 1; at >= Math.max(this.#first, length - count); at--) {
      const { value } = this.#order[at] as Kept<T>;
      if (value !== undefined) yield value;
    }
  }

  /** It was known and had to go, or looks like one that had to: nothing can be said of it. */
  mayBeForgotten(call: CallKey): boolean {
    const marks = this.#marks;
    return marks !== undefined && placesOf(keyOf(call)).every((at) => ((marks[at >> 3] as number) >> (at & 7)) & 1);
  }

  #forgetOldest(): void {
    const kept = this.#order[this.#first++] as Kept<T>;
    if (kept.value === undefined) return;
    this.#drop(kept.key);
    this.#marks ??= new Uint8Array(MARKS);
    for (const at of placesOf(kept.key)) this.#marks[at >> 3] = (this.#marks[at >> 3] as number) | (1 << (at & 7));
  }

  #tidy(): void {
    this.#order = this.#order.slice(this.#first).filter(({ value }) => value !== undefined);
    this.#first = 0;
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#bytes -= kept.bytes;
    kept.value = undefined;
    this.#kept.delete(key);
  }
}

/** Lengths go before, so that no name can look like two. */
function keyOf(call: CallKey): string {
  const session = shorten(call.session);
  const agent = call.agent === undefined ? '' : `@${shorten(call.agent)}`;
  return `${session.length}.${agent.length}.${session}${agent}${shorten(call.id)}`;
}

export const shorten = (name: string): string => (name.length > NAME ? sha256(name) : name);

/** Three places in the marks. */
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

import { createHash, type Hash } from 'node:crypto';
import { beginning } from '../../emit/redact/total.js';
import { sha256 } from '../../values/sha256.js';

/** An input in a form that can be compared: the order of keys does not matter. */
export interface Canonical {
  /** The input's JSON with sorted keys, or its SHA-256 if it is long. */
  readonly key: string;
  /** The start of that JSON, for people. */
  readonly head: string;
}

/** How many characters of an input are remembered and reported. */
export const HEAD = 4096;
/** Additional characters that are kept after those, so that the end of a secret can be found. */
const BEYOND = 1024;
/** How many characters are hashed at a time. */
const CHUNK = 1 << 16;
/** Larger inputs are not compared: with shared parts their JSON could be practically endless. */
const MOST = 1 << 27;
const PIECES = 1_000_000;

/**
 * Returns `undefined` if the input cannot be compared (reading it throws, or it has no end). `loose`: ignores the changes that Claude Code makes to an
 * input from a hook or the user: `"5"` may become 5, and false or null may be added. Not recursive, because a model may nest as deeply as it likes.
 */
export function canonical(value: unknown, loose = false): Canonical | undefined {
  try {
    const text = new HashedText();
    write(value, loose, text);
    return text.end();
  } catch {
    return undefined;
  }
}

/** The part of an input that is reported: the beginning, if it is long. */
export const headOf = ({ head }: Canonical): string => beginning(head, HEAD);

/** The SHA-256 of the JSON with sorted keys. A short input's key is the JSON itself. */
export const hashOf = ({ key, head }: Canonical): string => (key === head ? sha256(key) : key);

/** Text that is hashed in chunks while it is written. */
class HashedText {
  #text = '';
  #head: string | undefined;
  #hash: Hash | undefined;
  #length = 0;
  #pieces = 0;

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > MOST || ++this.#pieces > PIECES) throw new RangeError('too long');
    this.#text += piece;
    if (this.#text.length > CHUNK) this.#flush();
  }

  end(): Canonical {
    if (!this.#hash && this.#text.length <= HEAD) return { key: this.#text, head: this.#text };
    this.#flush();
    return { key: (this.#hash as Hash).digest('hex'), head: this.#head as string };
  }

  #flush(): void {
    this.#hash ??= createHash('sha256');
    // Copied, because a slice would keep the whole text in memory.
    this.#head ??= Buffer.from(this.#text.slice(0, HEAD + BEYOND)).toString();
    this.#hash.update(this.#text);
    this.#text = '';
  }
}

/** An array or object whose JSON is being written. */
interface OpenValue {
  readonly of: object;
  /** The sorted keys of an object; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  at: number;
  some: boolean;
}

function write(value: unknown, loose: boolean, text: HashedText): void {
  const open: OpenValue[] = [];
  const within = new Set<object>();
  const begin = (plain: unknown): void => {
    if (typeof plain !== 'object' || plain === null) {
      text.add(scalar(plain, loose));
      return;
    }
    if (within.has(plain)) throw new TypeError('it holds itself');
    within.add(plain);
    const keys = Array.isArray(plain) ? undefined : Object.keys(plain).sort();
    text.add(keys ? '{' : '[');
    open.push({ of: plain, keys, length: (keys ?? (plain as unknown[])).length, at: 0, some: false });
  };
  begin(asJson(value));
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (top.at === top.length) {
      text.add(top.keys ? '}' : ']');
      within.delete(top.of);
      open.pop();
      continue;
    }
    const key = top.keys ? (top.keys[top.at] as string) : top.at;
    top.at++;
    const member = asJson((top.of as Record<string | number, unknown>)[key]);
    if (top.keys && isLeftOut(member, loose)) continue;
    text.add(`${top.some ? ',' : ''}${top.keys ? `${JSON.stringify(key)}:` : ''}`);
    top.some = true;
    begin(member);
  }
}

/** The value that `JSON.stringify` would write: the result of `toJSON`, if there is one. */
export function asJson(value: unknown): unknown {
  const toJSON = typeof value === 'object' && value !== null ? (value as { toJSON?: unknown }).toJSON : undefined;
  return typeof toJSON === 'function' ? toJSON.call(value, '') : value;
}

const isLeftOut = (member: unknown, loose: boolean): boolean =>
  member === undefined ||
  typeof member === 'function' ||
  typeof member === 'symbol' ||
  (loose && (member === false || member === null));

function scalar(value: unknown, loose: boolean): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (loose && (typeof value === 'number' || typeof value === 'boolean')) return JSON.stringify(String(value));
  return JSON.stringify(value) ?? 'null';
}

import { asJson, type Canonical, canonical, HEAD } from './canonical.js';

/** The most values in an input that is kept as a copy. */
const PIECES = 200;
const NONE = Symbol('none');

/** A remembered input as plain data. */
export interface PassedInput {
  readonly size: number;
  readonly given: boolean;
  readonly exact: Canonical;
  readonly loose: string | undefined;
}

/**
 * An input as it was when it was judged. Hardly any is ever compared, so a short one is only copied and serialised on demand. Of a long
 * one, only the hash and the beginning are kept.
 */
export class RememberedInput {
  /** Its approximate size in characters. */
  readonly size: number;
  /** NONE for a long input, and once the input has been serialised. */
  #copy: unknown = NONE;
  #exact: Canonical | undefined;
  #loose: string | undefined;
  /** The input came from a hook or the user. Claude Code completes and converts such inputs. */
  readonly #given: boolean;

  private constructor(size: number, given: boolean) {
    this.size = size;
    this.#given = given;
  }

  /** Returns `undefined` if the value cannot be compared. */
  static of(value: unknown, given: boolean): RememberedInput | undefined {
    const copied = copyShort(value);
    if (copied) {
      const remembered = new RememberedInput(copied.size * (given ? 2 : 1), given);
      remembered.#copy = copied.value;
      return remembered;
    }
    const exact = canonical(value);
    if (!exact) return undefined;
    const loose = given ? canonical(value, true)?.key : undefined;
    const remembered = new RememberedInput(exact.key.length + exact.head.length + (loose?.length ?? 0), given);
    remembered.#exact = exact;
    remembered.#loose = loose;
    return remembered;
  }

  /** Restores an input that another process has remembered. */
  static from({ size, given, exact, loose }: PassedInput): RememberedInput {
    const remembered = new RememberedInput(size, given);
    remembered.#exact = exact;
    remembered.#loose = loose;
    return remembered;
  }

  get plain(): PassedInput {
    const { size, exact, loose } = this;
    return { size, given: this.#given, exact, loose };
  }

  /** A quick check for equality. false is inconclusive: compare `exact`. */
  isPlainly(value: unknown): boolean {
    try {
      return this.#copy !== NONE && same(this.#copy, value);
    } catch {
      return false;
    }
  }

  get exact(): Canonical {
    this.#write();
    return this.#exact as Canonical;
  }

  /** The key that ignores Claude Code's conversions, if the input came from a hook or the user. */
  get loose(): string | undefined {
    this.#write();
    return this.#loose;
  }

  #write(): void {
    const value = this.#copy;
    if (value === NONE) return;
    this.#exact = canonical(value);
    this.#loose = this.#given ? canonical(value, true)?.key : undefined;
    this.#copy = NONE;
  }
}

/** Whether both have the same JSON; false is inconclusive, because nothing is serialised. Recursive, which is safe: the copy is short. */
function same(copied: unknown, value: unknown): boolean {
  if (copied === value) return true;
  if (!isBare(copied) || !isBare(value)) return false;
  if (Array.isArray(copied) !== Array.isArray(value)) return false;
  const keys = Object.keys(copied);
  if (Object.keys(value).length !== keys.length) return false;
  // Holes in an array have no keys, but appear in its JSON.
  if (Array.isArray(copied) && (keys.length !== copied.length || copied.length !== value['length'])) return false;
  return keys.every((key) => Object.hasOwn(value, key) && same(copied[key], value[key]));
}

/** An object without a `toJSON` of its own. */
const isBare = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON !== 'function';

interface MemoryBudget {
  chars: number;
  pieces: number;
}

class TooLong extends Error {}
const TOO_LONG = new TooLong();

/** A copy of what `canonical` would read. Strings are shared, so the cost depends on the number of values. `undefined` if it is long or cannot be read. */
function copyShort(value: unknown): { readonly value: unknown; readonly size: number } | undefined {
  const room: MemoryBudget = { chars: HEAD, pieces: PIECES };
  try {
    const copied = copy(value, room);
    return { value: copied, size: HEAD - room.chars };
  } catch {
    return undefined;
  }
}

function copy(given: unknown, room: MemoryBudget): unknown {
  if (typeof given === 'string') {
    take(room, given.length + 3);
    return given;
  }
  const value = asJson(given);
  if (typeof value !== 'object' || value === null) {
    take(room, typeof value === 'string' ? value.length + 3 : typeof value === 'bigint' ? HEAD : 24);
    return value;
  }
  take(room, 3);
  if (Array.isArray(value)) {
    if (value.length > room.pieces) throw TOO_LONG;
    return Array.from(value, (one) => copy(one, room));
  }
  const keys = Object.keys(value);
  if (keys.length > room.pieces) throw TOO_LONG;
  // A spread takes a tenth of the time of setting the keys one by one.
  const copied: Record<string, unknown> = { ...value };
  for (const key of keys) {
    take(room, key.length + 4);
    const part = copied[key];
    if (typeof part === 'string') take(room, part.length + 3);
    else copied[key] = copy(part, room);
  }
  return copied;
}

function take(room: MemoryBudget, chars: number): void {
  room.chars -= chars;
  if (room.chars < 0 || --room.pieces < 0) throw TOO_LONG;
}

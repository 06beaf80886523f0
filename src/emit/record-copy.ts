import { bytesAsJson, isBytes } from '../values/copies/binary.js';
import { type CopyBudget, DEEPEST, MOST_BYTES } from '../values/copies/copy.js';
import { put } from '../values/copies/put.js';
import { toData, unwrap } from '../values/copies/view.js';
import { ignoreRejections } from '../values/waiting/promises.js';

/** At most this many omitted places are listed. */
const NAMED = 20;
/** At most this many keys of an omitted object are listed. */
const KEYS = 4;

/** Stands in `truncated` for all places that are not listed one by one. */
const REST = '…';

/** The result for a value that was left out. */
const LEFT_OUT = Symbol('left out');

/**
 * Copies the values of a record, so that it never changes after it was sent. A value that no record can hold (too deep, too
 * large, a cycle, a bigint, a getter that throws) is left out and its path listed. The copies are frozen. Never throws.
 * A hot class: `private` members (CONTRIBUTING.md).
 */
export class RecordCopy {
  /** Where something was omitted: `input.tool_input.a`. */
  readonly truncated: string[] = [];
  private readonly room: CopyBudget;
  private readonly keys: string[] = [];
  private readonly objects: object[] = [];

  constructor(room: CopyBudget = { left: MOST_BYTES }) {
    this.room = room;
  }

  /** A copy; an empty object if the value cannot be read at all. */
  object<T extends object>(value: T, at: string): T {
    const copied = this.part(value, at);
    return (typeof copied === 'object' && copied !== null ? copied : Object.freeze({})) as T;
  }

  /** A copy of any value; `undefined` if no record can hold it. */
  anything(value: unknown, at: string): unknown {
    const copied = this.part(value, at);
    return copied === LEFT_OUT ? undefined : copied;
  }

  /** Copies all of the value or nothing, for values that mean nothing in part. */
  whole<T extends object>(value: T, at: string): T | undefined {
    const { length } = this.truncated;
    const copied = this.part(value, at);
    if (copied === LEFT_OUT) return undefined;
    if (this.truncated.length === length && this.room.left > 0) return copied as T;
    this.truncated.splice(length, this.truncated.length, at);
    return undefined;
  }

  /** Lists a place that did not fit, and ends the room for what follows. */
  lacks(at: string): void {
    this.keys.push(at);
    this.leaveOut();
    this.keys.pop();
  }

  private part(value: unknown, key: string): unknown {
    this.keys.push(key);
    const before = this.objects.length;
    let copied: unknown;
    try {
      copied = this.copy(value);
    } catch (error) {
      ignoreRejections(error);
      copied = LEFT_OUT;
      this.objects.length = before;
    }
    if (copied === LEFT_OUT) this.nameIt();
    this.keys.pop();
    return copied;
  }

  private nameIt(): void {
    const [first, ...rest] = this.keys.slice(0, KEYS);
    const more = this.keys.length > KEYS ? '.…' : '';
    const place = `${[first, ...rest].join('.')}${more}`;
    if (this.truncated.includes(place)) return;
    if (this.truncated.length < NAMED) this.truncated.push(place);
    else if (this.truncated.length === NAMED) this.truncated.push(REST);
  }

  /** No room is left: `…` stands for the remaining keys or items. */
  private lacksRest(): void {
    this.keys.push(REST);
    this.nameIt();
    this.keys.pop();
  }

  /** There is no room for the rest of the value being copied. */
  private leaveOut(): typeof LEFT_OUT {
    this.room.left = 0;
    this.nameIt();
    return LEFT_OUT;
  }

  private leaveKey(key: string): typeof LEFT_OUT {
    this.lacks(key);
    return LEFT_OUT;
  }

  private copy(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        return this.takes(value.length + 2) ? value : LEFT_OUT;
      case 'object':
        if (value === null) return null;
        // Counted as in JSON: an object referenced a thousand times is copied a thousand times.
        return this.takes(32) ? this.copyObject(value) : LEFT_OUT;
      case 'bigint':
      case 'symbol':
      case 'function':
        return LEFT_OUT;
      default:
        return value;
    }
  }

  /** Takes room for so many bytes; false if there is less. */
  takes(bytes: number): boolean {
    if (this.room.left < bytes) return false;
    this.room.left -= bytes;
    return true;
  }

  private copyObject(value: object & { toJSON?: unknown }): unknown {
    if (this.objects.length >= DEEPEST || this.objects.includes(value)) return LEFT_OUT;
    this.objects.push(value);
    const copied = Array.isArray(value)
      ? this.array(value)
      : isBytes(value)
        ? this.plain(bytesAsJson(value))
        : typeof value.toJSON === 'function'
          ? value.toJSON === toData
            ? this.copy(unwrap(value))
            : this.printed(value.toJSON(''))
          : this.plain(value);
    this.objects.pop();
    return copied;
  }

  private printed(value: unknown): unknown {
    ignoreRejections(value);
    return this.copy(value);
  }

  private array(value: readonly unknown[]): unknown {
    const copied: unknown[] = [];
    // A sparse array too: its JSON has a `null` for every hole.
    if (value.length > this.room.left / 2) return LEFT_OUT;
    for (let i = 0; i < value.length; i++) {
      const part = this.takes(value[i] === undefined ? 5 : 1)
        ? this.part(value[i], String(i))
        : this.leaveKey(String(i));
      copied.push(part === LEFT_OUT ? null : part);
      if (this.room.left > 0) continue;
      if (i + 1 < value.length) this.lacksRest();
      break;
    }
    return Object.freeze(copied);
  }

  private plain(value: object): unknown {
    const copied: Record<string, unknown> = {};
    const keys = Object.keys(value);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const part = this.takes(key.length + 3) ? this.own(value, key) : this.leaveKey(key);
      if (part !== LEFT_OUT) put(copied, key, part);
      else if (this.room.left <= 0) {
        if (i + 1 < keys.length) this.lacksRest();
        break;
      }
    }
    return Object.freeze(copied);
  }

  private own(value: object, key: string): unknown {
    let part: unknown;
    try {
      part = (value as Record<string, unknown>)[key];
    } catch (error) {
      ignoreRejections(error);
      part = LEFT_OUT;
    }
    const { room } = this;
    // Most values in a record are short strings: nothing to name or to descend into.
    if (typeof part === 'string' && part.length + 2 <= room.left) {
      room.left -= part.length + 2;
      return part;
    }
    if (part === undefined || part === null || typeof part === 'number' || typeof part === 'boolean') return part;
    return this.part(part, key);
  }
}

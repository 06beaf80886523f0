import { DEEPEST } from '../../values/copies/copy.js';
import { put } from '../../values/copies/put.js';
import { createFinder, type Finder, patternFinder } from './find/find.js';
import { isListed } from './find/lists.js';
import { type ListKind, listKind, nameKind } from './find/names.js';
import { isPlaceholder, isWord, looksRandom } from './find/values.js';
import { type MaskKey, machineKey } from './key.js';
import type { RedactOptions } from './options.js';
import { argumentSpans, entriesOf, namedBeside, pairsOf, programOf, rolesOf } from './structure.js';

/** Texts that come again in most records, such as names of tools and files. */
const SHORT = 128;
const REMEMBERED = 4096;
/** Texts that come again at the place where they were, such as the input of a call in the records before and after it. */
const LONG = 16_384;
const PLACES = 128;

/** Masks plain data. What it changes is a copy, frozen; what it does not change is the same object. */
export class Masker {
  readonly finder: Finder;
  /** How many values were masked; the caller resets it to 0. */
  count = 0;
  readonly #own: RedactOptions['mask'];
  readonly #keys: ReadonlySet<string>;
  readonly #paths: readonly (readonly string[])[];
  readonly #named: boolean;
  /** What the caller's own patterns match, which are looked for in numbers and names of data, too. */
  readonly #patterns: ReturnType<typeof patternFinder>;
  /** How deep within an input or an output, where there are patterns; 0: among the fields of a record, which are ours. */
  #inData = 0;
  #key: MaskKey | undefined;
  readonly #clean = new Set<string>();
  /** By key, the text in which nothing had to be masked when it was last checked. */
  readonly #cleanAt = new Map<string, string>();
  /** Paths are tracked if a function needs them. */
  readonly #path: string[] | undefined;
  #depth = 0;

  constructor({ shapes = true, keys = [], paths = [], patterns = [], mask }: RedactOptions, key: MaskKey | undefined) {
    const wanted = (name: string): boolean => (typeof shapes === 'boolean' ? shapes : shapes.includes(name));
    this.finder = createFinder(wanted, patterns);
    this.#patterns = patternFinder(patterns);
    this.#named = wanted('named');
    this.#own = mask;
    this.#keys = new Set(keys.map((name) => name.toLowerCase()));
    this.#paths = paths.map((path) => path.split('.'));
    this.#key = key;
    this.#path = mask === undefined && paths.length === 0 ? undefined : [];
  }

  /** Read when first needed: where nothing is masked, no file is made. */
  get key(): MaskKey {
    this.#key ??= machineKey();
    return this.#key;
  }

  /** A value below the key of a record. */
  field(key: string, value: unknown): unknown {
    this.#depth = 0;
    this.#inData = 0;
    if (this.#path !== undefined) this.#path.length = 0;
    return this.#at(key, value, this.isPath(key));
  }

  /** Whether the whole value at the key must be masked. */
  isPath(key: string): boolean {
    if (this.#paths.length === 0) return false;
    const place = this.#path ?? [];
    const depth = place.length;
    return this.#paths.some(
      (path) =>
        path.length === depth + 1 && matches(path[depth], key) && place.every((name, i) => matches(path[i], name)),
    );
  }

  /** A value below a key of an object. `all`: every text in it is masked. */
  #at(key: string, value: unknown, all: boolean): unknown {
    const isText = typeof value === 'string' && !all && this.#own === undefined;
    if (isText && this.#cleanAt.get(key) === value) return value;
    // A circle, then: what holds it is not shown at all.
    if (++this.#depth > DEEPEST + 10) throw new RangeError('too deep');
    this.#path?.push(key);
    const before = this.#inData;
    if (this.#patterns !== undefined) this.#inData = before > 0 ? before + 1 : beginOf(key);
    const list = all || !this.#named ? undefined : listKind(key);
    const isOne = list === undefined ? undefined : (one: unknown) => isOfList(one, list, key);
    const masked = this.#value(value, all || isOne?.(value) === true || this.#isSecretKey(key, value), isOne);
    this.#path?.pop();
    this.#inData = before;
    this.#depth--;
    if (isText && masked === value && value.length <= LONG) this.#rememberAt(key, value);
    return masked;
  }

  #rememberAt(key: string, text: string): void {
    if (this.#cleanAt.size >= PLACES && !this.#cleanAt.has(key)) this.#cleanAt.clear();
    this.#cleanAt.set(key, text);
  }

  #isSecretKey(key: string, value: unknown): boolean {
    if (this.#keys.size > 0 && this.#keys.has(key.toLowerCase())) return true;
    if (!this.#named || typeof value === 'boolean' || value === null || value === undefined) return false;
    const kind = nameKind(key);
    if (kind === undefined) return false;
    if (typeof value === 'number') return kind === 'password';
    if (kind === 'short') return typeof value === 'string' && value.length >= 3 && !isWord(value);
    return kind !== 'weak' || (typeof value === 'string' && looksRandom(value));
  }

  /** `isOne`: which texts directly in it are masked, too. */
  #value(value: unknown, all: boolean, isOne?: (value: unknown) => boolean): unknown {
    if (typeof value === 'string') return all ? this.#whole(value) : this.text(value);
    if (typeof value === 'number' || typeof value === 'bigint')
      return all || this.#isFound(String(value)) ? this.mask(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value, all, isOne) : this.#object(value, all, isOne);
  }

  /** Whether a pattern matches a number. */
  #isFound(number: string): boolean {
    return this.#inData > 0 && this.#patterns !== undefined && this.#patterns(number).length > 0;
  }

  /** A name of a field. The fields of an event and of an answer are known, those below them are data. */
  #name(name: string): string {
    if (!isPlain(name)) return this.text(name);
    if (this.#inData < 2 || this.#patterns === undefined) return name;
    return this.part(name, 0, name.length, this.#patterns(name));
  }

  #list(list: readonly unknown[], all: boolean, isOne?: (value: unknown) => boolean): unknown {
    let copy: unknown[] | undefined;
    // A single element has no neighbours that could mark it.
    const told = all || !this.#named || list.length < 2 ? undefined : this.#told(list);
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      const masked =
        told?.get(i) ?? this.#at(String(i), value, all || isOne?.(value) === true || this.isPath(String(i)));
      if (masked === value) continue;
      copy ??= list.slice();
      copy[i] = masked;
    }
    return copy === undefined ? list : Object.freeze(copy);
  }

  /** Marks from the other elements of a list: the arguments of a command, names and their values in turn. */
  #told(list: readonly unknown[]): ReadonlyMap<number, unknown> | undefined {
    const told = new Map<number, unknown>();
    for (const at of pairsOf(list)) told.set(at, this.#whole(list[at] as string));
    for (const [at, [name, value]] of entriesOf(list)) told.set(at, Object.freeze([name, this.#whole(value)]));
    for (const [i, spans] of argumentSpans(list, (text) => this.finder.find(text)))
      if (!told.has(i)) told.set(i, this.part(list[i] as string, 0, (list[i] as string).length, spans));
    return told.size === 0 ? undefined : told;
  }

  /** The arguments of a command whose name is in another field. */
  #arguments(list: readonly unknown[], words: readonly string[]): readonly unknown[] {
    const told = this.#told([...words, ...list]);
    if (told === undefined) return list;
    return list.map((one, i) => told.get(i + words.length) ?? one);
  }

  #object(object: object, all: boolean, isOne?: (value: unknown) => boolean): unknown {
    let copy: Record<string, unknown> | undefined;
    const keys = Object.keys(object);
    const roles = all || !this.#named ? 0 : rolesOf(keys);
    const beside = roles === 0 ? undefined : namedBeside(object as Record<string, unknown>, keys, roles);
    const command = roles === 0 ? undefined : programOf(object as Record<string, unknown>, keys, roles);
    // A Kubernetes manifest.
    const isManifest = this.#named && (object as { kind?: unknown }).kind === 'Secret';
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const own = (object as Record<string, unknown>)[key];
      const value = key === command?.key ? this.#arguments(own as readonly unknown[], command.words) : own;
      const isData = isManifest && (key === 'data' || key === 'stringData');
      const isWhole = isData || key === beside || isOne?.(value) === true || this.isPath(key);
      const masked = this.#at(key, value, all || isWhole);
      const name = this.#name(key);
      if (masked === own && name === key && copy === undefined) continue;
      // Keeps the order of the keys.
      if (copy === undefined) {
        copy = {};
        for (const before of keys.slice(0, i)) put(copy, before, (object as Record<string, unknown>)[before]);
      }
      put(copy, name, masked);
    }
    return copy === undefined ? object : Object.freeze(copy);
  }

  /** Masks a whole value whose name says that it is a secret, except for a header's scheme. */
  #whole(value: string): string {
    if (value === '' || (isPlaceholder(value) && !PARTLY.test(value))) return value;
    const scheme = /^(?:bearer|basic|token|digest)[ \t]+/i.exec(value)?.[0] ?? '';
    const secret = value.slice(scheme.length);
    return MASKED.test(secret) ? value : scheme + this.mask(secret);
  }

  /** A text, at the place that is looked at. */
  text(text: string): string {
    if (this.#own !== undefined) {
      const own = this.asked(text);
      if (own !== undefined) return own;
    }
    if (text.length < this.finder.shortest) return text;
    if (text.length <= SHORT) {
      if (this.#clean.has(text)) return text;
      const masked = this.part(text, 0, text.length);
      if (masked === text) this.#remember(text);
      return masked;
    }
    return this.part(text, 0, text.length);
  }

  #remember(text: string): void {
    if (this.#clean.size >= REMEMBERED) this.#clean.clear();
    this.#clean.add(text);
  }

  /** The result of the caller's own function for a text; undefined: it has no opinion. */
  asked(text: string, path = this.#path?.join('.') ?? ''): string | undefined {
    try {
      const own = this.#own?.(text, path);
      if (own === undefined || own === text) return undefined;
      this.count += 1;
      return String(own);
    } catch {
      return this.mask(text);
    }
  }

  /** Part of a text, with its secrets masked. */
  part(text: string, from: number, to: number, spans = this.finder.find(text)): string {
    let masked = '';
    let last = from;
    for (const [start, end] of spans) {
      if (end <= from) continue;
      if (start >= to) break;
      const begins = Math.max(start, from);
      masked += text.slice(last, begins) + this.mask(text.slice(begins, end));
      last = end;
    }
    return last === from && masked === '' ? text.slice(from, to) : masked + text.slice(last, Math.max(last, to));
  }

  /** Equal values get equal masks, wherever they are. */
  mask(value: string): string {
    this.count += 1;
    return `[redacted ${this.finder.nameOf(value)} hmac:${this.key.hash(value)}]`;
  }
}

const isOfList = (value: unknown, kind: ListKind, name: string): boolean =>
  typeof value === 'string' && isListed(value, kind, name, '"');

/** At which level of data a field of a record begins. */
const beginOf = (key: string): number => (DATA.test(key) ? 1 : key.startsWith('updated') ? 2 : 0);
const DATA = /^(?:input|final_input|versions|output|value)$/;

/** A whole value that was masked. */
const MASKED = /^\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]$/;
/** One that was masked at its beginning alone. */
const PARTLY = /^\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]./s;

/** A name that is too short to hold a secret. */
const isPlain = (key: string): boolean => key.length < 8 || (key.length < 16 && !/[=:@ ]/.test(key));

const matches = (wanted: string | undefined, key: string): boolean => wanted === '*' || wanted === key;

import { DEEPEST } from '../../values/copies/copy.js';
import { put } from '../../values/copies/put.js';
import { ignoreRejections } from '../../values/waiting/promises.js';
import { CleanTexts } from './clean.js';
import { createFinder, type Finder, patternFinder } from './find/find.js';
import { isPrivate, membersOf } from './find/formats/web-keys.js';
import { listKind } from './find/names.js';
import type { TextSpan } from './find/quoted.js';
import { merged } from './find/scan.js';
import { isStandIn } from './find/values.js';
import { type MaskKey, machineKey } from './key.js';
import type { RedactOptions } from './options.js';
import { beginOf, isAt, isNamedSecret, isOfList, isPlain } from './places.js';
import { namedBeside, programOf, rolesOf, toldIn } from './structure.js';
import { CHOSEN, MASKED, MASKED_BY_CALLER, most, NOT, SECRET, type WholeMask } from './whole.js';

type IsOne = (value: unknown) => boolean;

/** Masks plain data. Changed objects are frozen copies; unchanged ones are returned as they are. */
export class Masker {
  readonly finder: Finder;
  /** How many values were masked; the caller resets it to 0. */
  count = 0;
  readonly #own: RedactOptions['mask'];
  readonly #keys: ReadonlySet<string>;
  readonly #paths: readonly (readonly string[])[];
  readonly #named: boolean;
  readonly #privateKeys: boolean;
  /** Finds matches of the caller's own patterns, which are also looked for in numbers and keys of data. */
  readonly #patterns: ReturnType<typeof patternFinder>;
  /** The depth within an input or output, tracked if there are patterns or `mask`; 0: among the record's own fields. */
  #inData = 0;
  #key: MaskKey | undefined;
  readonly #clean = new CleanTexts();
  /** The current path, tracked only if `mask` or `paths` needs it. */
  readonly #path: string[] | undefined;
  #depth = 0;

  constructor({ shapes = true, keys = [], paths = [], patterns = [], mask }: RedactOptions, key: MaskKey | undefined) {
    const wanted = (name: string): boolean => (typeof shapes === 'boolean' ? shapes : shapes.includes(name));
    this.#keys = new Set(keys.map((name) => name.toLowerCase()));
    this.finder = createFinder(wanted, patterns, this.#keys);
    this.#patterns = patternFinder(patterns);
    this.#named = wanted('named');
    this.#privateKeys = wanted('private-key');
    this.#own = mask;
    this.#paths = paths.map((path) => path.split('.'));
    this.#key = key;
    this.#path = mask === undefined && paths.length === 0 ? undefined : [];
  }

  /** Read when first needed, so that no key file is made while nothing is masked. */
  get key(): MaskKey {
    this.#key ??= machineKey();
    return this.#key;
  }

  /** Masks the value of a record's field. */
  field(key: string, value: unknown): unknown {
    this.#depth = 0;
    this.#inData = 0;
    if (this.#path !== undefined) this.#path.length = 0;
    return this.#at(key, value, this.#atPath(key));
  }

  /** Whether the caller has named this field of the record. */
  isChosen(key: string): boolean {
    if (this.#path !== undefined) this.#path.length = 0;
    return this.#isPath(key) || (this.#keys.size > 0 && this.finder.isOwn(key));
  }

  /** Whether the whole value at the key must be masked. */
  #isPath(key: string): boolean {
    return this.#paths.length > 0 && this.#paths.some((path) => isAt(path, this.#path ?? [], key));
  }

  #atPath(key: string): WholeMask {
    return this.#isPath(key) ? CHOSEN : NOT;
  }

  /** Masks the value of an object's key. `words`: the command whose arguments it is. */
  #at(key: string, value: unknown, all: WholeMask, words?: readonly string[]): unknown {
    const isText = typeof value === 'string' && all === NOT && this.#own === undefined;
    if (isText && this.#clean.isLastAt(key, value)) return value;
    // It must be a cycle; the record that holds it is withheld.
    if (++this.#depth > DEEPEST + 10) throw new RangeError('too deep');
    this.#path?.push(key);
    const before = this.#inData;
    if (this.#patterns !== undefined || this.#own !== undefined) this.#inData = before > 0 ? before + 1 : beginOf(key);
    const list = all !== NOT || !this.#named ? undefined : listKind(key);
    const isOne = list === undefined ? undefined : (one: unknown) => isOfList(one, list, key);
    const masked = this.#value(
      value,
      most(all, this.#wholeAt(key, value), isOne?.(value) === true ? SECRET : NOT),
      isOne,
      words,
    );
    this.#path?.pop();
    this.#inData = before;
    this.#depth--;
    if (isText && masked === value) this.#clean.addAt(key, value);
    return masked;
  }

  #wholeAt(key: string, value: unknown): WholeMask {
    if (this.#keys.size > 0 && this.finder.isOwn(key)) return CHOSEN;
    return this.#named && isNamedSecret(key, value) ? SECRET : NOT;
  }

  /** `isOne`: which values directly in a list or object are masked too. */
  #value(value: unknown, all: WholeMask, isOne?: IsOne, words?: readonly string[]): unknown {
    if (typeof value === 'string') return all === NOT ? this.text(value) : this.#whole(value, all);
    if (typeof value === 'number' || typeof value === 'bigint')
      return all !== NOT || this.#isFound(String(value)) ? this.mask(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value, all, isOne, words) : this.#object(value, all, isOne);
  }

  /** Whether one of the caller's patterns matches a number in data. */
  #isFound(number: string): boolean {
    return this.#inData > 0 && this.#patterns !== undefined && this.#patterns(number).length > 0;
  }

  /** Masks a key. The caller's patterns and function apply only below the known fields of an event or answer, where keys are data. */
  #name(name: string, object: object, copy: object | undefined): string {
    const isData = this.#inData >= 2;
    if (isPlain(name))
      return isData && this.#patterns !== undefined ? this.part(name, 0, name.length, this.#patterns(name)) : name;
    const before = this.count;
    const masked = isData ? this.text(name) : this.#found(name);
    const isTaken = masked !== name && (masked in object || (copy !== undefined && masked in copy));
    if (!isTaken) return masked;
    // No value replaces another.
    this.count = before;
    return this.mask(name);
  }

  #list(list: readonly unknown[], all: WholeMask, isOne?: IsOne, words: readonly string[] = []): unknown {
    let copy: unknown[] | undefined;
    // Only neighbours can mark an element as secret.
    const isTold = all === NOT && list.length + words.length > 1 && (this.#named || this.#keys.size > 0);
    const told = isTold ? toldIn(list, words, { find: this.finder.find, named: this.#named }) : undefined;
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      const path = this.#atPath(String(i));
      const isSecret = isOne?.(value) === true;
      const masked =
        path === NOT && !isSecret && told?.has(i)
          ? this.#told(value as string | [string, string], String(i), told.get(i))
          : this.#at(String(i), value, most(all, path, isSecret ? SECRET : NOT));
      if (masked === value) continue;
      copy ??= list.slice();
      copy[i] = masked;
    }
    return copy === undefined ? list : Object.freeze(copy);
  }

  /** Masks an element that its neighbours mark as secret, the value of a pair that its name does, or what they mark of a text and its own secrets. */
  #told(value: string | readonly [string, string], at: string, told: readonly TextSpan[] | undefined): unknown {
    if (typeof value !== 'string') {
      this.#path?.push(at);
      const [name, secret] = [this.#atPath('0'), most(SECRET, this.#atPath('1'), NOT)];
      const pair = [this.#at('0', value[0], name), this.#at('1', value[1], secret)];
      this.#path?.pop();
      return Object.freeze(pair);
    }
    if (told === undefined) return this.#whole(value, SECRET);
    const spans = merged([...told, ...this.finder.find(value)]);
    const masked = (): string => this.part(value, 0, value.length, spans);
    const isWhole = spans[0]?.[0] === 0 && spans[0][1] === value.length;
    return isWhole ? masked() : this.#asked(value, masked, [...(this.#path ?? []), at]);
  }

  #object(object: object, all: WholeMask, isOne?: IsOne): unknown {
    let copy: Record<string, unknown> | undefined;
    const keys = Object.keys(object);
    const roles = all !== NOT || !this.#named ? 0 : rolesOf(keys);
    const beside = roles === 0 ? undefined : namedBeside(object as Record<string, unknown>, keys, roles);
    const command = roles === 0 ? undefined : programOf(object as Record<string, unknown>, keys, roles);
    // A Kubernetes manifest of a Secret.
    const isManifest = this.#named && (object as { kind?: unknown }).kind === 'Secret';
    const members = this.#privateKeys ? membersOf(object) : undefined;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const value = (object as Record<string, unknown>)[key];
      const isData = isManifest && (key === 'data' || key === 'stringData');
      const isSecret = isData || key === beside || isPrivate(members, key, value) || isOne?.(value) === true;
      const words = key === command?.key ? command.words : undefined;
      const masked = this.#at(key, value, most(all, this.#atPath(key), isSecret ? SECRET : NOT), words);
      const name = this.#name(key, object, copy);
      if (masked === value && name === key && copy === undefined) continue;
      // The copy keeps the order of the keys.
      if (copy === undefined) {
        copy = {};
        for (const before of keys.slice(0, i)) put(copy, before, (object as Record<string, unknown>)[before]);
      }
      put(copy, name, masked);
    }
    return copy === undefined ? object : Object.freeze(copy);
  }

  /** Masks a whole value: of the caller whatever it says, else unless it stands for a secret, and behind an authorization scheme. */
  #whole(value: string, all: WholeMask): string {
    if (value === '' || MASKED.test(value)) return value;
    if (all === CHOSEN) return this.mask(value);
    if (isStandIn(value)) return this.text(value);
    const scheme = /^(?:bearer|basic|token|digest)[ \t]+/i.exec(value)?.[0] ?? '';
    const secret = value.slice(scheme.length);
    return MASKED.test(secret) ? value : scheme + this.mask(secret);
  }

  /** Masks a text at the current path: its secrets first, and then what the caller's function knows. */
  text(text: string): string {
    return this.#own === undefined ? this.#found(text) : this.#asked(text, () => this.#found(text), this.#path ?? []);
  }

  #found(text: string): string {
    if (text.length < this.finder.shortest || this.#clean.has(text)) return text;
    const masked = this.part(text, 0, text.length);
    if (masked === text) this.#clean.add(text);
    return masked;
  }

  /** Masks a piece of a text, in which secrets were found. */
  piece(text: string, from: number, to: number, spans: readonly TextSpan[], name: string): string {
    if (from === to) return '';
    return this.#asked(text.slice(from, to), () => this.part(text, from, to, spans), [name]);
  }

  /** What the caller's function makes of a text whose secrets are masked. The result is searched as well, unless it is a mask; what is no text is masked. */
  #asked(text: string, found: () => string, path: readonly string[]): string {
    const before = this.count;
    const masked = found();
    if (masked === '') return masked;
    const own = this.#own === undefined ? undefined : this.#answer(this.#own, masked, path.join('.'));
    if (own === undefined || own === masked) return masked;
    if (typeof own === 'string' && !MASKED_BY_CALLER.test(own)) {
      this.count += 1;
      return this.#found(own);
    }
    // None of its masks is left.
    this.count = before;
    if (typeof own !== 'string') return this.mask(text);
    this.count += 1;
    return own;
  }

  /** What the caller's function returns; null: it throws, or returns no text. It may use this redactor itself. */
  #answer(own: (value: string, path: string) => unknown, text: string, at: string): string | undefined | null {
    const state = [this.count, this.#depth, this.#inData] as const;
    const path = this.#path?.slice() ?? [];
    let answer: unknown;
    try {
      answer = own(text, at);
      if (answer === undefined || typeof answer === 'string') return answer;
    } catch (error) {
      answer = error;
    } finally {
      [this.count, this.#depth, this.#inData] = state;
      this.#path?.splice(0, Number.POSITIVE_INFINITY, ...path);
    }
    ignoreRejections(answer);
    return null;
  }

  /** The part of a text from `from` to `to`, with its secrets masked. */
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

  /** The mask of a value; equal values get equal masks. */
  mask(value: string): string {
    this.count += 1;
    return `[redacted ${this.finder.nameOf(value)} hmac:${this.key.hash(value)}]`;
  }
}

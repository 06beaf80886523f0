import { asSigns } from './find/cuts.js';
import type { Finder } from './find/find.js';
import { nameKind } from './find/names.js';
import { mayEnd } from './find/own/lines.js';
import { MOST_HELD } from './find/own/reach.js';
import type { TextSpan } from './find/quoted.js';

/** Of an unfinished line that is longer than what is held back, so many characters stay held. */
const LEAST_HELD = 4096;
/** The most characters held back of a secret that has not ended, such as a private key. */
const MOST_SECRET = 65_536;
const IN_BRACKETS = /[:=>](?:\s|\\+[nrt])*(?:&|new )?[\w.]* ?[[{(]/;
/** The most characters that are left out up to a closing tag, bracket or quote. */
const MOST_LEFT_OUT = 4 * MOST_SECRET;
/** The most characters of an end across two pieces. */
const LONGEST_END = 100;
/** Characters of emitted text that are kept: a value may be marked as secret by text in earlier lines. */
const CONTEXT = 1024;
/** A line that continues in the next one: it ends with a flag, with a continuation or with the scheme of a header. */
const HANGING = /(?:(?:^|[\s"'`(,[])--?([A-Za-z][\w-]*)\\*["']?[ \t]*,?|[\\|`]|uthorization:[ \t]*[\w-]*)[ \t]*\r?\n$/i;

function hangs(line: string, finder: Finder): boolean {
  const found = HANGING.exec(line);
  if (found === null || found[1] === undefined) return found !== null;
  return nameKind(found[1]) !== undefined || finder.isOwn(found[1]);
}

/** Masks part of a text whose secrets were found already; counts the masked values. */
export type MaskPart = (text: string, from: number, to: number, secrets: readonly TextSpan[]) => string;

/**
 * A text that arrives in pieces. Text that may begin a secret (an unfinished line, a private key) is held back and emitted with a later
 * piece. No text is emitted twice.
 */
export class MaskedStream {
  readonly #finder: Finder;
  /** The last lines that were emitted. */
  #context = '';
  #held = '';
  /** Where what is left out begins; -1: nothing is. */
  #lost = -1;
  /** The end of what is held back: until it is there, nothing is told. */
  #waits: string | undefined;
  /** How much is held back before it is looked at again, also without that end. */
  #enough = MOST_HELD;
  /** The end of a secret that is too long to be held back; everything up to it is left out. */
  #until: RegExp | undefined;
  /** Set where that is the end of a value of the caller's own name. */
  #lostUntil: string | undefined;
  /** That value is an element whose signs are not escaped, so that only such a tag ends it. */
  #isPlain = false;
  /** How much was left out, if there is a bound. */
  #lostLength = 0;
  /** The end of what was left out: the end may begin in it. */
  #left = '';
  /** The end of what was emitted from within a list or an object of the caller's own name. */
  #within = '';

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  /** Takes a piece; returns the text that can be emitted now. A piece that cannot be read is left out, with the line that it ends in. */
  push(piece: string, mask: MaskPart): string {
    try {
      return this.#push(piece, mask);
    } catch (error) {
      this.#context = '';
      this.#held = '';
      this.#waits = undefined;
      this.#lost = -1;
      this.#within = '';
      if (this.#until === undefined) {
        this.#until = /[\r\n]/;
        this.#lostUntil = undefined;
        this.#left = piece.endsWith('\n') ? '\n' : '';
      }
      throw error;
    }
  }

  #push(piece: string, mask: MaskPart): string {
    const rest = this.#until === undefined ? piece : this.#leaveOut(piece);
    const isEnded = /[\r\n]/.test(this.#held.slice(-1) + rest);
    this.#held += rest;
    const waits = this.#waits;
    if (waits !== undefined && this.#held.length <= this.#enough) {
      if (!endsAs(waits).test(asSigns(this.#held.slice(-rest.length - LONGEST_END)))) return '';
      this.#waits = undefined;
    }
    if (!isEnded && this.#held.length <= this.#enough) return '';
    const text = this.#context + this.#held;
    const from = this.#context.length;
    const secrets = this.#finder.find(text);
    const to = Math.max(from, this.#cut(text, from, secrets));
    const told = mask(text, from, to, this.#lost < 0 ? secrets : upTo(secrets, this.#lost, to));
    this.#lost = -1;
    const read = text.slice(0, to);
    this.#context = this.#restOf(read, text.slice(from, to)) || contextOf(read);
    this.#held = text.slice(to);
    this.#waits = this.#held === '' ? undefined : this.#finder.hold(this.#held, 0)?.until;
    this.#enough = Math.max(MOST_HELD, Math.min(MOST_SECRET, this.#held.length + MOST_HELD));
    return told;
  }

  /** What the next text is read behind, if this one ends within a value; not where a list or an object does not seem to end any more. */
  #restOf(read: string, told: string): string {
    const rest = this.#finder.rest(read);
    this.#within = IN_BRACKETS.test(rest.slice(0, 400)) ? (this.#within + told).slice(-MOST_HELD - 1) : '';
    return mayEnd(this.#within, { at: 0, until: ']' }) ? rest : '';
  }

  /** How much of the text can be emitted now. */
  #cut(text: string, from: number, secrets: readonly TextSpan[]): number {
    let cut = lineEnd(text);
    while (cut > from && hangs(text.slice(Math.max(0, cut - 200), cut), this.#finder))
      cut = lineEnd(text.slice(0, cut - 1));
    if (text.length - cut > MOST_HELD) cut = wordEnd(text, text.length - LEAST_HELD);
    const last = secrets.at(-1);
    const hold = this.#finder.hold(text, from);
    const open = hold?.at ?? this.#finder.openKey(text);
    const key = last?.[2] && (open < 0 || last[0] < open) ? last[0] : open;
    if (key >= 0 && key < cut) cut = key;
    const across = secrets.find(([start, end]) => start < cut && end > cut);
    if (across !== undefined) cut = across[0];
    if (text.length - Math.max(from, cut) <= MOST_SECRET) return cut;
    const waits = open === key ? hold?.until : undefined;
    this.#lostUntil = waits;
    this.#isPlain = text[key] === '<';
    this.#lostLength = text.length - key;
    this.#left = waits === undefined ? '' : text.slice(-LONGEST_END);
    this.#until = waits === undefined ? endOf(text, key) : endsAs(waits);
    this.#lost = key;
    return text.length;
  }

  /** A tag, a bracket or a quote may never be closed. */
  #isBounded(): boolean {
    return this.#lostUntil !== undefined || /["'`]$/.test(this.#until?.source ?? '');
  }

  #leaveOut(piece: string): string {
    const text = this.#left + piece;
    const until = this.#lostUntil;
    const end = (this.#until as RegExp).exec(until === undefined || this.#isPlain ? text : asSigns(text));
    this.#lostLength += piece.length;
    const isMost = this.#lostLength > MOST_LEFT_OUT && this.#isBounded() && piece.includes('\n');
    const isOver = end !== null || isMost || (until !== undefined && !mayEnd(text, { at: 0, until }));
    this.#left = isOver ? '' : text.slice(until === undefined ? -LONGEST_END : -MOST_HELD - 1);
    if (!isOver) return '';
    this.#until = undefined;
    if (end === null) return text.slice(text.lastIndexOf('\n') + 1);
    return text.slice(end.index + (end[0].length > 1 ? end[0].length : 0));
  }
}

/** Matches what a value of the caller's own name ends with, in any case like its name; a tag to the end of its name. */
const endsAs = (until: string): RegExp => {
  const end = until.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(until.startsWith('</') ? `${end.replace('</', String.raw`<\\{0,8}/`)}(?=[\\s>])` : end, 'iu');
};

/** Matches the end of a secret that is too long to be held back: a quote, a key's last line, or the first line that a block does not indent. */
function endOf(text: string, open: number): RegExp {
  const [, slashes = '', quote] = /(\\*)(["'`])$/.exec(text.slice(Math.max(0, open - 8), Math.max(0, open))) ?? [];
  if (quote !== undefined) return new RegExp(String.raw`(?<!\\)\\{${slashes.length}}${quote}`);
  if (open < 0) return /[\s"'`]/;
  return text.startsWith('----', open) ? /-{4,5} ?END [A-Z\d ]{0,50}-{4,5}/ : /[\r\n](?=[^\s])/;
}

/** The secrets before an index, and all behind it as one. */
const upTo = (secrets: readonly TextSpan[], lost: number, end: number): readonly TextSpan[] => [
  ...secrets.filter(([, to]) => to <= lost),
  [lost, end],
];

/** The last lines that were emitted. */
function contextOf(told: string): string {
  const last = told.slice(-CONTEXT);
  const line = told.length > CONTEXT ? last.indexOf('\n') + 1 : 0;
  return line > 0 && line < last.length ? last.slice(line) : last;
}

/** Where a part of a line ends that is too long to be held back: a value that only the caller's function knows stays whole, unless such a sign is in it. */
function wordEnd(text: string, cut: number): number {
  const from = Math.max(0, cut - LEAST_HELD);
  const before = text.slice(from, cut);
  const last = LAST_PIECE.exec(before) ?? LAST_WORD.exec(before);
  return last === null ? cut : from + last.index;
}
const LAST_PIECE = /(?<=[\s"'`,;()[\]{}<>])[^\s"'`,;()[\]{}<>]*$/;
const LAST_WORD = /(?<=[^\p{L}\p{N}_])[\p{L}\p{N}_]*$/u;

/** The index after the last complete line. A final `\r` does not count: the next piece may begin with the `\n` that belongs to it. */
function lineEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
}

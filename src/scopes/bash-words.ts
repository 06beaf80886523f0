import type { Command, CommandArgument, Word, WordPart } from 'unbash';

/** One word of a command: its text after quoting, and how much of its beginning is sure before the command runs. */
export interface KnownWord {
  readonly text: string;
  /** Undefined: all of it. */
  readonly sure: string | undefined;
}

/** The words of a command, its name first; leading assignments and redirections are none of them. */
export function wordsOf(command: Command): KnownWord[] {
  if (command.name === undefined) return [];
  return [command.name, ...command.args].map(knownWord);
}

function knownWord(word: CommandArgument): KnownWord {
  if (word.type === 'Assignment') {
    const sure = word.value.type === 'Word' ? knownWord(word.value).sure : '';
    return { text: word.text, sure: sure === undefined ? undefined : `${word.name}=${sure}` };
  }
  return { text: word.value, sure: sureStart(word) };
}

function sureStart(word: Word): string | undefined {
  if (word.parts === undefined) return undefined;
  const start: string[] = [];
  return collect(word.parts, start) ? undefined : start.join('');
}

/** Gathers literal text up to the first part that only the shell can know; false if there is one. */
function collect(parts: readonly WordPart[], into: string[]): boolean {
  for (const part of parts) {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        into.push(part.value);
        break;
      case 'DoubleQuoted':
      case 'LocaleString':
        if (!collect(part.parts, into)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

/** A word that a runner puts others in the place of: `{}` of xargs and find, `:::` of parallel. */
export function isHole(word: KnownWord): boolean {
  return /\{\}|^:::/.test(word.text);
}

/** What a pattern is tried on. */
export interface Text {
  readonly text: string;
  /** How it surely begins, where not all of it is sure. */
  readonly sure?: string | undefined;
}

/**
 * The words from any place on as texts, with the command's path and without. `open`: more words may follow, and
 * holes stand for some. Joined once: a runner's words are asked for at every place.
 */
export function textsOf(words: readonly KnownWord[]): (at: number, open: boolean) => Text[] {
  const joined = words.map((word) => word.text).join(' ');
  const offsets = [0];
  for (const word of words) offsets.push((offsets.at(-1) ?? 0) + word.text.length + 1);
  /** By place: the next word that is not sure, and the next that would not be if it stood for some. */
  const unsure = nextOf(words, (word) => word.sure !== undefined);
  const holes = nextOf(words, (word) => word.sure !== undefined || isHole(word));

  return (at, open) => {
    const next = (open ? holes : unsure)[at];
    const text = joined.slice(offsets[at]);
    let sure: string | undefined;
    if (next !== undefined) sure = joined.slice(offsets[at], offsets[next]) + (words[next]?.sure ?? '');
    else if (open) sure = `${text} `;
    const path = (words[at]?.text.lastIndexOf('/') ?? -1) + 1;
    return path > 0
      ? [
          { text, sure },
          { text: text.slice(path), sure: sure?.slice(path) },
        ]
      : [{ text, sure }];
  };
}

function nextOf(words: readonly KnownWord[], test: (word: KnownWord) => boolean): (number | undefined)[] {
  const next: (number | undefined)[] = [];
  for (let at = words.length - 1; at >= 0; at--) next[at] = test(words[at] as KnownWord) ? at : next[at + 1];
  return next;
}

/**
 * What a terminal does not show as itself: control and format characters (bidirectional, zero-width, tags), line and paragraph
 * separators, private use, lone surrogates, and all else that Unicode draws as nothing. An emoji keeps its variation selector.
 */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Text without any of them, as most is: compiling `UNSEEN`, which lists thousands of characters, takes longer than reading such a text. */
const PLAIN = /^[ -~]*$/;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text of files, hooks, tools and models as one line that a terminal shows as it is: what would move the cursor, colour, hide or
 * reorder is written out, `\n` or `\u{202e}`.
 */
export function plain(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, written);
}

/** As `plain`, but line ends and tabs stay. */
export function plainLines(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : written(character),
  );
}

/** As `plain`, and no longer than `width`. */
export function clip(text: string, width: number): string {
  const shown = plain(text.slice(0, width + 1));
  if (shown.length <= width) return shown;
  // Half of a pair is not left behind.
  return `${shown.slice(0, Math.max(0, width - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** As `clip`, filled up to `width`. */
export function column(text: string, width: number): string {
  return clip(text, width).padEnd(width);
}

/** Whether a text is Unicode: it holds no half of a surrogate pair. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

/** A text in which half a surrogate pair is U+FFFD. */
export const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

/** An escape of JSON's: half a surrogate pair, or any other. */
const ESCAPE = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g;

/**
 * JSON for any reader: half a surrogate pair, which UTF-8 does not have, is U+FFFD. `JSON.stringify` writes it as an escape, for which parsers in
 * other languages (Rust's) refuse the whole text.
 */
export function wellFormedJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent);
  if (json === undefined || !json.includes('\\ud')) return json;
  return json.replace(ESCAPE, (whole, half: string | undefined) => (half === undefined ? whole : '\ufffd'));
}

/** A value as JSON, in which the same characters are escaped: it parses to the same value, but for half a surrogate pair. */
export function plainJson(value: unknown, indent?: number): string {
  return wellFormedJson(value, indent).replace(UNSEEN, (character) => {
    if (character === '\n') return character;
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** Where messages go if no logger takes them. */
export function warn(message: string): void {
  process.emitWarning(plain(message), 'HookscopeWarning');
}

function written(character: string): string {
  return SHORT[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** A sentence with one mark at its end: what is put into our messages may have brought its own full stop. */
export function ended(text: string): string {
  // A mark, also within quotes, and the full stops that our messages have put behind it.
  const [, bare, mark = '', quotes = ''] = /^(.*?)(?:([?!…]+|\.{3}|\.)(["'”’»`]*))?\.*$/s.exec(
    text.trimEnd(),
  ) as RegExpExecArray;
  return `${bare}${mark || '.'}${quotes}`;
}

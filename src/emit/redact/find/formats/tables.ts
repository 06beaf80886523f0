import { append } from '../../../../values/append.js';
import { nameKind } from '../names.js';
import type { TextSpan } from '../quoted.js';
import { isNoWord, isPlaceholder, looksRandom } from '../values.js';

interface Cell {
  readonly start: number;
  readonly text: string;
}

/** A longer line is not a row. */
const LONGEST = 16_384;
const NAMES = /pass|pwd|secret|token|api[_ -]?key|credential/i;
/** Separators of cells; the first that a line has is used. */
const BETWEEN: readonly (readonly [sign: RegExp, split: RegExp])[] = [
  [/[|│┃║]/, /[|│┃║]/g],
  [/\t/, /\t/g],
  [/ {2}/, / {2,}/g],
  [/;/, /;/g],
  [/,/, /,/g],
];
const RULE = /^[\s|│┃║+:=─━═┼┿╪├┤╞╡┠┨╟╢-]*$/;
/** Characters around the text of a cell. */
const LEFT = /^(?:[\s"'`*_]|\\+["'])*/;
const AROUND = ' \t\r"\'`\\';
/** The beginning of JSON around a text. */
const HEAD = /^\s{0,40}(?:\{\s{0,8}\\*"[\w.-]{1,60}\\*"\s{0,4}:\s{0,4}\\*"?)+/;

/** The text without these characters at its end. */
function trimmed(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

function cellsOf(line: string, at: number, split: RegExp): readonly Cell[] {
  const cells: Cell[] = [];
  let from = 0;
  for (const { index, 0: sign } of [...line.matchAll(split), { index: line.length, 0: '' }]) {
    const whole = line.slice(from, index);
    const left = (LEFT.exec(whole)?.[0] ?? '').length;
    const mark = whole[left - 1] ?? ' ';
    cells.push({
      start: at + from + left,
      text: trimmed(whole.slice(left), `${AROUND}${'*_'.includes(mark) ? mark : ''}`),
    });
    from = index + sign.length;
  }
  // An empty first or last cell comes from the table's border.
  if (cells[0]?.text === '') cells.shift();
  if (cells.at(-1)?.text === '') cells.pop();
  return cells;
}

/** A line without the JSON around its text. */
function rowOf(line: string): { readonly row: string; readonly skipped: number } {
  const skipped = HEAD.exec(line)?.[0].length ?? 0;
  const rest = line.slice(skipped);
  const bare = trimmed(rest, `${AROUND}}]`);
  return { row: /[}\]]/.test(rest.slice(bare.length)) ? bare : trimmed(rest, ' \t\r\\'), skipped };
}

const isName = (name: string): boolean =>
  /^[\w .-]{2,40}$/.test(name) && /^(?:password|token|short)$/.test(nameKind(name) ?? '');

/** Versions, column types and the like are not secrets in any column. */
const OTHER = /^v?\d+\.\d|^\w+\([\d, ]*\)|^(?:https?:|\/|\[redacted)|^\d+[a-z]*$/i;

function isValue(value: string, name: string): boolean {
  if (/\s/.test(value) || OTHER.test(value) || isPlaceholder(value) || !isNoWord(value)) return false;
  return nameKind(name) !== 'token' || looksRandom(value) || (value.length >= 10 && /\d/.test(value));
}

/** The secrets in a table (database output, Markdown, CSV): values below or beside the name of a secret. */
export function tableSecrets(text: string): readonly TextSpan[] {
  if (!NAMES.test(text)) return [];
  const spans: TextSpan[] = [];
  let head: { readonly split: RegExp; readonly names: readonly string[] } | undefined;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    const line = end - at > LONGEST ? '' : text.slice(at, end < 0 ? next : end);
    const { row, skipped } = rowOf(line.slice(0, LONGEST + 1));
    if (row === '' && end - at <= LONGEST) head = undefined;
    else if (!RULE.test(row)) {
      if (head !== undefined) append(spans, below(head.names, cellsOf(row, at + skipped, head.split)));
      if (NAMES.test(row)) {
        append(spans, beside(row, at + skipped));
        head = headOf(row) ?? head;
      }
    }
    at = next;
  }
  return spans;
}

const spanOf = ({ start, text }: Cell): TextSpan => [start, start + text.length];

function below(names: readonly string[], cells: readonly Cell[]): readonly TextSpan[] {
  if (cells.length !== names.length) return [];
  return cells.filter(({ text }, i) => isName(names[i] as string) && isValue(text, names[i] as string)).map(spanOf);
}

/** The names of the columns, if the line is a header and one of its columns is for a secret. */
function headOf(line: string): { readonly split: RegExp; readonly names: readonly string[] } | undefined {
  const split = BETWEEN.find(([sign]) => sign.test(line))?.[1];
  if (split === undefined) return undefined;
  const names = cellsOf(line, 0, split).map(({ text }) => text);
  const isHead = names.length > 1 && names.every((name) => /^[\w .#/-]{1,40}$/.test(name)) && names.some(isName);
  return isHead ? { split, names } : undefined;
}

/** `password | X`, `DB_PASSWORD   X`: two cells, a name and its value. */
function beside(line: string, at: number): readonly TextSpan[] {
  const split = BETWEEN.slice(0, 3).find(([sign]) => sign.test(line))?.[1];
  const [name, value, ...others] = split === undefined ? [] : cellsOf(line, at, split);
  if (name === undefined || value === undefined || others.length > 0) return [];
  return isName(name.text) && isValue(value.text, name.text) ? [spanOf(value)] : [];
}

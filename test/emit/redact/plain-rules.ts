import { elementSecret } from '../../../src/emit/redact/find/elsewhere.js';
import { ownSecret, valueOfName } from '../../../src/emit/redact/find/named.js';
import { OPENING, QUOTED, RUN, SHELL_RUN, type TextSpan, take, valueAt } from '../../../src/emit/redact/find/quoted.js';

/**
 * Finds values of the caller's own names, in lower case, by a few rules that look at a short text, so that they are easily seen to be right. What
 * they find, the finder of the sources must find too.
 */
export function plainFinder(names: ReadonlySet<string>): ((text: string) => readonly TextSpan[]) | undefined {
  const all = [...names].filter((name) => name.trim() !== '').sort((a, b) => b.length - a.length);
  if (all.length === 0) return undefined;
  const known = new Set(all);
  const name = all.map(asPattern).join('|');
  const assigned = new RegExp(String.raw`${BEGINS}(${name})(?:\?|\[\])?[\\"'\x60\]]{0,40}[ \t]{0,8}(?=[:=])`, 'giu');
  const option = new RegExp(
    String.raw`(?<=^|[\s"'\x60(\[,=])--?(?:${name})(?:\\*["'\x60][ \t]{0,8},\s{0,8}|[ \t]{1,8})(?=[^\s,])`,
    'giu',
  );
  return (text) => {
    const spans: TextSpan[] = [];
    const put = (found: TextSpan | readonly TextSpan[] | undefined): void => {
      if (found !== undefined)
        spans.push(...(typeof found[0] === 'number' ? [found as TextSpan] : (found as readonly TextSpan[])));
    };
    const end = (): number => spans.at(-1)?.[1] ?? 0;
    for (const { index } of text.matchAll(/[:=>]/g)) {
      if (index < end()) continue;
      put(text[index] === '>' ? elementSecret(text, index, kindIn(known)) : ownSecret(text, index, known));
    }
    for (const { index, 0: part, 1: own = '' } of text.matchAll(assigned))
      put(assignedValue(text, [index, index + own.length], index + part.length));
    for (const { index, 0: part } of text.matchAll(option)) put(optionValue(text, index + part.length));
    return spans;
  };
}

/** Not within a longer name; the letter of an escaped line end is none of its letters. */
const BEGINS = String.raw`(?:(?<![\p{L}\p{N}_]|[\p{L}\p{N}_]-)|(?<=\\[nrt]))`;

const kindIn = (names: ReadonlySet<string>) => (name: string) =>
  names.has(name.toLowerCase()) ? ('password' as const) : undefined;

/** Matches a name in any case; blanks of any width, and letters as JSON may escape them. */
function asPattern(name: string): string {
  return [...name.trim().replace(/\s+/g, ' ')]
    .map((letter) => {
      if (letter === ' ') return String.raw`[ \t]{1,8}`;
      const plain = letter.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
      if (letter < '\x80') return plain;
      const escaped = [letter.toLowerCase(), letter.toUpperCase()].map((one) =>
        Array.from(one.split(''), (unit) => String.raw`\\+u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
          '',
        ),
      );
      return `(?:${[plain, ...new Set(escaped)].join('|')})`;
    })
    .join('');
}

function assignedValue(text: string, name: TextSpan, separator: number): TextSpan | readonly TextSpan[] | undefined {
  const behind = /^(?::=|=>|=|:)[ \t]{0,8}/.exec(text.slice(separator, separator + 12))?.[0] ?? '';
  const at = separator + behind.length;
  if (text[at] === '[' || text[at] === '{') return valuesWithin(text, at);
  const value = take(OPENING, text, at) === undefined ? undefined : valueAt(text, at, RUN);
  if (value?.quote === undefined) return groupsOf(text, valueOfName(text, separator, name));
  return isLeft(text.slice(value.span[0], value.span[1]), text[separator] === '=') ? undefined : value.span;
}

/** Quoted values that are left as they are: none at all, an earlier mask, and a variable of a shell. */
const isLeft = (value: string, isShell: boolean): boolean =>
  value === '' || value.startsWith('[redacted ') || (isShell && /^\$(?:\{[^{}]*\}?|[A-Za-z_]\w*)$/.test(value));

/** Further groups with digits belong to a value: `DE12 3456 7890`. */
const GROUPS = /(?: (?=[^\W\d]{0,8}\d)\w{1,40}(?![\w.:=/-])){1,12}/y;

function groupsOf(text: string, found: TextSpan | readonly TextSpan[] | undefined): typeof found {
  if (found === undefined || typeof found[0] !== 'number') return found;
  const [start, end] = found as TextSpan;
  if (!/\d$/.test(text.slice(start, end)) || take(GROUPS, text, end) === undefined) return found;
  return [start, GROUPS.lastIndex];
}

const NUMBER = /-?\d[\w.+-]*/y;

/** The texts and numbers in a list or an object of JSON or of code, without its keys. */
function valuesWithin(text: string, open: number): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const most = Math.min(text.length, open + QUOTED);
  let depth = 0;
  for (let at = open; at < most; at++) {
    const character = text[at] as string;
    if ('[{'.includes(character)) depth++;
    else if (']}'.includes(character) && --depth === 0) break;
    const quote = `"'\`\\`.includes(character) ? take(OPENING, text, at)?.[1] : undefined;
    if (quote !== undefined) {
      const value = valueAt(text, at, RUN);
      if (value === undefined) continue;
      at = value.span[1] + quote.length - 1;
      if (!/^\s{0,8}:/.test(text.slice(at + 1, at + 10)) && !isLeft(text.slice(value.span[0], value.span[1]), false))
        spans.push(value.span);
    } else if (/[-\d]/.test(character) && !/[\w$.]/.test(text[at - 1] ?? '') && take(NUMBER, text, at) !== undefined) {
      spans.push([at, NUMBER.lastIndex]);
      at = NUMBER.lastIndex - 1;
    }
  }
  return spans;
}

function optionValue(text: string, at: number): TextSpan | undefined {
  const value = valueAt(text, at, SHELL_RUN);
  if (value === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  return said.startsWith('-') || isLeft(said, value.quote !== "'") ? undefined : value.span;
}

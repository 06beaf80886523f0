import { append } from '../../../../values/append.js';
import { nameKind } from '../names.js';
import { type TextSpan, take } from '../quoted.js';
import { isNoWord, isPlaceholder, isWord } from '../values.js';

/** A call with a format string, in the shell or another language. */
const CALLS =
  /\b(?:[A-Za-z.]{0,20}[pP]rintf|console\.(?:log|error|info|warn|debug))(?:[ \t]+-v[ \t]+\w{1,64})?(?:[ \t]+--)?(?:[ \t]*\([ \t]*|[ \t]+)(\\*["'])((?:(?!\1)[\s\S]){2,400}?)\1/g;
const ONE = String.raw`(?:\$?(\\*["'])((?:(?!\1)[^\n]){0,256}?)\1|([^\s"'\x60;&|<>(),\\]{1,256}))`;
const NEXT = /printf$|^console\./i;
/** An argument of a function call, and of a shell command. */
const ARGUMENTS = { call: new RegExp(String.raw`,\s*${ONE}`, 'y'), command: new RegExp(`[ \\t]+${ONE}`, 'y') };
const PLACE = /%(?:%|[-+ #0]{0,4}[\d*]{0,3}(?:\.[\d*]{1,3})?([a-zA-Z]))/g;
/** The most values of a format that are read. */
const MOST = 24;
/** Replaces a value while the formatted text is searched for secrets; it cannot be taken for a word. */
const STAND_IN = 'Qx7Zk2Wm9Rt4Lp8V';

/** Values that their format names as secrets: `printf 'password=%s' X`. `look`: finds the secrets of a text. */
export function formatSecrets(text: string, look: (text: string) => readonly TextSpan[]): readonly TextSpan[] {
  if (!/printf|console\./i.test(text)) return [];
  const found: TextSpan[] = [];
  for (const call of text.matchAll(CALLS)) {
    const format = call[2] as string;
    if (!format.includes('%')) continue;
    const values = valuesAt(text, call.index + call[0].length, ARGUMENTS[call[0].includes('(') ? 'call' : 'command']);
    if (values.length > 0) append(found, toldBy(text, format, values, look));
  }
  return found;
}

function valuesAt(text: string, at: number, pattern: RegExp): readonly TextSpan[] {
  const values: TextSpan[] = [];
  for (let next = at; values.length < MOST; next = pattern.lastIndex) {
    const one = take(pattern, text, next);
    if (one === undefined) break;
    const [whole, quote = '', quoted, bare] = one as unknown as readonly [string, string?, string?, string?];
    // The next call begins; it has its own values.
    if (bare !== undefined && NEXT.test(bare)) break;
    const end = next + whole.length - quote.length;
    values.push([end - (quoted ?? (bare as string)).length, end]);
  }
  return values;
}

/** The values that are secrets at the places where the format puts them. */
function toldBy(
  text: string,
  format: string,
  values: readonly TextSpan[],
  look: (text: string) => readonly TextSpan[],
): readonly TextSpan[] {
  let written = '';
  const places: TextSpan[] = [];
  // A shell's printf repeats its format while there are values.
  while (places.length < values.length) {
    const before = places.length;
    let last = 0;
    for (const place of format.matchAll(PLACE)) {
      const value = values[places.length];
      if (place[0] === '%%' || value === undefined) continue;
      written += format.slice(last, place.index);
      last = place.index + place[0].length;
      const said = text.slice(value[0], value[1]);
      const isShown =
        /[^sqbvS]/.test(place[1] as string) || (/^[\w.-]{2,80}$/.test(said) && nameKind(said) !== undefined);
      const shown = isShown ? said : STAND_IN;
      places.push([written.length, written.length + shown.length]);
      written += shown;
    }
    written += format.slice(last);
    if (places.length === before) break;
  }
  const spans = look(written);
  return values.filter((value, i) => {
    const place = places[i];
    if (place === undefined || place[1] - place[0] !== STAND_IN.length) return false;
    return (
      spans.some(([start, end]) => start < place[1] && end > place[0]) &&
      mayBe(text.slice(value[0], value[1]), written[place[0] - 1])
    );
  });
}

/** Whether a value may be a secret. After a space, a word may belong to a sentence. */
function mayBe(value: string, before = ''): boolean {
  if (value.length < 3 || isPlaceholder(value) || isWord(value)) return false;
  if (/\s/.test(before) && /^[A-Za-z]+$/.test(value)) return false;
  return !/\s/.test(value) || value.split(/\s+/).some(isNoWord);
}

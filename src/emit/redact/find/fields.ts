import { nameKind } from './names.js';
import { RUN, type TextSpan, take, valueAt } from './quoted.js';
import { isPlaceholder, isWord } from './values.js';

/** Words for a field after its name: `Password field`, `API token input (required)`. */
const FIELD =
  /(?:[ _-]*(?:input|field|text[ -]?(?:box|field|area)|box|entry|edit|area|element|control|prompt|form)|[ \t]*(?:\([^()]{0,40}\)|[*:]))+$/i;
/** Where the field is: `Password field on the login page`. */
const WHERE = /[ \t]+(?:on|in|of|for|at|under|below|inside|within)[ \t].*$/i;
/** The names in a selector. */
const PARTS = /[\w-]{2,60}/g;

/** Whether a selector or description is that of a field for a secret: `#password`, `Password field`. */
export function isFieldOfSecret(place: string): boolean {
  if (place.length > 200) return false;
  const described = place.replace(WHERE, '').replace(FIELD, '');
  return [described, ...(/[ \t]/.test(place.trim()) && /^[\w \t'"’()*:-]*$/.test(place) ? [] : partsOf(place))].some(
    isOne,
  );
}

/** The names in a selector's last part: `form.login > input#password` is not a login. */
function partsOf(selector: string): readonly string[] {
  const last = selector.split(/[ \t]*[>~+][ \t]*|(?<=[\w\])])[ \t]+(?=[#.\w[])/).at(-1) ?? '';
  return (last.match(PARTS) ?? []).map((part) => part.replace(FIELD, ''));
}

function isOne(name: string): boolean {
  const kind = nameKind(name.trim());
  return (
    kind === 'password' ||
    kind === 'token' ||
    kind === 'short' ||
    /^(?:current|new)-password$|^(?:pin|otp)$/i.test(name.trim())
  );
}

const CHOSEN = /\(([^()\n]{1,120}(?:\([^()\n]{0,40}\))?[^()\n]{0,40})\)(?:\[0\]|[!?])?$/;
const SETS = /\.val(?:ue[ \t]{0,4}=[ \t]{0,4}|\([ \t]{0,4})(?=\\*["'`])/y;

/** A value that a script sets in a field: `querySelector('#password').value = 'X'`, `$('#password').val('X')`. `dot`: that before `val`. */
export function setSecret(text: string, dot: number): TextSpan | undefined {
  if (take(SETS, text, dot) === undefined) return undefined;
  const { lastIndex } = SETS;
  const field = CHOSEN.exec(text.slice(Math.max(0, dot - 220), dot))?.[1];
  return field !== undefined && isFieldOfSecret(field) ? quotedAt(text, lastIndex) : undefined;
}

const PATH = /\[\\*["']([\w.-]{1,80})\\*["']\](?:\[\d{1,4}\])?$/;
const GAP = /\](?:\\*["'])?[ \t]+(?:\\*')?/y;

/** `sops --set '["password"] "X"'`, `sops set a.yaml '["password"]' '"X"'`. `bracket`: the index of the path's last one. */
export function pathSecret(text: string, bracket: number): TextSpan | undefined {
  const before = text.slice(Math.max(0, bracket - 400), bracket + 1);
  const name = PATH.exec(before)?.[1];
  if (name === undefined || !/\bsops[ \t][^\n]*$/.test(before) || !isOne(name)) return undefined;
  return take(GAP, text, bracket) === undefined ? undefined : quotedAt(text, GAP.lastIndex);
}

function quotedAt(text: string, at: number): TextSpan | undefined {
  const value = valueAt(text, at, RUN);
  if (value?.quote === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  return said.length < 3 || isPlaceholder(said, value.quote) || isWord(said) ? undefined : value.span;
}

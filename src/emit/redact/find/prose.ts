import { type Span, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

const PASSWORD = 'pass(?:word|phrase|code|wd)|pwd?|pin|mot de passe|contraseña';
const OTHER = 'token|secret|(?:api|access|secret|private|encryption|licen[sc]e|master|signing)[ _-]?key';
const WHOSE = String.raw`(?:[ \t]+(?:for|of|to|on|at|in)(?:[ \t]+[\w.@:'’/-]{1,40}){1,4}?)?`;
const IS = String.raw`[ \t]+(?:is|was|are|were|will be|ist|est|es)(?:[ \t]+(?:now|still|just|always|set|changed|reset|to|called|simply))*[ \t]*:?|[ \t]*(?:=|:|->|=>|→)|[ \t]*[>?›❯»](?=[ \t])`;
/** What a prompt says of the answer that it takes: `[none]`, `(empty for no passphrase)`. */
const HINT = String.raw`(?:[ \t]*(?:\[[^[\]\n]{0,60}\]|\([^()\n]{0,60}\))(?=[ \t]*[:>?›❯»]))?`;
const SENTENCE = new RegExp(`(?:(${PASSWORD})|${OTHER})${WHOSE}${HINT}(?:${IS})[ \\t]*`, 'iy');
const BARE = /(?:pass(?:word|phrase|code|wd)|pwd?|pin)[ \t]+/iy;
const RUN = /[^\s"'`,;<>()[\]{}|\\]+/y;
const QUOTED = /[“‘„«]([^”’“»\n]{3,200})[”’“»]/y;

/**
 * `the password is X`, `the token for me@example.com: X`. X is one if it is quoted, or if it can be no word of the sentence: letters with
 * digits or signs between them.
 */
export function saidSecret(text: string, at: number): Span | undefined {
  if (at > 0 && /[A-Za-z\d]/.test(text[at - 1] as string)) return undefined;
  const found = take(SENTENCE, text, at);
  // `password hunter2`, but not `token 1a`.
  if (found === undefined && take(BARE, text, at) === undefined) return undefined;
  const start = (found === undefined ? BARE : SENTENCE).lastIndex;
  const curly = take(QUOTED, text, start)?.[1];
  if (curly !== undefined)
    return isWord(curly) || isPlaceholder(curly) ? undefined : [start + 1, start + 1 + curly.length];
  const value = valueAt(text, start, RUN);
  if (value === undefined) return undefined;
  const [from, end] = value.span;
  const bare = /[.,:;!?)]+$/.exec(text.slice(from, end))?.index;
  const to = value.quote === undefined && bare !== undefined ? from + bare : end;
  const said = text.slice(from, to);
  if (isPlaceholder(said, value.quote) || isWord(said)) return undefined;
  if (value.quote !== undefined) return found !== undefined && isQuotedValue(said) ? [from, to] : undefined;
  const isPin = found?.[1] !== undefined && /^\d{4,}$/.test(said) && !/^[ \t]+[a-z]/.test(text.slice(to, to + 4));
  return isPin || isNoWord(said) ? [from, to] : undefined;
}

function isQuotedValue(said: string): boolean {
  return said.length >= 4 && (!/\s/.test(said) || isNoWord(said.replace(/\s/g, '')));
}

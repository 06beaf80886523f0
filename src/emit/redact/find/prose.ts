import { type TextSpan, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

const PASSWORD = 'pass(?:word|phrase|code|wd)|pwd?|pin|mot de passe|contraseña';
const OTHER = 'token|secret|(?:api|access|secret|private|encryption|licen[sc]e|master|signing)[ _-]?key';
const WHOSE = String.raw`(?:[ \t]+(?:for|of|to|on|at|in)(?:[ \t]+[\w.@:'’/-]{1,40}){1,4}?)?`;
const DONE = 're-?set|set|changed|updated|rotated|generated|created|assigned|chosen|replaced|switched|configured';
const ADVERB = 'now|still|just|always|already|also|again|simply|currently|successfully';
const BE = String.raw`(?:is|was|are|were|(?:(?:has|have|had)[ \t]+(?:(?:${ADVERB})[ \t]+)?been)|(?:will|must|should|can|could|would|shall|may)(?:[ \t]+(?:${ADVERB}))?[ \t]+be|ist|est|es)`;
const IS = String.raw`[ \t]+${BE}(?:[ \t]+(?:${ADVERB}|${DONE}|to|called|with))*(?:${WHOSE}[ \t]*:|[ \t]*:?)|[ \t]*(?:=|:|->|=>|→)|[ \t]*[>?›❯»](?=[ \t])`;
/** A prompt's hint about the expected answer: `[none]`, `(empty for no passphrase)`. */
const HINT = String.raw`(?:[ \t]*(?:\[[^[\]\n]{0,60}\]|\([^()\n]{0,60}\))(?=[ \t]*[:>?›❯»]))?`;
const SENTENCE = new RegExp(`(?:(${PASSWORD})|${OTHER})${WHOSE}${HINT}(?:${IS})[ \\t]*`, 'iy');
/** `set the password to X`, `changed the password from Y to X`. */
const TO = String.raw`(?:${PASSWORD}|${OTHER})${WHOSE}(?:[ \t]+from[ \t]+\S{1,64})?[ \t]+(?:to(?:[ \t]+be)?|with)[ \t]+`;
const CHANGED = new RegExp(TO, 'iy');
const OTHERS = new RegExp(`^(?:${OTHER})`, 'i');
const CHANGES =
  /\b(?:re-?set|set|setting|chang(?:e|ed|ing)|updat(?:e|ed|ing)|rotat(?:e|ed|ing)|replac(?:e|ed|ing)|switch(?:ed|ing)?)[ \t]+(?:[\w.@'’-]{1,40}[ \t]+){0,5}$/i;
const BARE = /(?:pass(?:word|phrase|code|wd)|pwd?|pin)[ \t]+/iy;
const RUN = /[^\s"'`,;<>()[\]{}|\\]+/y;
const QUOTED = /[“‘„«]([^”’“»\n]{3,200})[”’“»]/y;

/**
 * `the password is X`, `the token for me@example.com: X`. X is a secret if it is quoted, or if it cannot be a word of the sentence: letters
 * mixed with digits or signs.
 */
export function saidSecret(text: string, at: number): TextSpan | undefined {
  if (at > 0 && /[A-Za-z\d]/.test(text[at - 1] as string)) return undefined;
  // `password hunter2`, but not `token 1a`.
  const sentence = [SENTENCE, CHANGED, BARE].find(
    (one) =>
      take(one, text, at) !== undefined && (one !== CHANGED || CHANGES.test(text.slice(Math.max(0, at - 120), at))),
  );
  if (sentence === undefined) return undefined;
  const start = sentence.lastIndex;
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
  if (value.quote !== undefined) return sentence !== BARE && isQuotedValue(said) ? [from, to] : undefined;
  const isPin =
    sentence !== BARE &&
    !OTHERS.test(text.slice(at, at + 24)) &&
    /^\d{4,}$/.test(said) &&
    !/^[ \t]+[a-z]/.test(text.slice(to, to + 4));
  return isPin || isNoWord(said) ? [from, to] : undefined;
}

function isQuotedValue(said: string): boolean {
  return said.length >= 4 && (!/\s/.test(said) || isNoWord(said.replace(/\s/g, '')));
}

import { append } from '../../../../values/append.js';
import type { TextSpan } from '../quoted.js';

/** The members of a JSON Web Key that are private. */
const PRIVATE: ReadonlySet<string> = new Set('d p q dp dq qi oth k priv'.split(' '));

const TYPES = ['EC', 'RSA', 'OKP', 'oct', 'AKP'];

export const isWebKey = (object: object): boolean => TYPES.includes((object as { kty?: string }).kty ?? '');
/** The shortest key that a word cannot well be. */
const LEAST = 8;
export const isPrivate = (key: string, value: unknown): boolean =>
  PRIVATE.has(key) && (typeof value !== 'string' || value.length >= LEAST);

const QUOTE = String.raw`\\{0,40}["']`;
const TYPE = new RegExp(
  String.raw`(?<![\w-])kty(?:${QUOTE})?\s{0,8}(?::|=>?)\s{0,8}${QUOTE}(?:${TYPES.join('|')})["'\\]`,
  'g',
);
const MEMBERS = new RegExp(
  String.raw`(?<![\w-])(?:${[...PRIVATE].join('|')})(?:${QUOTE})?\s{0,8}(?::|=>?)\s{0,8}${QUOTE}([\w+/=-]{${LEAST},})`,
  'g',
);
/** A private key of RSA with 16,384 bits is shorter. */
const LONGEST = 16_384;

/** The private members of the JSON Web Keys in a text, in JSON or as code writes it. */
export function webKeySecrets(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  let read = 0;
  for (const { index } of text.matchAll(TYPE)) {
    if (index < read) continue;
    const from = Math.max(read, index - LONGEST);
    const start = from + openBefore(text.slice(from, index));
    const end = index + closeBehind(text.slice(index, index + LONGEST));
    append(
      spans,
      [...text.slice(start, end).matchAll(MEMBERS)].map((found): TextSpan => {
        const to = start + found.index + found[0].length;
        return [to - (found[1] as string).length, to];
      }),
    );
    read = end;
  }
  return spans;
}

/** The index behind the bracket that is open at the end of a text; 0: none is. */
function openBefore(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--)
    if (text[at] === '}') depth++;
    else if (text[at] === '{' && --depth < 0) return at + 1;
  return 0;
}

/** The index of the bracket that closes one before a text, or its end. */
function closeBehind(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++)
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth < 0) return at;
  return text.length;
}

import { append } from '../../../../values/append.js';
import type { TextSpan } from '../quoted.js';

interface PrivateMembers {
  readonly names: ReadonlySet<string>;
  /** No real one is shorter. */
  readonly least: number;
}
const members = (names: string, least: number): PrivateMembers => ({ names: new Set(names.split(' ')), least });
/** The private members of JSON Web Keys, by `kty`. The secret of `oct` has any length, the others have at least 192 bits. */
const MEMBERS: ReadonlyMap<unknown, PrivateMembers> = new Map([
  ['EC', members('d', 32)],
  ['RSA', members('d p q dp dq qi oth', 32)],
  ['OKP', members('d', 32)],
  ['oct', members('k', 1)],
  ['AKP', members('priv', 32)],
]);

/** The private members that an object has if it is a JSON Web Key. */
export const membersOf = (object: object): PrivateMembers | undefined => MEMBERS.get((object as { kty?: unknown }).kty);
export const isPrivate = (members: PrivateMembers | undefined, key: string, value: unknown): boolean =>
  members?.names.has(key) === true && (typeof value !== 'string' || value.length >= members.least);

const QUOTE = String.raw`\\{0,40}["']`;
const TYPE = new RegExp(
  String.raw`(?<![\w-])kty(?:${QUOTE})?\s{0,8}(?::|=>?)\s{0,8}${QUOTE}(${[...MEMBERS.keys()].join('|')})["'\\]`,
  'g',
);
const VALUES: ReadonlyMap<unknown, RegExp> = new Map(
  [...MEMBERS].map(([type, { names, least }]) => [
    type,
    new RegExp(
      String.raw`(?<![\w-])(?:${[...names].join('|')})(?:${QUOTE})?\s{0,8}(?::|=>?)\s{0,8}${QUOTE}([\w+/=-]{${least},})`,
      'g',
    ),
  ]),
);
/** A private key of RSA with 16,384 bits is shorter. */
const LONGEST = 16_384;

/** The private members of the JSON Web Keys in a text, in JSON or as code writes it. */
export function webKeySecrets(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  let read = 0;
  for (const { index, 1: type } of text.matchAll(TYPE)) {
    if (index < read) continue;
    const from = Math.max(read, index - LONGEST);
    const start = from + openBefore(text.slice(from, index));
    const end = index + closeBehind(text.slice(index, index + LONGEST));
    append(
      spans,
      [...text.slice(start, end).matchAll(VALUES.get(type) as RegExp)].map((found): TextSpan => {
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

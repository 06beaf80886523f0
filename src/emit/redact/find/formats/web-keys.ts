import type { TextSpan } from '../quoted.js';
import { merged } from '../scan.js';

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
const TYPED = String.raw`(?<![\w-])kty(?:${QUOTE})?\s{0,8}(?::|=>?)\s{0,8}${QUOTE}(${[...MEMBERS.keys()].join('|')})["'\\]`;
const TYPE = new RegExp(TYPED);
/** A text with a bracket, which opens and closes nothing: `"kid":"a}b"`. */
const TEXT = String.raw`:\s{0,8}(${QUOTE})[^"'\\\n{}]{0,1000}[{}][^"'\\\n]{0,1000}\2`;
const TYPE_OR_BRACKET = new RegExp(`[{}]|${TYPED}|${TEXT}`, 'g');
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
  for (const [type, objects] of objectsOf(text))
    for (const [start, end] of merged(objects))
      for (const { 0: member, 1: value = '', index } of text.slice(start, end).matchAll(VALUES.get(type) as RegExp)) {
        const to = start + index + member.length;
        spans.push([to - value.length, to]);
      }
  return spans;
}

/** By its type, where each key begins and ends: at the brackets around its `kty`, or as far from it as a key may reach. */
function objectsOf(text: string): ReadonlyMap<string, [from: number, to: number][]> {
  const objects = new Map<string, [from: number, to: number][]>();
  if (!TYPE.test(text)) return objects;
  const around: { readonly open: number; readonly keys: [from: number, to: number][] }[] = [];
  let inner: (typeof around)[number] = { open: 0, keys: [] };
  for (const { 0: sign, 1: type, index } of text.matchAll(TYPE_OR_BRACKET)) {
    if (type !== undefined) {
      const key: [number, number] = [Math.max(inner.open, index - LONGEST), index + LONGEST];
      inner.keys.push(key);
      if (objects.get(type)?.push(key) === undefined) objects.set(type, [key]);
    } else if (sign[0] === ':') continue;
    else if (sign === '{') {
      around.push(inner);
      inner = { open: index + 1, keys: [] };
    } else {
      for (const key of inner.keys) key[1] = Math.min(key[1], index);
      inner = around.pop() ?? { open: 0, keys: [] };
    }
  }
  return objects;
}

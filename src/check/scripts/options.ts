/** The options of a program, each a whole word. What is not among them is not known. */
export interface OptionTable {
  readonly names: RegExp;
  /** Options whose value, if any, is in the same word, and verbs: `bun run x.ts`. Undefined: no word behind the program is understood. */
  readonly flags?: RegExp;
  /** Options, or a verb, behind which the first other word is code: `bash -c -e CODE`. */
  readonly code?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Those of them that change the folder. */
  readonly folder?: RegExp;
  /** Words of it, its name among them, by which programs are looked for in another PATH than the hook's. */
  readonly otherPath?: RegExp;
}

/** The index of the first word that is no option, from `from` on, or of an option that is not known. */
export function pastOptions(
  words: readonly (string | undefined)[],
  from: number,
  { flags, valued, code }: OptionTable,
): { readonly at: number; readonly isKnown: boolean } {
  let at = from;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word !== undefined && valued?.test(word)) at++;
    else if (word === undefined || !(flags?.test(word) || code?.test(word)))
      return { at, isKnown: flags !== undefined && !word?.startsWith('-') };
  }
  return { at, isKnown: true };
}

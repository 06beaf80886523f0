import type { KnownWord } from '../words.js';
import { ANY, type FilterReader, type FilterUse } from './filter.js';

/** Options of uniq, and those of them whose value is the next word. */
const UNIQ =
  /^(?:-[cdDiuz]*(?:[fsw]\d*)?|--(?:count|repeated|unique|ignore-case|zero-terminated|all-repeated(?:=\w+)?|group(?:=\w+)?|(?:skip-fields|skip-chars|check-chars)(?:=\d+)?))$/;
const UNIQ_TAKES = /^(?:-[cdDiuz]*[fsw]|--(?:skip-fields|skip-chars|check-chars))$/;
/** Options of uniq that change nothing in a line. */
const UNIQ_COPIES = /^-[dDiuz]+$/;
const XXD =
  /^-(?:a|autoskip|b|bits|C|capitalize|d|E|EBCDIC|e|i|include|p|ps|postscript|plain|r|revert|u|[cglos]\d*|cols|groupsize|len|n|name|offset|seek|R)$/;
const XXD_TAKES = /^-(?:[cglosnR]|cols|groupsize|len|name|offset|seek)$/;

/** The files that are read and written, and the options. Undefined if a word is none of those that are known. */
function read(
  words: readonly KnownWord[],
  options: RegExp,
  takes: RegExp,
): { operands: readonly KnownWord[]; given: readonly string[] } | undefined {
  const operands: KnownWord[] = [];
  const given: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    const { text } = word;
    // It may be none or several.
    if (word.sure !== undefined && word.whole !== true) return undefined;
    if (text === '-' || !/^[-+]/.test(text)) operands.push(word);
    else if (word.sure !== undefined || !options.test(text)) return undefined;
    else {
      given.push(text);
      if (takes.test(text) && words[++at]?.sure !== undefined) return undefined;
    }
  }
  return { operands, given };
}

const written = (operands: readonly KnownWord[]): FilterUse['files'] =>
  operands.length > 2 ? undefined : operands.slice(1);

export const readUniq: FilterReader = (words) => {
  const { operands, given } = read(words, UNIQ, UNIQ_TAKES) ?? {};
  if (operands === undefined) return ANY;
  const isInput = /^(?:-|\/dev\/stdin)$/.test(operands[0]?.text ?? '-');
  const copies = isInput && given?.every((option) => UNIQ_COPIES.test(option)) === true;
  return { files: written(operands), copies, grows: true };
};

export const readXxd: FilterReader = (words) => {
  const { operands } = read(words, XXD, XXD_TAKES) ?? {};
  return operands === undefined ? ANY : { files: written(operands), grows: true };
};

const ORDERS = /^(?:.*\/)?(?:sort|shuf)$/;
const ORDER_OPTIONS = /^-[bdfghinrRuVM]*o?$/;

/** Whether sort or shuf write each line of their input once, to the target that an option names. */
export function orders([name, ...given]: readonly KnownWord[], targets: readonly KnownWord[]): boolean {
  if (name === undefined || !ORDERS.test(name.text)) return false;
  return given.every(({ text }) =>
    targets.some((target) => [target.text, `-o${target.text}`, `--output=${target.text}`].includes(text))
      ? true
      : ORDER_OPTIONS.test(text),
  );
}

import type { KnownWord } from '../words.js';
import { assumeOne, type FilterReader, type FilterUse, isUnknown, UnclearError, understood } from './filter.js';

/** Options of uniq, and those of them whose value is the next word. */
const UNIQ =
  /^(?:-[cdDiuz]*(?:[fsw]\d*)?|-\d+|--(?:count|repeated|unique|ignore-case|zero-terminated|all-repeated(?:=\w+)?|group(?:=\w+)?|(?:skip-fields|skip-chars|check-chars)(?:=\d+)?))$/;
const UNIQ_TAKES = /^(?:-[cdDiuz]*[fsw]|--(?:skip-fields|skip-chars|check-chars))$/;
/** Options of uniq that change nothing in a line. */
const UNIQ_COPIES = /^-[dDiuz]+$/;
const XXD =
  /^-(?:a|autoskip|b|bits|C|capitalize|d|E|EBCDIC|e|i|include|p|ps|postscript|plain|r|revert|u|[cglos]\d*|cols|groupsize|len|n|name|offset|seek|skip|R)$/;
const XXD_TAKES = /^-(?:[cglosnR]|cols|groupsize|len|name|offset|seek|skip)$/;

/** Words that may be the files that are read and written, and the options. Undefined if a word is none of those that are known. */
interface ColumnWords {
  readonly operands: readonly KnownWord[];
  readonly given: readonly string[];
  /** How many unknown values of options may be missing, so that an option takes the next word instead. */
  readonly loose: number;
}

/** `isLate`: options may follow an operand. */
function read(
  words: readonly KnownWord[],
  options: RegExp,
  takes: RegExp,
  isLate: boolean,
  assumes: Set<string>,
): ColumnWords {
  const operands: KnownWord[] = [];
  const given: string[] = [];
  let loose = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    const { text } = word;
    const isOperand = text === '-' || !/^[-+]/.test(text);
    if (text === '--' && (isLate || operands.length === 0)) {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (isOperand || (!isLate && operands.length > 0)) operands.push(word);
    else if (word.sure !== undefined || !options.test(text)) throw new UnclearError();
    else {
      given.push(text);
      if (!takes.test(text)) continue;
      const value = words[++at];
      if (value === undefined) continue;
      if (value.sure !== undefined && value.whole !== true) loose++;
      assumeOne(value, assumes);
    }
  }
  // One that is none or several may be the only one.
  const isMore = operands.length > 1;
  for (const operand of operands) {
    if (isMore && isUnknown(operand) && operand.whole !== true) throw new UnclearError();
    assumeOne(operand, assumes);
  }
  return { operands, given, loose };
}

/** The files that are written. Elsewhere than in GNU, options end at the first operand. */
function written(words: readonly KnownWord[], options: RegExp, takes: RegExp): FilterUse & Pick<ColumnWords, 'given'> {
  const assumes = new Set<string>();
  const ways = [true, false].map((isLate) => read(words, options, takes, isLate, assumes));
  const [{ operands: first = [], given = [] } = {}] = ways;
  const files = new Set<KnownWord>();
  for (const { operands, loose } of ways) {
    if (operands.length > 2) throw new UnclearError();
    for (const file of operands.slice(loose > 1 ? 0 : 1)) files.add(file);
  }
  const isOne = first.length === 0 && ways.every(({ operands }) => operands.length === 0);
  return { files: [...files], given, grows: isOne ? 'more' : true, assumes };
}

/** What only tells about the program. */
const TELLS = /^(?:--help|--version|-help|-h|-v)$/;
const tells = (words: readonly KnownWord[], isXxd: boolean): boolean =>
  words.length === 1 && TELLS.test(words[0]?.text ?? '') && (isXxd || words[0]?.text.startsWith('--') === true);

export const readUniq: FilterReader = (words) =>
  understood(() => {
    if (tells(words, false)) return { files: [], grows: true };
    const use = written(words, UNIQ, UNIQ_TAKES);
    const operand = words.find(({ text }) => text === '-' || !text.startsWith('-'))?.text ?? '-';
    const copies = /^(?:-|\/dev\/stdin)$/.test(operand) && use.given.every((option) => UNIQ_COPIES.test(option));
    return { ...use, copies };
  });

export const readXxd: FilterReader = (words) =>
  understood(() => (tells(words, true) ? { files: [], grows: true } : written(words, XXD, XXD_TAKES)));

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

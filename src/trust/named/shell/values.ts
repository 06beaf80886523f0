import { dirname } from 'node:path';
import type { ShellCommand, ShellWord, WordPart } from './word.js';
import { shellCommands, shellWord } from './words.js';

/** Stands in a value for a part that is known only at run time. The text of a glob follows it if the value has other parts. */
export const UNKNOWN = '\0';
/** A word with more possible values than this counts as unknown. */
const MOST = 16;
const MOST_PARTS = 64;
const LONGEST_VALUE = 4096;
/** The maximum length of patterns in `${NAME%…}` and of the values that they are applied to, because matching takes quadratic time. */
const LONGEST = 256;
/** How deeply values may nest in values. */
const DEPTH = 6;

/** The possible values of a variable; undefined if they are not known. */
export type VariableLookup = (name: string) => readonly string[] | undefined;

/** The possible values of a word after expansion. `UNKNOWN` stands for parts that its text does not determine. */
export function wordValues({ parts }: Pick<ShellWord, 'parts'>, look: VariableLookup, depth = 0): string[] {
  if (parts.length > MOST_PARTS) return [UNKNOWN];
  let values = [''];
  for (const part of parts) {
    const ends = typeof part === 'string' ? [part] : depth > DEPTH ? [UNKNOWN] : valuesOfPart(part, look, depth + 1);
    values = [...new Set(values.flatMap((value) => ends.map((end) => value + end)))];
    const isLong = parts.length > 1 && values.some((value) => value.length > LONGEST_VALUE);
    if (values.length > MOST || isLong) return [UNKNOWN];
  }
  const [only] = parts;
  return parts.length === 1 && typeof only === 'object' && only.kind === 'unknown' ? [UNKNOWN] : values;
}

function valuesOfPart(part: Exclude<WordPart, string>, look: VariableLookup, depth: number): readonly string[] {
  if (part.kind === 'choices') return part.choices;
  if (part.kind === 'variable') return valuesOfVariable(part.source, look, depth);
  return part.kind === 'command' ? valuesOfCommand(part.line, look, depth) : [UNKNOWN + (part.glob ?? '')];
}

const VARIABLE = /^([A-Za-z_][\w.]*|\d+|[@*])(?:\[[^\]]*\])?(:?[-=+?]|%%?|##?|\/[/#%]?|\^\^?|,,?|:)?(.*)$/s;

/** The possible values of `${NAME}`, with any operator. */
function valuesOfVariable(source: string, look: VariableLookup, depth: number): readonly string[] {
  const [, name, operator = '', rest = ''] = VARIABLE.exec(source) ?? [];
  if (name === undefined) return [UNKNOWN];
  const known = look(name);
  const values = known ?? [UNKNOWN];
  if (operator === '') return rest === '' ? values : [UNKNOWN];
  // We represent PWD as `.`, so operators that cut off parts of it cannot be evaluated.
  if (name === 'PWD' && !/^:?[-=?]$/.test(operator)) return rest === '/' ? values : [UNKNOWN];
  const operand = (): string[] => wordValues(shellWord(rest), look, depth);
  switch (operator.replace(/^:(?=.)/, '')) {
    case '-':
    case '=':
      return known && !known.includes(UNKNOWN) && !known.includes('') ? known : [...values, ...operand()];
    case '+':
      return ['', ...operand()];
    case '?':
      return values;
    case '%':
    case '%%':
    case '#':
    case '##':
      if (/[?[]/.test(rest)) return [UNKNOWN];
      return values.flatMap((value) => operand().map((pattern) => strip(value, operator, pattern)));
    case '/':
    case '//':
    case '/#':
    case '/%':
      return values.flatMap((value) => replaced(value, operator, rest, look, depth));
    case '^^':
      return values.map((value) => value.toUpperCase());
    case ',,':
      return values.map((value) => value.toLowerCase());
    default:
      return [UNKNOWN];
  }
}

/** Evaluates `${X%pattern}` and the like. The pattern has `UNKNOWN` in place of wildcards, of which only one is supported. */
function strip(value: string, operator: string, pattern: string): string {
  const pieces = pattern.replaceAll(`${UNKNOWN}*`, UNKNOWN).split(UNKNOWN);
  if (pieces.length > 2 || Math.max(pattern.length, value.length) > LONGEST) return UNKNOWN;
  const [before = '', after] = pieces;
  const fits = (text: string): boolean =>
    after === undefined
      ? text === before
      : text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
  const lengths = [...value, ''].map((_, i) => i);
  if (operator.length === 2) lengths.reverse();
  const suffix = operator.startsWith('%');
  const cut = lengths.find((n) => fits(suffix ? value.slice(value.length - n) : value.slice(0, n)));
  if (cut === undefined) return value;
  return suffix ? value.slice(0, value.length - cut) : value.slice(cut);
}

function replaced(value: string, operator: string, rest: string, look: VariableLookup, depth: number): string[] {
  const slash = rest.search(/(?<!\\)\//);
  const [from, to] = slash === -1 ? [rest, ''] : [rest.slice(0, slash), rest.slice(slash + 1)];
  const ways = wordValues(shellWord(from), look, depth).flatMap((pattern) =>
    wordValues(shellWord(to), look, depth).map((text) => {
      if (pattern.includes(UNKNOWN) || pattern === '') return UNKNOWN;
      if (operator === '//') return value.replaceAll(pattern, () => text);
      if (operator === '/#') return value.startsWith(pattern) ? text + value.slice(pattern.length) : value;
      if (operator === '/%') return value.endsWith(pattern) ? value.slice(0, -pattern.length) + text : value;
      return value.replace(pattern, () => text);
    }),
  );
  return ways;
}

/** The output of commands that print their arguments, such as `echo`. The output of other commands is unknown. */
function valuesOfCommand(line: string, look: VariableLookup, depth: number): readonly string[] {
  const commands = shellCommands(line);
  const last = commands.at(-1);
  if (!last || commands.length > 2) return [UNKNOWN];
  const before = commands.length === 2 ? wordsOf(commands[0] as ShellCommand, look, depth) : undefined;
  const [program, ...operands] = wordsOf(last, look, depth);
  if (program === 'pwd') {
    if (before === undefined) return ['.'];
    // If it cannot go there, it prints where it is.
    const stays = commands[0]?.ends === '&&' ? [] : ['.'];
    return before[0] === 'cd' ? [...goneTo(before.slice(1), look), ...stays] : [UNKNOWN];
  }
  if (before !== undefined || program === undefined || !Object.hasOwn(PRINTERS, program)) return [UNKNOWN];
  return (PRINTERS[program] as Printer)(operands);
}

/** Where `cd` goes with these words. */
function goneTo(words: readonly string[], look: VariableLookup): readonly string[] {
  const to = words.filter((word) => !/^-./.test(word)).at(-1);
  if (to === undefined) return look('HOME') ?? [UNKNOWN];
  return to === '' || to === '-' ? [UNKNOWN] : [to];
}

function wordsOf({ words }: ShellCommand, look: VariableLookup, depth: number): string[] {
  return words
    .filter(({ redirect }) => redirect === undefined)
    .map((word) => {
      const values = wordValues(word, look, depth);
      return values.length === 1 ? (values[0] as string) : UNKNOWN;
    });
}

type Printer = (operands: readonly string[]) => string[];
const lastOf: Printer = (operands) => [operands.at(-1) ?? UNKNOWN];
const PRINTERS: Readonly<Record<string, Printer>> = {
  echo: (operands) => [operands.filter((operand) => !/^-[neE]+$/.test(operand)).join(' ')],
  printf: (operands) =>
    operands.length === 2 && /^%s(?:\\n)?$/.test(operands[0] as string) ? lastOf(operands) : [UNKNOWN],
  dirname: (operands) => lastOf(operands).flatMap((path) => (path === '.' ? ['.', UNKNOWN] : dirname(path))),
  basename: (operands) =>
    operands.length === 1
      ? lastOf(operands).map((path) => (path === '.' ? UNKNOWN : path.slice(path.lastIndexOf('/') + 1)))
      : [UNKNOWN],
  realpath: lastOf,
  readlink: (operands) => (operands.some((operand) => /^-[efm]+$/.test(operand)) ? lastOf(operands) : [UNKNOWN]),
  // The directory may be in another repository, around the project or inside it.
  git: (operands) => (operands.join(' ') === 'rev-parse --show-toplevel' ? ['.', UNKNOWN] : [UNKNOWN]),
};

import { UNKNOWN, type VariableLookup, wordValues } from './shell/values.js';
import type { ShellCommand, ShellWord, WordPart } from './shell/word.js';
import { shellWord } from './shell/words.js';

/** Commands that set the variables that they are given to what only the run can tell; some take the name attached to an option: `-vx`. */
const SETTERS = /^(?:read|mapfile|readarray|getopts|printf|wait)$/;
const SET = /^(?:-[A-Za-z]*?[apv])?([A-Za-z_]\w*)(?:\[.*\])?$/s;
/** Commands that may take the value of a variable away. */
const EMPTIERS = /^(?:unset|declare|typeset|local)$/;
/** Attributes that change what is assigned: to a number, to other letters, to another variable. */
const ATTRIBUTES = /^-[A-Za-z]*[inluc]/;
const NAME = /^[A-Za-z_]\w*$/;
/** An assignment in arithmetic. */
const COUNTED = /([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;

function* counted(text: string): Generator<readonly [string, string]> {
  for (const [, name, next] of text.matchAll(COUNTED)) yield [`${name ?? next}`, UNKNOWN];
}

/** The variables that a command sets, except by assignments, and their possible values. */
export function* setBy(values: readonly string[], { words }: ShellCommand): Generator<readonly [string, string]> {
  const is = (names: RegExp): boolean => values.some((value) => names.test(value));
  const [sets, empties, counts] = [is(SETTERS), is(EMPTIERS), is(/^let$/)];
  const unexports = is(/^export$/) && words.some(({ text }) => /^-[a-z]*n/.test(text));
  const changes = empties && words.some(({ text }) => ATTRIBUTES.test(text));
  for (const { text } of words.filter(({ redirect }) => redirect === undefined)) {
    const name = SET.exec(text)?.[1];
    if (name !== undefined && sets) yield [name, UNKNOWN];
    if (NAME.test(text) && (empties || unexports)) yield [text, ''];
    // `exec {x}<file`
    if (/^\{[A-Za-z_]\w*\}$/.test(text)) yield [text.slice(1, -1), UNKNOWN];
    if (counts) yield* counted(text);
    // `declare -i x=1+1`, `declare -n x=y`
    for (const part of changes ? text.split(/\+?=/) : []) if (NAME.test(part)) yield [part, UNKNOWN];
  }
}

/** The variables that the expansion of a part of a word sets: `$((x = 1))`, `${x:=value}`. */
export function* setIn(part: WordPart, look: VariableLookup): Generator<readonly [string, string]> {
  if (typeof part === 'string') {
    if (part.includes('$[')) yield* counted(part);
    return;
  }
  if (part.kind === 'unknown' && part.glob === undefined) yield* counted(part.source ?? '');
  if (part.kind === 'variable' && /^!\w+:?=/.test(part.source)) yield ['HOME', UNKNOWN];
  const [, name, text] = (part.kind === 'variable' && /^([A-Za-z_]\w*):?=(.*)$/s.exec(part.source)) || [];
  if (name !== undefined) for (const value of wordValues(shellWord(`${text}`), look)) yield [name, value];
}

/** The values of a variable to which a text is added; `again`: perhaps several times. */
export const added = (known: readonly string[], own: readonly string[], again: boolean): string[] => [
  ...known.flatMap((value) => own.map((end) => value + end)),
  ...(again ? [UNKNOWN] : []),
];

/** Whether a word that assigns to a variable adds to it, or uses its value. */
export function usesItself(name: string, { text, parts }: ShellWord): boolean {
  const uses = (source: string): boolean => new RegExp(`\\$\\{?${name}(?!\\w)`).test(source);
  return text.startsWith(`${name}+=`) || parts.some((part) => typeof part === 'object' && uses(sourceOf(part)));
}

function sourceOf(part: Exclude<WordPart, string>): string {
  if (part.kind === 'variable') return `\${${part.source}}`;
  return part.kind === 'command' ? part.line : part.kind === 'unknown' ? (part.source ?? '') : '';
}

/** The lines of shell to which `alias` gives names. */
export const aliased = (values: readonly string[]): readonly string[] =>
  values.map((value) => value.replace(/^[^\s=]+=/, ''));

import { UNKNOWN, type VariableLookup, wordValues } from './shell/values.js';
import type { ShellCommand, ShellWord } from './shell/word.js';

/** Commands that are given the names of variables. */
const NAMING = /^(?:read|mapfile|readarray|getopts|unset|declare|typeset|local|export|readonly|let)$/;
/** Commands that are given such a name behind an option. */
const NAMING_BY_OPTION = /^(?:printf|wait)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

const isComputed = ({ parts }: ShellWord): boolean => parts.some((part) => typeof part !== 'string');

/** Whether a shell may split what a word expands to. */
export const isSplit = (word: ShellWord): boolean =>
  isComputed(word) && /[$`]/.test(word.raw.replace(/"(?:[^"\\]|\\.)*"/gs, ''));

/** Whether a word may be an option, several words, or none, though its text does not show it. */
export function isHidden(word: ShellWord, values: readonly string[]): boolean {
  if (!isComputed(word)) return false;
  const splits = isSplit(word) && values.some((value) => value === '' || value.includes(UNKNOWN) || /\s/.test(value));
  if (ASSIGNMENT.test(word.text)) return splits;
  return splits || values.some((value) => value.includes(UNKNOWN) || /^-.|=/s.test(value));
}

/** Whether a command sets a variable whose name only the run can tell. */
export function hidesName(values: readonly string[], { words }: ShellCommand, look: VariableLookup): boolean {
  const own = words.filter(({ redirect }) => redirect === undefined);
  if (values.some((value) => NAMING.test(value)))
    return own.some((word) => (ASSIGNMENT.test(word.text) ? isHidden(word, wordValues(word, look)) : isComputed(word)));
  if (!values.some((value) => NAMING_BY_OPTION.test(value))) return false;
  const at = own.findIndex(({ text }) => NAMING_BY_OPTION.test(text)) + 1;
  return own.some(
    ({ text }, i) =>
      (i === at || /^-[a-z]*[vp]$/.test(own[i - 1]?.text ?? '')) && isComputed(own[i] as ShellWord) && text !== '',
  );
}

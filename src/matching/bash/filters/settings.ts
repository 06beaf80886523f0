import { bashProgram } from '../lookup.js';
import { type BashFiles, type CommandInput, lastName } from '../reading.js';
import type { KnownWord } from '../words.js';
import { ARGUMENTS, UNIT } from './assumed.js';

/** `${N:=value}` */
const SETS = /^"?\$\{(\w+):?=(.*)\}$/s;

/** At most this many arguments of a command are noted. */
const MOST_ARGUMENTS = 20;
const textOf = ({ text, marked = text }: KnownWord): string => marked;

/** Notes the variables that a command sets from its words or its input, its arguments, and files that it makes with the name of an option. */
export function noteSet(given: readonly KnownWord[], input: CommandInput, { set, written }: BashFiles): void {
  const name = given[0]?.text ?? '';
  const note = (variable: string, texts: readonly string[]): void => {
    const all = set.get(variable) ?? new Set();
    set.set(variable, all);
    for (const text of texts) all.add(text);
  };
  switch (name) {
    case ':':
      for (const word of given)
        for (const [, unit = ''] of textOf(word).matchAll(UNIT)) {
          const [, variable, value] = SETS.exec(unit) ?? [];
          if (variable !== undefined && value !== undefined) note(variable, [value]);
        }
      return;
    case 'printf':
      if (given[1]?.text === '-v') note(given[2]?.text ?? '', given.slice(3).map(textOf));
      return;
    case 'read':
    case 'mapfile':
    case 'readarray':
      if (Array.isArray(input)) for (const { text } of given.slice(1)) if (/^\w+$/.test(text)) note(text, input);
      return;
    case 'set':
      note(ARGUMENTS, given.slice(1).map(textOf));
      return;
    case 'touch':
      for (const [at, { text }] of given.entries())
        if (/^-|\/-[^/]*$/.test(text) && (!text.startsWith('-') || given[at - 1]?.text === '--'))
          written.set(lastName(text), written.get(lastName(text)) ?? true);
      return;
    default:
      if (given.length > 1 && /^[\w-]+$/.test(name) && bashProgram(name) === undefined)
        note(ARGUMENTS + name, given.slice(1, MOST_ARGUMENTS).map(textOf));
  }
}

import { bashProgram } from '../lookup.js';
import { type BashFiles, type CommandInput, lastName } from '../reading.js';
import type { KnownWord } from '../words.js';
import { ARGUMENTS, UNIT } from './assumed.js';

/** `${N:=value}` */
const SETS = /^"?\$\{(\w+):?=(.*)\}$/s;

/** Notes the variables that a command sets from its words or its input, its arguments, and files that it makes with the name of an option. */
export function noteSet([name, ...words]: readonly KnownWord[], input: CommandInput, found: BashFiles): void {
  const { set, written } = found;
  const note = (variable: string, texts: readonly string[]): void => {
    set.set(variable, new Set([...(set.get(variable) ?? []), ...texts]));
  };
  const all = words.map(({ text, marked = text }) => marked);
  for (const text of all)
    if (text.includes('=') && text.includes('\0'))
      for (const [, unit = ''] of text.matchAll(UNIT)) {
        const [, variable, value] = SETS.exec(unit) ?? [];
        if (variable !== undefined && value !== undefined) note(variable, [value]);
      }
  switch (name?.text) {
    case 'printf':
      if (words[0]?.text === '-v') note(words[1]?.text ?? '', all.slice(2));
      return;
    case 'read':
    case 'mapfile':
    case 'readarray':
      if (Array.isArray(input)) for (const { text } of words) if (/^\w+$/.test(text)) note(text, input);
      return;
    case 'set':
      note(ARGUMENTS, all);
      return;
    case 'touch':
      for (const [at, { text }] of words.entries())
        if (/^-|\/-[^/]*$/.test(text) && (!text.startsWith('-') || words[at - 1]?.text === '--'))
          written.set(lastName(text), written.get(lastName(text)) ?? true);
      return;
    default:
      if (words.length > 0 && /^[\w-]+$/.test(name?.text ?? '') && bashProgram(name?.text ?? '') === undefined)
        note(ARGUMENTS + name?.text, all);
  }
}

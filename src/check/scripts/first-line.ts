import { basename } from 'node:path';
import { startedBy } from './start.js';

/** The first line of a script, as the kernel and env read it. */
export interface FirstLine {
  /** What the kernel starts. */
  readonly program: string;
  /** All the rest, which the kernel gives it as one argument. */
  readonly argument: string;
  /** The name that env looks for: its whole argument, unless it is told to split it. Undefined without env, or if only env can tell. */
  readonly sought: string | undefined;
  /** Whether env splits its argument into words, and so passes over a carriage return. */
  readonly splits: boolean;
}

/** Options that tell env to split the rest of its argument. */
const SPLIT = /^(?:-[iv0]*S|--s[a-z-]*=)/;

/** Reads what stands behind `#!`, without the carriage return at its end. */
export function firstLine(shebang: string): FirstLine {
  // Each run of blanks is looked at once, however long.
  const line = shebang.replace(/\r$/, '').replace(/(?<![ \t])[ \t]+$/, '');
  const [, program = '', argument = ''] = /^[ \t]*([^ \t]*)[ \t]*(.*)$/.exec(line) ?? [];
  if (basename(program) !== 'env') return { program, argument, sought: undefined, splits: false };
  if (SPLIT.test(argument)) return { program, argument, sought: programIn(argument.replace(SPLIT, '')), splits: true };
  // The kernel of macOS splits it.
  const alone = process.platform === 'darwin' ? argument.replace(/[ \t].*/, '') : argument;
  return { program, argument, sought: /^$|^-|=/.test(alone) ? undefined : alone, splits: false };
}

/** Whether a carriage return behind the first line does no harm: env takes it for a blank, and perl reads its own options. */
export const passesOver = ({ program, argument, splits }: FirstLine): boolean =>
  splits || (/^perl[\d.]*$/.test(basename(program)) && argument.startsWith('-'));

/** The program in the words that env splits, up to a comment; undefined if escapes or variables are in them, or another PATH. */
function programIn(text: string): string | undefined {
  const all = text.match(/(?:[^ \t\v\f\r"']|"[^"]*"|'[^']*')+/g) ?? [];
  const comment = all.findIndex((word) => word.startsWith('#'));
  const quoted = comment === -1 ? all : all.slice(0, comment);
  if (quoted.some((word) => /[\\$]/.test(word))) return undefined;
  const words = ['env', ...quoted.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))];
  return words.some((word) => word.startsWith('PATH=')) ? undefined : words[startedBy(words)?.program ?? -1];
}

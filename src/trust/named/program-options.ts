import { type Kind, OPTION_KINDS, type ProgramOptions, type Purpose } from './program.js';

/** What an option means to a program. */
export interface KnownOption {
  /** The kind of the option's value; absent if it takes none. */
  readonly kind?: Kind;
  /** The offset in the word at which the value begins; absent if the value is the next word. */
  readonly from?: number;
  /** True if the option is not in the table, so the next word may be its value. */
  readonly unsure: boolean;
  /** True if the program only reads, or tests, what it is given. */
  readonly checks?: boolean;
}

/** Reads `--name`, `--name=value`, `-x`, `-xvalue` and `-abx`. */
export function readOption(program: ProgramOptions, text: string, purpose: Purpose): KnownOption {
  const checks = isIn(program.checks, text) || lettersOf(program, text).some((letter) => isIn(program.checks, letter));
  return { ...meaningOf(program, text, purpose), checks };
}

/** The options in `-abx`, up to one that takes the rest as its value. */
function lettersOf(program: ProgramOptions, text: string): string[] {
  const letters = /^-[a-zA-Z]{2,}$/.test(text) ? [...text.slice(1)].map((letter) => `-${letter}`) : [];
  const last = letters.findIndex((letter) => kindOf(program, letter));
  return last === -1 ? letters : letters.slice(0, last);
}

function meaningOf(program: ProgramOptions, text: string, purpose: Purpose): KnownOption {
  const whole = /^[-+]{1,2}[^=:]+(?=[=:])/.exec(text)?.[0];
  const kind = kindOf(program, text);
  if (kind) return { kind, unsure: false };
  const attached = whole === undefined ? undefined : kindOf(program, whole);
  if (whole !== undefined && attached) return { kind: attached, from: whole.length + 1, unsure: false };
  if (isIn(program.flags, text) || /^--(?:no-|$)/.test(text)) return { unsure: false };
  if (purpose === 'place' && /^-\d+$/.test(text)) return { unsure: false };
  if (text.startsWith('--')) return { unsure: whole === undefined };
  let known = true;
  for (let i = 1; i < text.length; i++) {
    const letter = `${text[0]}${text[i]}`;
    const found = kindOf(program, letter);
    if (found) {
      const value = text.slice(i + 1);
      // `bash -ce line`: the letters after `c` are options too.
      const isNext = value === '' || (found === 'line' && /^[a-zA-Z]+$/.test(value));
      return { kind: found, ...(isNext ? {} : { from: i + 1 }), unsure: false };
    }
    known &&= isIn(program.flags, letter);
  }
  return { unsure: !known };
}

function kindOf(program: ProgramOptions, name: string): Kind | undefined {
  return OPTION_KINDS.find((kind) => isIn(program[kind], name));
}

function isIn(names: string | undefined, name: string): boolean {
  return names?.split(' ').includes(name) ?? false;
}

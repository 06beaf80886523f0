import { INTERPRETERS } from './interpreters.js';
import { PLACE_PROGRAMS } from './place-programs.js';
import type { ProgramOptions, Purpose } from './program.js';
import { RUNNERS } from './runners.js';

const CONSENT: Readonly<Record<string, ProgramOptions>> = { ...INTERPRETERS, ...RUNNERS };
const PROGRAMS: Readonly<Record<Purpose, Readonly<Record<string, ProgramOptions>>>> = {
  consent: CONSENT,
  place: { ...CONSENT, ...PLACE_PROGRAMS },
};
/** In characters. Longer words are not names of programs. */
const LONGEST_NAME = 64;

/** The entry of the program that a word may name, with or without a version suffix. */
export function programOf(values: readonly string[], purpose: Purpose): ProgramOptions | undefined {
  const programs = PROGRAMS[purpose];
  const name = values.map(nameOf).find((value) => Object.hasOwn(programs, value));
  return name === undefined ? undefined : programs[name];
}

/** The entry of a package's program, perhaps with a version: `tsx@4`. */
export const toolOf = (values: readonly string[], purpose: Purpose): ProgramOptions | undefined =>
  programOf(
    values.map((value) => value.replace(/(?<=\w)@[^/]*$/, '')),
    purpose,
  );

function nameOf(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/') + 1, word.length - LONGEST_NAME));
  return name.replace(/(?<=\w)[\d.]+$/, '').replace(/\.exe$/i, '');
}

/** Environment variables whose value is a program's options, a line of shell, or a file to run. */
export const CODE_VARIABLES: Readonly<Record<string, string>> = {
  NODE_OPTIONS: 'node',
  BUN_OPTIONS: 'bun',
  PERL5OPT: 'perl',
  RUBYOPT: 'ruby',
  JAVA_TOOL_OPTIONS: 'java',
  JDK_JAVA_OPTIONS: 'java',
  _JAVA_OPTIONS: 'java',
  MAKEFLAGS: 'make',
  MAKEFILES: 'source',
  BASH_ENV: 'source',
  ENV: 'source',
  PS4: 'echo',
  PYTHONSTARTUP: 'source',
  LD_PRELOAD: 'source',
  DYLD_INSERT_LIBRARIES: 'source',
  PROMPT_COMMAND: 'eval',
  GIT_SSH_COMMAND: 'eval',
  GIT_EXTERNAL_DIFF: 'eval',
  GIT_EDITOR: 'eval',
  GIT_PAGER: 'eval',
  EDITOR: 'eval',
  VISUAL: 'eval',
  PAGER: 'eval',
};

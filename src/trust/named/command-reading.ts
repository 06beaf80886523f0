import type { Kind, ProgramOptions } from './program.js';
import type { ReadingMode } from './shell-lines.js';
import type { ShellCommand } from './shell-words.js';

/** The state of reading one command. */
export interface CommandReading {
  readonly mode: ReadingMode;
  readonly command: ShellCommand;
  program: ProgramOptions | undefined;
  /** The meaning of the next word for the option before it. */
  pending: Kind | undefined;
  /** How many operands still come before a wrapper's command. */
  skips: number;
  /** The code that runs has been named. */
  settled: boolean;
  /** Its code is in the line itself. */
  inline: boolean;
  /** The previous word was an unknown option, which may take this word as its value. */
  unsure: boolean;
  /** The word is a shell command line, and was read as one. */
  isLine: boolean;
  /** `xargs` gives it words that are not in the line. */
  fed: boolean;
}

export const RESERVED = new Set('then else elif do if while until ! { } fi done esac'.split(' '));
/** Keywords after which words may or may not be run. */
export const OPENING = new Set('if while until for case'.split(' '));
export const CLOSING = new Set('fi done esac'.split(' '));
export const CONDITIONS = new Set(['&&', '||']);
export const OTHER: ProgramOptions = { operands: 'none' };
export const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s;

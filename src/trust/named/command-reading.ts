import type { Kind, ProgramOptions } from './program.js';
import type { ReadingMode } from './shell-lines.js';
import type { ShellCommand } from './shell-words.js';

/** One command as far as it was read. */
export interface CommandReading {
  readonly mode: ReadingMode;
  readonly command: ShellCommand;
  program: ProgramOptions | undefined;
  /** What the next word is for the option before it. */
  pending: Kind | undefined;
  /** Operands that come before a wrapper's command. */
  skips: number;
  /** What runs was named. */
  settled: boolean;
  /** Its code stands in the line. */
  inline: boolean;
  /** The word before was an option that nobody knows here: it may take this one for its value. */
  unsure: boolean;
  /** The word is a shell's line, and was read as that. */
  isLine: boolean;
  /** `xargs` gives it words that are not in the line. */
  fed: boolean;
}

export const RESERVED = new Set('then else elif do if while until ! { } fi done esac'.split(' '));
/** Where words are run or not. */
export const OPENING = new Set('if while until for case'.split(' '));
export const CLOSING = new Set('fi done esac'.split(' '));
export const CONDITIONS = new Set(['&&', '||']);
export const OTHER: ProgramOptions = { operands: 'none' };
export const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s;

import type { Kind, ProgramOptions } from './program.js';
import { leadOf } from './shell/cases.js';
import type { ReadingMode } from './shell/lines.js';
import type { ShellCommand } from './shell/word.js';

/** The state while one command is read. */
export interface CommandReading {
  mode: ReadingMode;
  readonly command: ShellCommand;
  program: ProgramOptions | undefined;
  /** The kind of value that the next word is to the option before it. */
  pending: Kind | undefined;
  /** How many programs it has named: `env nice node`. */
  starts: number;
  /** How many operands still come before a wrapper's command. */
  skips: number;
  /** The code to run has been named. */
  settled: boolean;
  /** The code to run is in the line itself. */
  inline: boolean;
  /** The previous word was an unknown option, which may take this word as its value. */
  unsure: boolean;
  /** The word is a shell command line, and was read as one. */
  isLine: boolean;
  /** The command gets arguments that are not in the line, from `xargs`. */
  fed: boolean;
  /** The option before it names the folder in which the program runs. */
  goes: boolean;
  /** Another program runs it, in a process of its own, or it is only asked about. */
  apart: boolean;
  /** The program only reads or tests the script that it is given. */
  reads: boolean;
  /** What it is given may be a program, whatever its name: an unknown program, a function or a line may run it. */
  runs: boolean;
}

export function newReading(command: ShellCommand, mode: ReadingMode): CommandReading {
  return {
    mode,
    command,
    program: undefined,
    pending: undefined,
    ...{ skips: 0, settled: false, inline: false, unsure: false, isLine: false, fed: false, goes: false, reads: false },
    ...{ runs: false, apart: false, starts: 0 },
  };
}

export const CONDITIONS = new Set(['&&', '||']);
export const OTHER: ProgramOptions = { operands: 'none' };
export const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s;

/** Commands that only say what a command is. */
const ASKING = /^(?:type|which|hash|whereis)$/;

/** Whether what begins here does not change the shell that reads the line. A program that is not known may be a function. */
export function isApart({ program = OTHER, command }: CommandReading, values: readonly string[]): boolean {
  const [first, option] = command.words.slice(leadOf(command).length);
  const asks = first?.text === 'command' && /^-p?[vV]/.test(option?.text ?? '') && option?.redirect === undefined;
  const isOthers = program !== OTHER && (program.builtins === undefined || asks);
  return isOthers || values.every((value) => ASKING.test(value));
}

/**
 * Whether the next operand is a script that its program reads, so that it need not be executable. What `test` or `cat` is given may
 * have to be: the line may also execute it in a way that cannot be seen, as with `"$_"`.
 */
export const isRead = ({ operands, binaries }: ProgramOptions, { settled, unsure }: CommandReading): boolean =>
  operands === 'code' && binaries === undefined && !settled && !unsure;

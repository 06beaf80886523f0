import type { Terminal } from './terminal.js';

/** One command: how it is called, and the module that does it, loaded when it is. */
export interface CommandRow {
  readonly usage: string;
  readonly about: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options: readonly ProgramFlag[];
  readonly notes: string;
  load(): Promise<(args: readonly string[], flags: never, terminal: Terminal) => Promise<number>>;
}

/** `many`: it may be given several times. */
export type ProgramFlag = readonly [flags: string, about: string, many?: 'many'];

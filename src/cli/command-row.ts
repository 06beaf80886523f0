import { type Flags, OPTIONS, type Option, type OptionName } from './options.js';
import type { Terminal } from './terminal.js';

/** An option of the table; and in words of its own where a command means something narrower by it, or writes its value otherwise. */
export type TakenOption<Name extends OptionName = OptionName> = Name | readonly [Name, about: string, written?: string];

interface RowOf<Name extends OptionName, Read> {
  readonly usage: string;
  readonly about: string;
  readonly arguments?: Readonly<Record<string, string>>;
  /** In the order of the help. */
  readonly options: readonly TakenOption<Name>[];
  readonly notes: string;
  /** The module that does it, loaded when it is called. */
  load(): Promise<(args: readonly string[], flags: Read, terminal: Terminal) => Promise<number>>;
}

/** One command: how it is called, what it takes, and what does it. */
export interface CommandRow extends Omit<RowOf<OptionName, never>, 'load'> {
  load(): Promise<(args: readonly string[], flags: never, terminal: Terminal) => Promise<number>>;
}

/** Does not compile where what does it reads an option that is not in its row, or reads one otherwise than the table does. */
export const commandRow = <const Name extends OptionName, Read>(
  row: RowOf<Name, Read> &
    ([keyof Read, Flags<Name>] extends [keyof Flags<Name>, Read] ? unknown : { options: 'others than are read' }),
): CommandRow => row as CommandRow;

/** The options of a command, in the words of its help. */
export const optionsOf = ({ options }: Pick<CommandRow, 'options'>): Option[] =>
  options.map((taken) => {
    if (typeof taken === 'string') return OPTIONS[taken];
    const [name, about, written] = taken;
    const [flags, , ...value]: Option = OPTIONS[name];
    return [written ?? flags, about, ...value];
  });

export const takes = ({ options }: Pick<CommandRow, 'options'>, name: OptionName): boolean => options.includes(name);

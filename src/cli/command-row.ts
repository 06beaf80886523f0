import { type Flags, OPTIONS, type Option, type OptionName } from './options.js';
import type { Terminal } from './terminal.js';

/** An option of the table, by name. A command that gives it a narrower meaning, or another form of value, describes it in its own words. */
export type TakenOption<Name extends OptionName = OptionName> = Name | readonly [Name, about: string, written?: string];

interface RowOf<Name extends OptionName, Read> {
  readonly usage: string;
  readonly about: string;
  readonly arguments?: Readonly<Record<string, string>>;
  /** In the order of the help. */
  readonly options: readonly TakenOption<Name>[];
  readonly notes: string;
  /** Imports the command's module; called only when the command runs. */
  load(): Promise<(args: readonly string[], flags: Read, terminal: Terminal) => Promise<number>>;
}

/** One command: its usage, its options and the function that runs it. */
export interface CommandRow extends Omit<RowOf<OptionName, never>, 'load'> {
  load(): Promise<(args: readonly string[], flags: never, terminal: Terminal) => Promise<number>>;
}

/** Fails to compile if the command's function reads an option that its row lacks, or reads one as another type than the table gives it. */
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

export const takesOption = ({ options }: Pick<CommandRow, 'options'>, name: OptionName): boolean =>
  options.includes(name);

/** What a program does with its operands. */
type Operands =
  /** The first is the code it runs. */
  | 'code'
  /** They are a command themselves. */
  | 'command'
  /** They are lines of shell. */
  | 'lines'
  /** It changes into that folder. */
  | 'folder'
  /** It prints those files. */
  | 'data'
  /** They are files, or code in its own language. */
  | 'texts'
  /** None of them is code. */
  | 'none';

/** What an option's value is. `line`: of shell; `text`: code in the program's own language; `command`: a command follows; `script`: a name in package.json; `setting`: a name, `=`, and perhaps code; `value`: no code. */
export const OPTION_KINDS = [
  'code',
  'module',
  'folder',
  'line',
  'text',
  'command',
  'script',
  'setting',
  'value',
] as const;
export type Kind = (typeof OPTION_KINDS)[number];

/** How a program is told what to run. Options are names with spaces between. */
export interface ProgramOptions extends Readonly<Partial<Record<Kind, string>>> {
  readonly operands: Operands;
  /** Options without a value. After any other the next word may be a value or the program. */
  readonly flags?: string;
  /** Suffixes that may be added to the name of code. `''`: the name as it is. */
  readonly ends?: readonly string[];
  /** Module names have a separator (`.`) where paths have slashes, and their own suffixes. */
  readonly modules?: { readonly separator: string; readonly ends: readonly string[] };
  /** Where it looks for packages that an option names, and for programs that an operand names. */
  readonly packages?: string;
  readonly binaries?: string;
  /** Files that it reads without being told to. */
  readonly unasked?: readonly string[];
  /** Subcommands, which may come first and do not name code: `uv run x`. */
  readonly verbs?: string;
  /** How many operands come before the command. */
  readonly skips?: number;
  /** Subcommands with which it runs code that is not visible here; `''`: it always does. */
  readonly open?: string;
  /** It reads code from its standard input. */
  readonly stdin?: true;
  /** Options with which it does so even if it is given a file. */
  readonly always?: RegExp;
}

/** The same entry under several names. */
export function every(names: string, program: ProgramOptions): Record<string, ProgramOptions> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]));
}

/** Why a file that a command names cannot run by that: it is only written to, the lock of `flock`, an argument of a script, shown, or looked at. */
export type Use = 'written' | 'lock' | 'argument' | 'shown' | 'seen';

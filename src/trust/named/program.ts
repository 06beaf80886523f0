/** What a program does with its operands. */
type Operands =
  /** The first is the code it runs. */
  | 'code'
  /** They are a command of their own. */
  | 'command'
  /** They are lines of shell. */
  | 'lines'
  /** It goes there. */
  | 'folder'
  /** It prints those files, for whoever reads it. */
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
  /** What may stand behind a name of code. `''`: the name as it is. */
  readonly ends?: readonly string[];
  /** Modules have dots (`.`) or the like where files have slashes, and ends of their own. */
  readonly modules?: { readonly separator: string; readonly ends: readonly string[] };
  /** Where it looks for packages that an option names, and for programs that an operand names. */
  readonly packages?: string;
  readonly binaries?: string;
  /** Files it reads unasked. */
  readonly unasked?: readonly string[];
  /** Words that may come first and name no code: `uv run x`. */
  readonly verbs?: string;
  /** How many operands come before the command. */
  readonly skips?: number;
  /** Words with which it runs what nobody sees here; `''`: it does so always. */
  readonly open?: string;
  /** It reads code from its standard input. */
  readonly stdin?: true;
  /** Options with which it does so whatever it is given. */
  readonly always?: RegExp;
}

/** One entry for programs that are alike. */
export function every(names: string, program: ProgramOptions): Record<string, ProgramOptions> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]));
}

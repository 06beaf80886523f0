/** Why a line is read: for `consent`, to every file that it may run, where a file too many does no harm; or to bind the scripts that it surely runs to their `place`. */
export type Purpose = 'consent' | 'place';

/** What a program does with its operands, the arguments that are not options. */
type OperandKind =
  /** The first operand is the code that it runs. */
  | 'code'
  /** The operands are a command. */
  | 'command'
  /** The operands are lines of shell. */
  | 'lines'
  /** The operand is a folder that it changes into. */
  | 'folder'
  /** The operands are files that it prints. */
  | 'data'
  /** The operands are files, or code in its own language. */
  | 'texts'
  /** No operand is code. */
  | 'none';

/** Kinds of option values. `line`: a line of shell; `text`: code in the program's own language; `command`: a command follows; `script`: a name in package.json; `setting`: a name, `=`, and perhaps code; `value`: not code. */
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

/** How the arguments of a program say what it runs. Lists of options are separated by spaces. */
export interface ProgramOptions extends Readonly<Partial<Record<Kind, string>>> {
  readonly operands: OperandKind;
  /** Options without a value. After any other option, the next word may be its value or the code to run. */
  readonly flags?: string;
  /** Suffixes that the program may add to the name of code. `''`: the name itself. */
  readonly ends?: readonly string[];
  /** How a module name becomes a path: its separator (`.`) is replaced with slashes, and these suffixes are added. */
  readonly modules?: { readonly separator: string; readonly ends: readonly string[] };
  /** The folders in which it looks for packages that an option names and for programs that an operand names. */
  readonly packages?: string;
  readonly binaries?: string;
  /** Files that it reads without being asked to. */
  readonly unasked?: readonly string[];
  /** Subcommands, which may come first and are not names of code: `uv run x`. */
  readonly verbs?: string;
  /** How many operands come before the command. */
  readonly skips?: number;
  /** Subcommands that run code which the command line does not name; `''` if the program always does. */
  readonly open?: string;
  /** The program reads code from its standard input. */
  readonly stdin?: true;
  /** It runs the file that it is given. `checks`: except behind these words, which only read it or test it. */
  readonly scripts?: true;
  readonly checks?: string;
  /** What it reads on standard input are lines of shell. */
  readonly shell?: true;
  /** Its operands are joined to one line, unless it takes only the `first`, or `each` of them is a line. */
  readonly takes?: 'first' | 'each';
  /** A name without a slash or a suffix is a task of the project or a subcommand. */
  readonly tasks?: true;
  /** It is also given settings and environments, which are not scripts. */
  readonly environments?: true;
  /** The suffix of the files of a folder that it runs together. */
  readonly whole?: string;
  /** Its own words with which the program that it starts may have no HOME. */
  readonly cleans?: RegExp;
  /** It also starts commands of the shell itself, in the same shell. */
  readonly builtins?: true;
  /** Options with which it reads standard input even if it is given a file. */
  readonly always?: RegExp;
}

/** Uses one entry for several names, which are separated by spaces. */
export function every(names: string, program: ProgramOptions): Record<string, ProgramOptions> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]));
}

/** Why naming a file in a command does not run it: the file is only written to, a lock for `flock`, an argument of a script, printed, or examined. */
export type FileUse = 'written' | 'lock' | 'argument' | 'shown' | 'seen';

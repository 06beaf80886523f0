import type { FilterReader } from './filters/filter.js';

/**
 * How a program runs commands from its arguments. Options are written as for getopt: `short` lists letters, `long` lists names.
 * A mark after an option says what it takes:
 *
 * | mark | |
 * | --- | --- |
 * | none | nothing |
 * | `:` | a value |
 * | `;` | two values |
 * | `,` | a value or, for other programs of the same entry, nothing |
 * | `?` | a value only if it is attached |
 * | `!` | a value that is a command line |
 * | `*` | a value that may be a command line or the name of a command |
 * | `.` | a value that is a file of commands |
 * | `>` | a value that is a file it writes |
 * | `=` | a value that may be a setting whose value is a command line (`ssh -o ProxyCommand=…`) |
 * | `~` | a value that is only shown or stored |
 * | `^` | a value that is the name of the command, whose other words follow the operands (`docker run --entrypoint`) |
 * | `%` | a value that is split into words, which replace it (`env -S`) |
 * | `$` | nothing, but the first operand is a command line (`sh -c`) |
 * | `<` | nothing, but the program runs its standard input whatever else is given (`sh -s`) |
 * | `@`, `&` | a placeholder for words that are read (`&`: attached or none), as in `xargs -I` |
 * | `/` | nothing, but then no command is run (`command -v`) |
 */
export interface BashProgram {
  readonly short?: string;
  readonly long?: string;
  /** A shell: options may begin with `+`, long ones with one dash (as without `short`), and unlisted options have no value. */
  readonly shell?: true;
  /** How many words precede the command, such as the time of `timeout`. */
  readonly operands?: number;
  /** The operands are absent if an option before the subcommand says so: `ip -all netns exec`. */
  readonly bare?: true;
  /** The operand is a folder; if it is a file instead, it is the command: `direnv exec DIR`. */
  readonly folder?: true;
  /** The first word may consist of option letters without a dash, with the values in the next words: `tar cIf`. */
  readonly bundle?: true;
  /**
   * The words after options and operands. `command`: the words of a command; `line`: words that are joined to a command line;
   * `first`: one command line, then other words; `lines`: each is a command line; `file`: a file of commands; `maybe`: each may
   * be a command line; `anywhere`: a command may begin at any word; `guessed`: the same, but an unknown word is not taken
   * for a command; `shown`: words that are only shown or stored. Default: other words.
   */
  readonly rest?: 'command' | 'line' | 'first' | 'lines' | 'maybe' | 'file' | 'anywhere' | 'guessed' | 'shown';
  /** Words after which a command begins, such as find's `-exec`. `short` says which other letters take a value. */
  readonly after?: string;
  /** All options are known, so a command certainly begins at the first word after them. */
  readonly sure?: true;
  /** The commands that it runs have the programs of a project on their PATH. */
  readonly activates?: true;
  /** The commands that it runs are looked up on an unknown PATH. */
  readonly anyPath?: true;
  /** Without a command it runs its standard input. */
  readonly input?: true;
  /** It adds words that it reads or finds to the command, as xargs and find do. */
  readonly fills?: true;
  /** Any of its words may contain a command line in a syntax of its own, such as tar's `--checkpoint-action=exec=…`. */
  readonly reads?: true;
  /** Words that match name a file that it writes, in the first group: dd's `of=…`. */
  readonly targets?: RegExp;
  /** Finds the files that it writes in its words, which are of a grammar of their own. */
  readonly filter?: FilterReader;
  /** `last`: it copies the other operands to the last one. `some`: all to unknown names. RegExp: an option to change them in place. */
  readonly moves?: 'last' | 'some' | RegExp;
  /** Option letters that take a value; the value of `t` is the folder to which all operands are copied. */
  readonly takes?: string;
  /** Files from which it reads commands by default. */
  readonly unasked?: string;
  /** The text that it shows may be redirected to a file. */
  readonly writes?: true;
  /** The commands that it runs are not in the line. */
  readonly hidden?: true;
  /** Entries by the first operand, as for `docker exec`. `*`: for any other one. */
  readonly under?: Readonly<Record<string, BashProgram>>;
  /** It may run commands only if one of its words matches; otherwise they are `shown`. */
  readonly only?: RegExp;
}

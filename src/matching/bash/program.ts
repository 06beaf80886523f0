/**
 * How a program runs commands that it is given. Options are written as getopt has them, `short` letter by letter,
 * `long` name by name; what stands behind one says what it takes:
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
 * | `^` | a value that is the name of the command, whose words come behind the operands (`docker run --entrypoint`) |
 * | `%` | a value whose words stand in its place (`env -S`) |
 * | `$` | nothing, and the first operand is a command line (`sh -c`) |
 * | `<` | nothing, and it runs what it reads whatever else is given (`sh -s`) |
 * | `@`, `&` | a value (`&`: attached, or none) that stands for words read: `xargs -I` |
 * | `/` | nothing, and nothing is run (`command -v`) |
 */
export interface BashProgram {
  readonly short?: string;
  readonly long?: string;
  /** Options also begin with a `+`, one dash will do for long ones (as where there is no `short`), and those not listed are taken to have no value. */
  readonly shell?: true;
  /** How many words come before the command: the time of `timeout`. */
  readonly operands?: number;
  /** They may be left out, which an option before the subcommand says: `ip -all netns exec`. */
  readonly bare?: true;
  /** It is a folder; a file in its place is the command: `direnv exec DIR`. */
  readonly folder?: true;
  /** Its first word may be letters of options without a dash, whose values follow one after the other: `tar cIf`. */
  readonly bundle?: true;
  /**
   * What stands behind options and operands. `command`: a command's words; `line`: words that are joined to a command
   * line; `first`: one command line and other things; `lines`: each a command line; `file`: a file of commands;
   * `maybe`: each may be a command line; `anywhere`: a command may begin at any word; `guessed`: the
   * same, but an unknown word there is not taken for one; `shown`: words that are only shown or stored. Default: other things.
   */
  readonly rest?: 'command' | 'line' | 'first' | 'lines' | 'maybe' | 'file' | 'anywhere' | 'guessed' | 'shown';
  /** Words after which a command begins, wherever they are: `-exec` of find. Of the other letters, `short` says which take a value. */
  readonly after?: string;
  /** Its options are known, so that a command certainly begins at the first word behind them. */
  readonly sure?: true;
  /** The programs of a project are on the path of what it runs. */
  readonly activates?: true;
  /** What it runs is looked up on a path that is not known. */
  readonly anyPath?: true;
  /** Without a command it runs its standard input. */
  readonly input?: true;
  /** It adds words that it reads or finds to the command. */
  readonly fills?: true;
  /** Any word of it may hold a command line in its own way: `--checkpoint-action=exec=…` of tar. */
  readonly reads?: true;
  /** Of each word that fits, the part in the brackets is a file that it writes: `of=…` of dd. */
  readonly targets?: RegExp;
  /** It copies its first operands to the last one, or all to files of `some` other names, or changes each of them if it has such an option. */
  readonly moves?: 'last' | 'some' | RegExp;
  /** Letters of its options that take a value; that of `t` is the folder to which all operands go. */
  readonly takes?: string;
  /** Files from which it takes commands without being told to. */
  readonly unasked?: string;
  /** The text that it is told to show may go to a file. */
  readonly writes?: true;
  /** What it runs is not visible in the line. */
  readonly hidden?: true;
  /** By the first operand: `docker exec`. `*`: if it is none of the others. */
  readonly under?: Readonly<Record<string, BashProgram>>;
  /** This applies only if one of its words looks like this; otherwise they are `shown`. */
  readonly only?: RegExp;
}

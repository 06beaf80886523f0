import type { FilterReader } from './filters/filter.js';
import type { Move } from './moves.js';
import type { KnownWord } from './words.js';

/** How a command uses its words. Numbers are word indexes. */
export interface OptionUse {
  /** How many words have been read to find this out. */
  looked?: number;
  /** Where commands begin. */
  runs: number[];
  /** From this index on, any word may begin a command. */
  anywhere?: number;
  /** Where commands may begin; unknown words there do not count. */
  guessed?: readonly number[];
  /** Each is a command line that it runs. */
  lines: (readonly KnownWord[])[];
  /** Each may be a command line or the name of a command. */
  maybe: KnownWord[];
  /** `told`: lines that it certainly runs, such as in `split --filter=…`. `given`: the files that it may give them. */
  told?: string[];
  given?: readonly string[];
  /** It runs its standard input. */
  input?: true;
  /** It runs a file. */
  file?: true;
  /** The files that it runs or reads commands from. */
  files?: string[];
  /** The files that it writes, and those that it copies or changes. */
  targets?: KnownWord[];
  moves?: readonly Move[];
  /** Finds further files that it writes. */
  filter?: { readonly read: FilterReader; readonly words: readonly KnownWord[] };
  /** It runs commands that are not in the line. */
  hidden?: true;
  /** Its words end where a command should follow. */
  ends?: true;
  /** A placeholder: words that it reads replace this text, or are appended. */
  hole?: string;
  /** The words that replace the command, as with `env -S`. */
  instead?: readonly KnownWord[];
  /** Words that are options with a value that is not a command: `--ignore=rm`. */
  readonly plain: Set<number>;
  /** Words that it only shows or stores. */
  readonly shown: Set<number>;
  /** It only shows or stores its words and its input. */
  shows?: true;
  /** It may write its words to a file. */
  writes?: true;
  /** The program is unknown, so it may run its words or its input. */
  stranger?: true;
  /** It may be a shell that runs its standard input. */
  shell?: true;
  /** The commands that it runs have the programs of a project on their PATH. */
  activates?: true;
  /** The command begins at this index, unless the word is a folder. */
  unlessFolder?: number | undefined;
  /** The commands that it runs are looked up on an unknown PATH. */
  anyPath?: true;
  /** Its words may contain command lines. */
  reads?: true;
}

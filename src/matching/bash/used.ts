import type { Move } from './moves.js';
import type { KnownWord } from './words.js';

/** How a command uses its words. Numbers are indexes of words. */
export interface OptionUse {
  /** How many words have been read for it. */
  looked?: number;
  /** Where commands begin. */
  runs: number[];
  /** From this index on, any word may begin a command. */
  anywhere?: number;
  /** Where commands may begin, if the words there are known. */
  guessed?: readonly number[];
  /** Each is a command line that it reads. */
  lines: (readonly KnownWord[])[];
  /** Each may be a command line, or the name of a command. */
  maybe: KnownWord[];
  /** Those that it certainly runs: `split --filter=…`, and the files that it may give them. */
  told?: string[];
  given?: readonly string[];
  /** It runs what it reads. */
  input?: true;
  /** It runs a file. */
  file?: true;
  /** The files that it runs, or takes its commands from. */
  files?: string[];
  /** The files that it writes, and those that it copies or changes. */
  targets?: KnownWord[];
  moves?: readonly Move[];
  /** It runs commands that are not to be seen here. */
  hidden?: true;
  /** Its words end before those that it runs. */
  ends?: true;
  /** Words that it reads replace this text, and are appended to the others. */
  hole?: string;
  /** The words that replace it: those of `env -S`. */
  instead?: readonly KnownWord[];
  /** Words that are options with values that are no commands: `--ignore=rm`. */
  readonly plain: Set<number>;
  /** Words that it only shows or stores. */
  readonly shown: Set<number>;
  /** It only shows or stores, also what it reads. */
  shows?: true;
  /** It may write them to a file. */
  writes?: true;
  /** Nothing is known about it, except that it may run its words, or what it reads. */
  stranger?: true;
  /** It may be a shell that reads commands. */
  shell?: true;
  /** The programs of a project are on the path of what it runs. */
  activates?: true;
  /** The command begins at this index, if that is no folder. */
  unlessFolder?: number | undefined;
  /** What it runs is looked up on a path that is not known. */
  anyPath?: true;
  /** Its words may hold command lines. */
  reads?: true;
}

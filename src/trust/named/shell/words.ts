import type { ShellCommand, ShellWord, WordPart } from './word.js';
import { WordReader } from './word-reader.js';

/**
 * Splits a command line into commands and words, for any POSIX shell. It is lenient: an unclosed quote or bracket ends at the end of
 * the text. Takes linear time.
 */
export function shellCommands(line: string): ShellCommand[] {
  return new WordReader(line).commands();
}

/** A line, and what in it shells may read in different ways. */
interface ShellReading {
  readonly commands: readonly ShellCommand[];
  readonly unclear: readonly string[];
  /** The commands as shells read them that find the end of a substitution by its quotes and brackets, if they are others. */
  readonly plain: readonly ShellCommand[] | undefined;
}

/** Splits a command line in each way in which shells may. */
export function shellReading(line: string): ShellReading {
  const reader = new WordReader(line);
  const commands = reader.commands();
  const plain = line.includes('(') ? new WordReader(line, true).commands() : commands;
  const isSame = plain === commands || JSON.stringify(plain) === JSON.stringify(commands);
  return { commands, unclear: [...reader.unclear], plain: isSame ? undefined : plain };
}

/** Reads a whole text as one word, such as the operand in `${NAME:-word}`. */
export function shellWord(text: string): ShellWord {
  return new WordReader(text).word(true);
}

/** Reads a text in which only `$`, backquotes and backslashes mean something: a here-document or arithmetic. */
export function shellText(text: string): readonly WordPart[] {
  return new WordReader(text).expansions();
}

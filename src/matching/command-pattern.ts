import { type BashCommands, readBash } from './bash/bash.js';
import { beginsIn, longestIn } from './bash/texts.js';
import type { CommandText } from './bash/words.js';
import { plainCommands } from './plain-line.js';
import { compileWildcard } from './wildcard.js';

/**
 * Compiles a pattern for Bash commands, such as `git push`, `npm run *`, `git:*` or `* --version`. A ` *` or `:*` at the end requires
 * a word boundary: `ls *` matches `ls` and `ls -la` but not `lsof`. A line matches if it cannot be known what it runs.
 */
export function compileCommandPattern(pattern: string): (command: unknown) => boolean {
  const text = pattern.endsWith(':*') ? `${pattern.slice(0, -2)} *` : pattern;
  if (text === '*' || text === ' *') return () => true;
  const whole = compileWildcard(text);
  const bare = text.endsWith(' *') ? text.slice(0, -2) : undefined;
  const nothingMore = bare === undefined ? () => false : compileWildcard(bare);
  const [start = ''] = text.split('*', 1);
  const isIn = beginsIn(text, whole);
  const isAlone = bare === undefined ? () => false : beginsIn(bare, nothingMore);
  const longest = longestIn(bare ?? text);
  const onlyNames = !/\s/.test(bare ?? text);

  const [name] = /^[^\s*]+(?=\s|$)/.exec(text) ?? [];

  // Whether a command of which only this beginning is known may match.
  const mayMatch = (sure: string): boolean =>
    start.startsWith(sure) || (text.includes('*') ? sure.startsWith(start) : sure.trimEnd() === start);
  const matches = ({ text: command, sure }: CommandText): boolean =>
    whole(command) || nothingMore(command) || (sure !== undefined && start !== '' && mayMatch(sure));

  return (command) => {
    const reading: BashCommands | undefined = typeof command === 'string' ? readBash(command) : undefined;
    if (reading === undefined || (reading.expands && !onlyNames)) return true;
    if (reading.commands.some(matches)) return true;
    for (const { mayBe, rest } of reading.globs.values())
      if (name !== undefined && mayBe(name) && matches(commandOf(name + rest))) return true;
    const { all, pieces } = reading.texts;
    return all.includes(longest) && pieces.some((piece) => isIn(piece) || isAlone(piece));
  };
}

/** Tests whether a pattern, for Bash or PowerShell, certainly covers every command of a line. For rules that permit. */
export function coversCommands(pattern: string): (command: unknown, tool: string) => boolean {
  const text = pattern.endsWith(':*') ? `${pattern.slice(0, -2)} *` : pattern;
  const tests = [text, ...(text.endsWith(' *') ? [text.slice(0, -2)] : [])].map(compileWildcard);
  const isMeant = (command: string): boolean => tests.some((test) => test(command));
  return (command, tool) => {
    if (typeof command !== 'string') return false;
    if (text === '*' || text === ' *') return true;
    // For PowerShell, only plain words are accepted, because most other characters have a meaning.
    if (tool === 'PowerShell') return /^[\w.:\\/ -]+$/.test(command) && isMeant(command.trim());
    return plainCommands(command)?.every(({ written, words }) => isMeant(written) && isMeant(words)) ?? false;
  };
}

/** Sample texts for the first star of a pattern and for the others: words, and texts with quotes for patterns that have quotes. */
const FILLS: readonly (readonly [first: string, other: string])[] = [
  ['x', 'x'],
  ['', ''],
  ...['"\'"', `'"'`, '\\"', "\\'", '\\\\', '\\""', "'\\'"].map((fill) => [fill, fill] as const),
  ...["'", '"'].flatMap((quote) => [[`${quote}x`, `x${quote}`] as const, [`x ${quote}x`, `x${quote}`] as const]),
];

/** Whether a pattern can cover any Bash line. A pattern with quotes rarely can, and one with an assignment never. */
export function mayCoverCommands(pattern: string): boolean {
  const covers = coversCommands(pattern);
  const [start = '', ...more] = pattern.replace(/:\*$/, ' *').split('*');
  return FILLS.some(([first, other]) =>
    covers(
      more.reduce((line, text, i) => line + (i === 0 ? first : other) + text, start),
      'Bash',
    ),
  );
}

/** What follows a `$` is unknown. */
function commandOf(text: string): CommandText {
  const end = text.indexOf('$');
  return { text, sure: end === -1 ? undefined : text.slice(0, end) };
}

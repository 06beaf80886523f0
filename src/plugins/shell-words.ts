/** One word of a command line: its text with quotes taken off, variables left as `$NAME` in it. */
export interface ShellWord {
  readonly text: string;
  /** It begins a command: after the start of the line, `;`, `|`, `&`, `(` or a newline. */
  readonly first: boolean;
  /** It goes on from a `$(…)` or backticks: what stands before it is known only when it runs. */
  readonly joined: boolean;
  /** It stands behind a `>`: the command writes it and does not read it. */
  readonly written: boolean;
}

const SEPARATORS = new Set([';', '|', '&', '(', ')', '\n', '`']);
const SPACES = new Set([' ', '\t', '\r', '<', '>']);

/**
 * Splits a command line into everything that may be a word in it, for any POSIX shell. It does not need to be right about what the
 * shell would run, only to miss no word: `$(…)` and backticks are looked into, an unclosed quote ends with the text.
 */
export function shellWords(line: string): ShellWord[] {
  const words: ShellWord[] = [];
  let text = '';
  let inWord = false;
  let first = true;
  let joined = false;
  let written = false;
  let quote: string | undefined;
  const end = (): void => {
    if (inWord) {
      words.push({ text, first, joined, written });
      first &&= written;
      written = false;
    }
    joined = false;
    text = '';
    inWord = false;
  };
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string;
    if (char === '\\' && quote !== "'" && i + 1 < line.length) {
      const next = line[++i] as string;
      // Within double quotes most characters keep their backslash.
      if (next !== '\n') text += quote === '"' && !'$`"\\'.includes(next) ? `\\${next}` : next;
      inWord ||= next !== '\n';
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else text += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      inWord = true;
    } else if (SEPARATORS.has(char)) {
      end();
      first = true;
      // `>|` writes, `>(` and `>&` do not.
      written &&= char === '|' && line[i - 1] === '>';
      joined = char === ')' || char === '`';
    } else if (SPACES.has(char)) {
      end();
      joined = false;
      // `x=>y` is no shell's.
      if (char === '>') written = !/[=-]/.test(line[i - 1] ?? '');
      else if (char === '<') written = false;
    } else {
      text += char;
      inWord = true;
    }
  }
  end();
  return words;
}

import type { SyntaxNode, Word, WordPart } from 'unbash';
import { readPatchesWith } from '../events/named-files.js';
import { loadedOr } from '../values/not-loaded.js';
import { isObject } from '../values/shape.js';
import { forEachChild, parse, readBash } from './bash/bash.js';
import { nameTest } from './bash/glob-name.js';
import { isTooLong, isTooNested } from './bash/reading.js';
import { withoutBraces } from './bash/words.js';
import { compileCommandPattern } from './command-pattern.js';
import { compileWildcard } from './wildcard.js';

/** Both names of the program that applies patches. */
const NAMES = ['apply_patch', 'applypatch'];
let runsProgram: readonly ((line: string) => boolean)[] | undefined;

readPatchesWith((line) =>
  loadedOr(() => runsIn(line), true, 'a Bash command with a pattern or a variable counts as an edit of any file'),
);

function runsIn(line: string): boolean | undefined {
  if (readBash(line) === undefined) return mayName(line) || undefined;
  runsProgram ??= NAMES.map((name) => compileCommandPattern(`${name} *`));
  return runsProgram.some((runs) => runs(line));
}

/** Parts that a shell replaces: `[h]`, `{h,x}`, `${A}`, `$A`, `$(a)`, `$'\x68'`, `*`. */
const FILLED =
  /\[[^\]\s]*\]|\{[^{}\s]*\}|\$[({][^)}\s]*[)}]|\$\w+|`[^`\s]*`|\\(?:x[\da-f]{1,2}|[0-7]{1,3}|.)|[$*?{}()`'"]/gi;
/** A word must contain at least this many letters of the program's name. */
const FEWEST = 4;
/** Longer words are not names. */
const LONGEST = 200;

/** Longer lines are not parsed, however they are nested. */
const LONGEST_NESTED = 10_000;
/** How deep command lines within words are examined. */
const DEEPEST = 3;
/** The budget for what a line says more than once, in characters: expansions in one another, lines in words, and possible names. */
const MAX_READ = 60_000;
/** The cost of comparing a name with a pattern, in characters. */
const NAME_COST = 40;

class SpentError extends Error {}

/** Bounds the work for a line, because nested expansions are each as long as the rest of the line. */
class ReadingBudget {
  #left = MAX_READ;
  readonly #seen = new Map<string, number>();

  /** Throws if the budget is used up. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new SpentError();
  }

  /** Whether the text has not yet been read at this depth or above. */
  isNew(text: string, depth: number): boolean {
    const seen = this.#seen.get(text);
    if (seen !== undefined && seen <= depth) return false;
    this.#seen.set(text, depth);
    return true;
  }
}

/** Whether a word of the line may become the program's name. If it takes too long to know, it may. */
function mayName(line: string): boolean {
  try {
    return mayNameIn(line, 0, new ReadingBudget());
  } catch (error) {
    if (error instanceof SpentError) return true;
    throw error;
  }
}

/** Words are taken as the shell parses them, also in quotes, and as they are written, for a line that cannot be parsed. */
function mayNameIn(line: string, depth: number, budget: ReadingBudget): boolean {
  if (!budget.isNew(line, depth)) return false;
  // The line itself is read once, however long it is.
  if (depth > 0) budget.spend(line.length);
  const words: string[] = [];
  if (!isTooLong(line) && depth < DEEPEST) {
    for (const made of wordsMade(line, budget)) {
      if (isNameMade(made, budget)) return true;
      if (/\s/.test(made.text)) words.push(made.text);
    }
  } else if (line.length <= LONGEST_NESTED && isTooNested(line)) return true;
  return words.some((word) => mayNameIn(word, depth + 1, budget)) || mayNameAsWritten(line, budget);
}

/** A word. In `pattern`, globs are kept and other expansions are replaced by a star. */
interface MadeWord {
  readonly text: string;
  readonly pattern: string;
  /** Whether the word has expansions, or is a pattern only for an inner shell to which it is passed in quotes. */
  readonly isFilled: boolean;
}

/** The words of a line and the texts of its here-documents. */
function wordsMade(line: string, budget: ReadingBudget): MadeWord[] {
  const words: MadeWord[] = [];
  const unvisited: SyntaxNode[] = parsed(line);
  const addText = (text: string): void => {
    words.push({ text, pattern: text, isFilled: false });
  };
  for (let node = unvisited.pop(); node !== undefined; node = unvisited.pop()) {
    // The parser reads a word again for its parts, and a part for its script.
    if (node.type === 'Word') {
      budget.spend(node.end - node.pos);
      words.push(wordMade(node));
    }
    if (node.type === 'HereDoc') addText(node.body.text);
    forEachChild(node, (child) => {
      unvisited.push(child);
    });
  }
  return words;
}

function parsed(line: string): SyntaxNode[] {
  try {
    return [parse(line)];
  } catch (error) {
    // The parser is recursive and may overflow the stack.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function wordMade({ value, parts }: Word): MadeWord {
  if (parts === undefined) return { text: value, pattern: value, isFilled: false };
  const made = parts.map(partMade);
  return {
    text: value,
    pattern: made.join('').replaceAll(FILL, '*'),
    isFilled: made.some((one) => one.includes(FILL)) || parts.some(isQuotedPattern),
  };
}

/** Characters of globs, braces and escapes. */
const SIGNS = /[*?[{\\]/;
const isQuotedPattern = ({ type, text }: WordPart): boolean => /Quoted|String/.test(type) && SIGNS.test(text);

const FILL = '\0';
function partMade(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(partMade).join('');
    case 'Glob':
    case 'BraceExpansion':
      return part.text;
    default:
      return FILL;
  }
}

/** Whether a word with a pattern may be the program's name. For a plain glob one letter is enough: the shell looks it up. */
function isNameMade({ pattern, isFilled }: MadeWord, budget: ReadingBudget): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (name.length > LONGEST || !/[*?[{]/.test(name)) return false;
  const known = isFilled ? name.replace(/\[[^\]]*\]/g, '') : name;
  const letters = known.replace(/\W/g, '');
  if (letters.length < (isFilled ? FEWEST : 1)) return false;
  const outside = name.replace(/\[[^\]]*\]|\{[^}]*(?:,|\.\.).*\}/gs, '').replace(/\W/g, '');
  if (!NAMES.some(holds(outside))) return false;
  budget.spend(NAME_COST);
  return (withoutBraces(name) ?? [name.replace(/\{.*\}/s, '*')]).some((one) => NAMES.some(nameTest(one)));
}

/** Like `mayName`, for words as they are written between blanks and operators. */
function mayNameAsWritten(line: string, budget: ReadingBudget): boolean {
  const names = [...new Set(line.split(/[\s;|&<>]+/))].flatMap((word) => {
    const name = word.slice(word.lastIndexOf('/') + 1);
    return name.length > LONGEST ? [] : (withoutBraces(name) ?? [name]);
  });
  return names.some((name) => {
    // A quote does not stand for any text, so it is removed and not replaced by a star.
    const pattern = name.replace(FILLED, (made) => (/^['"]$/.test(made) ? '' : '*'));
    if (!pattern.includes('*')) return NAMES.includes(pattern);
    const letters = pattern.replaceAll('*', '');
    if (letters.length < FEWEST || !NAMES.some(holds(letters))) return false;
    budget.spend(NAME_COST);
    return NAMES.some(compileWildcard(pattern));
  });
}

/** Tests whether a name has these letters, in their order. Most words have others, and finding that out costs little. */
function holds(letters: string): (name: string) => boolean {
  return (name) => {
    let at = 0;
    for (const char of name) if (char === letters[at]) at++;
    return at === letters.length;
  };
}

/** The input field in which another agent's call has a command line that may apply patches. */
export function shellPatch(via: unknown): string | undefined {
  const key = isObject(via) ? via['patches'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

import type { SyntaxNode, Word, WordPart } from 'unbash';
import { readPatchesWith } from '../events/named-files.js';
import { isObject } from '../values/shape.js';
import { forEachChild, parse, readBash } from './bash/bash.js';
import { nameTest } from './bash/glob-name.js';
import { isTooLong } from './bash/reading.js';
import { withoutBraces } from './bash/words.js';
import { compileCommandPattern } from './command-pattern.js';
import { compileWildcard } from './wildcard.js';

/** The program that applies patches, by both of its names. */
const NAMES = ['apply_patch', 'applypatch'];
const RUNS = NAMES.map((name) => compileCommandPattern(`${name} *`));

readPatchesWith((line) =>
  readBash(line) === undefined ? mayName(line) || undefined : RUNS.some((runs) => runs(line)),
);

/** What a shell puts something in the place of: `[h]`, `{h,x}`, `${A}`, `$A`, `$(a)`, `$'\x68'`, `*`. */
const FILLED =
  /\[[^\]\s]*\]|\{[^{}\s]*\}|\$[({][^)}\s]*[)}]|\$\w+|`[^`\s]*`|\\(?:x[\da-f]{1,2}|[0-7]{1,3}|.)|[$*?{}()`'"]/gi;
/** So many letters of its name a word must have. */
const FEWEST = 4;
/** A longer word is none. */
const LONGEST = 200;

/** Lines in lines are looked at so deep. */
const DEEPEST = 3;

/** Whether a word of it may turn out to be the program's name: as the shell has words, also in quotes, and as they stand in a line that it cannot read. */
function mayName(line: string, depth = 0): boolean {
  const words: string[] = [];
  if (!isTooLong(line) && depth < DEEPEST) {
    for (const made of wordsMade(line)) {
      if (isNameMade(made)) return true;
      if (/\s/.test(made.text)) words.push(made.text);
    }
  }
  return words.some((word) => mayName(word, depth + 1)) || mayNameAsWritten(line);
}

/** A word with `pattern` for what bash puts in the place of its parts: a pattern's own signs, and a star for what only the shell knows. */
interface MadeWord {
  readonly text: string;
  readonly pattern: string;
  /** Some of it only the shell knows, or it is one only to a shell that is given it. */
  readonly isFilled: boolean;
}

/** The words of a line that have something that the shell makes, and its other texts. */
function wordsMade(line: string): MadeWord[] {
  const words: MadeWord[] = [];
  const unvisited: SyntaxNode[] = parsed(line);
  const addText = (text: string): void => {
    words.push({ text, pattern: text, isFilled: false });
  };
  for (let node = unvisited.pop(); node !== undefined; node = unvisited.pop()) {
    if (node.type === 'Word') words.push(wordMade(node));
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
    // The parser recurses.
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

/** Signs of a pattern, or of an escape. */
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

/** Of a pattern of files any letter will do: it is one that the shell looks up. */
function isNameMade({ pattern, isFilled }: MadeWord): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (name.length > LONGEST || !/[*?[{]/.test(name)) return false;
  const known = isFilled ? name.replace(/\[[^\]]*\]/g, '') : name;
  const letters = known.replace(/\W/g, '');
  if (letters.length < (isFilled ? FEWEST : 1)) return false;
  return (withoutBraces(name) ?? [name.replace(/\{.*\}/s, '*')]).some((one) => NAMES.some(nameTest(one)));
}

/** The same of a word between two blanks. */
function mayNameAsWritten(line: string): boolean {
  const names = line.split(/[\s;|&<>]+/).flatMap((word) => {
    const name = word.slice(word.lastIndexOf('/') + 1);
    return name.length > LONGEST ? [] : (withoutBraces(name) ?? [name]);
  });
  return names.some((name) => {
    // A quote is nothing itself; it may end a text that is a line.
    const pattern = name.replace(FILLED, (made) => (/^['"]$/.test(made) ? '' : '*'));
    return pattern.replaceAll('*', '').length >= FEWEST && NAMES.some(compileWildcard(pattern));
  });
}

/** Where the payload of another agent has lines in which patches may be applied. */
export function shellPatch(via: unknown): string | undefined {
  const key = isObject(via) ? via['patches'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { runsOthers, useOf } from './bash-runners.js';
import { isHole, type KnownWord, type Text, textsOf, wordsOf } from './bash-words.js';

/** What a Bash command runs, as far as it can be told without running it. */
export interface Reading {
  /** Every command in it: as written, and as its words are after quoting, wrappers taken off. */
  readonly commands: readonly Text[];
  /** It holds `$VAR`, `$()`, backticks or the like: words that are known only when it runs. */
  readonly expands: boolean;
}

/** Longer commands are not read: parsing nested ones is not linear. */
const MAX_LENGTH = 10_000;
/** Characters read in all, with what `eval` and `sh -c` are given; each may hold the next. */
const MAX_READ = 40_000;

let last: { source: string; reading: Reading | undefined } | undefined;

/**
 * Reads a Bash command. Undefined: nobody can tell what it runs (it does not parse, is too long, its command's name is
 * an expansion, a shell reads its input). Takes off leading assignments; looks into lists, pipes, subshells, functions,
 * substitutions, here-documents, `eval` and `sh -c`.
 */
export function readBash(source: string): Reading | undefined {
  // Several rules look at the same call in turn.
  if (last?.source !== source) last = { source, reading: read(source) };
  return last.reading;
}

/** Thrown to leave a reading that has met what it cannot know. */
class Unknowable extends Error {}

function read(source: string): Reading | undefined {
  const found = { commands: [{ text: source.trim() }] as Text[], expands: false, read: 0 };
  try {
    readScript(source, found);
    return found;
  } catch (error) {
    // The parser recurses, so nesting it does not count itself ends in a RangeError.
    if (error instanceof Unknowable || error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Found {
  readonly commands: Text[];
  expands: boolean;
  read: number;
}

const EXPANSIONS: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
]);

function readScript(source: string, found: Found): void {
  found.read += source.length;
  if (source.length > MAX_LENGTH || found.read > MAX_READ || source.includes('\0')) throw new Unknowable();
  // A stack of our own: a tree may be deeper than the engine's.
  const unvisited: [node: SyntaxNode, source: string][] = [[parse(source), source]];
  for (let next = unvisited.pop(); next !== undefined; next = unvisited.pop()) {
    const [node, text] = next;
    let within = text;
    if (node.type === 'Script') {
      if (node.errors !== undefined && node.errors.length > 0) throw new Unknowable();
      within = node.source ?? text;
    } else if (node.type === 'Command' && node.name !== undefined) {
      found.commands.push({ text: text.slice(node.name.pos, node.end) });
      readWords(wordsOf(node), found);
    } else if (EXPANSIONS.has(node.type)) {
      found.expands = true;
    }
    forEachChild(node, (child) => unvisited.push([child, within]));
  }
}

/** Adds a command, and those that it runs in turn: `sudo timeout 5 git push` is git push too. */
function readWords(words: readonly KnownWord[], found: Found): void {
  const text = textsOf(words);
  /** Where a command begins: for sure, or perhaps, in words that a runner was given. */
  const starts = new Map<number, 'sure' | 'perhaps'>([[0, 'sure']]);
  let everywhere = false;
  for (const [at, start] of starts) {
    const name = words[at];
    if (name === undefined) continue;
    if (name.sure !== undefined && (start === 'sure' || mayBeName(words, at))) throw new Unknowable();
    if (start === 'perhaps' && (name.sure !== undefined || /^-|^\{\}$/.test(name.text))) continue;
    found.commands.push(...text(at, start === 'perhaps'));
    const use = useOf(words, at);
    if (use.hidden) throw new Unknowable();
    if (use.runs !== undefined) starts.set(use.runs, start);
    if (use.mayRun && !everywhere) {
      // Once: the words of a later runner are among those of the first.
      everywhere = true;
      for (let next = at + 1; next < words.length; next++) starts.set(next, 'perhaps');
    }
    for (const line of use.reads ?? []) {
      if (start === 'perhaps' && isFilledIn(line, words)) throw new Unknowable();
      readLine(line, found);
    }
  }
}

/** `xargs -I% sh -c %`: a runner puts its input into the line. */
function isFilledIn(line: readonly KnownWord[], words: readonly KnownWord[]): boolean {
  return line.some((word) => isHole(word)) || words.some((word) => /^(?:-[iI]|--replace)/.test(word.text));
}

/** In a runner's words, an unknown one may be the command if it comes early or after an option (`-exec $TOOL`). */
function mayBeName(words: readonly KnownWord[], at: number): boolean {
  if (words[at - 1]?.text.startsWith('-')) return true;
  const given = words.slice(0, at);
  const runner = given.findLastIndex((word) => runsOthers(word.text));
  return given.slice(runner + 1).filter((word) => !/^-|^\w+=/.test(word.text)).length <= 1;
}

function readLine(words: readonly KnownWord[], found: Found): void {
  if (words.some((word) => word.sure !== undefined)) throw new Unknowable();
  readScript(words.map((word) => word.text).join(' '), found);
}

import { type Command, forEachChild, parse, type SyntaxNode } from 'unbash';
import { mayHold, noteGiven, readAssignment, readWords } from './command.js';
import { addFiles, clearFiles, noFiles, noteNamed, noteRedirects, runsPieces } from './files.js';
import { addGlobs } from './globs.js';
import { expandedLater, expandsAgain, isExpanded, mayExpandAgain, readingsOf } from './guess.js';
import { changesInput, commandsOf, inputOf, writesWords, writtenIn } from './input.js';
import { noteHeld } from './moves.js';
import {
  type BashReading,
  type BashScript,
  COST,
  type CommandInput,
  type GlobbedCommand,
  isSpent,
  isSurer,
  isTooLong,
  newReading,
  noteGuess,
  passOver,
  readTop,
  type ScriptContext,
  SPARED,
  type Surety,
  spend,
  spendText,
  UnknowableError,
  UnreadableError,
} from './reading.js';
import { addTexts, type SearchedTexts, searchedTexts } from './texts.js';
import { type CommandText, hiddenIn, knownWord, wordsOf } from './words.js';

/** The parser, for modules that read a line in another way. */
export { forEachChild, parse };

/** The commands that a Bash command line may run, as far as is known without running it. */
export interface BashCommands {
  /** Every command in the line: as written, and with quotes and wrapper programs removed. */
  readonly commands: readonly CommandText[];
  /** Texts that are searched for further commands. */
  readonly texts: SearchedTexts;
  /** Commands in such texts whose names are globs. */
  readonly globs: ReadonlyMap<string, GlobbedCommand>;
  /** Whether the line has expansions such as `$VAR`, `$()` or backticks, which are only known when it runs. */
  readonly expands: boolean;
}

let last: { source: string; reading: BashCommands | undefined } | undefined;

/**
 * Reads a Bash command line. Returns undefined if it cannot be known what the line runs: it does not parse, is too long, the name of
 * a command is an expansion, or a shell reads another command's output. Removes leading assignments. Looks into lists, pipes,
 * subshells, functions and substitutions, and into the arguments of the programs that run commands according to `programs.ts`.
 */
export function readBash(source: string): BashCommands | undefined {
  // Cached, because several rules read the same call in turn.
  if (last?.source !== source) last = { source, reading: read(source) };
  return last.reading;
}

function read(source: string): BashCommands | undefined {
  const found = newReading(source, noFiles());
  try {
    readAll({ text: source, input: undefined, hole: undefined }, found);
    if (found.readsInput && found.changesInput) return undefined;
    if (runsPieces(found)) return undefined;
    guess(found);
    if ([...found.evaluated].some((name) => found.defined.has(name))) return undefined;
    // Asked again, because guessed commands may write and run files too.
    return runsPieces(found) ? undefined : { ...found, texts: searchedTexts(found.texts) };
  } catch (error) {
    // The parser is recursive, so deep nesting may end in a RangeError.
    if (error instanceof UnknowableError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads a script, and the scripts that its commands are given. Returns whether it is shell code. */
function readAll(script: BashScript, found: BashReading): boolean {
  let isCode = true;
  let isCut = false;
  found.scripts.push(script);
  for (let next = found.scripts.pop(); next !== undefined; next = found.scripts.pop()) {
    try {
      readScript(next, found);
    } catch (error) {
      passOver(error, found);
      if (next === script && (error instanceof UnreadableError || error instanceof RangeError)) isCode = false;
      // A shell runs the lines before it.
      const before = error instanceof UnreadableError && !isCut ? error.before(next.text) : '';
      if (before !== '') found.scripts.push({ ...next, text: before });
      isCut = true;
    }
  }
  return isCode;
}

/** Reads texts that may or may not be run. One that does not parse is ignored. */
function guess(found: BashReading): void {
  const loose: BashReading = { ...found };
  const own = { spent: { read: Math.max(SPARED, found.spent.read) }, guesses: new Map(), said: new Map() };
  const within: BashReading = { ...loose, ...noFiles(), ...own, isLenient: true };
  const seen = new Map<string, Surety>();
  // Reading one text may add others, and may show that printed words are run.
  for (;;) {
    if (runsPieces(loose)) throw new UnknowableError();
    const runs = loose.runsTexts || loose.runsFiles;
    const texts = [...loose.said].flatMap(([text, sure]): [string, Surety][] =>
      runs ? [[text, sure && loose.runsSurely]] : expandedLater(text, loose).map((one) => [one, false]),
    );
    const fresh = [...loose.guesses, ...texts].filter(([text, surely]) => isSurer(surely, seen.get(text)));
    if (fresh.length === 0) return;
    // Short ones first, so that a long one does not use up the budget.
    fresh.sort(([one], [other]) => one.length - other.length);
    for (const [text, surely] of fresh) {
      seen.set(text, surely);
      loose.isGuess = within.isGuess = !found.lines.has(text);
      if (surely === false) searchIn(text, loose, within);
      else guessAt(text, loose, surely);
    }
  }
}

/** Reads a text whose commands are run (`true`), or only its substitutions (`expanded`). If they are unknown, the whole line is. */
function guessAt(text: string, found: BashReading, surely: 'expanded' | true): void {
  spend(addTexts(text, found) * COST.guess, found);
  // A text that is only expanded here may be a command line for another program: `EDITOR='/bin/r? x;'`.
  if (surely === 'expanded') addGlobs(text, found);
  for (const reading of readingsOf(text)) {
    const isRun = surely === true || isExpanded(reading);
    found.isLenient = !isRun;
    try {
      readAll({ text: reading, input: undefined, hole: undefined }, found);
    } catch (error) {
      found.scripts.length = 0;
      if (isSpent(found) || (isRun && error instanceof UnknowableError && !(error instanceof UnreadableError)))
        throw error;
      if (!(error instanceof UnknowableError || error instanceof RangeError)) throw error;
    }
  }
  found.isLenient = false;
}

/** Reads a text of which it is unknown whether it is shell code. Its commands count, but unknown parts do not make the line unknown. */
function searchIn(text: string, found: BashReading, within: BashReading): void {
  spendText(text, found);
  const isWhole = !isExpanded(text);
  if (isWhole) addTexts(text, found);
  if (isWhole) addGlobs(text, found);
  // Only for arguments: printed text, and code in another language, would only seem to write and run files.
  const isArgument = found.guesses.has(text);
  let isShells = false;
  for (const reading of readingsOf(text)) {
    try {
      if (readAll({ text: reading, input: undefined, hole: undefined }, within)) isShells = true;
    } catch (error) {
      found.scripts.length = 0;
      if (!(error instanceof UnknowableError || error instanceof RangeError)) throw error;
    }
    // What was found before it became unknown counts too.
    if (isArgument) addFiles(within, found);
    clearFiles(within);
  }
  if (!isWhole && !isShells) addTexts(text, found);
  const isCode = isArgument && isShells;
  for (const [one, surely] of within.guesses) noteGuess(one, isCode && surely, found);
  for (const [one, sure] of within.said) found.said.set(one, (isCode && sure) || found.said.get(one) === true);
  within.guesses.clear();
  within.said.clear();
  found.runsTexts ||= within.runsTexts;
  found.runsFiles ||= within.runsFiles;
  found.expandsAgain ||= within.expandsAgain || (isArgument && mayExpandAgain(text));
}

const EXPANSIONS: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
]);
/** If the line redefines such a name, the output of commands is unknown. */
const RENAMED = /\b(?:echo|printf|cat)\s*\(|\bfunction\s+(?:echo|printf|cat)\b/;

function readScript({ text: source, ...around }: BashScript, found: BashReading): void {
  spend(source.length, found);
  if (isTooLong(source) || source.includes('\0')) throw new UnknowableError();
  const renamed = RENAMED.test(source);
  found.isNested = source.trim() !== found.commands[0]?.text;
  const mayHide = /[<>]\(/.test(source);
  // An explicit stack, because a tree may be deeper than the engine's call stack.
  const unvisited: ScriptNode[] = [[parse(source), source, around.input]];
  for (let next = unvisited.pop(); next !== undefined; next = unvisited.pop()) {
    const [node, text, input] = next;
    let within = text;
    let given = input;
    spend(COST.node, found);
    if (!found.expandsAgain && expandsAgain(node)) found.expandsAgain = true;
    try {
      if (node.type === 'Script') within = readTop(node, text);
      else if (node.type === 'Pipeline') {
        for (const [command, own] of commandsOf(node, input, renamed, found)) unvisited.push([command, text, own]);
        continue;
      } else given = readNode(node, text, { ...around, input }, found);
    } catch (error) {
      if (error instanceof UnreadableError && text === source && node.type === 'Script') throw error;
      passOver(error, found);
      if (error instanceof UnreadableError) continue;
    }
    if (EXPANSIONS.has(node.type)) {
      found.expands = true;
      // The parser reads an expansion again for what is in it.
      spendText({ length: node.end - node.pos }, found);
    }
    const own = node.type === 'Command' ? new Set<SyntaxNode | undefined>([node.name, ...node.args]) : undefined;
    forEachChild(node, (child) => {
      const hidden = mayHide ? hiddenIn((child.type === 'HereString' && child.target) || child) : undefined;
      if (hidden !== undefined && !found.isLenient) throw new UnknowableError();
      if (hidden !== undefined) noteGuess(hidden, false, found);
      // A command's words are read together in readCommand, so only their parts are visited here.
      if (own?.has(child)) forEachChild(child, (part) => unvisited.push([part, within, given]));
      else if (child.type === 'HereString') {
        if (child.target) forEachChild(child.target, (part) => unvisited.push([part, within, given]));
      } else unvisited.push([child, within, given]);
    });
  }
}

type ScriptNode = readonly [node: SyntaxNode, source: string, input: CommandInput];

/** Reads what a node says by itself. Returns the input of its parts. */
function readNode(node: SyntaxNode, text: string, around: ScriptContext, found: BashReading): CommandInput {
  switch (node.type) {
    case 'Command':
      readCommand(node, text, found, around);
      break;
    case 'Redirected':
      noteRedirects(node.redirects, () => false, found);
      for (const [written, sure] of writtenIn(node.redirects)) found.said.set(written, sure);
      return inputOf(node.redirects, around.input);
    case 'ProcessSubstitution':
      if (node.operator === '>') return 'unknown';
      break;
    case 'Function':
      found.defined.add(node.name.value);
      return 'unknown';
    case 'Coproc':
      return 'unknown';
    case 'Assignment':
      readAssignment(node.name, node.value.type === 'Word' ? knownWord(node.value) : undefined, found);
      break;
    case 'For':
    case 'Select':
      for (const word of node.wordlist ?? []) noteHeld(node.name.value, knownWord(word), found);
      break;
    case 'Word':
      if (mayHold(knownWord(node))) noteGuess(node.value, 'expanded', found);
      break;
    default:
  }
  return around.input;
}

function readCommand(command: Command, source: string, found: BashReading, around: ScriptContext): void {
  spend(command.redirects.length * COST.redirect, found);
  const input = inputOf(command.redirects, around.input);
  if (changesInput(command)) found.changesInput = true;
  noteRedirects(command.redirects, () => writesWords(command, input), found);
  const written = writtenIn(command.redirects);
  if (command.name === undefined) return;
  for (const one of command.prefix)
    if (one.type === 'Assignment' && one.value.type === 'Word') noteGiven(one.name, knownWord(one.value), found);
  found.commands.push({ text: source.slice(command.name.pos, command.end) });
  const shows = readWords(wordsOf(command), found, { ...around, input })?.shows;
  for (const [text, sure] of written) {
    if (shows) found.said.set(text, sure);
    else {
      noteGuess(text, false, found);
      noteNamed(text, '', found);
    }
  }
}

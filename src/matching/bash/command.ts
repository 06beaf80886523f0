import { noteFiles, noteHanded, noteNamed, noteRan } from './files.js';
import { isOfInterpreter, noteTaken } from './filters/noted.js';
import { addGlobs } from './globs.js';
import { linesIn, mayName } from './guess.js';
import { readsAsShell } from './input.js';
import { bashProgram } from './lookup.js';
import { noteHeld, SOME } from './moves.js';
import {
  COMMAND_SECTIONS,
  EXPANDING,
  FILE_VARIABLES,
  FOLDER_VARIABLES,
  isNoShell,
  isTemplate,
  LINE_VARIABLES,
  PACKAGE_RUNNERS,
  PROGRAM_VARIABLES,
  printsByTemplate,
  RENAMING,
  RENAMING_VARIABLES,
  SAYS_ITSELF,
  VALUE_NAMES,
} from './names.js';
import {
  type BashReading,
  COST,
  lastName,
  noteGuess,
  passOver,
  type ScriptContext,
  spend,
  UnknowableError,
} from './reading.js';
import { addTexts } from './texts.js';
import { runsOthers, useOf } from './use.js';
import type { OptionUse } from './used.js';
import { appendsOne, isFile, isHole, type KnownWord, restOf, textsOf } from './words.js';

/** Whether a word may contain commands, besides its own substitutions, which are read anyway. */
export const mayHold = ({ text, sure, marked = text }: KnownWord): boolean =>
  /`|\$\(/.test(sure === undefined ? text : marked.replace(/\0[^\0]*\0|[\\'"]/g, '')) ||
  (/\s/.test(text) && !/`|\$\(/.test(text));

/** Reads an assignment: a variable may name a command for some program (`PAGER=rm man x`), or a file of commands. */
export function readAssignment(name: string, value: KnownWord | undefined, found: BashReading): void {
  if (RENAMING_VARIABLES.has(name)) throw new UnknowableError();
  found.variables.add(name);
  if (value === undefined) return;
  noteHeld(name, value, found);
  if (LINE_VARIABLES.has(name) && value.sure !== undefined) found.runsTexts = true;
  else if (LINE_VARIABLES.has(name)) noteGuess(value.text, true, found);
  const isFolder = FOLDER_VARIABLES.test(name) && value.text.includes('/');
  if (!isFolder && !VALUE_NAMES.test(name) && !value.text.includes('://')) addNames(value, found);
  if (PROGRAM_VARIABLES.test(name)) {
    noteTaken(value, found);
    // The program gets further words as arguments.
    addGlobs(`${value.text} $`, found);
    if (/^[^\s]*\/[\w.+-]+$/.test(value.text)) found.programs.add(lastName(value.text));
  }
  if (!FILE_VARIABLES.has(name)) return;
  if (!/[/<]|^$/.test(value.text)) {
    // `ENV=test` usually has another meaning, unless the line writes a file of that name.
    const file = value.sure === undefined ? value.text : SOME;
    noteRan(file, name === 'BASH_ENV', found);
    found.handed.add(file);
    return;
  }
  if (!isFile(value)) throw new UnknowableError();
  found.runsTexts = true;
  found.runsFiles = true;
  found.runsSurely = true;
  noteRan(value.text, true, found);
}

/** Notes an exported variable, which may name a file of commands or a program: `GIT_SSH=./s git fetch`. */
export function noteGiven(name: string, value: KnownWord, found: BashReading): void {
  if (!FOLDER_VARIABLES.test(name) && !VALUE_NAMES.test(name)) noteTaken(value, found);
}

/** Adds the commands that one word may name. Texts of several words are guesses instead. */
function addNames(word: KnownWord, found: BashReading): void {
  if (mayHold(word)) return;
  // The commands in a substitution are read separately.
  const [text = ''] = /`|\$\(/.test(word.text) ? (/^\S*/.exec(word.sure ?? '') ?? []) : [word.text];
  spend(addTexts(text, found) * COST.name, found);
}

/** Adds a line that a program reads in its own way. A single name such as the `x` in `--exclude=x` is not parsed. */
function addLine(line: string, found: BashReading): void {
  if (/^[\w.,:@%+-]+$/.test(line) && bashProgram(line) === undefined) addNames({ text: line, sure: undefined }, found);
  else noteGuess(line, true, found);
}

/** Whether a word is an option or setting whose value is not a command: `--features=rm`, `app.kubernetes.io/name=rm`. */
function hasValue(word: string): boolean {
  const [, name = ''] = /^(?:-D|--?)?(?:[\w.-]+[./])?([\w-]+)=[^$`]*$/.exec(word) ?? [];
  return VALUE_NAMES.test(name) && !COMMAND_SECTIONS.test(word);
}

/** A glob and not a command: `--exclude='*.log'`. */
const PATTERN = /^\S*[*?[]/;

type Certainty = 'sure' | 'open' | 'perhaps' | 'guessed';

/**
 * Adds a command, and those that it runs in turn: `sudo timeout 5 git push` also adds `git push`. Returns how the innermost one uses
 * its words.
 */
export function readWords(
  words: readonly KnownWord[],
  found: BashReading,
  around: ScriptContext,
): OptionUse | undefined {
  /** Where commands begin: certainly, with more words to come (`open`), perhaps, or by a guess, which never makes a line unknown. */
  const starts = new Map<number, Certainty>([[0, around.hole === undefined ? 'sure' : 'open']]);
  /** From here on, any word may begin a command. */
  let open = words.length;
  const shown = new Set<number>([0]);
  const plain = new Set<number>();
  let { hole } = around;
  let text = textsOf(words, hole);
  spend(words.length * COST.word, found);
  // Looks that are free of charge. If commands begin at many words, each reads the words after it again.
  let free = words.length * 2;
  let reads = false;
  let last: OptionUse | undefined;
  let program = '';
  let programAt = 0;
  try {
    for (const [at, start] of starts) {
      const name = words[at];
      if (name === undefined) continue;
      const perhaps = start === 'perhaps' || start === 'guessed';
      // Every command has a minimum cost, however short it is.
      spend(perhaps ? COST.guess : COST.command, found);
      if (name.sure !== undefined && start !== 'guessed' && (!perhaps || mayBeName(words, at)))
        throw new UnknowableError();
      if (start === 'open' && isHole(name, hole)) throw new UnknowableError();
      if (perhaps && (name.sure !== undefined || /^-|^\{\}$/.test(name.text))) continue;
      found.commands.push(...text(at, start !== 'sure'));
      const use = useOf(words, at);
      const looks = (use.looked ?? 0) + use.maybe.length + (use.told?.length ?? 0);
      spend(Math.max(0, looks - free) * COST.look, found);
      free = Math.max(0, free - looks);
      if ((use.hidden && start !== 'guessed') || (use.ends && start === 'open')) throw new UnknowableError();
      if (use.hole !== undefined && use.hole !== hole) {
        hole = use.hole;
        text = textsOf(words, hole);
      }
      if (use.unlessFolder !== undefined && words[use.unlessFolder]?.sure === undefined) {
        spend(COST.guess, found);
        found.commands.push(...text(use.unlessFolder, true));
        found.called.add(lastName(words[use.unlessFolder]?.text ?? ''));
      }
      readUse(use, found, { input: around.input, hole: start === 'open' ? hole : undefined });
      const isOne = appendsOne(words[at - 1], words[at - 2]);
      noteFiles(use, words.slice(at), found, { input: around.input, hole, open: start === 'open', isOne });
      if (use.stranger && around.input !== undefined && !perhaps) found.runsTexts = true;
      if (use.shell && around.input !== undefined) found.runsTexts = found.runsSurely = true;
      for (const next of use.runs) starts.set(next, hole === undefined ? start : 'open');
      for (let next = use.anywhere ?? open; next < open; next++) if (!starts.has(next)) starts.set(next, 'perhaps');
      for (const next of use.guessed ?? []) if (!starts.has(next)) starts.set(next, 'guessed');
      open = Math.min(open, use.anywhere ?? open);
      if (perhaps) continue;
      for (const next of use.shown) shown.add(next);
      for (const next of use.plain) plain.add(next);
      reads ||= use.reads === true;
      program = name.text;
      programAt = at;
      last = use.instead === undefined ? use : readWords(use.instead, found, { input: around.input, hole });
    }
  } catch (error) {
    passOver(error, found);
    spend(words.length * COST.look, found);
  }
  readRest(words, { shown, plain }, { found, reads, program, from: programAt + 1, use: last });
  return last;
}

/** Adds the lines and the input that a command runs. `hole`: the placeholder of a runner before it. */
function readUse(use: OptionUse, found: BashReading, { input, hole }: ScriptContext): void {
  for (const line of use.lines) {
    const [, itself] = SAYS_ITSELF.exec(line.map((word) => word.text).join(' ')) ?? [];
    if (itself !== undefined) {
      // Its output is assumed to be harmless, unless the line itself has created a program of that name.
      found.runsFiles = true;
      noteRan(itself, true, found);
      found.evaluated.add(itself);
      continue;
    }
    // `xargs -I% sh -c %`: a runner inserts words that it reads into the line.
    const filled = hole !== undefined && line.some((word) => isHole(word, hole));
    if (filled || line.some((word) => word.sure !== undefined)) throw new UnknowableError();
    const text = line.map((word) => word.text).join(' ');
    found.lines.add(text);
    found.scripts.push({ text, input, hole: use.hole });
  }
  for (const word of use.maybe) if (word.sure === undefined || mayHold(word)) noteGuess(word.text, false, found);
  for (const line of use.told ?? []) {
    noteGuess(line, true, found);
    if (!readsAsShell(line, found)) continue;
    if (input === 'unknown') throw new UnknowableError();
    // The shell may also be given files: the named ones, and those in an archive.
    found.runsFiles = true;
    if (input !== undefined) found.runsTexts = found.runsSurely = true;
    for (const file of [SOME, ...(use.given ?? [])]) noteRan(file, true, found);
  }
  if (!use.input) return;
  if (input === 'unknown') throw new UnknowableError();
  // Set even if the input is a text of the line, because `exec <` may have redirected it since.
  found.readsInput = true;
  // The input of a command in such a script is the rest of the script.
  if (input !== undefined)
    found.scripts.push(...input.map((text) => ({ text, input: 'unknown' as const, hole: undefined })));
}

interface RestContext {
  readonly found: BashReading;
  readonly reads: boolean;
  /** The innermost program, and where its words begin. */
  readonly program: string;
  readonly from: number;
  readonly use: OptionUse | undefined;
}

/** Reads the words that are not commands but may contain some. */
function readRest(
  words: readonly KnownWord[],
  { shown, plain }: { shown: ReadonlySet<number>; plain: ReadonlySet<number> },
  { found, reads, program, from, use }: RestContext,
): void {
  const { writes = false, shows = false, file = false } = use ?? {};
  const said: KnownWord[] = [];
  const expands = EXPANDING.has(words[0]?.text ?? '');
  const exports = words[0]?.text === 'export' || (expands && words.some(({ text }) => /^-\w*x/.test(text)));
  let hasShell = false;
  let interpreter = '';
  let hasRunner = false;
  const fillsIn = printsByTemplate(lastName(program), (at) => words[from + at]?.text);
  let operand = program;
  for (const [at, word] of words.entries()) {
    const [, variable = '', value] = /^(\w+)(?:\[[^\]]*\])?=(.*)$/s.exec(word.text) ?? [];
    const sure = word.sure?.slice(word.text.length - (value ?? '').length);
    const isShown =
      (shown.has(at) && !isOfInterpreter(program, words, at, from)) ||
      (fillsIn && isTemplate(word.text, words[at - 1]?.text ?? ''));
    if (expands && RENAMING.test(word.text)) throw new UnknowableError();
    if (value !== undefined && !isShown) {
      const given = { ...restOf(word, word.text.length - value.length), sure };
      readAssignment(variable, given, found);
      if (exports) noteGiven(variable, given, found);
    } else if (!isShown && !plain.has(at) && mayName(word.text) && !hasValue(word.text)) addNames(word, found);
    if (at > 0 && isShown) said.push(word);
    if (at > 0 && !file && !hasShell) noteNamed(word.text, program, found);
    if (at > 0 && !shows && !expands && !isShown) {
      noteTaken(word, found, at < from ? '' : interpreter || program, words, at);
      // `npx tsx ./a`
      if (isNoShell(word.text)) interpreter = word.text;
      if (!file && interpreter === '')
        noteHanded(word, [program, operand, words[at - 1]?.text ?? ''], hasRunner, found);
      // `npx cross-env A=b ./a`
      if (/^(?:npx|bunx)$/.test(program)) hasRunner ||= PACKAGE_RUNNERS.has(word.text) || runsOthers(word.text);
      if (!word.text.startsWith('-')) operand = word.text;
      // `some-runner bash x.sh`
      if (hasShell) noteRan(word.text, true, found);
      hasShell ||= bashProgram(lastName(word.text))?.shell === true;
    }
    // A single word may contain a line too: `sed s/x/rm/e`.
    if (reads && !isShown && !hasValue(word.text) && (word.sure === undefined || mayHold(word)))
      for (const line of linesIn(word.text)) if (mayHold(word) || !PATTERN.test(line)) addLine(line, found);
    if (!mayHold(word)) continue;
    if (isShown) found.said.set(word.text, writes && word.sure === undefined);
    else noteGuess(word.text, expands && 'expanded', found);
  }
  const sure = writes && said.every((word) => word.sure === undefined);
  if (said.length > 1 || (writes && said.length > 0)) found.said.set(said.map((word) => word.text).join(' '), sure);
}

/** Whether an unknown word in a runner's arguments may be the command: it comes early, or after an option (`-exec $TOOL`). */
function mayBeName(words: readonly KnownWord[], at: number): boolean {
  if (words[at - 1]?.text.startsWith('-')) return true;
  const given = words.slice(0, at);
  const runner = given.findLastIndex((word) => runsOthers(word.text));
  return given.slice(runner + 1).filter((word) => !/^-|^\w+=/.test(word.text)).length <= 1;
}

import { noteFiles, noteHanded, noteNamed, noteRan, noteTaken } from './files.js';
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
  INTERPRETERS,
  isTemplate,
  LINE_VARIABLES,
  PACKAGE_RUNNERS,
  PROGRAM_VARIABLES,
  printsByTemplate,
  RENAMING_VARIABLES,
  SAYS_ITSELF,
  VALUE_NAMES,
} from './names.js';
import { type BashReading, COST, lastName, noteGuess, type ScriptContext, spend, Unknowable } from './reading.js';
import { addTexts } from './texts.js';
import { runsOthers, useOf } from './use.js';
import type { OptionUse } from './used.js';
import { isFile, isHole, type KnownWord, textsOf } from './words.js';

/** Whether commands may be written in a word. */
export function mayHold({ text, sure }: KnownWord): boolean {
  return /\s|`|\$\(/.test(text) && (sure === undefined || !/`|\$\(/.test(text));
}

/** A variable may name a command for some program (`PAGER=rm man x`), or a file of commands. */
export function readAssignment(name: string, value: KnownWord | undefined, found: BashReading): void {
  if (RENAMING_VARIABLES.has(name)) throw new Unknowable();
  found.variables.add(name);
  if (value !== undefined) noteHeld(name, value, found);
  if (LINE_VARIABLES.has(name) && value?.sure === undefined && value !== undefined) noteGuess(value.text, true, found);
  const isFolder = FOLDER_VARIABLES.test(name) && value?.text.includes('/');
  if (value !== undefined && !isFolder && !VALUE_NAMES.test(name) && !value.text.includes('://'))
    addNames(value, found);
  if (value === undefined) return;
  if (PROGRAM_VARIABLES.test(name)) {
    noteTaken(value, found);
    // The program is given more words.
    addGlobs(`${value.text} $`, found);
    if (/^[^\s]*\/[\w.+-]+$/.test(value.text)) found.programs.add(lastName(value.text));
  }
  if (!FILE_VARIABLES.has(name)) return;
  if (!/[/<]|^$/.test(value.text)) {
    // `ENV=test` says what else it is, if the line writes no such file.
    const file = value.sure === undefined ? value.text : SOME;
    noteRan(file, name === 'BASH_ENV', found);
    found.handed.add(file);
    return;
  }
  if (!isFile(value)) throw new Unknowable();
  found.runsTexts = true;
  found.runsFiles = true;
  found.runsSurely = true;
  noteRan(value.text, true, found);
}

/** A variable that programs are given may name a file of commands, or a program: `GIT_SSH=./s git fetch`. */
export function noteGiven(name: string, value: KnownWord, found: BashReading): void {
  if (!FOLDER_VARIABLES.test(name) && !VALUE_NAMES.test(name)) noteTaken(value, found);
}

/** The commands that one word may name. Longer texts are guessed at. */
function addNames(word: KnownWord, found: BashReading): void {
  if (mayHold(word)) return;
  // What is in a substitution is read by itself.
  const [text = ''] = /`|\$\(/.test(word.text) ? (/^\S*/.exec(word.sure ?? '') ?? []) : [word.text];
  spend(addTexts(text, found) * COST.name, found);
}

/** A line that a program reads in its own way. A single name needs no reading: `--exclude=x`. */
function addLine(line: string, found: BashReading): void {
  if (/^[\w.,:@%+-]+$/.test(line) && bashProgram(line) === undefined) addNames({ text: line, sure: undefined }, found);
  else noteGuess(line, true, found);
}

/** `--features=rm`, `app.kubernetes.io/name=rm`: an option or a setting whose value is no command. */
function hasValue(word: string): boolean {
  const [, name = ''] = /^(?:-D|--?)?(?:[\w.-]+[./])?([\w-]+)=[^$`]*$/.exec(word) ?? [];
  return VALUE_NAMES.test(name) && !COMMAND_SECTIONS.test(word);
}

/** `printf -v 'BASH_CMDS[ls]' /bin/rm`, `declare -n r=BASH_CMDS`. */
const RENAMING = new RegExp(`(?:^|=)(?:${[...RENAMING_VARIABLES].join('|')})\\b`);

/** A pattern of files and no command: `--exclude='*.log'`. */
const PATTERN = /^\S*[*?[]/;

type Certainty = 'sure' | 'open' | 'perhaps' | 'guessed';

/**
 * Adds a command, and those that it runs in turn: `sudo timeout 5 git push` is git push too. Answers what the last of
 * them does.
 */
export function readWords(
  words: readonly KnownWord[],
  found: BashReading,
  around: ScriptContext,
): OptionUse | undefined {
  /** Where a command begins: certainly, with more words to come, perhaps, or by a guess, which never makes a line unknown. */
  const starts = new Map<number, Certainty>([[0, around.hole === undefined ? 'sure' : 'open']]);
  /** From here on any word may begin one. */
  let open = words.length;
  const shown = new Set<number>([0]);
  const plain = new Set<number>();
  let { hole } = around;
  let text = textsOf(words, hole);
  spend(words.length * COST.word, found);
  // Words that have been paid for; commands that begin at many words read the others again and again.
  let free = words.length * 2;
  let reads = false;
  let last: OptionUse | undefined;
  let program = '';
  let programAt = 0;
  for (const [at, start] of starts) {
    const name = words[at];
    if (name === undefined) continue;
    const perhaps = start === 'perhaps' || start === 'guessed';
    // Every command costs time, however short it is.
    spend(perhaps ? COST.guess : COST.command, found);
    if (name.sure !== undefined && start !== 'guessed' && (!perhaps || mayBeName(words, at))) throw new Unknowable();
    if (start === 'open' && isHole(name, hole)) throw new Unknowable();
    if (perhaps && (name.sure !== undefined || /^-|^\{\}$/.test(name.text))) continue;
    found.commands.push(...text(at, start !== 'sure'));
    const use = useOf(words, at);
    const looks = (use.looked ?? 0) + use.maybe.length + (use.told?.length ?? 0);
    spend(Math.max(0, looks - free) * COST.look, found);
    free = Math.max(0, free - looks);
    if ((use.hidden && start !== 'guessed') || (use.ends && start === 'open')) throw new Unknowable();
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
    noteFiles(use, words.slice(at), found, { input: around.input, hole, open: start === 'open' });
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
  readRest(words, { shown, plain }, { found, reads, program, from: programAt + 1, use: last });
  return last;
}

/** The lines and the input that a command runs. `hole`: that of a runner before it. */
function readUse(use: OptionUse, found: BashReading, { input, hole }: ScriptContext): void {
  for (const line of use.lines) {
    const [, itself] = SAYS_ITSELF.exec(line.map((word) => word.text).join(' ')) ?? [];
    if (itself !== undefined) {
      // Unless the line has created a program of that name.
      found.runsFiles = true;
      noteRan(itself, true, found);
      found.evaluated.add(itself);
      continue;
    }
    // `xargs -I% sh -c %`: a runner puts what it reads into the line.
    const filled = hole !== undefined && line.some((word) => isHole(word, hole));
    if (filled || line.some((word) => word.sure !== undefined)) throw new Unknowable();
    const text = line.map((word) => word.text).join(' ');
    found.lines.add(text);
    found.scripts.push({ text, input, hole: use.hole });
  }
  for (const word of use.maybe) if (word.sure === undefined || mayHold(word)) noteGuess(word.text, false, found);
  for (const line of use.told ?? []) {
    noteGuess(line, true, found);
    if (!readsAsShell(line, found)) continue;
    if (input === 'unknown') throw new Unknowable();
    // It is given files, too: those that are named, and those of an archive.
    found.runsFiles = true;
    if (input !== undefined) found.runsTexts = found.runsSurely = true;
    for (const file of [SOME, ...(use.given ?? [])]) noteRan(file, true, found);
  }
  if (!use.input) return;
  if (input === 'unknown') throw new Unknowable();
  // Even if it is given a text: the surrounding shell may have redirected its input since.
  found.readsInput = true;
  // A command in it reads the rest of it.
  if (input !== undefined)
    found.scripts.push(...input.map((text) => ({ text, input: 'unknown' as const, hole: undefined })));
}

interface RestContext {
  readonly found: BashReading;
  readonly reads: boolean;
  /** The last of its programs, and where its words begin. */
  readonly program: string;
  readonly from: number;
  readonly use: OptionUse | undefined;
}

/** The words that are not commands; some may contain commands nevertheless. */
function readRest(
  words: readonly KnownWord[],
  { shown, plain }: { shown: ReadonlySet<number>; plain: ReadonlySet<number> },
  { found, reads, program, from, use }: RestContext,
): void {
  const { writes = false, shows = false, file = false } = use ?? {};
  const said: KnownWord[] = [];
  const expands = EXPANDING.has(words[0]?.text ?? '');
  const takes = !shows && !expands;
  const exports = words[0]?.text === 'export' || (expands && words.some(({ text }) => /^-\w*x/.test(text)));
  let hasShell = false;
  let hasInterpreter = false;
  let hasRunner = false;
  const isPackages = /^(?:npx|bunx)$/.test(program);
  const fillsIn = printsByTemplate(lastName(program), (at) => words[from + at]?.text);
  let operand = program;
  for (const [at, word] of words.entries()) {
    const [, variable = '', value] = /^(\w+)(?:\[[^\]]*\])?=(.*)$/s.exec(word.text) ?? [];
    const sure = word.sure?.slice(word.text.length - (value ?? '').length);
    const isShown = shown.has(at) || (fillsIn && isTemplate(word.text, words[at - 1]?.text ?? ''));
    if (expands && RENAMING.test(word.text)) throw new Unknowable();
    if (value !== undefined && !isShown) {
      readAssignment(variable, { ...word, text: value, sure }, found);
      if (exports) noteGiven(variable, { ...word, text: value, sure }, found);
    } else if (!isShown && !plain.has(at) && mayName(word.text) && !hasValue(word.text)) addNames(word, found);
    if (at > 0 && isShown) said.push(word);
    if (at > 0 && !file && !hasShell) noteNamed(word.text, program, found);
    if (at > 0 && takes && !isShown) {
      noteTaken(word, found);
      // `npx tsx ./a`
      hasInterpreter ||= INTERPRETERS.has(word.text);
      if (!file && !hasInterpreter) noteHanded(word, [program, operand, words[at - 1]?.text ?? ''], hasRunner, found);
      // `npx cross-env A=b ./a`
      if (isPackages) hasRunner ||= PACKAGE_RUNNERS.has(word.text) || runsOthers(word.text);
      if (!word.text.startsWith('-')) operand = word.text;
      // `some-runner bash x.sh`
      if (hasShell) noteRan(word.text, true, found);
      hasShell ||= bashProgram(lastName(word.text))?.shell === true;
    }
    // Of one word too: `sed s/x/rm/e`.
    if (reads && !isShown && !hasValue(word.text) && (word.sure === undefined || mayHold(word)))
      for (const line of linesIn(word.text)) if (mayHold(word) || !PATTERN.test(line)) addLine(line, found);
    if (!mayHold(word)) continue;
    if (isShown) found.said.set(word.text, writes && word.sure === undefined);
    else noteGuess(word.text, expands && 'expanded', found);
  }
  const sure = writes && said.every((word) => word.sure === undefined);
  if (said.length > 1 || (writes && said.length > 0)) found.said.set(said.map((word) => word.text).join(' '), sure);
}

/** In a runner's arguments, an unknown word may be the command if it comes early or after an option (`-exec $TOOL`). */
function mayBeName(words: readonly KnownWord[], at: number): boolean {
  if (words[at - 1]?.text.startsWith('-')) return true;
  const given = words.slice(0, at);
  const runner = given.findLastIndex((word) => runsOthers(word.text));
  return given.slice(runner + 1).filter((word) => !/^-|^\w+=/.test(word.text)).length <= 1;
}

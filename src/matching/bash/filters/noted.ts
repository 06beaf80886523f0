import { addGlobs } from '../globs.js';
import { bashProgram } from '../lookup.js';
import { nameOf, noteMoves, noteVariables, placesOf, SOME } from '../moves.js';
import { BEFORE_PROGRAM, INTERPRETERS, PACKAGE_OPTION, PACKAGE_TOOLS, withoutVersion } from '../names.js';
import {
  type BashReading,
  COST,
  lastName,
  type ScriptContext,
  spend,
  spendText,
  TEXT_SHARE,
  UnknowableError,
} from '../reading.js';
import { addTexts } from '../texts.js';
import type { OptionUse } from '../used.js';
import type { KnownWord } from '../words.js';
import { assumed, mayDeceive } from './assumed.js';
import { MOST_EMPTY, unitsIn } from './filter.js';

/** Stands for any file among those that the line writes or a program takes, and for any of `READ_ALWAYS` among those that are handed to programs. */
export const ANY_FILE = '/';
const ANY_PATH = '$';

/** Notes a file that the line writes. `known`: its whole content is text of the line. */
export function noteWritten(word: KnownWord, known: boolean, found: BashReading): void {
  if (word.text.startsWith('/dev/')) return;
  const name = nameOf(word);
  // The path is a folder.
  if (name === '') return;
  const folder = MAIN.test(name) ? [`${lastName(`./${word.text}`.slice(0, -name.length - 1))}/`] : [];
  for (const one of [name, ...folder, ...placesOf(word.text, found)(name)])
    found.written.set(one, known && !found.written.has(one));
}

/** Files that are run where an interpreter is given their folder: `node src`, `python3 -m tool`. */
const MAIN = /^(?:__(?:init|main)__\.py|index\.[cm]?[jt]s)$/;

/** The endings of files that programs also name without them. */
export const MODULE = /\.(?:py|[cm]?[jt]sx?|rb|p[lm]|php|lua)$/;
/** Expansions that certainly name no file: `make -j$(nproc)`. */
const COUNTS = /\b(?:nproc|ncpu)\b/;

/** Stands for the files that are not told apart by an ending. Those with a capital letter have another meaning: `Makefile`, `LICENSE`. */
const NO_ENDING = '/.';
const PLAIN = /^[^.A-Z]+$/;
/** What stands for all files with the ending of this one. */
export const kindOf = (name: string): string => (PLAIN.test(name) ? NO_ENDING : `*${/\.\w+$/.exec(name)?.[0]}`);

/** Options of interpreters before code, or the name of a module. */
const CODE = /^-(?:[mceEpP]|-eval|-print)$/;
/** Options and a subcommand before code. Options with code, and a dash for code in the input. */
const BEFORE_CODE = /^(?:-\w*[ceEp]|--(?:eval|print)|eval)$/;
const WITH_CODE = /^-(?:$|[ceE].*\W|.*[\s(;`])/s;

/** Adds the command that code may make of its arguments: `perl -e 'system @ARGV' rm x`, `node -e"f()" rm x`. */
function noteArguments(words: readonly KnownWord[], at: number, program: string, found: BashReading): void {
  const { text: option = '' } = words[at] ?? {};
  const isBeforeCode = program === 'php' ? option === '-r' : BEFORE_CODE.test(option);
  if ((!isBeforeCode && !WITH_CODE.test(option)) || interpreterOfArgument(words, at) < 0) return;
  const text = words
    .slice(at + (WITH_CODE.test(option) ? 1 : 2))
    .map((word) => word.text)
    .join(' ');
  spend(addTexts(text, found) * COST.name, found);
  addGlobs(text, found);
}
/** Options before a file that is read besides the script. */
const BESIDE = /^-(?:[rIMWX]|-require|-import|-loader|-env-file)$/;
/** Options of make that take a file of commands, its folder or commands; long ones also by their first letters. What `-$X` is, nobody knows. */
const MAKEFILE = /^-(?:\w*[fCIE]|-(?:f|mak|ev|di|in)|-?\$)|^(?:\w*MAKEFLAGS|MAKEFILES|SHELL)=/;
const MAKEFILE_NEXT = /^-(?:\w*[fCIE]|-(?:f|mak|ev|di|in)[\w-]*)$/;
/** Lists of several words, and a value that is an option, which may stand behind others: `-s"$@"`, `-s"${a[@]}"`, `${F:+-f "$F"}`. */
const OPTIONS = /\$\{?[@*]|\[[@*]\]|\$\{\w+:?[-+=]["']?-/;

/** Whether an argument of make may name a file of commands. Behind a known beginning, what nobody can tell is taken for harmless: `-j$N`. */
function mayBeMakefile({ text, whole, marked = text }: KnownWord, before: string, found: BashReading): boolean {
  if (MAKEFILE.test(text) || MAKEFILE_NEXT.test(before) || OPTIONS.test(text)) return true;
  if (!/^[$`]/.test(text)) return false;
  if (whole !== true) return true;
  // A quoted word is mostly a target: only one to which the line gives an option counts.
  return unitsIn(marked).some((unit) => mayDeceive(assumed('operand', unit), found.settings, found.isNested));
}
const JS_FILES = 'js cjs mjs jsx ts cts mts tsx';
/** The endings of files that an interpreter may run behind a module, code, a subcommand or its script: `python3 -m pytest "$T"`. */
const ENDINGS = new Map(
  Object.entries({
    python: 'py pyw',
    'node deno tsx ts-node': JS_FILES,
    bun: `${JS_FILES} sh`,
    ruby: 'rb',
    perl: 'pl pm t',
    php: 'php',
    lua: 'lua',
    Rscript: 'R r',
  }).flatMap(([names, endings]) => names.split(' ').map((name) => [name, endings.split(' ')] as const)),
);
const isMake = (program: string): boolean => /^g?make$/.test(lastName(program));
const interpreterOf = (program: string): string => withoutVersion(lastName(program));
/** Of the words before an argument no more are looked at. */
const MOST_WORDS = 20;

/** The place of the interpreter whose script, or own option, an argument may be. 0: none is found, -1: a script stands before. */
function interpreterOfArgument(words: readonly KnownWord[], at: number): number {
  const textAt = (place: number): string => words[place]?.text ?? '';
  for (let place = at - 1; place > 0 && place > at - MOST_WORDS; place--) {
    const [text, before] = [textAt(place), textAt(place - 1)];
    if (INTERPRETERS.has(interpreterOf(text))) return place;
    const isOperand = words[place]?.sure === undefined && !text.startsWith('-');
    const isValue = BESIDE.test(before) || (before.startsWith('-') && !CODE.test(before) && !MODULE.test(text));
    if (isOperand && !isValue) return -1;
  }
  return 0;
}

/**
 * Whether an argument is one of an interpreter that a tool of packages runs, whatever an option of that name is to the tool: `npx tsx -p CODE`.
 * The arguments of the tool begin at `from`.
 */
export function isOfInterpreter(program: string, words: readonly KnownWord[], at: number, from: number): boolean {
  if (!PACKAGE_TOOLS.test(lastName(program))) return false;
  const place = interpreterOfArgument(words, at);
  if (place < from) return place >= 0 && lastName(program) === 'bun';
  return words
    .slice(from, place)
    .every(({ text }, i) => BEFORE_PROGRAM.test(text) || PACKAGE_OPTION.test(words[from + i - 1]?.text ?? ''));
}

/** Whether an argument of an interpreter may be the script. Of `make`, only some options take files of commands. */
function mayBeScript(words: readonly KnownWord[], at: number, program: string, found: BashReading): boolean {
  const word = words[at];
  return isMake(program) && word
    ? mayBeMakefile(word, words[at - 1]?.text ?? '', found)
    : interpreterOfArgument(words, at) >= 0;
}

/**
 * Notes the files in an argument from which a program may read commands: `python3 x.py`, `make -fx.mk`, `vim --cmd=x.vim`,
 * `node -e 'require("./x")'`. If `program` is one of INTERPRETERS, what is unknown of the script may be any file. `words`: all of the command.
 */
export function noteTaken(
  word: KnownWord,
  found: BashReading,
  program = '',
  words: readonly KnownWord[] = [],
  at = 0,
): void {
  const { text, sure } = word;
  // `-fmy file.mk` and `--file=my file.mk` name files that the tokens below split.
  for (const value of [text, text.replace(/^-./s, ''), text.replace(/^[^=]*=/, '')]) found.taken.add(lastName(value));
  spendText(text, found);
  const runs = INTERPRETERS.has(interpreterOf(program));
  if (runs && !isMake(program)) noteArguments(words, at, interpreterOf(program), found);
  if (sure !== undefined) noteVariables(text, found);
  // A file that is written under an unknown name may be this one.
  if (runs && MODULE.test(text)) found.taken.add(SOME);
  const isUnknown = runs && (sure !== undefined || text === '{}') && !COUNTS.test(text);
  // `*.py` is any file with that ending.
  const ending = /[$`{]/.test(text) ? undefined : /\.(\w+)$/.exec(text)?.[1];
  if (isUnknown && mayBeScript(words, at, program, found))
    found.taken.add(ending === undefined ? ANY_FILE : `*.${ending}`);
  else if (isUnknown) {
    for (const one of ENDINGS.get(interpreterOf(program)) ?? [])
      if (ending === undefined || ending === one) found.taken.add(`*.${one}`);
    // A module, or code, runs a file whatever its name is: `python3 -m cProfile $f`.
    const before = words.slice(Math.max(0, at - MOST_WORDS), at);
    if (ending === undefined && before.some((one) => CODE.test(one.text))) found.taken.add(NO_ENDING);
  }
  // Of `-mx` and `a.b` the module may be `x` and `b`.
  for (const [token] of text.matchAll(/[^\s"'`\\/()[\]{}<>|&;,=:$]+/g)) {
    for (const name of [token, token.replace(/^--?\w/, ''), token.slice(token.lastIndexOf('.') + 1)])
      found.taken.add(name);
    if (runs) found.taken.add(`${token}/`);
    const { shell, unasked } = bashProgram(token) ?? {};
    if (!shell) for (const file of unasked?.split(' ') ?? []) found.taken.add(file);
  }
}

/** Nobody writes more expansions than this in the words of a filter. */
const MOST_ASSUMED = 100;

/** Whether the input of a command is one line of text. */
export const isLine = (input: ScriptContext['input']): boolean =>
  Array.isArray(input) && input.length === 1 && !/\n./s.test(input[0] ?? '');

export interface FilterContext extends ScriptContext {
  /** A runner replaces or appends words. */
  readonly open: boolean;
  /** Whether the runner appends at most one. */
  readonly isOne: boolean;
}

/** Notes the files that a filter writes, and the commands that it runs; any file if that is not known. */
export function noteFiltered(
  { filter }: OptionUse,
  { input, hole, open, isOne }: FilterContext,
  found: BashReading,
): void {
  if (filter === undefined) return;
  let length = 0;
  // A script is read with each expansion and without it.
  for (const { text, marked = text } of filter.words) {
    const units = Math.min(MOST_EMPTY, unitsIn(marked).length);
    length += (text.length + 1) * (units > 0 ? 2 ** (units + 2) : 1);
  }
  spend(Math.floor(length / TEXT_SHARE), found);
  // A NUL ends a text.
  if (filter.words.some(({ text }) => text.includes('\0'))) {
    noteAny(found);
    return;
  }
  const words = open && hole !== undefined ? filter.words.map((word) => filled(word, hole)) : filter.words;
  const { files, copies, grows, moves = [], runs = [], assumes = [] } = filter.read(words);
  // Where a word is replaced, none is appended.
  const isGrown = open && grows !== undefined && !words.some((word, at) => word !== filter.words[at]);
  const isAny = (): boolean =>
    isGrown && (grows === 'operands' ? !found.settings.isFound : !(isOne && grows === 'more'));
  const all = [...assumes];
  if (all.length > MOST_ASSUMED) throw new UnknowableError();
  if (files === undefined || isAny() || all.some((one) => mayDeceive(one, found.settings, found.isNested)))
    noteAny(found);
  for (const file of files ?? [])
    if (nameOf(file) === SOME) noteAny(found);
    else noteWritten(file, copies === true && !open && isLine(input), found);
  if (moves.length > 0) noteMoves(moves, undefined, found);
  for (const [text, readsInput] of runs)
    found.scripts.push({ text, input: readsInput ? input : 'unknown', hole: undefined });
}

/** A word in which a runner replaces a placeholder: it is an expansion. */
function filled(word: KnownWord, hole: string): KnownWord {
  const { text, sure = text, marked = text } = word;
  if (!text.includes(hole)) return word;
  const start = sure.indexOf(hole);
  return {
    text,
    sure: start < 0 ? sure : sure.slice(0, start),
    whole: word.sure === undefined || word.whole === true,
    marked: marked.replaceAll(hole, `\0"${hole}\0`),
  };
}

export function noteAny(found: BashReading): void {
  for (const name of [ANY_FILE, ...placesOf(ANY_PATH, found)(ANY_FILE)]) found.written.set(name, false);
}

/** Files that programs read whatever their words are. */
export const READ_ALWAYS =
  /^\.(?:git(?:config)?|bashrc|(?:bash_)?profile|bash_log(?:in|out)|z(?:shrc|shenv|profile|log(?:in|out))|justfile)$/;
const SHELL = /^(?:(?:rb|b|z|d|k|mk|a)?a?sh|fish|su|runuser|sudo|doas)$/;
/** Options of a login shell or an interactive one. */
const STARTS = /^(?:-|-[A-Za-z]*[il][A-Za-z]*|--(?:login|interactive|rcfile|init-file)(?:=.*)?)$/s;
/** Subcommands of git for which it runs hooks that are often there. */
const HOOKED = /^(?:am|checkout|cherry-pick|clone|commit|merge|pull|push|rebase|revert|switch|worktree)$/;
/** The subcommand of git and the options of a shell are among this many words. */
const MOST_BEFORE = 8;

/** Notes that a command certainly reads one of `READ_ALWAYS`: by its name, or because it is of the kind that does. `runs`: it runs a file. */
export function noteStartUp(given: readonly KnownWord[], runs: boolean, found: BashReading): void {
  const [name = '', ...words] = given.slice(0, MOST_BEFORE).map(({ text }) => text);
  const program = lastName(name);
  const isNamed = runs && [name, ...words].some((text) => READ_ALWAYS.test(lastName(text)));
  const isStart = SHELL.test(program) && words.some((text) => STARTS.test(text));
  // It reads .zshenv.
  const isZsh = program === 'zsh';
  const isHooked = program === 'git' && words.some((text) => HOOKED.test(text));
  if (isNamed || isStart || isZsh || isHooked) found.handed.add(ANY_FILE);
}

import type { Redirection } from 'unbash';
import { orders } from './filters/columns.js';
import {
  ANY_FILE,
  type FilterContext,
  isLine,
  kindOf,
  MODULE,
  noteFiltered,
  noteStartUp,
  noteWritten,
  READ_ALWAYS,
} from './filters/noted.js';
import {
  callsTest,
  filledIn,
  isPattern,
  noteActivated,
  noteAnyPath,
  noteFolder,
  noteGivenFolder,
  noteGone,
  noteMoves,
  noteRead,
  SOME,
  spread,
  takesFilled,
} from './moves.js';
import { DATA_PROGRAMS, EDITORS, NO_SHELLS, READERS, STAYING } from './names.js';
import { type BashFiles, type BashReading, COST, lastName, spend, spendText } from './reading.js';
import type { OptionUse } from './used.js';
import { type KnownWord, knownWord } from './words.js';

export function noFiles(): BashFiles {
  return {
    written: new Map(),
    ran: new Map(),
    moved: new Map(),
    taken: new Set(),
    handed: new Set(),
    named: new Set(),
    called: new Set(),
    onPath: new Set(),
    variables: new Set(),
    values: new Set(),
    held: new Map(),
    filled: new Set(),
    programs: new Set(),
    evaluated: new Set(),
    defined: new Set(),
  };
}

const SETS = [
  'taken',
  'handed',
  'named',
  'called',
  'onPath',
  'variables',
  'values',
  'filled',
  'programs',
  'evaluated',
  'defined',
] as const;
const MAPS = ['moved', 'held'] as const;

/** Merges what is known about the files of a text into `found`. */
export function addFiles(from: BashFiles, found: BashFiles): void {
  for (const [name, known] of from.written) found.written.set(name, known && !found.written.has(name));
  for (const [name, isShells] of from.ran) noteRan(name, isShells, found);
  for (const map of MAPS)
    for (const [name, all] of from[map]) found[map].set(name, new Set([...(found[map].get(name) ?? []), ...all]));
  for (const set of SETS) for (const name of from[set]) found[set].add(name);
}

export function clearFiles(files: BashFiles): void {
  for (const set of [...SETS, ...MAPS, 'written', 'ran'] as const) files[set].clear();
}

/** Notes the files that redirections write. `known` is called at most once, because it reads all words. */
export function noteRedirects(redirects: readonly Redirection[], known: () => boolean, found: BashReading): void {
  let isKnown: boolean | undefined;
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || !redirect.operator.includes('>') || !redirect.target) continue;
    isKnown ??= known();
    noteWritten(knownWord(redirect.target), isKnown, found);
  }
}

/** A subcommand is looked for in this many words. */
const MOST_BEFORE = 6;
/** In this many words of a download program, the target folder is looked for. */
const MOST_OPTIONS = 20;

/** Download programs, which may be given only the target folder. */
const LOADERS = /^(?:.*\/)?(?:wget|aria2c|curl)$/;
const GOES = /^(?:cd|chdir|pushd|popd)$/;
/** Options that set the folder of a command: `env -C d`, `sudo --chdir=d`, `pnpm --dir d exec`, `sudo -i`. */
const BEGINS = /^(?:-[A-Za-z]*[CDiw]|--?[\w-]*(?:dir|directory|cd|cwd|wd|prefix|login|project)(?:=|$)|-$)/;

/** Whether later commands may run in another folder: `cd d`, `env -C d wget`, `ssh h wget`. Only some runners are known to stay. */
function goesElsewhere(given: readonly KnownWord[], use: OptionUse): boolean {
  const program = lastName((given[0] as KnownWord).text);
  if (GOES.test(program)) return !/^\.\/?$/.test(given[1]?.text ?? '');
  const runs = use.runs.length + use.lines.length + (use.guessed?.length ?? 0) > 0 || use.anywhere !== undefined;
  if (!runs || !STAYING.has(program)) return runs;
  const own = given.slice(1, MOST_OPTIONS);
  const end = own.findIndex(({ text }) => LOADERS.test(text));
  return own.slice(0, end === -1 ? undefined : end).some(({ text }) => BEGINS.test(text));
}

/** Notes the target folder of a download program. In a guessed text, the current folder is unknown too. */
function noteLoader(given: readonly KnownWord[], found: BashReading): void {
  if (found.isGuess) noteGone(found);
  for (const { text } of given.slice(1, MOST_OPTIONS))
    noteGivenFolder(text.replace(/^(?:--[\w-]+=|-\w+?(?=[./~$`"]|s?bin\/?$))/, ''), found);
}

/** Notes the files that a program writes, moves, runs or may read commands from. `open`: a runner replaces or appends words. */
export function noteFiles(
  use: OptionUse,
  given: readonly KnownWord[],
  found: BashReading,
  { input, hole, open, isOne }: FilterContext,
): void {
  const name = given[0] as KnownWord;
  // All of its words have been read for this.
  if (use.targets !== undefined || use.moves !== undefined) spend(given.length * COST.word, found);
  if (use.targets !== undefined) {
    const known = use.writes ? Array.isArray(input) : isLine(input) && orders(given, use.targets);
    for (const target of use.targets) noteWritten(target, known, found);
  }
  noteFiltered(use, { input, hole, open, isOne }, found);
  for (const { from, to } of use.moves ?? [])
    if (/^\/dev\/|^\/proc\/|^<\(/.test(from.text)) noteWritten(to, false, found);
  if (use.moves !== undefined) noteMoves(use.moves, open ? (hole ?? '{}') : undefined, found);
  if (/^(?:cd|pushd|mkdir)$/.test(name.text))
    for (const { text } of given.slice(1)) noteFolder(text, name.text === 'mkdir', found);
  if (goesElsewhere(given, use)) noteGone(found);
  if (LOADERS.test(name.text)) noteLoader(given, found);
  if (use.activates) noteActivated(found);
  if (use.anyPath) noteAnyPath(found);
  const isPath = name.text.includes('/');
  if (use.file || isPath) found.runsFiles = true;
  for (const path of isPath ? [name.text] : (use.files ?? [])) {
    noteRead(path, found);
    noteRan(path, use.file === true || isPath || path.startsWith('.'), found);
  }
  noteStartUp(given, use.file === true || isPath, found);
  found.called.add(name.text);
  // `git tool` may run the program `git-tool`.
  for (let at = 1; at < given.length && at < MOST_BEFORE; at++) {
    const { text } = given[at] as KnownWord;
    if (/^\w/.test(text)) found.called.add(`${lastName(name.text)}-${text}`);
    // `git -C d tool`
    if (/^\w/.test(text) && !given[at - 1]?.text.startsWith('-')) break;
  }
}

/** Notes a file whose commands are run. */
export function noteRan(path: string, isShells: boolean, found: BashFiles): void {
  const name = lastName(path);
  if (name !== '') found.ran.set(name, isShells || found.ran.get(name) === true);
}

/** File names of scripts: `sbatch s.sh`, `npx ./s`. For some programs, such files are something else. */
const SCRIPT = /\.(?:sh|bash|zsh|ksh)$/i;
const SCRIPT_WITHOUT_ENDING = /^(?:\.{1,2}|~)?\/(?:.*\/)?(?!\w*[Ff]ile$|[A-Z]{3,}$)[\w+-]+$/;
/** Options whose value is settings or data: `--config ./a`, `-f ./a`. */
const DATA_OPTION =
  /^(?:-[fcioCF]|--?(?:[\w-]+-)?\w*(?:config|conf|file|input|output|values|settings|schema|env|dir|path))$/;

/** Options whose value is run, even if DATA_OPTION matches them too: `--script-file ./a`, `--post-renderer ./a`. */
const RUN_OPTION =
  /(?:exec|script|hook|command|cmd|renderer|password|(?<!dry-)run|runner|plugin|program|helper|wrapper|shell|filter|inventory)(?![a-z])/i;
/** Options whose value can only be a program: `--exec ./a`. */
const PROGRAM_OPTION = /^--?(?:[\w-]+-)?(?:exec|command|cmd|hook|script|shell|runner|helper|renderer|editor|pager)$/i;
const isRunOption = (option: string, program: string): boolean =>
  option.startsWith('-') && (RUN_OPTION.test(option) || (option === '-i' && program.startsWith('ansible')));

/**
 * Notes a script that a program is given and probably runs. The second argument has the program, the previous operand and the
 * previous word. `isRunners`: an earlier word is a program that runs others.
 */
export function noteHanded(
  { text }: KnownWord,
  [program, operand, before]: readonly [string, string, string],
  isRunners: boolean,
  found: BashReading,
): void {
  const isScript = SCRIPT.test(text);
  if ((!isScript && !SCRIPT_WITHOUT_ENDING.test(text)) || NO_SHELLS.has(lastName(program))) return;
  // `npx postcss ./a`
  const isTools = /^(?:npx|bunx)$/.test(program) && operand !== program && !isRunners;
  const isData = isTools || DATA_PROGRAMS.has(lastName(program)) || DATA_OPTION.test(before);
  if (!isScript && isData && !isRunOption(before, lastName(program))) return;
  if (PROGRAM_OPTION.test(before) || (isRunners && (before === '--' || !before.startsWith('-'))))
    noteRan(text, true, found);
  else found.handed.add(lastName(text));
}

/** Notes names of files that a program may write: `sponge s`, `sed 'w s'`, `open("s", "w")`. Also without the ending, for `rename`. */
export function noteNamed(text: string, program: string, found: BashReading): void {
  spendText(text, found);
  const name = lastName(program);
  if (READERS.has(name) || (EDITORS.has(name) && /^[\w./+-]+$/.test(text))) return;
  for (const [token] of text.matchAll(/[\w.+-]+/g)) {
    found.named.add(token);
    if (token.startsWith('-')) found.named.add(token.slice(2));
    const dot = token.lastIndexOf('.');
    if (dot > 0) found.named.add(token.slice(0, dot));
  }
}

/**
 * Whether the line runs a file that it writes itself with unknown content: in pieces, or from another program's output. Also sets
 * `runsFiles` if it may run any file that it writes, and `runsSurely` if a shell runs it.
 */
export function runsPieces(found: BashReading): boolean {
  const { ran, taken } = found;
  const written = spread(found.written, found);
  const hasSome = found.written.has(SOME);
  if (hasSome) for (const name of found.values) written.set(name, false);
  const mayBeCalled = callsTest(found, written);
  // Programs of which it is unknown what they write may have written a file that is run, or that is copied to one that is run.
  const perhaps = spread(named(found), found);
  const isNamed = (name: string): boolean => found.named.has(name) || perhaps.has(name);
  for (const name of found.called) if (mayBeCalled(name) && (written.has(name) || isNamed(name))) ran.set(name, true);
  const writesAny = found.written.has(ANY_FILE);
  const runsAny =
    (written.size > 0 && (ran.has(SOME) || taken.has(ANY_FILE))) || (writesAny && ran.size + taken.size > 0);
  // A file that is written under an unknown name may have the ending of `*.py`.
  const takesEnding = written.has(SOME) && [...taken].some((name) => /^[*/]\./.test(name));
  const isTaken = (name: string): boolean =>
    ran.has(name) || [name, name.replace(MODULE, ''), kindOf(name)].some((one) => taken.has(one));
  if (runsAny || takesEnding || [...written.keys()].some(isTaken) || takesFilled(found, written))
    found.runsFiles = true;
  const isWritten = (name: string): boolean =>
    written.has(name) || (written.size > 0 && (hasSome || /[*?[{]/.test(name)));
  const isPrepared = (name: string): boolean =>
    isWritten(name) ||
    (found.runsTexts && /[*?[{]/.test(name)) ||
    perhaps.has(name) ||
    (!name.startsWith('.') && (found.named.has(name) || written.has(SOME) || perhaps.has(SOME)));
  const programs = [...found.programs];
  if ([...ran].some(([name, isShells]) => isShells && isPrepared(name)) || programs.some(isPrepared))
    found.runsSurely = true;
  if ([...found.handed].some((name) => written.has(name))) found.runsSurely = true;
  if ([...ran].some(([name, isShells]) => isShells && written.get(name) === false)) return true;
  // A copy of unknown content under an unknown name may be any file.
  const isCopied = !hasSome && written.get(SOME) === false;
  if (isCopied && [...ran].some(([name, isShells]) => isShells && !name.startsWith('.'))) return true;
  if (writesAny) {
    if (programs.length > 0 || mayBeCalled(ANY_FILE) || found.handed.has(ANY_FILE)) return true;
    if ([...ran].some(([name, isShells]) => isShells && !READ_ALWAYS.test(name))) return true;
  }
  if (programs.length === 0) return false;
  // Of the values of variables, only files that are written by name, or through such a variable.
  const values = new Set([...filledIn(found)].flatMap((name) => (name.startsWith('=') ? [name.slice(1)] : [])));
  const byName = spread(found.written, { ...found, values });
  if (hasSome) for (const name of values) byName.set(name, false);
  return programs.some((name) => byName.get(name) === false);
}

/** Copied files that may have been written before. If the source is a glob, the names of the copies. */
function named(found: BashReading): Map<string, boolean> {
  const names = [...found.moved].flatMap(([name, copies]) => {
    if (found.named.has(name) || (found.runsTexts && name === SOME)) return [name];
    return isPattern(name) ? [...copies].filter((copy) => !isPattern(copy)) : [];
  });
  return new Map(names.map((name) => [name, true]));
}

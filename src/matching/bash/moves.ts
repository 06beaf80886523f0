import { nameTest } from './glob-name.js';
import { type BashFiles, lastName } from './reading.js';
import { isHole, type KnownWord } from './words.js';

/** A file and what it is copied to, moved to or linked from; or changed in place. */
export interface Move {
  readonly from: KnownWord;
  readonly to: KnownWord;
}

/** Stands for the name of a file that a variable of the line may hold, or that takes the place of a word. */
export const SOME = '*';
const SOME_FILE: KnownWord = { text: SOME, sure: '' };

/** Files from which git takes commands, and their folders; those of modules and worktrees are deeper. */
const RUN_BY_GIT = /(?:^|\/)(?:\.(?:githooks|husky)(?:\/|$)|\.git\/(?:hooks(?:\/|$)|config(?:\.worktree)?$))/;
const DEEPER = /(?:^|\/)\.git\/(?:modules|worktrees)(?=\/)/;
const RUN_DEEPER = /\/(?:hooks(?:\/|$)|config(?:\.worktree)?$)/;
function isRunByGit(path: string): boolean {
  const [start] = DEEPER.exec(path) ?? [];
  return (
    RUN_BY_GIT.test(path) || (start !== undefined && RUN_DEEPER.test(path.slice(path.indexOf(start) + start.length)))
  );
}
/** `core.hooksPath` may name any folder, and `cd` may go to it. */
const HOOK =
  /^(?:(?:applypatch|commit|prepare-commit)-msg|(?:pre|post)-(?:applypatch|commit|merge-commit|merge|rebase|checkout|rewrite|push|receive|update|auto-gc|index-change)|reference-transaction|sendemail-validate|proc-receive)$/;
/** Folders in which programs are looked up by their names: those of the system and of the user, not of a project. */
const ON_PATH = /^(?:\.?s?bin|shims|games|scripts?)$/i;
const CLIMBS = /(?:^|\/)\.\.\//;
const IS_PLACED = /^(?:\.\/)?"?[/~$`]/;
/** `$BIN`, `"$(npm bin)"`, `$INSTALL_DIR`, `$(dirname "$(which ls)")`: an expansion that speaks of such a folder. */
const EXPANDED_PATH =
  /^"?[$`].{0,100}?(?:(?:bin|shims|path|install)(?:dir|path)?s?(?![a-z])|\b(?:which|command -v|type -[pP]|whence)\b)/i;
/** What is read to have the programs of a project on the path. */
const ACTIVATES = /(?:^|\/)(?:bin|scripts)\/activate(?:\.\w+)?$/i;

// Signs before names, and alone: all is looked up once it is read.
/** Where the line goes to such a folder, and what it writes where it is. */
const GONE_THERE = './';
const HERE = './';
/** What it writes in a folder that a variable names, which may be one. */
const EXPANDED = '$/';
/** Where it has the programs of a project on the path, and what it writes among those. */
const ACTIVATED = 'bin/';
const PROJECTS = 'bin/';
/** Where a program writes there that is told the folder alone. */
const GIVEN_PROJECTS = 'bin/.';
/** Where programs may be looked up in any folder. */
const ANY = '*/';
/** Where it goes to any other folder. */
const GONE = '../';
/** Where it creates such a folder, and goes to what it has named last. */
const MADE = '+/';
const GONE_TO_LAST = '_/';

/** Without what leads to no other folder: `bin//a`, `bin/./a`. */
const straight = (path: string): string => path.replace(/\/(?:\.?\/)+/g, '/');
/** The folder that a file is in; empty: none is named. */
const folderOf = (path: string): string => lastName(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
const isOfPrograms = (folder: string): boolean => ON_PATH.test(folder) || EXPANDED_PATH.test(folder);

/** Whether a file that the line writes may be looked up by its name. `written`: those that it certainly writes. */
export function callsTest(found: BashFiles, written: ReadonlyMap<string, boolean>): (name: string) => boolean {
  const { onPath, variables, values } = found;
  const isAny = variables.has('PATH');
  const filled = filledIn(found);
  const isNamed = [...values].some((value) => ON_PATH.test(value));
  const signs = [
    '',
    ...(onPath.has(GONE_THERE) || (onPath.has(GONE_TO_LAST) && onPath.has(MADE)) ? [HERE] : []),
    ...(isNamed ? [EXPANDED] : []),
    ...(onPath.has(ACTIVATED) ? [PROJECTS] : []),
    ...(onPath.has(GIVEN_PROJECTS) && (onPath.has(ACTIVATED) || onPath.has(GONE)) ? [HERE] : []),
  ];
  return (name) =>
    isAny ||
    (onPath.has(ANY) && written.has(name)) ||
    filled.has(name) ||
    signs.some((sign) => onPath.has(sign + name) || (values.has(name) && onPath.has(sign + SOME)));
}

/** The names of files whose paths are in variables that the line writes to, or in those that they take their values from; `=`: not only of programs. */
export function filledIn({ filled, held }: BashFiles): ReadonlySet<string> {
  const variables = new Set(filled);
  const names = new Set<string>();
  for (const variable of variables) {
    // What a function is given may be any of them.
    const values = variable === '@' ? [...held.values()].flatMap((all) => [...all]) : (held.get(variable) ?? []);
    for (const value of values) {
      if (value.startsWith('$')) variables.add(value.slice(1));
      else names.add(value);
    }
  }
  return names;
}

/** A path that is nothing but expansions. */
const IS_EXPANDED = /^(?:\.\/)?"?(?:\$\w+|\$\{[^{}]*\})*(?:\$\(.*\)|`.*`|\$[@*])?"?$/s;
/** `@`: what a function is given. */
const VARIABLE = /\$\{?[!#]?(\w+|[@*])/g;
const variablesIn = (path: string): readonly string[] =>
  IS_EXPANDED.test(path) ? [...path.matchAll(VARIABLE)].map(([, name = '']) => name.replace(/^(?:\d+|\*)$/, '@')) : [];

/** Notes what is written to a path, for `callsTest`. */
function notePlace(path: string): (name: string, found: BashFiles) => void {
  const folders = [folderOf(path), lastName(path)];
  const isPlaced = IS_PLACED.test(path);
  const isHere = folders[0] === '' ? !path.startsWith('/') : path.startsWith('./') && folders[0] === '.';
  const signs = [
    ...(isPlaced && folders.some(isOfPrograms) ? [''] : []),
    ...(isHere ? [HERE] : []),
    ...(folders.some((folder) => /^"?\$/.test(folder)) ? [EXPANDED] : []),
    ...(!isPlaced && folders.some((folder) => ON_PATH.test(folder)) ? [PROJECTS] : []),
  ];
  const variables = path.includes('$') ? variablesIn(path) : undefined;
  return (name, { onPath, filled }) => {
    for (const sign of signs) onPath.add(sign + name);
    if (variables !== undefined) for (const variable of variables) filled.add(variable);
  };
}

/** A variable may hold the path of a program, or of a folder of programs. */
export function noteHeld(variable: string, value: KnownWord, { values, held }: BashFiles): void {
  const last = lastName(value.text);
  const isPlaced = IS_PLACED.test(value.text);
  if (value.sure === undefined || (isPlaced && ON_PATH.test(last))) values.add(last);
  const all = held.get(variable) ?? new Set();
  held.set(variable, all);
  if (value.text.includes('$')) for (const name of variablesIn(value.text)) all.add(`$${name}`);
  if (nameOf(value) === SOME) return;
  all.add(`=${last}`);
  if (!isPlaced || !isOfPrograms(folderOf(straight(value.text)))) return;
  values.add(last);
  all.add(last);
}

/** The programs of a project are on the path. */
export function noteActivated({ onPath }: BashFiles): void {
  onPath.add(ACTIVATED);
}

/** What is on the path is not known. */
export function noteAnyPath({ onPath }: BashFiles): void {
  onPath.add(ANY);
}

/** `source .venv/bin/activate` */
export function noteRead(path: string, { onPath }: BashFiles): void {
  if (ACTIVATES.test(path)) onPath.add(ACTIVATED);
}

/** A file's name without its folder; `SOME`: it is not known; empty: it is a folder. */
export function nameOf({ text, sure }: KnownWord): string {
  const last = lastName(text);
  // Of `$DIR/name` and `"$(mktemp -d)/name"` the name is known.
  return sure === undefined || last === '' || (text.includes('/') && /^[\w.+-]+$/.test(last)) ? last : SOME;
}

/** What else files there are called for what looks them up: `.git`, if git runs them. Notes those that may be on the path. */
export function placesOf(path: string, found: BashFiles): (name: string) => readonly string[] {
  const note = notePlace(straight(path));
  const isForGit = isRunByGit(path);
  return (name) => {
    note(name, found);
    return isForGit || HOOK.test(name) ? ['.git'] : [];
  };
}

/** What is called `bin` may be another one than the project's. */
export function noteGone({ onPath }: BashFiles): void {
  onPath.add(GONE);
}

/** `wget -P ~/bin h/tool`: the same, but for the project's own `bin`, which is not on the path. */
export function noteGivenFolder(path: string, found: BashFiles): void {
  if (!IS_PLACED.test(path) && isBin(path) && !CLIMBS.test(path)) found.onPath.add(GIVEN_PROJECTS);
  else noteFolder(path, false, found);
}

const goneTo = (path: string): string => lastName(straight(path).replace(/\/$/, ''));
const isBin = (path: string): boolean => /^\.?s?bin$/.test(goneTo(path));

/** `cd .git && … > config`, `cd ~/bin && … > tool`: what is written there has no folder in its name. */
export function noteFolder(path: string, isMade: boolean, { moved, onPath }: BashFiles): void {
  const folder = goneTo(path);
  const isThere = isBin(path) || (IS_PLACED.test(path) && isOfPrograms(folder));
  if (isThere) onPath.add(isMade ? MADE : GONE_THERE);
  if (isMade) return;
  if (path === '$_') onPath.add(GONE_TO_LAST);
  if (folder === '.git') moved.set('config', new Set([...(moved.get('config') ?? []), '.git']));
}

/** Notes what becomes of files. `hole`: this is replaced in the words, or others follow them. */
export function noteMoves(moves: readonly Move[], hole: string | undefined, found: BashFiles): void {
  const isFilled = (word: KnownWord): boolean => hole !== undefined && isHole(word, hole);
  const follows =
    hole !== undefined && !moves.some(({ from, to }) => isFilled(from) || isFilled(to) || to.text.endsWith('/'));
  const others = [moves[0]?.to ?? SOME_FILE, SOME_FILE].map((from) => ({ from, to: SOME_FILE }));
  let last: { to: KnownWord; name: string; places: (name: string) => readonly string[] } | undefined;
  for (const { from, to } of follows ? [...moves, ...others] : moves) {
    if (last?.to !== to) {
      const name = isFilled(to) || isPattern(lastName(to.text)) ? SOME : nameOf(to);
      last = { to, name, places: placesOf(to.text, found) };
    }
    const file = lastName(from.text);
    const source = isFilled(from) ? SOME : isPattern(file) ? file : nameOf(from);
    const name = from === to ? source : last.name;
    const copies = found.moved.get(source) ?? new Set();
    found.moved.set(source, copies);
    if (name !== '') copies.add(name);
    // It may be a folder, in which the file keeps its name.
    for (const place of [...last.places(name), ...last.places(source)]) copies.add(place);
  }
}

/** It stands for the files whose names match it, or for itself. */
export function isPattern(name: string): boolean {
  const choice = name.indexOf('[');
  return (/[*?]/.test(name) || (choice !== -1 && name.lastIndexOf(']') > choice)) && !/[$`{]/.test(name);
}

/** More patterns than these are not told apart. */
const MOST_PATTERNS = 10;

/** Files, and all that become of them: a file has its content wherever it is copied to. Whether it is known. */
export function spread(files: ReadonlyMap<string, boolean>, { moved, values }: BashFiles): Map<string, boolean> {
  const all = new Map(files);
  let patterns = [...moved.keys()].filter(isPattern);
  let copiesOf = moved;
  if (patterns.length > MOST_PATTERNS) {
    const copies = patterns.flatMap((pattern) => [...(moved.get(pattern) ?? [])].filter((copy) => !isPattern(copy)));
    copiesOf = new Map([...moved, [SOME, new Set([...copies, SOME])]]);
    patterns = [SOME];
    // Some of them may be changed in place.
    for (const name of files.keys()) all.set(name, false);
  }
  const isLike = patternsTest(patterns);
  const open = [...files.keys()];
  for (const name of open) {
    const sources = [name, ...patterns.filter((one) => one !== name && isLike(one, name))];
    for (const source of sources)
      for (const copy of copiesOf.get(source) ?? []) {
        // Changed in place it is another.
        const isChanged = copy === source && source !== SOME;
        const becomes = isChanged ? name : copy;
        const had = all.get(becomes);
        const known = all.get(name) === true && had !== false && !isChanged;
        if (had === known || had === false || (becomes === name && !isChanged)) continue;
        all.set(becomes, known);
        open.push(becomes);
      }
  }
  if (!files.has(SOME) && all.has(SOME))
    for (const value of values)
      for (const one of HOOK.test(value) ? [value, '.git'] : [value])
        if (!all.has(one)) all.set(one, all.get(SOME) === true);
  return all;
}

/** Longer names, and longer patterns, are not told apart. */
const LONGEST_NAME = 100;

function patternsTest(patterns: readonly string[]): (pattern: string, name: string) => boolean {
  const tests = new Map(
    patterns
      .filter((pattern) => pattern.length <= LONGEST_NAME)
      .map((pattern) => [pattern, nameTest(pattern.replace(/\[[^\]]*\]/g, '?'))]),
  );
  return (pattern, name) => name.length > LONGEST_NAME || tests.get(pattern)?.(name) !== false;
}

import { nameTest } from './glob-name.js';
import { type BashFiles, lastName } from './reading.js';
import { isHole, type KnownWord } from './words.js';

/** A file that is copied, moved or linked, and its new name. The same word for both: it is changed in place. */
export interface Move {
  readonly from: KnownWord;
  readonly to: KnownWord;
}

/** Stands for an unknown file name: from a variable, or inserted by a runner. */
export const SOME = '*';
const SOME_FILE: KnownWord = { text: SOME, sure: '' };

/** Files from which git reads commands, and their folders. Those of submodules and worktrees are deeper. */
const RUN_BY_GIT = /(?:^|\/)(?:\.(?:githooks|husky)(?:\/|$)|\.git\/(?:hooks(?:\/|$)|config(?:\.worktree)?$))/;
const DEEPER = /(?:^|\/)\.git\/(?:modules|worktrees)(?=\/)/;
const RUN_DEEPER = /\/(?:hooks(?:\/|$)|config(?:\.worktree)?$)/;
function isRunByGit(path: string): boolean {
  const [start] = DEEPER.exec(path) ?? [];
  return (
    RUN_BY_GIT.test(path) || (start !== undefined && RUN_DEEPER.test(path.slice(path.indexOf(start) + start.length)))
  );
}
/** Names of git hooks. They may be in any folder, because of `core.hooksPath` and `cd`. */
const HOOK =
  /^(?:(?:applypatch|commit|prepare-commit)-msg|(?:pre|post)-(?:applypatch|commit|merge-commit|merge|rebase|checkout|rewrite|push|receive|update|auto-gc|index-change)|reference-transaction|sendemail-validate|proc-receive)$/;
/** Names of folders that are usually on the PATH, of the system or the user. */
const ON_PATH = /^(?:\.?s?bin|shims|games|scripts?)$/i;
const CLIMBS = /(?:^|\/)\.\.\//;
const IS_PLACED = /^(?:\.\/)?"?[/~$`]/;
/** An expansion that probably gives such a folder: `$BIN`, `"$(npm bin)"`, `$INSTALL_DIR`, `$(dirname "$(which ls)")`. */
const EXPANDED_PATH =
  /^"?[$`].{0,100}?(?:(?:bin|shims|path|install)(?:dir|path)?s?(?![a-z])|\b(?:which|command -v|type -[pP]|whence)\b)/i;
/** Scripts that put the programs of a project on the PATH. */
const ACTIVATES = /(?:^|\/)(?:bin|scripts)\/activate(?:\.\w+)?$/i;

// Marks in `onPath`, alone or before a name. They are evaluated in `callsTest`, when the whole line was read.
/** The line goes to a folder on the PATH; a file written to the current folder. */
const GONE_THERE = './';
const HERE = './';
/** A file written to a folder in a variable, which may be on the PATH. */
const EXPANDED = '$/';
/** The line puts a project's programs on the PATH; a file written to a project's folder of programs. */
const ACTIVATED = 'bin/';
const PROJECTS = 'bin/';
/** A program is given only such a folder to write to. */
const GIVEN_PROJECTS = 'bin/.';
/** Any folder may be on the PATH. */
const ANY = '*/';
/** The line goes to another folder. */
const GONE = '../';
/** The line creates a folder that is on the PATH; the line goes to `$_`, the last argument. */
const MADE = '+/';
const GONE_TO_LAST = '_/';

/** Normalizes `bin//a` and `bin/./a`. */
const straight = (path: string): string => path.replace(/\/(?:\.?\/)+/g, '/');
/** The name of a file's folder; empty if the path has none. */
const folderOf = (path: string): string => lastName(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
const isOfPrograms = (folder: string): boolean => ON_PATH.test(folder) || EXPANDED_PATH.test(folder);

/** Tests whether a file that the line writes may be found on the PATH. `written`: files that it certainly writes. */
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

/** Names of files whose paths are in variables that the line writes to, also by way of other variables. `=`: not only programs. */
export function filledIn({ filled, held }: BashFiles): ReadonlySet<string> {
  const variables = new Set(filled);
  const names = new Set<string>();
  for (const variable of variables) {
    // The arguments of a function may be any value.
    const values = variable === '@' ? [...held.values()].flatMap((all) => [...all]) : (held.get(variable) ?? []);
    for (const value of values) {
      if (value.startsWith('$')) variables.add(value.slice(1));
      else names.add(value);
    }
  }
  return names;
}

/** A path that consists only of expansions. */
const IS_EXPANDED = /^(?:\.\/)?"?(?:\$\w+|\$\{[^{}]*\})*(?:\$\(.*\)|`.*`|\$[@*])?"?$/s;
/** Variables in a path. `@` stands for all arguments of a function. */
const VARIABLE = /\$\{?[!#]?(\w+|[@*])/g;
const variablesIn = (path: string): readonly string[] =>
  IS_EXPANDED.test(path) ? [...path.matchAll(VARIABLE)].map(([, name = '']) => name.replace(/^(?:\d+|\*)$/, '@')) : [];

/** Notes the variables in a word that may name a file of commands: `-f "$f"`. */
export function noteVariables(text: string, { taken }: BashFiles): void {
  for (const [, name = ''] of text.matchAll(VARIABLE)) taken.add(`$${name}`);
}

/** Whether such a variable holds the path of a file that the line writes, or is one to whose path it writes. */
export function takesFilled(found: BashFiles, written: ReadonlyMap<string, boolean>): boolean {
  const filled = new Set([...found.taken].flatMap((name) => (name.startsWith('$') ? [name.slice(1)] : [])));
  if (filled.size === 0 || written.size === 0) return false;
  if ([...filled].some((name) => found.filled.has(name))) return true;
  return [...filledIn({ ...found, filled })].some((name) => name.startsWith('=') && written.has(name.slice(1)));
}

/** Returns a function that notes a file written to this path, for `callsTest`. */
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

/** Notes the value of a variable, which may be the path of a program, or of a folder of programs. */
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

/** Notes that the programs of a project are on the PATH. */
export function noteActivated({ onPath }: BashFiles): void {
  onPath.add(ACTIVATED);
}

/** Notes that the PATH is unknown. */
export function noteAnyPath({ onPath }: BashFiles): void {
  onPath.add(ANY);
}

/** Notes a script that is read: `source .venv/bin/activate`. */
export function noteRead(path: string, { onPath }: BashFiles): void {
  if (ACTIVATES.test(path)) onPath.add(ACTIVATED);
}

/** A file's name without its folder; `SOME` if it is unknown, empty if the path is a folder. */
export function nameOf({ text, sure }: KnownWord): string {
  const last = lastName(text);
  // In `$DIR/name` and `"$(mktemp -d)/name"` the name is known.
  return sure === undefined || last === '' || (text.includes('/') && /^[\w.+-]+$/.test(last)) ? last : SOME;
}

/** Returns the other names under which a file in this place is run: `.git` if git runs it. Also notes it as possibly on the PATH. */
export function placesOf(path: string, found: BashFiles): (name: string) => readonly string[] {
  const note = notePlace(straight(path));
  const isForGit = isRunByGit(path);
  return (name) => {
    note(name, found);
    return isForGit || HOOK.test(name) ? ['.git'] : [];
  };
}

/** Notes that the current folder has changed, so that `bin` may be another folder than the project's. */
export function noteGone({ onPath }: BashFiles): void {
  onPath.add(GONE);
}

/** Notes a folder to which a program downloads: `wget -P ~/bin h/tool`. The project's own `bin` is not on the PATH unless activated. */
export function noteGivenFolder(path: string, found: BashFiles): void {
  if (!IS_PLACED.test(path) && isBin(path) && !CLIMBS.test(path)) found.onPath.add(GIVEN_PROJECTS);
  else noteFolder(path, false, found);
}

const goneTo = (path: string): string => lastName(straight(path).replace(/\/$/, ''));
const isBin = (path: string): boolean => /^\.?s?bin$/.test(goneTo(path));

/** Notes a folder that the line goes to, because files written there have no folder in their names: `cd ~/bin && … > tool`. */
export function noteFolder(path: string, isMade: boolean, { moved, onPath }: BashFiles): void {
  const folder = goneTo(path);
  const isThere = isBin(path) || (IS_PLACED.test(path) && isOfPrograms(folder));
  if (isThere) onPath.add(isMade ? MADE : GONE_THERE);
  if (isMade) return;
  if (path === '$_') onPath.add(GONE_TO_LAST);
  if (folder === '.git') moved.set('config', new Set([...(moved.get('config') ?? []), '.git']));
}

/** Notes the copies of files. `hole`: the placeholder that a runner replaces in the words; if no word has it, words are appended. */
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
    // The target may be a folder, in which the file keeps its name.
    for (const place of [...last.places(name), ...last.places(source)]) copies.add(place);
  }
}

/** Whether a name is a glob. */
export function isPattern(name: string): boolean {
  const choice = name.indexOf('[');
  return (/[*?]/.test(name) || (choice !== -1 && name.lastIndexOf(']') > choice)) && !/[$`{]/.test(name);
}

/** If there are more globs, they are treated as one. */
const MOST_PATTERNS = 10;

/** Files with all their copies, and whether their content is known: a copy has the content of its source. */
export function spread(files: ReadonlyMap<string, boolean>, { moved, values }: BashFiles): Map<string, boolean> {
  const all = new Map(files);
  let patterns = [...moved.keys()].filter(isPattern);
  let copiesOf = moved;
  if (patterns.length > MOST_PATTERNS) {
    const copies = patterns.flatMap((pattern) => [...(moved.get(pattern) ?? [])].filter((copy) => !isPattern(copy)));
    copiesOf = new Map([...moved, [SOME, new Set([...copies, SOME])]]);
    patterns = [SOME];
    // Some of the files may be changed in place.
    for (const name of files.keys()) all.set(name, false);
  }
  const isLike = patternsTest(patterns);
  const open = [...files.keys()];
  for (const name of open) {
    const sources = [name, ...patterns.filter((one) => one !== name && isLike(one, name))];
    for (const source of sources)
      for (const copy of copiesOf.get(source) ?? []) {
        // A file that is changed in place has other content.
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

/** Longer names and globs always match. */
const LONGEST_NAME = 100;

function patternsTest(patterns: readonly string[]): (pattern: string, name: string) => boolean {
  const tests = new Map(
    patterns
      .filter((pattern) => pattern.length <= LONGEST_NAME)
      .map((pattern) => [pattern, nameTest(pattern.replace(/\[[^\]]*\]/g, '?'))]),
  );
  return (pattern, name) => name.length > LONGEST_NAME || tests.get(pattern)?.(name) !== false;
}

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

/** Files from which git takes commands, and their folders. */
const RUN_BY_GIT =
  /(?:^|\/)(?:\.(?:githooks|husky)(?:\/|$)|\.git\/(?:(?:modules|worktrees)\/.+\/)?(?:hooks(?:\/|$)|config(?:\.worktree)?$))/;
/** `core.hooksPath` may name any folder, and `cd` may go to it. */
const HOOK =
  /^(?:(?:applypatch|commit|prepare-commit)-msg|(?:pre|post)-(?:applypatch|commit|merge-commit|merge|rebase|checkout|rewrite|push|receive|update|auto-gc|index-change)|reference-transaction|sendemail-validate|proc-receive)$/;
/** Folders in which programs are looked up by their names; one that an expansion names may be any. */
const ON_PATH = /(?:^|\/)(?:\.?s?bin|shims|games|scripts?)\/[^/]*$|[$`)}"][^/]*\/[^/]*$/;
const ON_PATH_ITSELF = /(?:^|\/)(?:\.?s?bin|shims|games|scripts?)$/;

/** A file's name without its folder; `SOME`: it is not known; empty: it is a folder. */
export function nameOf({ text, sure }: KnownWord): string {
  const last = lastName(text);
  // Of `$DIR/name` and `"$(mktemp -d)/name"` the name is known.
  return sure === undefined || last === '' || (text.includes('/') && /^[\w.+-]+$/.test(last)) ? last : SOME;
}

/** What else files there are called for what looks them up: `.git`, if git runs them. Notes those that may be on the path. */
export function placesOf(path: string, found: BashFiles): (name: string) => readonly string[] {
  const isOnPath = ON_PATH.test(path) || ON_PATH_ITSELF.test(path);
  const isForGit = RUN_BY_GIT.test(path);
  return (name) => {
    if (isOnPath) found.onPath.add(name);
    return isForGit || HOOK.test(name) ? ['.git'] : [];
  };
}

/** `cd .git && … > config`, `cd ~/bin && … > tool`: what is written there has no folder in its name. */
export function noteFolder(path: string, found: BashFiles): void {
  if (/(?:^|\/)\.git\/?$/.test(path))
    found.moved.set('config', new Set([...(found.moved.get('config') ?? []), '.git']));
  if (ON_PATH_ITSELF.test(path.replace(/\/$/, ''))) found.variables.add('PATH');
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
export const isPattern = (name: string): boolean => /[*?]|\[.*\]/.test(name) && !/[$`{]/.test(name);

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

function patternsTest(patterns: readonly string[]): (pattern: string, name: string) => boolean {
  const tests = new Map(
    patterns.map((pattern) => {
      const source = pattern
        .replace(/\[[^\]]*\]/g, '?')
        .replace(/[^\w*?]/g, '\\$&')
        .replaceAll('?', '.')
        .replace(/\*+/g, '.*');
      return [pattern, /(?:\*.*){4}/.test(pattern) ? /^/ : new RegExp(`^${source}$`, 's')];
    }),
  );
  return (pattern, name) => name.length > 100 || tests.get(pattern)?.test(name) === true;
}

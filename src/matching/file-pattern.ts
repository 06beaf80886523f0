import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { warn } from '../plain.js';
import { homeFolder } from '../values/user-folders.js';
import { type GlobBudget, type GlobSegment, globParts, namesIn, patternParts, plainParts } from './glob-meeting.js';
import { timedTest } from './regex-cost.js';

/** No system allows longer paths. */
export const MAX_PATH = 4096;
/** A test's time depends on the number of ways in which the stars can divide the path. With few stars and a short path it is negligible. */
const FEW_STARS = 2;
const SHORT_PATH = 256;

/** The cost of testing one path, in the steps that are counted for globs. */
const TEST_STEPS = 100;
const BOUNDED_TEST_STEPS = 1_000;

let ignore: typeof import('ignore') | undefined;

/**
 * Compiles a gitignore pattern for paths: `//abs/**` from the root of the file system, `~/x` from the home directory, `/x` from
 * `root` (else the current directory), `x`, `./x` and `../x` from the current directory. Letter case is ignored, because some file
 * systems ignore it, unless `exact` is set. An unknown path matches, and so does a directory that may contain a match, and every
 * path once a test took too long (then `late` is called). With `steps`, `path` is the glob of a search, which also matches if it
 * names what the pattern is about; it also matches when the steps are used up.
 */
export function compileFilePattern(
  pattern: string,
  root: string | undefined,
  late: (why: string) => void = (why) => warn(`the rule ${pattern} ${why}`),
  exact = false,
): (path: unknown, cwd: string, steps?: GlobBudget) => boolean {
  const { anchor, rest } = anchored(pattern.normalize(), root);
  // Loaded with the first such rule, because few hosts have one, and synchronously, because registering is.
  ignore ??= createRequire(import.meta.url)('ignore') as typeof import('ignore');
  const rules = ignore({ ignorecase: !exact }).add(withBrackets(rest));
  const begins = beginning(rest);
  const stars = rest.match(/\*+/g)?.length ?? 0;
  const ignores = (path: string): boolean => rules.ignores(path);
  const bounded = timedTest(ignores);
  const test = (path: string): boolean =>
    stars < FEW_STARS || (stars === FEW_STARS && path.length <= SHORT_PATH) ? ignores(path) : bounded(path, late);
  // A search tests each of its globs as a path too, which uses up steps.
  const cost = stars <= FEW_STARS ? TEST_STEPS : BOUNDED_TEST_STEPS;
  const mayHold = partsTest(rest);
  const named = namedParts(rest);
  return (path, cwd, steps) => {
    if (typeof path !== 'string' || path.length > MAX_PATH) return true;
    const place = placeOf(path, cwd);
    const from = anchor(place.here);
    const below = exact && !place.absolute.startsWith(from) ? undefined : belowOf(place, from);
    // `dir/**` also matches `dir` itself, though in gitignore it only means the contents.
    if (below?.lower.startsWith(begins) && (steps === undefined || mayHold(below.lower))) {
      if (steps !== undefined) steps.left -= cost;
      if (steps !== undefined && steps.left < 0) return true;
      if (test(below.inside) || (below.relative !== '' && test(below.relative))) return true;
    }
    if (steps === undefined || named === undefined || !/[*?[]/.test(path)) return false;
    place.parts ??= globParts(place.absolute);
    return namesIn(place.parts, [...plainParts(from), ...named], steps);
  };
}

/** The parts of a pattern; undefined if none of them contains a name. */
function namedParts(pattern: string): readonly GlobSegment[] | undefined {
  const parts = patternParts(pattern.trimEnd());
  if (!parts.some((part) => part !== '**' && part.isNamed)) return undefined;
  return isTied(pattern) ? parts : ['**', ...parts];
}

/**
 * A quick check before the actual test: a path (in lower case) can only match if it contains every plain part of the pattern, and
 * the text between the stars of the others.
 */
function partsTest(pattern: string): (lower: string) => boolean {
  const parts = pattern.toLowerCase().trimEnd().split('/');
  // Brackets may contain a slash, and escapes change the text.
  if (/[[\]\\!#]/.test(pattern)) return () => true;
  const needed = parts.flatMap((part) =>
    /^[\w.@+=-]+$/.test(part) ? [`/${part}/`] : (part.match(/[\w.@+=-]+/g) ?? []),
  );
  return (lower) => {
    const path = `/${lower}/`;
    return needed.every((one) => path.includes(one));
  };
}

/** Whether a pattern is anchored: as in gitignore, one with a slash before its end is. */
const isTied = (pattern: string): boolean => pattern.trimEnd().slice(0, -1).includes('/');

/** Adds a pattern with literal brackets, because a folder may be called `[id]`. */
function withBrackets(pattern: string): string {
  if (!pattern.includes('[')) return pattern;
  return `${pattern}\n${pattern.replace(/\\?[[\]]/g, (bracket) => (bracket.length > 1 ? bracket : `\\${bracket}`))}`;
}

/** Characters that are literal in every pattern. */
const PLAIN = /^[\w.@+=/-]*/;

/**
 * The literal prefix of all matching paths, in lower case; '' if there is none. With many rules, most are ruled out by this prefix
 * alone.
 */
function beginning(pattern: string): string {
  const [plain = ''] = (isTied(pattern) && PLAIN.exec(pattern.replace(/^\//, ''))) || [];
  // Such paths are left to the library.
  return /^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(plain) ? '' : plain.toLowerCase();
}

/** A resolved path. `below` caches the path relative to each anchor. */
interface LocatedPath {
  readonly path: string;
  readonly cwd: string;
  readonly here: string;
  readonly absolute: string;
  /** Whether it depends neither on the home directory nor on the process's current directory, which may change. */
  readonly stays: boolean;
  readonly below: Map<string, PathBelow | undefined>;
  /** The parts of a glob, computed when they are first needed. */
  parts?: readonly GlobSegment[];
}

/** `inside` is a fictitious entry of the path as a directory, `lower` the same in lower case. */
interface PathBelow {
  readonly relative: string;
  readonly inside: string;
  readonly lower: string;
}

/** A cache, because several rules test the paths of the same call in turn. */
const recent = new Map<string, LocatedPath>();
const MOST_RECENT = 200;

function placeOf(path: string, cwd: string): LocatedPath {
  const known = recent.get(path);
  if (known?.stays === true && known.cwd === cwd) return known;
  const place = placed(path, cwd);
  if (recent.size >= MOST_RECENT) recent.clear();
  recent.set(path, place);
  return place;
}

function placed(path: string, cwd: string): LocatedPath {
  const here = toPosix(cwd);
  const absolute = posix.resolve(here, toPosix(path.replace(/^~(?=\/|$)/, homeFolder())));
  const stays = posix.isAbsolute(here) && !path.startsWith('~');
  return { path, cwd, here, absolute, stays, below: new Map() };
}

/** The path relative to `from`; undefined if it is outside. */
function belowOf({ below, absolute }: LocatedPath, from: string): PathBelow | undefined {
  if (below.has(from)) return below.get(from);
  // Letter case is also ignored in the folders above.
  const start = absolute.slice(0, from.length);
  const isSame = start.toLowerCase() === from.toLowerCase();
  const relative = posix.relative(from, isSame ? from + absolute.slice(from.length) : absolute);
  const isOutside = relative === '..' || relative.startsWith('../');
  const inside = posix.join(relative, '\0');
  const found = isOutside ? undefined : { relative, inside, lower: inside.toLowerCase() };
  below.set(from, found);
  return found;
}

function anchored(pattern: string, root: string | undefined): { anchor: (cwd: string) => string; rest: string } {
  if (DRIVE.test(pattern)) return { anchor: () => '/', rest: tidy(toPosix(pattern.replace(/^\/+/, ''))) };
  if (pattern.startsWith('//')) return { anchor: () => '/', rest: tidy(pattern) };
  if (/^~(?:\/|$)/.test(pattern)) return { anchor: () => toPosix(homeFolder()), rest: tidy(pattern.slice(1) || '/') };
  if (pattern.startsWith('/'))
    return { anchor: (cwd) => (root === undefined ? cwd : toPosix(root)), rest: tidy(pattern) };
  const [, climb = '', below = ''] = /^((?:\.\.?(?:\/|$))*)(.*)$/s.exec(pattern) ?? [];
  // After `../` a pattern is anchored in the folder that this leads to.
  const rest = climb.includes('..') || below === '' ? `/${below || '**'}` : below.replace(/^[#!]/, '\\$&');
  return { anchor: climb === '' ? (cwd) => cwd : (cwd) => posix.resolve(cwd, climb), rest: tidy(rest) };
}

/** `C:/Users`, also after slashes. */
const DRIVE = /^\/*[A-Za-z]:[\\/]/;

/** Normalizes `a//b` and `a/./b` to `a/b`, as in paths. The root alone means everything in it. */
function tidy(pattern: string): string {
  const plain = pattern.replace(/\/(?:\.?\/)+/g, '/').replace(/\/\.$/, '/');
  return plain === '/' ? '/**' : plain;
}

/** Turns `C:\Users\a` into `/c/Users/a`, as in the patterns. Unicode is normalized (NFC), since some file systems decompose letters. */
function toPosix(path: string): string {
  const text = path.normalize();
  const drive = /^([A-Za-z]):[\\/]/.exec(text)?.[1];
  if (drive !== undefined) return `/${drive.toLowerCase()}${text.slice(2).replaceAll('\\', '/')}`;
  return process.platform === 'win32' ? text.replaceAll('\\', '/') : text;
}

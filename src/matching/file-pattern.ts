import { homedir } from 'node:os';
import { posix } from 'node:path';
import ignore from 'ignore';
import { warn } from '../plain.js';
import { globParts, namesIn, type Part, patternParts, plainParts, type Steps } from './glob-meeting.js';
import { inTime } from './regex-cost.js';

/** Longer paths exist on no system. */
export const MAX_PATH = 4096;
/** The time that a pattern takes depends on how its stars may divide a path: with few stars on a path of this length it is negligible. */
const FEW_STARS = 2;
const SHORT_PATH = 256;

/** What a test of a path costs that may be the pattern's, in the steps that are counted for globs. */
const TEST_STEPS = 100;
const BOUNDED_TEST_STEPS = 1_000;

/**
 * A gitignore pattern over paths: `//abs/**` from the root of the file system, `~/x` from the home directory, `/x` from
 * `root` (else the current directory), `x`, `./x` and `../x` from the current directory. Letter case does not count, as
 * some file systems have it. A path that cannot be told, or a directory given instead of files, matches if it may; so does every path
 * once one took too long, which `late` is told. `steps`: a search looks for it, which matches too if it names what the
 * pattern is about, as far as these go. `exact`: letter case counts.
 */
export function compileFilePattern(
  pattern: string,
  root: string | undefined,
  late: (why: string) => void = (why) => warn(`the rule ${pattern} ${why}`),
  exact = false,
): (path: unknown, cwd: string, steps?: Steps) => boolean {
  const { anchor, rest } = anchored(pattern.normalize(), root);
  const rules = ignore({ ignorecase: !exact }).add(withBrackets(rest));
  const begins = beginning(rest);
  const stars = rest.match(/\*+/g)?.length ?? 0;
  const ignores = (path: string): boolean => rules.ignores(path);
  const bounded = inTime(ignores);
  const test = (path: string): boolean =>
    stars < FEW_STARS || (stars === FEW_STARS && path.length <= SHORT_PATH) ? ignores(path) : bounded(path, late);
  // Each glob of a search is compared, too.
  const cost = stars <= FEW_STARS ? TEST_STEPS : BOUNDED_TEST_STEPS;
  const mayHold = partsTest(rest);
  const named = namedParts(rest);
  return (path, cwd, steps) => {
    if (typeof path !== 'string' || path.length > MAX_PATH) return true;
    const place = placeOf(path, cwd);
    const from = anchor(place.here);
    const below = exact && !place.absolute.startsWith(from) ? undefined : belowOf(place, from);
    // A directory is what `dir/**` names, though gitignore means only what is in it.
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

/** Undefined: no part of it has a name. */
function namedParts(pattern: string): readonly Part[] | undefined {
  const parts = patternParts(pattern.trimEnd());
  if (!parts.some((part) => part !== '**' && part.isNamed)) return undefined;
  return isTied(pattern) ? parts : ['**', ...parts];
}

/**
 * Whether a path in lower case has what each part of a pattern needs: the part itself if it is plain, else the letters
 * between its stars. Without them no test of it is needed.
 */
function partsTest(pattern: string): (lower: string) => boolean {
  const parts = pattern.toLowerCase().trimEnd().split('/');
  // A slash in brackets, or an escape.
  if (/[[\]\\!#]/.test(pattern)) return () => true;
  const needed = parts.flatMap((part) =>
    /^[\w.@+=-]+$/.test(part) ? [`/${part}/`] : (part.match(/[\w.@+=-]+/g) ?? []),
  );
  return (lower) => {
    const path = `/${lower}/`;
    return needed.every((one) => path.includes(one));
  };
}

/** A pattern with a slash before its end is tied to its place. */
const isTied = (pattern: string): boolean => pattern.trimEnd().slice(0, -1).includes('/');

/** Where brackets are a choice of letters, a folder may as well be called `[id]`: it is meant too. */
function withBrackets(pattern: string): string {
  if (!pattern.includes('[')) return pattern;
  return `${pattern}\n${pattern.replace(/\\?[[\]]/g, (bracket) => (bracket.length > 1 ? bracket : `\\${bracket}`))}`;
}

/** Letters that mean themselves in every pattern. */
const PLAIN = /^[\w.@+=/-]*/;

/**
 * The fixed beginning of paths that match, in lower case; '' if unknown. Most of many rules are about other paths, which
 * this alone shows.
 */
function beginning(pattern: string): string {
  const [plain = ''] = (isTied(pattern) && PLAIN.exec(pattern.replace(/^\//, ''))) || [];
  // Left to the library.
  return /^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(plain) ? '' : plain.toLowerCase();
}

/** The place of a path; `below`: relative to the places that patterns are tied to. */
interface LocatedPath {
  readonly path: string;
  readonly cwd: string;
  readonly here: string;
  readonly absolute: string;
  /** Its place depends neither on the home directory nor on the process's, both of which may change. */
  readonly stays: boolean;
  readonly below: Map<string, Below | undefined>;
  /** Of a glob; once they are asked for. */
  parts?: readonly Part[];
}

/** `inside`: something in it, were it a directory; `lower`: that in lower case. */
interface Below {
  readonly relative: string;
  readonly inside: string;
  readonly lower: string;
}

/** Several rules look at the same call in turn, which may be about some paths. */
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
  const absolute = posix.resolve(here, toPosix(path.replace(/^~(?=\/|$)/, homedir())));
  const stays = posix.isAbsolute(here) && !path.startsWith('~');
  return { path, cwd, here, absolute, stays, below: new Map() };
}

/** Undefined: it is not below that place. */
function belowOf({ below, absolute }: LocatedPath, from: string): Below | undefined {
  if (below.has(from)) return below.get(from);
  // Nor does letter case count in the folders above.
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
  if (/^~(?:\/|$)/.test(pattern)) return { anchor: () => toPosix(homedir()), rest: tidy(pattern.slice(1) || '/') };
  if (pattern.startsWith('/'))
    return { anchor: (cwd) => (root === undefined ? cwd : toPosix(root)), rest: tidy(pattern) };
  const [, climb = '', below = ''] = /^((?:\.\.?(?:\/|$))*)(.*)$/s.exec(pattern) ?? [];
  // After `../` a pattern is tied to the folder that it climbed to.
  const rest = climb.includes('..') || below === '' ? `/${below || '**'}` : below.replace(/^[#!]/, '\\$&');
  return { anchor: climb === '' ? (cwd) => cwd : (cwd) => posix.resolve(cwd, climb), rest: tidy(rest) };
}

/** `C:/Users`, also behind slashes. */
const DRIVE = /^\/*[A-Za-z]:[\\/]/;

/** `a//b` and `a/./b` are `a/b`, as in paths; the root alone stands for all in it. */
function tidy(pattern: string): string {
  const plain = pattern.replace(/\/(?:\.?\/)+/g, '/').replace(/\/\.$/, '/');
  return plain === '/' ? '/**' : plain;
}

/** `C:\Users\a` is `/c/Users/a`, as in the patterns. Letters with marks have one spelling, as in file systems that know no other. */
function toPosix(path: string): string {
  const text = path.normalize();
  const drive = /^([A-Za-z]):[\\/]/.exec(text)?.[1];
  if (drive !== undefined) return `/${drive.toLowerCase()}${text.slice(2).replaceAll('\\', '/')}`;
  return process.platform === 'win32' ? text.replaceAll('\\', '/') : text;
}

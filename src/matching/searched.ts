/** The field with which a tool says what it looks at below its path, as a glob. */
const GLOBS: ReadonlyMap<string, string> = new Map([
  ['Glob', 'pattern'],
  ['Grep', 'glob'],
]);
/** The glob of a search, as its tool gives it. */
export const globOf = (tool: string, input: Readonly<Record<string, unknown>>): unknown => input[GLOBS.get(tool) ?? ''];

/** More than anybody writes; what such a glob names is unknown. */
const MOST_GLOBS = 100;
const LONGEST = 1_000;

/**
 * The paths that a search names beside `places`, where it begins: `secret/**` is in `secret`, `*.pem` is a file with that
 * ending. Undefined stands for any path.
 */
export function namedByGlobs(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  places: readonly unknown[],
): readonly (string | undefined)[] {
  const given = globOf(tool, input);
  const globs = (Array.isArray(given) ? given : [given]).filter((glob) => typeof glob === 'string');
  if (last?.tool === tool && isSame(last.globs, globs) && isSame(last.places, places)) return last.named;
  const named = globs.flatMap((glob) => spelledOut(tool, glob)).flatMap((glob) => at(tool, glob, places));
  last = { tool, globs, places, named };
  return named;
}

/** Several rules look at the same call in turn. */
let last:
  | {
      readonly tool: string;
      readonly globs: readonly string[];
      readonly places: readonly unknown[];
      readonly named: readonly (string | undefined)[];
    }
  | undefined;

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((each, i) => each === other[i]);

function spelledOut(tool: string, glob: string): readonly (string | undefined)[] {
  if (glob.length > LONGEST) return [undefined];
  const all = withoutBraces(glob);
  // Grep takes several at once.
  const several = tool === 'Grep' ? all.flatMap((one) => one?.split(/[\s,]+/) ?? [one]) : all;
  if (several.length > MOST_GLOBS) return [undefined];
  // What it leaves out it does not name.
  return several.filter((one) => one !== '' && one?.startsWith('!') !== true);
}

/** What extended globs of a shell have before their brackets, and what stands for the choices in these. */
const CHOICES: Readonly<Record<string, (parts: readonly string[]) => readonly string[]>> = {
  '@': (parts) => parts,
  '?': (parts) => ['', ...parts],
  '+': (parts) => parts.map((part) => `${part}*`),
  '*': (parts) => ['', ...parts.map((part) => `${part}*`)],
  '!': () => ['*'],
};

/** `{a,b}/*` is `a/*` and `b/*`, and `@(a|b)/*` as well. Braces around one text may stand for themselves. */
function withoutBraces(glob: string): readonly (string | undefined)[] {
  const done: string[] = [];
  const open = [glob];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [braces, inner] = /\{([^{}]*,[^{}]*)\}/.exec(one) ?? [];
    const [choice, kind = '', given] = /([@?+*!])\(([^()]*)\)/.exec(one) ?? [];
    if (braces !== undefined && inner !== undefined)
      for (const part of inner.split(',')) open.push(one.replace(braces, () => part));
    else if (choice !== undefined && given !== undefined)
      for (const part of CHOICES[kind]?.(given.split('|')) ?? []) open.push(one.replace(choice, () => part));
    else done.push(...new Set([one, one.replace(/(?<!\\)[{}]/g, '')]));
    if (open.length + done.length > MOST_GLOBS) return [undefined];
  }
  return done;
}

function at(tool: string, glob: string | undefined, places: readonly unknown[]): readonly (string | undefined)[] {
  if (glob === undefined) return [undefined];
  // A backslash escapes, or divides folders.
  const plain = glob.includes('\\') ? [glob, glob.replace(/\\([[\]{}()*?!/])/g, '$1')] : [glob];
  // Grep looks for a name anywhere below.
  const paths = tool === 'Grep' && !glob.includes('/') ? plain.flatMap((one) => [one, `**/${one}`]) : plain;
  return paths.flatMap((path) => {
    const below = places.filter((place) => typeof place === 'string').map((place) => `${place}/${path}`);
    return /^(?:[\\/]|~\/|[A-Za-z]:[\\/])/.test(path) ? [path, ...below] : below;
  });
}

/** The input field with a search tool's glob, which is relative to the tool's path. */
const GLOBS: ReadonlyMap<string, string> = new Map([
  ['Glob', 'pattern'],
  ['Grep', 'glob'],
]);
/** The glob of a search, unchecked. */
export const globOf = (tool: string, input: Readonly<Record<string, unknown>>): unknown => input[GLOBS.get(tool) ?? ''];

/** Limits that no person exceeds. What a larger glob names is unknown. */
const MOST_GLOBS = 100;
const LONGEST = 1_000;

/**
 * The paths that a search's glob names, relative to `places`, where the search begins: `secret/**` names `secret`, and `*.pem` the
 * files with that ending. Undefined stands for any path.
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

/** A cache, because several rules read the same call in turn. */
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
  // Grep accepts several globs in one text.
  const several = tool === 'Grep' ? all.flatMap((one) => one?.split(/[\s,]+/) ?? [one]) : all;
  if (several.length > MOST_GLOBS) return [undefined];
  // Negated globs exclude files, so they name none.
  return several.filter((one) => one !== '' && one?.startsWith('!') !== true);
}

/** Extended globs by the character before their parentheses, and the globs that replace them. */
const CHOICES: Readonly<Record<string, (parts: readonly string[]) => readonly string[]>> = {
  '@': (parts) => parts,
  '?': (parts) => ['', ...parts],
  '+': (parts) => parts.map((part) => `${part}*`),
  '*': (parts) => ['', ...parts.map((part) => `${part}*`)],
  '!': () => ['*'],
};

/** Expands `{a,b}/*` and `@(a|b)/*` to `a/*` and `b/*`. Braces around a single text may be literal, so both readings are kept. */
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
  // A backslash may be an escape or a separator of folders.
  const plain = glob.includes('\\') ? [glob, glob.replace(/\\([[\]{}()*?!/])/g, '$1')] : [glob];
  // For Grep, a glob without a slash matches names at any depth.
  const paths = tool === 'Grep' && !glob.includes('/') ? plain.flatMap((one) => [one, `**/${one}`]) : plain;
  return paths.flatMap((path) => {
    const below = places.filter((place) => typeof place === 'string').map((place) => `${place}/${path}`);
    return /^(?:[\\/]|~\/|[A-Za-z]:[\\/])/.test(path) ? [path, ...below] : below;
  });
}

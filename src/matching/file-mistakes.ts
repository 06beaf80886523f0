interface Mistake {
  readonly is: RegExp;
  readonly why: string;
}

/** Patterns that match no file at all. */
const NEVER: readonly Mistake[] = [
  { is: /^!/, why: 'a file pattern cannot be negated' },
  { is: /^(["'`]).+\1$/s, why: 'a file pattern stands without quotes' },
  { is: /^[a-z][\w+.-]+:\/\//i, why: 'expected a path, not a URL; from the root of the file system it begins with //' },
  {
    // `$id` is left out: some frameworks have folders with such names.
    is: /(?:^|[/\\])(?:\$[A-Z][A-Z0-9_]*|\$\{[^}]*\}|\$[Ee][Nn][Vv]:\w+|%\w+%)(?=[/\\]|$)/,
    why: 'variables are not filled in; write ~/x for the home directory, /x for the project and //x from the root of the file system',
  },
  {
    is: /(?:^|\/)(?!\.\.?\/)[^/]*\/(?:.*\/)?\.\.(?:\/|$)/s,
    why: 'a .. that is not at the beginning matches nothing; write the path without it',
  },
];

/** Patterns that may match a file, but probably not the intended ones. */
const UNLIKELY: readonly Mistake[] = [
  { is: /\{.*,.*\}/s, why: 'braces are literal in a gitignore pattern' },
  { is: /[?*+@!]\([^)]*\)/, why: 'groups are literal in a gitignore pattern' },
  { is: /\||[*/],|,[\s*./~]|\*\s+[\w./~*]/, why: 'a rule holds one pattern, in which | and , and spaces are literal' },
  { is: /\.\*\\\.|^\^|[\w*]\$$/, why: 'it is read as a gitignore pattern, not as a regular expression' },
  {
    is: /^(?!\/*[A-Za-z]:[\\/]).*(?:\\[\w\\]|\\\*\*)/s,
    why: 'a backslash only escapes what follows it; folders are divided by /',
  },
  {
    is: /^\/(?:(?:etc|root|usr|proc|private)(?:\/|$)|(?:home|Users|[a-z]\/Users)\/[^*])/,
    why: 'one slash is the folder of the settings, or the current one; the root of the file system is //',
  },
];

/** Why a pattern can match no file. */
export const neverAFile = (pattern: string): string | undefined => find(NEVER, pattern);

/** Why a pattern may not mean what it seems to. */
export const hardlyAFile = (pattern: string): string | undefined => find(UNLIKELY, pattern);

function find(mistakes: readonly Mistake[], pattern: string): string | undefined {
  return mistakes.find(({ is }) => is.test(pattern))?.why;
}

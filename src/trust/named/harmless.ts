import { type CommandReading, OTHER } from './command-reading.js';
import { isSystem, type NamedPaths } from './named-paths.js';
import type { FileUse } from './program.js';
import { readOption } from './program-options.js';
import { programOf } from './programs.js';
import { RESERVED } from './shell/cases.js';
import { UNKNOWN } from './shell/values.js';
import type { ShellCommand, ShellWord } from './shell/word.js';

/** A use that does not run files, which applies to the command's words from index `from` on. */
export interface HarmlessWords {
  readonly use: FileUse;
  readonly from: number;
}

const USES: Readonly<Record<string, FileUse>> = {
  ...Object.fromEntries('tee touch mkdir rmdir rm truncate'.split(' ').map((name) => [name, 'written' as const])),
  flock: 'lock',
  cat: 'shown',
  ...{ wc: 'seen', test: 'seen', '[': 'seen' },
};
const NAMES = Object.keys(USES).filter((name) => name !== '[');
/** Matches these programs by bare name or by their path in a system folder. */
const OWN_NAME = new RegExp(`^(?:(?:/usr)?/bin/)?(?=(?:${NAMES.join('|')})$)`);
/** Interpreters, and the options with which they run only the script that follows. */
const INTERPRETERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:sh|bash|dash|ash|ksh|zsh)$/, /^(?:-[euxvf]+|--norc|--noprofile|--posix)$/],
  [/^node(?:js)?$/, /^--(?:no-warnings|enable-source-maps|experimental-strip-types)$/],
  [/^python[\d.]*$/, /^-[uBEIOsSbqv]+$/],
  [/^(?:ruby|php)$/, /^-w$/],
];
const SYSTEM_BIN = /^\/(?:usr\/)?bin\//;
const SCRIPT = /\/|\.(?:[cm]?[jt]sx?|py|rb|sh|php)$/;
/** Paths of installed programs, which may run the files that they are given. */
const INSTALLED = /\/(?:node_modules|\.?venv)\//;

/** An allowlist of harmless commands. For any other form of command, all of its files are bound. */
export function harmlessWords(
  { words }: ShellCommand,
  valuesOf: (word: ShellWord) => readonly string[],
  paths: NamedPaths,
): HarmlessWords | undefined {
  const first = words.findIndex(({ redirect, text }) => redirect === undefined && !RESERVED.has(text));
  const word = words[first];
  if (word === undefined) return undefined;
  const values = valuesOf(word);
  const [name = ''] = values;
  if (values.length !== 1 || name.includes(UNKNOWN)) return undefined;
  if (paths.isOwn(name) && !INSTALLED.test(name) && programOf(values, 'consent') === undefined)
    return { use: 'argument', from: first + 1 };
  // `$x`, `t${x}e`
  if (!word.parts.every((part) => typeof part === 'string')) return undefined;
  const plain = name.replace(OWN_NAME, '');
  const use = Object.hasOwn(USES, plain) ? USES[plain] : undefined;
  if (use !== undefined) return { use, from: first + 1 };
  const options = INTERPRETERS.find(([names]) => names.test(name.replace(SYSTEM_BIN, '')))?.[1];
  if (options === undefined) return undefined;
  const script = words.findIndex(({ redirect, text }, i) => i > first && redirect === undefined && !options.test(text));
  const scripts = script === -1 ? [] : valuesOf(words[script] as ShellWord);
  const isScript = ([path = '']: readonly string[]): boolean =>
    !/^[-+]/.test(path) && !path.includes(UNKNOWN) && SCRIPT.test(path) && (!isSystem(path) || paths.isOwn(path));
  return scripts.length === 1 && isScript(scripts) ? { use: 'argument', from: script + 1 } : undefined;
}

/** Leaves a word out if it only names files that this use does not run. Returns whether it did. */
export function spares(use: FileUse, values: readonly string[], reading: CommandReading, paths: NamedPaths): boolean {
  if (reading.pending !== undefined) return false;
  if (use === 'argument' && values.every((value) => /^--[\w-]+=/.test(value))) {
    if (readOption(reading.program ?? OTHER, values[0] ?? '', 'consent').kind !== undefined) return false;
    return paths.spare(
      values.map((value) => value.slice(value.indexOf('=') + 1)),
      use,
    );
  }
  if (values.some((value) => /^[-+]/.test(value))) return false;
  if (use === 'lock' && (reading.skips === 0 || reading.unsure || reading.settled)) return false;
  if (!paths.spare(values, use)) return false;
  if (use === 'lock') reading.skips--;
  reading.unsure = false;
  return true;
}

/** Shell words that can change what a name means, or that run text from elsewhere. */
const MEANING =
  /(?<![\w./-])(?:function|alias|enable|hash|eval|source|typeset|declare|local|readonly|mapfile|readarray|getopts|(?:command|builtin)\s+(?!-[vV]))(?![\w./-])/;
const SOURCED = /(?:^|[;&|(){}\n]|(?<!\w)(?:then|do|else|elif|if|while|until|!)\s)\s*\.\s/;
/** Variables that determine which program a name stands for, or what a program loads. */
const LOADING = /PATH|IFS|LD_|DYLD_|BASH|SHELLOPTS|PROMPT|(?<!\w)ENV(?!\w)/;
/** An assignment to a variable whose name is an expansion: `export "$x"`, `read {PA,X}TH`. */
const SETTING = /(?<!\w)(?:read|export|printf\s+-\w*v)(?!\w)[^;&|\n]*[$`{*?[]/;

/** Whether a command's text may change what program names mean. In doubt, true. */
export function mayRename(text: string): boolean {
  const bare = text.replace(/\\\n|["'\\]/g, '');
  const isFunction = /\(\s*\)/.test(bare) || /\$["']/.test(text);
  return isFunction || [MEANING, SOURCED, LOADING, SETTING].some((pattern) => pattern.test(bare));
}

/** Commands that run nothing, whatever their arguments. */
const QUIET = new Set('echo cat wc mkdir touch tee rm rmdir truncate head tail true false : exit [ test'.split(' '));

export const isQuiet = (values: readonly string[]): boolean => values.every((value) => QUIET.has(value));

/** Whether the output of all commands in a text goes only to standard output or, if `quiet`, to other commands that run nothing. */
export function onlyShows(text: string, quiet: boolean): boolean {
  if (/[(`]/.test(text)) return false;
  return quiet || !/[>|]|coproc/.test(text.replace(/\|\||\d?>\s*\/dev\/null(?![\w./-])|\d?>&\d/g, ''));
}

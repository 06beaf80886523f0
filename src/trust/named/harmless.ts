import { type CommandReading, OTHER, RESERVED } from './command-reading.js';
import { isSystem, type NamedPaths } from './named-paths.js';
import type { Use } from './program.js';
import { readOption } from './program-options.js';
import { programOf } from './programs.js';
import { UNKNOWN } from './shell-values.js';
import type { ShellCommand, ShellWord } from './shell-words.js';

/** The use of a command's operands, from the word at that index on. */
export interface HarmlessWords {
  readonly use: Use;
  readonly from: number;
}

const USES: Readonly<Record<string, Use>> = {
  ...Object.fromEntries('tee touch mkdir rmdir rm truncate'.split(' ').map((name) => [name, 'written' as const])),
  flock: 'lock',
  cat: 'shown',
  ...{ wc: 'seen', test: 'seen', '[': 'seen' },
};
const NAMES = Object.keys(USES).filter((name) => name !== '[');
/** The system's own, by name or exactly so. */
const OWN_NAME = new RegExp(`^(?:(?:/usr)?/bin/)?(?=(?:${NAMES.join('|')})$)`);
/** Interpreters, and the options with which they run nothing but the script behind them. */
const INTERPRETERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:sh|bash|dash|ash|ksh|zsh)$/, /^(?:-[euxvf]+|--norc|--noprofile|--posix)$/],
  [/^node(?:js)?$/, /^--(?:no-warnings|enable-source-maps|experimental-strip-types)$/],
  [/^python[\d.]*$/, /^-[uBEIOsSbqv]+$/],
  [/^(?:ruby|php)$/, /^-w$/],
];
const SYSTEM_BIN = /^\/(?:usr\/)?bin\//;
const SCRIPT = /\/|\.(?:[cm]?[jt]sx?|py|rb|sh|php)$/;
/** Programs that were installed, and may run what they are given. */
const INSTALLED = /\/(?:node_modules|\.?venv)\//;

/** A positive list: of any other form of command nothing is known, and all of its files are bound. */
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
  if (paths.isOwn(name) && !INSTALLED.test(name) && programOf(values) === undefined)
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

/** Leaves such a word out, if it only names what that use cannot run. */
export function spares(use: Use, values: readonly string[], reading: CommandReading, paths: NamedPaths): boolean {
  if (reading.pending !== undefined) return false;
  if (use === 'argument' && values.every((value) => /^--[\w-]+=/.test(value))) {
    if (readOption(reading.program ?? OTHER, values[0] ?? '').kind !== undefined) return false;
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

/** Words with which the shell may give a name another meaning, or reads text that is not here. */
const MEANING =
  /(?<![\w./-])(?:function|alias|enable|hash|eval|source|typeset|declare|local|readonly|mapfile|readarray|getopts|(?:command|builtin)\s+(?!-[vV]))(?![\w./-])/;
const SOURCED = /(?:^|[;&|(){}\n]|(?<!\w)(?:then|do|else|elif|if|while|until|!)\s)\s*\.\s/;
/** Variables of which it depends what a program's name, or what it loads, is. */
const LOADING = /PATH|IFS|LD_|DYLD_|BASH|SHELLOPTS|PROMPT|(?<!\w)ENV(?!\w)/;
/** A variable that is set under a name that is not plain: `export "$x"`, `read {PA,X}TH`. */
const SETTING = /(?<!\w)(?:read|export|printf\s+-\w*v)(?!\w)[^;&|\n]*[$`{*?[]/;

/** Whether a command's text may give programs' names another meaning. Any doubt counts. */
export function mayRename(text: string): boolean {
  const bare = text.replace(/\\\n|["'\\]/g, '');
  const isFunction = /\(\s*\)/.test(bare) || /\$["']/.test(text);
  return isFunction || [MEANING, SOURCED, LOADING, SETTING].some((pattern) => pattern.test(bare));
}

/** Commands that run nothing, whatever they are given. */
const QUIET = new Set('echo cat wc mkdir touch tee rm rmdir truncate head tail true false : exit [ test'.split(' '));

export const isQuiet = (values: readonly string[]): boolean => values.every((value) => QUIET.has(value));

/** Whether what the commands of a text print goes nowhere but out, or (`quiet`) only to others that run nothing. */
export function onlyShows(text: string, quiet: boolean): boolean {
  if (/[(`]/.test(text)) return false;
  return quiet || !/[>|]|coproc/.test(text.replace(/\|\||\d?>\s*\/dev\/null(?![\w./-])|\d?>&\d/g, ''));
}

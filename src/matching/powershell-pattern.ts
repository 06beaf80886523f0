import { loadedOr } from '../values/not-loaded.js';
import { bashProgram } from './bash/lookup.js';
import type { BashProgram } from './bash/program.js';
import { compileWildcard } from './wildcard.js';

/** Aliases of cmdlets. A rule for a cmdlet also applies to its aliases. */
const ALIASES = new Map<string, string>(
  Object.entries({
    'remove-item': 'rm ri rmdir rd del erase',
    'get-childitem': 'ls dir gci',
    'get-content': 'cat gc type',
    'set-content': 'sc',
    'add-content': 'ac',
    'clear-content': 'clc',
    'copy-item': 'cp copy cpi',
    'move-item': 'mv move mi',
    'rename-item': 'ren rni',
    'new-item': 'ni md mkdir',
    'set-item': 'si',
    'clear-item': 'cli',
    'get-item': 'gi',
    'set-itemproperty': 'sp',
    'get-itemproperty': 'gp',
    'remove-itemproperty': 'rp',
    'clear-itemproperty': 'clp',
    'invoke-item': 'ii',
    'set-location': 'cd sl chdir',
    'push-location': 'pushd',
    'pop-location': 'popd',
    'invoke-webrequest': 'iwr curl wget',
    'invoke-restmethod': 'irm',
    'get-process': 'gps ps',
    'stop-process': 'kill spps',
    'start-service': 'sasv',
    'stop-service': 'spsv',
    'start-process': 'saps start',
    'import-module': 'ipmo',
    'remove-module': 'rmo',
    'select-string': 'sls',
    'select-object': 'select',
    'where-object': 'where ?',
    'foreach-object': 'foreach %',
    'tee-object': 'tee',
    'write-output': 'echo write',
    'start-job': 'sajb',
    'invoke-command': 'icm',
    'invoke-history': 'ihy r',
    'set-alias': 'sal',
    'new-alias': 'nal',
    'import-alias': 'ipal',
    'new-module': 'nmo',
    'enter-pssession': 'etsn',
    'invoke-cimmethod': 'icim',
    'invoke-wmimethod': 'iwmi',
  }).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [alias, name] as const)),
);
/** Commands that run a command from their arguments in some way of their own, or define another name for one. */
const RUNNERS: ReadonlySet<string> = new Set(
  (
    'foreach-object start-process start-job start-threadjob invoke-command invoke-history set-alias new-alias import-alias new-module ' +
    'enter-pssession invoke-cimmethod invoke-wmimethod new-scheduledtaskaction register-scheduledjob gsudo runas psexec psexec64 conhost ' +
    'wt forfiles pcalua schtasks wmic'
  ).split(' '),
);
/** Keywords after which a command may begin at any word, as after the Bash programs that run others. */
const BEFORE_COMMANDS: ReadonlySet<string> = new Set(['return', 'exit', 'throw']);
/** Syntax that may name or build a command in another way: variables, blocks, calls, escapes, block comments, other shells. */
const UNKNOWABLE =
  /[$`&(){}@]|<#|--%|(?:^|[;|\r\n])[^\S\r\n]*\.["'\u2018-\u201e]|\b(?:alias|function):|\b(?:iex|invoke-expression|powershell|pwsh|cmd)\b/i;
/** Longer lines are not read, as with Bash. */
const LONGEST = 10_000;
/** A plain command does not have more words. */
const MAX_WORDS = 500;

/**
 * Compiles a pattern for PowerShell commands, which ignores case. Only plain commands joined by `;`, `|` and `&&` are understood. Any
 * other line matches, because it is unknown what it runs; with `guesses` it matches only if one of its words may be the command.
 */
export function compilePowerShellPattern(pattern: string, guesses = false): (command: unknown) => boolean {
  const [first = '', ...rest] = wordsOf(pattern.replace(/:\*$/, ' *'));
  // The pattern as written is kept too, because its first word may end in the middle of a command's name.
  const texts = [...new Set([first, fullName(withoutEnding(first))])].map((name) => [name, ...rest].join(' '));
  if (texts.includes('*')) return () => true;
  const bare = texts.filter((text) => text.endsWith(' *')).map((text) => text.slice(0, -2));
  const tests = [...texts, ...bare].map(compileWildcard);
  // The beginnings of the patterns, as a quick check: most words of a long line do not start with one.
  const starts = [...texts, ...bare].map((text) => text.split(/[*\s\\]/, 1)[0] ?? '');
  const mayBegin = (name: string): boolean => starts.some((start) => name.startsWith(start));
  const matches: Test = (words, at = 0) =>
    spellings(words, at, mayBegin).some((part) => tests.some((test) => test(part)));
  const mayRun = (command: string): boolean => {
    const { isKnown, words: all, parts, scripts } = readLine(command);
    if (!isKnown) return !guesses || parts.some((words) => anywhere(words, matches));
    const isPiped = command.includes('|');
    if (matches(all) || parts.some((words) => runs(words, isPiped, matches))) return true;
    // One command may write a script that another one runs.
    return parts.some((words) => scripts.size > (scripts.has(words) ? 1 : 0) && anywhere(words, matches));
  };
  return (command) =>
    typeof command !== 'string' ||
    command.length > LONGEST ||
    loadedOr(() => mayRun(command), true, 'every PowerShell command matches every rule that does not allow');
}

/** Whether the command that begins at the word `at` matches. */
type Test = (words: readonly string[], at?: number) => boolean;

/** A line and its commands, or, if the line is not understood, the pieces in which commands may begin. */
interface PowerShellLine {
  readonly command: string;
  readonly isKnown: boolean;
  readonly words: readonly string[];
  readonly parts: readonly (readonly string[])[];
  readonly scripts: ReadonlySet<readonly string[]>;
  /** A cache of the command names that each word may stand for. */
  readonly names: Map<string, readonly string[]>;
}

/** A cache, because several rules read the same call in turn. */
let last: PowerShellLine | undefined;

function readLine(command: string): PowerShellLine {
  if (last?.command === command) return last;
  const isKnown = !UNKNOWABLE.test(command.replaceAll('&&', ';'));
  const parts = command.split(isKnown ? /&&|[;|\r\n]/ : /[$`&(){}@;|\r\n]/).map(wordsOf);
  last = {
    command,
    isKnown,
    words: wordsOf(command),
    parts,
    scripts: new Set(parts.filter(isScript)),
    names: new Map(),
  };
  return last;
}

/** Whether a plain command matches, or may run another command that does. */
function runs(words: readonly string[], isPiped: boolean, matches: Test): boolean {
  if (matches(words)) return true;
  const name = nameOf(words[0] ?? '');
  const program = bashProgram(name);
  // A shell in a pipe reads its commands from another program.
  if (RUNNERS.has(ALIASES.get(name) ?? name) || (isPiped && program?.input === true)) return true;
  if (!BEFORE_COMMANDS.has(name) && !(program && runsWords(program, words))) return false;
  return (isPiped && words.some((word) => bashProgram(nameOf(word))?.shell === true)) || anywhere(words, matches);
}

function anywhere(words: readonly string[], matches: Test): boolean {
  return words.length > MAX_WORDS || words.some((_, i) => matches(words, i));
}

function isScript([first = '']: readonly string[]): boolean {
  return (
    /\.(?:ps1|cmd|bat|sh)$|^\.{1,2}[\\/]/.test(first) || first === '.' || bashProgram(nameOf(first))?.shell === true
  );
}

function runsWords(program: BashProgram, words: readonly string[]): boolean {
  const { rest, after } = program;
  if (after !== undefined || (rest !== undefined && rest !== 'shown')) return true;
  return words.some((word) => {
    const inner = bashProgram(word, program);
    return inner !== undefined && runsWords(inner, words);
  });
}

/** The words in lower case, without quotes. PowerShell treats typographic dashes and quotes like plain ones. */
function wordsOf(command: string): readonly string[] {
  return command
    .toLowerCase()
    .replace(/["'\u2018-\u201e]/g, '')
    .replace(/[\u2013-\u2015]/g, '-')
    .replace(/[<>]/g, ' $& ')
    .trim()
    .split(/[\s\u0085]+/);
}

/** The program's name: `git` for `C:\Git\git.exe` and `/usr/bin/git`. */
function nameOf(word: string): string {
  return withoutEnding(word.replace(/^.*[\\/]/, ''));
}

function withoutEnding(word: string): string {
  return word.replace(/(?<=[^*])\.(?:exe|cmd|bat|com|ps1)$/, '');
}

const fullName = (name: string): string => ALIASES.get(name) ?? name;

/** The command as written, without the program's folder, without its extension, and with the cmdlet's full name; only those that `mayBegin` a match. */
function spellings(words: readonly string[], at: number, mayBegin: (name: string) => boolean): readonly string[] {
  const all = namesOf(words[at] ?? '').filter(mayBegin);
  if (all.length === 0) return [];
  const more = words
    .slice(at + 1)
    .map((word) => ` ${word}`)
    .join('');
  return all.map((name) => name + more);
}

function namesOf(word: string): readonly string[] {
  let names = last?.names.get(word);
  if (names === undefined) {
    const file = word.replace(/^.*[\\/]/, '');
    const plain = [word, file, withoutEnding(word), withoutEnding(file)];
    names = [...new Set([...plain, ...plain.map(fullName)])];
    last?.names.set(word, names);
  }
  return names;
}

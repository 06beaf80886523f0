import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { bindsOf } from '../../events/handler-kinds.js';
import { hashRegularFile } from '../../files/hash-file.js';
import { withoutWritten } from '../../matching/bash/written.js';
import type { Source } from '../../scopes/registration.js';
import { isObject, isText } from '../../values/shape.js';
import { canonical, hashOf } from '../alarms/canonical.js';

/** Keys that decide when a hook runs and what its failure does. They do not belong to its identity. */
const POLICY = new Set(
  'name if timeout async asyncTimeout asyncRewake rewakeMessage rewakeSummary onFailure once statusMessage'.split(' '),
);
/** Keys whose values may hold secrets, which could be guessed from a hash: only the names inside are hashed. */
const NAMES_ALONE = new Set(['env', 'headers']);
/** In a command line: characters that may surround the name of a file; quotes may also be inside it and enclose its spaces. */
const AROUND = /[\s`;|&<>()=]+/;
const QUOTED = /["']/;
const VARIABLE = /^\$\{?(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)\}?\//;
/** How many words of a command line are looked up as files. */
const MOST_WORDS = 200;

/** Where to look for the files that a command names. */
export interface DefinedIn {
  /** The command may name the file that contains the hook. */
  readonly source: Source;
  /** The project's directory. */
  readonly dir?: string | undefined;
}

/**
 * Identifies what a hook runs: equal hashes mean the same function, or the same description with the same bytes in the files that its
 * command names. The files are read once, when a record first lists the hook.
 */
export class HookDefinition {
  readonly #what: unknown;
  readonly #source: Source;
  readonly #dir: string | undefined;
  #hash: string | undefined;

  constructor(what: unknown, { source, dir }: DefinedIn) {
    this.#what = what;
    this.#source = source;
    this.#dir = dir;
    // What reads its line is loaded now: when a record lists the hook, that could fail.
    if (isCommand(what)) withoutWritten('');
  }

  /** 32 hexadecimal digits of a SHA-256. */
  get hash(): string {
    this.#hash ??= shortHash([written(this.#what), bytesOf(this.#what, { source: this.#source, dir: this.#dir })]);
    return this.#hash;
  }
}

/** A hash of plain data that does not depend on the order of keys. */
export function shortHash(value: unknown): string {
  const known = canonical(value);
  return (known === undefined ? createHash('sha256').update('?').digest('hex') : hashOf(known)).slice(0, 32);
}

function written(what: unknown): unknown {
  if (typeof what === 'function') return ['function', textOf(what)];
  if (!isObject(what)) return String(what);
  const { handler } = what;
  if (typeof handler === 'function') return written(handler);
  return Object.fromEntries(
    Object.entries(what).flatMap(([key, value]) => {
      if (POLICY.has(key)) return [];
      return [[key, NAMES_ALONE.has(key) && isObject(value) ? Object.keys(value).sort() : value]];
    }),
  );
}

/** A function's `toString` could throw: it may be a proxy or an instance of a foreign class. */
function textOf(fn: object): string {
  try {
    return Function.prototype.toString.call(fn);
  } catch {
    return '';
  }
}

const isCommand = (what: unknown): what is { command: string; args?: readonly unknown[]; cwd?: unknown } =>
  isObject(what) && bindsOf(what['type']) === 'command' && isText(what['command']);

/** The hashes of files that a command names, by the words that name them. */
function bytesOf(what: unknown, where: DefinedIn): Readonly<Record<string, string>> {
  if (!isCommand(what)) return {};
  const { command, args, cwd } = what;
  const words = Array.isArray(args) ? [command, ...args.filter(isText)] : wordsOf(command);
  const folders = foldersOf(where, isText(cwd) ? cwd : undefined);
  const found: [string, string][] = [];
  for (const word of new Set(words.filter((each) => each !== '').slice(0, MOST_WORDS))) {
    const hash = hashIn(folders, word.replace(VARIABLE, ''));
    if (hash !== undefined) found.push([word, hash]);
  }
  return Object.fromEntries(found);
}

function wordsOf(text: string): string[] {
  // Files that a line only writes to, such as its log, are left out: otherwise the hash would change with each run.
  const line = withoutWritten(text);
  return [...line.replaceAll(/["']/g, '').split(AROUND), ...(QUOTED.test(line) ? line.split(QUOTED) : [])];
}

/** The folders in which a name is looked up: the hook's own, the project's, that of the file with the hook, and its parent (a plugin's). */
function foldersOf({ source, dir = process.cwd() }: DefinedIn, cwd: string | undefined): readonly string[] {
  const { file } = source;
  const own = cwd === undefined ? [] : [resolve(dir, cwd)];
  return [...own, dir, ...(file === undefined ? [] : [dirname(file), dirname(dirname(file))])];
}

function hashIn(folders: readonly string[], name: string): string | undefined {
  for (const folder of folders) {
    try {
      return hashRegularFile(resolve(folder, name));
    } catch {
      // Not a readable file, so the word is only text.
    }
  }
  return undefined;
}

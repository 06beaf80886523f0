import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, normalize, resolve, sep } from 'node:path';
import type { Described } from '../host/handler-entry.js';
import { isText } from '../host/shape.js';
import { shellWords } from './shell-words.js';
import type { Variables } from './variables.js';

/** Programs that take a program among their operands, whatever it is called. */
const INTERPRETERS = new Set(
  'sh bash dash ash zsh ksh fish source . node nodejs deno bun bunx tsx ts-node python python3 py uv ruby perl php lua awk gawk mawk tclsh expect Rscript julia osascript pwsh powershell exec env sudo nohup time timeout'.split(
    ' ',
  ),
);
/** What an interpreter runs when it is given a folder. */
const ENTRY_FILES = ['index.js', 'package.json', '__main__.py'];
/** Programs of the system are the user's own; a project or plugin cannot change them. */
const SYSTEM = ['/bin', '/sbin', '/usr', '/lib', '/dev', '/nix/store', '/opt/homebrew', '/System', '/Library'];
/** Globs, addresses, and what no path can hold. */
const NO_PATH = /[*?\0\n]|:\/\//;
/** A word in a word: `bash -c 'python3 x.py'`. */
const DEPTH = 3;

/** What a command would run, as far as its text says. */
export interface NamedFiles {
  readonly files: readonly string[];
  /** Words, as written, that stand where a program is named and are known only when the command runs. */
  readonly unresolved: readonly string[];
}

/**
 * The files a command names, each as an absolute path or one relative to the directory the command runs in, whether or not they are there.
 * Every word that may be one counts; what those files load in turn, globs, and names that are put together when the command runs
 * do not.
 */
export function namedFiles(handler: Described, variables: Variables): NamedFiles {
  if (handler['type'] !== 'command' || !isText(handler['command'])) return { files: [], unresolved: [] };
  const { command, args } = handler as { command: string; args?: readonly string[] };
  const found = new Finder(variables);
  if (args === undefined) {
    found.line(command, 0);
    if (handler['shell'] === 'powershell') found.line(command.replaceAll('\\', '/'), 0);
  } else {
    found.word(command, false);
    let runs = INTERPRETERS.has(nameOf(command));
    for (const arg of args) {
      found.word(arg, runs);
      runs ||= INTERPRETERS.has(nameOf(arg));
      found.line(arg, 1);
    }
  }
  return { files: found.paths(), unresolved: [] };
}

class Finder {
  readonly #variables: Variables;
  readonly #found = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  line(line: string, depth: number): void {
    const words = shellWords(line);
    let runs = false;
    let moves = false;
    for (const { text, first, joined, written } of words) {
      // What the line itself writes (`>> hooks.log`) would be held after each run. Deeper it may be no shell's line.
      if (written && depth === 0) continue;
      if (first) {
        runs = false;
        moves = false;
      }
      this.word(joined ? `$_${text}` : text, runs);
      if (moves && !text.startsWith('-') && !NO_PATH.test(text)) this.#folders.add(this.#expand(text));
      moves ||= text === 'cd' || text === 'pushd';
      // Which operand is its program only the interpreter knows: options take values, `uv` takes `run`.
      runs ||= INTERPRETERS.has(nameOf(text));
      if (depth < DEPTH && /[\s'"`;|&()<>,]/.test(text)) this.line(text.replace(/[,[\]{}]/g, ' '), depth + 1);
    }
  }

  /** `program`: an interpreter takes it for its program. */
  word(word: string, program: boolean): void {
    const value = /^(?:-[\w-]*=?|[\w.]+=|@|file:\/\/)(.+)$/s.exec(word)?.[1];
    for (const text of value === undefined ? [word] : [word, value]) this.#add(text, program);
  }

  paths(): string[] {
    const { projectDir, pluginRoot, skillDir } = this.#variables;
    const own = [projectDir, pluginRoot, skillDir].filter(isText);
    const all = [...this.#found].flatMap((path) =>
      isAbsolute(path) ? [path] : [path, ...[...this.#folders].map((folder) => join(folder, path))],
    );
    const isOwn = (path: string): boolean => own.some((folder) => path === folder || path.startsWith(folder + sep));
    const isSystem = (path: string): boolean => SYSTEM.some((folder) => path.startsWith(folder + sep));
    return [...new Set(all.map((path) => normalize(path)))].filter((path) => !isSystem(path) || isOwn(path)).sort();
  }

  #add(word: string, program: boolean): void {
    const text = this.#expand(word);
    const isOption = text.startsWith('-') && !text.includes('/');
    if (text.length > 1000 || isOption || NO_PATH.test(text) || text === '') return;
    // What only the shell can know at the start: the rest of it, from where the command runs and from the project.
    const unknown = /^[^/]*\$[^/]*\/(.+)$/.exec(text)?.[1];
    if (unknown !== undefined && !unknown.includes('$')) {
      this.#found.add(unknown);
      this.#found.add(resolve(this.#variables.projectDir, unknown));
    }
    if (text.includes('$') || !(program || text.includes('/') || /\.\w{1,6}$/.test(text))) return;
    this.#found.add(text);
    if (program) for (const file of ENTRY_FILES) this.#found.add(join(text, file));
  }

  #expand(text: string): string {
    const { projectDir, pluginRoot, pluginData, skillDir, defaults = {} } = this.#variables;
    const values: Readonly<Record<string, string | undefined>> = {
      CLAUDE_PROJECT_DIR: projectDir,
      CLAUDE_PLUGIN_ROOT: pluginRoot,
      CLAUDE_PLUGIN_DATA: pluginData,
      CLAUDE_SKILL_DIR: skillDir,
      HOME: homedir(),
      PWD: '.',
    };
    const value = (whole: string, name: string): string => values[name] ?? whole;
    return text
      .replace(/\$\{user_config\.([^}]+)\}/g, (whole, key) =>
        Object.hasOwn(defaults, key) ? `${defaults[key]}` : whole,
      )
      .replace(/\$\{(\w+)(?::?[-=+?][^}]*)?\}/g, value)
      .replace(/\$(?:env:)?(\w+)/g, value)
      .replace(/%(\w+)%/g, value)
      .replace(/^~(?=\/|$)/, homedir());
  }
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/(?<=\w)[\d.]+$/, '');
}

/** The hash of what a path leads to, links followed; null: no file is there; `unreadable`: something is that cannot be read. */
export function hashFile(path: string): string | null {
  const bytes = readBytes(path);
  return typeof bytes === 'object' && bytes !== null ? createHash('sha256').update(bytes).digest('hex') : bytes;
}

/** As `hashFile`, the bytes themselves. */
export function readBytes(path: string): Buffer | null | typeof UNREADABLE {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) return null;
    return stat.isFile() ? readFileSync(path) : UNREADABLE;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ENOENT' ? null : UNREADABLE;
  }
}

/** No hash: nobody can tell what would run. */
export const UNREADABLE = 'unreadable';

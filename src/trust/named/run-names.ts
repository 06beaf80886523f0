import { isAbsolute } from 'node:path';
import type { ProgramOptions } from './program.js';
import { UNKNOWN } from './shell/values.js';

/**
 * How a program finds what it runs. `path`: it is the first of the paths that exists; `search`: the first that can be executed; `node`: as
 * Node finds a file without its suffix, or a folder's entry; `module`: any of the paths may be run; `list`: all files that fit a glob.
 */
type RunBy = 'path' | 'search' | 'node' | 'module' | 'list';

/** A script that a line surely runs, by a path that is relative to the folder in which the line runs. */
export interface RunName {
  readonly finding: RunBy;
  /** Not normalized, because a folder may be a link. A glob is in the last part. */
  readonly paths: readonly string[];
}

/** The folders in which a line may be, relative to where it began; undefined: in one that only the run can tell. */
type Places = readonly string[] | undefined;

const MOST_PLACES = 16;
const MOST_NAMES = 500;
const LIBRARIES = /^(?:-I|PYTHONPATH|NODE_PATH|PERL5LIB|RUBYLIB)$/;
/** The tools that each project installs for itself. */
const TOOLS = /(?:^|\/)(?:(?:node_modules\/\.|vendor\/)bin|\.?(?:my)?v?env[\d.]*\/(?:bin|Scripts))\//;
/** Settings and environments that a shell is told to source; they are each project's own. */
const ENVIRONMENTS = /(?:^|\/)\.env[^/]*$|\.env$|(?:^|\/)(?:bin|Scripts)\/activate(?:\.\w+)?$/;
/** Suffixes of scripts. */
export const CODE = /\.(?:[cm]?[jt]sx?|py|rb|[bz]?a?sh|pl|php|lua|jl|[rR]|exs?|go|ps1)$/;
/** Settings that an option of an interpreter may name; they are not code. */
export const SETTINGS = /\.(?:json[c5]?|toml|ya?ml|ini|env|lock|txt|md)$|(?:^|\/)\.env[^/]*$/;

/** Collects the scripts that a line runs, as far as they are sure, while it is read from the beginning to the end. */
export class RunNames {
  #places: Places = [''];
  #before: Places = [''];
  /** The folders to which the line has gone so far. */
  readonly moves: (readonly string[])[] = [];
  readonly #search: string[] = [];
  readonly #libraries: string[] = [];
  readonly #found = new Map<string, RunName>();

  all(): readonly RunName[] {
    return [...this.#found.values()];
  }

  /** Returns what takes the line back to the folder in which it is now, and says whether it had left it. */
  here(): () => boolean {
    const [places, before] = [this.#places, this.#before];
    return () => {
      const isElsewhere = this.#places !== places;
      this.#places = places;
      this.#before = before;
      return isElsewhere;
    };
  }

  /** Goes to a folder. Since that may fail, the line may also stay where it is. */
  goes(values: readonly string[]): void {
    this.moves.push(values);
    const now = this.#places;
    const isKnown = values.every((value) => !value.includes(UNKNOWN) && !isAbsolute(value));
    const next = now?.flatMap((place) => values.map((value) => (value === '' ? place : `${place}${value}/`))) ?? [];
    this.#places = now && isKnown ? [...new Set([...next, ...now])].slice(0, MOST_PLACES) : undefined;
    this.#before = now;
  }

  /** Goes back, as by `cd -` and `popd`. */
  goesBack(): void {
    this.moves.push([UNKNOWN]);
    [this.#places, this.#before] = [this.#before, this.#places];
  }

  /** Adds a folder in which the shell looks for programs, or an interpreter for modules. */
  searches(name: string, folder: string): void {
    const to = name === 'PATH' ? this.#search : LIBRARIES.test(name) ? this.#libraries : undefined;
    if (!folder.includes(UNKNOWN) && !isAbsolute(folder)) to?.push(folder === '' ? '.' : folder);
  }

  /** Adds the word that names the program of a command. */
  program(word: string): void {
    if (word.includes('/')) this.#add('path', [word]);
    else if (this.#search.length > 0 && !word.includes(UNKNOWN))
      this.#add(
        'search',
        this.#search.map((folder) => `${folder}/${word}`),
      );
  }

  /** Adds the script that a program is given. */
  script(word: string, { ends = [], tasks, environments, whole }: ProgramOptions): void {
    if (/^-?$|^\w+:|:\/\//.test(word)) return;
    if (environments && ENVIRONMENTS.test(word)) return;
    if (whole !== undefined && !word.endsWith(whole)) {
      if (/^\.{1,2}(?:\/|$)/.test(word)) this.#add('list', [`${word}/${UNKNOWN}*${whole}`]);
      return;
    }
    const isBare = !word.includes('/');
    if (tasks && isBare && !CODE.test(word)) return;
    // A shell looks for it on its `PATH`, too.
    if (isBare && this.#search.length > 0)
      this.#add(
        'module',
        this.#search.map((folder) => `${folder}/${word}`),
      );
    // Python runs what is in a folder.
    if (ends.includes('/__main__.py')) this.#add('module', [word, `${word}/__main__.py`]);
    // Each of these programs tries the suffixes in an order of its own.
    else if (ends.includes('.ts')) {
      const typed = word.replace(/(?<=\.[cm]?)j(?=sx?$)/, 't');
      this.#add('module', [...ends.map((end) => word + end), ...(typed === word ? [] : [typed])]);
    } else this.#add(ends.includes('/package.json') ? 'node' : 'path', [word]);
  }

  /** Adds the code that a program loads first. */
  loaded(word: string, program: ProgramOptions): void {
    const isBare = program.packages !== undefined && !/^[./]/.test(word);
    const found = isBare ? this.#libraries.map((folder) => `${folder}/${word}`) : [word];
    for (const path of SETTINGS.test(word) ? [] : found) this.script(path, program);
  }

  /** Adds a module, whose parent packages run first. */
  module(name: string, { modules }: ProgramOptions): void {
    const [path = ''] = name.replace(/^-/, '').split('=');
    if (modules === undefined || path === '') return;
    const parts = path.split(modules.separator).slice(0, 8);
    const own = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
    const stems = ['', ...this.#libraries.map((folder) => `${folder}/`)].flatMap((at) => own.map((stem) => at + stem));
    this.#add(
      'module',
      stems.flatMap((stem) => modules.ends.map((end) => stem + end)),
    );
  }

  #add(finding: RunBy, paths: readonly string[]): void {
    for (const place of this.#places ?? []) {
      const own = paths.filter((path) => isSure(path)).map((path) => tidy(`${place}${path}`));
      const isList = own.some((path) => path.includes(UNKNOWN));
      const name: RunName = isList
        ? { finding: 'list', paths: own.map((path) => path.replaceAll(UNKNOWN, '')) }
        : { finding, paths: own };
      if (own.length > 0 && this.#found.size < MOST_NAMES) this.#found.set(JSON.stringify(name), name);
    }
  }
}

/** Whether a path is relative, no tool of a project, and known except for a glob in the file's name. */
function isSure(path: string): boolean {
  const open = path.indexOf(UNKNOWN);
  const isGlob = !/\0(?![*?[])/.test(path) && !path.slice(open).includes('/');
  const isKnown = open === -1 || isGlob;
  return isKnown && path.length <= 1000 && !isAbsolute(path) && !path.includes('\n') && !TOOLS.test(path);
}

const tidy = (path: string): string => path.replace(/(?<=^|\/)(?:\.\/+)+/g, '');

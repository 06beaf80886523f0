import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { isText } from '../../values/shape.js';
import { homeFolder } from '../../values/user-folders.js';
import { readingsOf } from './linked-paths.js';
import { entriesOf } from './package-entry.js';
import type { FileUse, ProgramOptions } from './program.js';
import { SETTINGS } from './run-names.js';
import { UNKNOWN, type VariableLookup } from './shell/values.js';
import type { CommandVariables } from './variables.js';

/** System folders, which a project or plugin cannot change. */
const SYSTEM = ['/bin', '/sbin', '/usr', '/lib', '/dev', '/nix/store', '/opt/homebrew', '/System', '/Library'];
/** Matches URLs and characters that no path contains. */
const NO_PATH = /[\0\n]|:\/\//;
/** Suffixes of complete file names, to which no program adds a suffix. */
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|pl|sh|php)$/;
/** Suffixes that make a file in a data folder a possible script or program. */
const RUNNABLE =
  /\.(?:[cm]?[jt]sx?|py[cw]?|rb|p[lm]|sh|bash|zsh|fish|lua|ps[dm]?1|jar|class|exe|bat|cmd|awk|sed|php|tcl|r|jl|wasm|so|node|dylib|dll)$/i;
const MANIFEST = '/package.json';
/** Limits per handler. Nobody would review more names when asked for consent. */
const MOST_NAMES = 2000;
const MOST_FOLDERS = 128;
const MOST_PATHS = 8000;
const MOST_VALUES = 16;
const LONGEST_VALUE = 1000;
/** Variables that hold a search path for programs or modules. */
export const PATH_VARIABLE = /(?:PATH|LIB)$/;

/** The paths and variables that one handler's commands name. */
export class NamedPaths {
  readonly #variables: CommandVariables;
  readonly #assigned = new Map<string, readonly string[]>();
  readonly #found = new Set<string>();
  /** Those that are not only read. */
  readonly #executed = new Set<string>();
  /** Paths that are not run by the way they are named. They are left out unless `bindSpared` is called. */
  readonly #spared = new Set<string>();
  readonly #shown = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #folders = new Set<string>();
  /** The folders in which the line may be. */
  #places: ReadonlySet<string> = new Set();
  /** Words that lead to a folder that is not known. */
  readonly #lost = new Set<string>();
  /** Relative folders that another program takes later; they are known as long as the line goes nowhere. */
  readonly #later = new Set<string>();
  #isGone = false;
  /** What is read may run twice, or later in another folder, so a relative folder in it is not known. */
  repeats = false;
  #searches = false;
  #isRead = false;
  #more = 0;

  constructor(variables: CommandVariables) {
    this.#variables = variables;
  }

  /** The possible values of a variable that the line assigns or that is known beforehand. */
  readonly look: VariableLookup = (name) => this.#assigned.get(name) ?? this.#known(name);

  /** Adds a folder in which commands search for what they run. `goes`: the line changes into it. */
  folder(path: string, goes = false): void {
    if (path === '' || path.includes(UNKNOWN)) return;
    const isFixed = isAbsolute(path);
    const folders = [path, ...(isFixed ? [] : [...this.#places].map((place) => `${place}/${path}`))].flatMap((one) =>
      readingsOf(one, this.#variables.projectDir),
    );
    this.#places = new Set([...this.#places, ...folders].slice(0, MOST_FOLDERS));
    for (const folder of folders) if (this.#folders.size < MOST_FOLDERS) this.#folders.add(folder);
    if (folders.some((folder) => !this.#folders.has(folder))) this.lose(path);
    if (path === '.') return;
    this.#isGone ||= goes;
    if (this.repeats && !isFixed) (goes ? this.#lost : this.#later).add(path);
  }

  /** Returns what takes the line back to the folders in which it may be now. */
  here(): () => void {
    const places = this.#places;
    return () => {
      this.#places = places;
    };
  }

  /** Notes a word that leads to a folder that is not known. */
  lose(word: string): void {
    this.#lost.add(word);
    this.#isGone = true;
  }

  /** All that is named; programs are files only if the line itself sets the folders to search. */
  #names(names: ReadonlySet<string> = this.#found): string[] {
    return [...names, ...(this.#searches ? this.#programs : [])];
  }

  /** Adds a folder in which the shell looks for programs. */
  search(path: string): void {
    this.#searches = true;
    this.folder(path);
  }

  /** Adds a program's name. It counts as a file only if the line itself sets the folders to search. */
  program(name: string): void {
    if (!name.includes('/') && isPath(name)) this.#programs.add(name);
  }

  /** Adds what a word names. `isRead`: its program only reads that. */
  given(isRead: boolean, add: () => void): void {
    const before = this.#isRead;
    this.#isRead = isRead;
    add();
    this.#isRead = before;
  }

  all(): string[] {
    return this.#pathsOf(this.#found);
  }

  /** Those that may have to be executable. */
  executed(): string[] {
    return this.#pathsOf(this.#executed);
  }

  #pathsOf(names: ReadonlySet<string>): string[] {
    const folders = [...this.#folders];
    const all = this.#names(names)
      .slice(0, this.#most())
      .flatMap((path) => [path, ...(isAbsolute(path) ? [] : folders.map((folder) => `${folder}/${path}`))]);
    const paths = [...new Set(all.flatMap((one) => readingsOf(one, this.#variables.projectDir)))];
    return paths.filter((path) => this.isOwn(path) || !isSystem(path)).sort();
  }

  /** How many names are looked for in each folder. */
  #most(): number {
    return Math.floor(MOST_PATHS / (this.#folders.size + 1));
  }

  /** Whether a path is in the project, the plugin or the skill, whose author may have written the command. */
  isOwn(path: string): boolean {
    const { projectDir, pluginRoot, skillDir } = this.#variables;
    return [projectDir, pluginRoot, skillDir].filter(isText).some((folder) => isIn(folder, normalize(path)));
  }

  /** Leaves out the files that a word with this use names, unless they are bound for another reason. Returns false if the word must be bound. */
  spare(values: readonly string[], use: FileUse): boolean {
    if (values.some((value) => value.includes(UNKNOWN))) return false;
    const anywhere = use === 'written' || use === 'lock';
    if (!anywhere && !values.every((value) => this.#isData(value))) return false;
    for (const value of values) (use === 'shown' ? this.#shown : this.#spared).add(value);
    return true;
  }

  /** Binds the files that `spare` left out, or only those that are shown. */
  bindSpared({ shown }: { readonly shown?: 'only' } = {}): void {
    for (const word of [...this.#shown, ...(shown === 'only' ? [] : this.#spared)]) this.path(word);
  }

  /** Whether a path is in the plugin's data folder and does not look like a script or program. */
  #isData(path: string): boolean {
    const { pluginData } = this.#variables;
    return pluginData !== undefined && isIn(normalize(pluginData), normalize(path)) && !RUNNABLE.test(path);
  }

  /** Words that lead to a folder that is not known, if any name is relative, and the names that exceed the limit, in words. */
  overflow(): string[] {
    const names = this.#names();
    const more = this.#more + Math.max(0, names.length - this.#most());
    const lost = [...this.#lost, ...(this.#isGone ? this.#later : [])];
    const isRead = names.some((name) => !isAbsolute(name));
    return [...(isRead ? lost : []), ...(more > 0 ? [`${more} more names`] : [])];
  }

  /** Adds a word if it looks like a path, or contains one after an option or a name. `isProgram`: the word is what a command runs. */
  path(word: string, isProgram = false): void {
    const value = /^(?:-[\w-]*=?|[\w.]+=|@|file:\/\/)(.+)$/s.exec(word)?.[1];
    for (const text of value === undefined ? [word] : [word, value]) {
      if (!/^[-\s]/.test(text) && (text.includes('/') || /\.\w{1,6}$/.test(text))) this.#add(text, isProgram);
    }
  }

  /** Adds the name of code, with the suffixes that the program may append. `within`: the folder in which it looks for bare names. */
  code(name: string, program: ProgramOptions | undefined, within?: string): void {
    if (/^[-\s]/.test(name) || name === '') return;
    const ends = CODE.test(name) ? [''] : (program?.ends ?? ['']);
    const names = within === undefined || /^[./]/.test(name) ? [name] : [name, `${within}/${name}`];
    for (const path of names) {
      for (const end of ends) this.#add(path + end);
      if (!ends.includes(MANIFEST)) continue;
      for (const entry of entriesOf(resolve(this.#variables.projectDir, path))) {
        for (const end of ends) this.#add(join(path, entry) + end);
      }
    }
  }

  module(name: string, { modules }: ProgramOptions): void {
    const [path = ''] = name.replace(/^-/, '').split('=');
    if (modules === undefined || path === '') return;
    const parts = path.split(modules.separator);
    for (const end of modules.ends) {
      this.#add(parts.join('/') + end);
      // Importing a module runs its parent packages first.
      for (let n = 1; n < Math.min(parts.length, 8); n++) this.#add(parts.slice(0, n).join('/') + end);
    }
  }

  #add(text: string, isProgram = false): void {
    const open = text.lastIndexOf(UNKNOWN);
    if (open !== -1) {
      // If the beginning is known only at run time, the rest is tried relative to the working directory and to the project.
      const slash = text.indexOf('/', open);
      const rest = slash === -1 ? '' : text.slice(slash + 1);
      if (rest === '' || text.slice(0, open).includes('/')) return;
      this.#add(rest, isProgram);
      for (const folder of this.#roots()) this.#add(resolve(folder, rest), isProgram);
    } else if (isPath(text)) {
      if (this.#found.size < MOST_NAMES) this.#found.add(text);
      else this.#more++;
      if (!this.#isRead && (isProgram || !SETTINGS.test(text)) && this.#found.has(text)) this.#executed.add(text);
    }
  }

  /** The project folder and the root of the repository around it. */
  #roots(): string[] {
    const { projectDir } = this.#variables;
    let folder = projectDir;
    while (!existsSync(join(folder, '.git')) && folder !== dirname(folder)) folder = dirname(folder);
    return folder === dirname(folder) ? [projectDir] : [projectDir, folder];
  }

  /** Adds possible values. An assignment may be for one command only, so the home of hooks stays one of them. */
  set(name: string, values: readonly string[]): void {
    // Limits a variable that grows with each assignment to itself.
    const known = values.map((value) => (value.length > LONGEST_VALUE ? UNKNOWN : value));
    const before = this.#assigned.get(name) ?? (name === 'HOME' ? [homeFolder()] : []);
    const all = [...new Set([...before, ...known])];
    this.#assigned.set(name, all.length > MOST_VALUES ? [UNKNOWN, ...all.slice(0, MOST_VALUES)] : all);
  }

  /** Notes that a variable was set whose name is not known. */
  blur(): void {
    for (const name of ['HOME', ...this.#assigned.keys()]) this.set(name, [UNKNOWN]);
  }

  #known(name: string): readonly string[] | undefined {
    const { projectDir, pluginRoot, pluginData, skillDir, defaults = {} } = this.#variables;
    const config = /^user_config\.(.+)$/s.exec(name)?.[1];
    if (config !== undefined) return Object.hasOwn(defaults, config) ? [`${defaults[config]}`] : undefined;
    // The user's own search path, which no project can change.
    if (PATH_VARIABLE.test(name)) return ['/usr/bin'];
    const values: Readonly<Record<string, string | undefined>> = {
      CLAUDE_PROJECT_DIR: projectDir,
      CLAUDE_PLUGIN_ROOT: pluginRoot,
      CLAUDE_PLUGIN_DATA: pluginData,
      CLAUDE_SKILL_DIR: skillDir,
      HOME: homeFolder(),
      PWD: '.',
    };
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? undefined : [value];
  }

  fill(text: string): string {
    if (this.#variables.isFilled) return text;
    return text.replace(/\$\{(user_config\.[^}]+|CLAUDE_\w+)\}/g, (whole, name) => this.#known(name)?.[0] ?? whole);
  }
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(folder + sep);

/** Whether a path is in a system folder. */
export const isSystem = (path: string): boolean => SYSTEM.some((folder) => path.startsWith(folder + sep));

function isPath(text: string): boolean {
  return text !== '' && text.length <= 1000 && !NO_PATH.test(text);
}

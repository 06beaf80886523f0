import { existsSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { readText } from '../files/json-file.js';
import type { HandlerDescription } from '../handlers/handler.js';
import { bound } from '../trust/changes.js';
import { type Consent, placeIn } from '../trust/consent.js';
import { namedFiles } from '../trust/named/named-files.js';
import { bindPackage } from '../trust/package-files.js';
import { locatePlugin } from './load.js';
import { packageOf, readManifest } from './manifest.js';
import { isTypeScript, resolveAll } from './module.js';
import { ownFolder } from './own-folder.js';

/** The files that a configuration or plugin would run, as far as is known without running it. */
export class CodeFiles {
  /** By path, relative to the project or absolute; for a package `…/**`. */
  readonly files: Record<string, Consent['files'][string]> = {};
  /** Names that could not be resolved, to be shown to the user. */
  readonly unresolved = new Set<string>();
  /** The fields of each package.json that determine how modules next to it are parsed and resolved. */
  readonly manifests: Record<string, unknown> = {};
  readonly #project: string;
  readonly #done = new Set<string>();
  #typescript = false;

  constructor(project: string) {
    this.#project = project;
  }

  /** Adds a program and everything that it imports, recursively. */
  async follow(file: string): Promise<void> {
    if (this.#done.has(file)) return;
    this.#done.add(file);
    this.files[this.#name(file)] = bound(file);
    this.#typescript ||= isTypeScript(file);
    if (!PROGRAM.test(file) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
    await this.#bindManifest(file);
    // Loaded only for programs, because it loads a parser.
    const { moduleWords } = await import('./module-words.js');
    const { imports, listed, words, unknown } = await moduleWords(readText(file), file);
    for (const way of unknown) this.unresolved.add(`${way} in ${this.#name(file)}`);
    for (const specifier of imports) await this.#import(specifier, file);
    for (const name of listed) if (NAME.test(name)) await this.plugin(name, { from: dirname(file), maybe: true });
    for (const word of words) await this.#word(word, file);
  }

  /** Adds a plugin, resolved as by `loadPlugin`; for a package, all its own files. `maybe`: the name may not be a plugin's. */
  async plugin(name: string, { from, maybe = false }: { from: string; maybe?: boolean }): Promise<void> {
    const located = await locatePlugin(name, from).catch(() => undefined);
    if (located?.manifest) await this.#package(realpathSync(located.file));
    else if (located) await this.follow(realpathSync(located.file));
    else if (!maybe) this.unresolved.add(`${name}, which is not there`);
  }

  /** Adds the files that a handler's command names. */
  command(handler: HandlerDescription): void {
    const { files, executed, unresolved } = namedFiles(handler, { projectDir: this.#project });
    for (const name of files)
      this.files[name] = bound(resolve(this.#project, name), executed.has(name) || this.files[name]?.executable);
    for (const word of unresolved) this.unresolved.add(word);
  }

  async #import(specifier: string, from: string): Promise<void> {
    if (isBuiltin(specifier)) return;
    const found = await resolveAll(specifier, from, this.#typescript);
    const isPath = PATH.test(specifier);
    if (found.length === 0) {
      if (isPath && !specifier.startsWith('file:'))
        this.files[this.#name(resolve(dirname(from), specifier))] ??= { sha256: null };
      else this.unresolved.add(`${specifier}, which is not there`);
    }
    for (const file of found) {
      // An import of our own package means this program, which runs already.
      if (!isPath && packageOf(file) === OWN) continue;
      const isOther = !isPath && packageOf(file) !== packageOf(from);
      await (isOther ? this.#package(file) : this.follow(file));
    }
  }

  /** Adds a package's own files, and names its dependencies. A linked package is also followed, as it may import from other folders. */
  async #package(file: string): Promise<void> {
    const root = packageOf(file);
    if (root === undefined) return this.follow(file);
    if (root === OWN || this.#done.has(root)) return;
    this.#done.add(root);
    this.files[`${this.#name(root)}/**`] = bindPackage(root);
    if (!root.includes(`${sep}node_modules${sep}`)) await this.follow(file);
    const { name, dependencies, peerDependencies } = (await readManifest(root)) ?? {};
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (other !== 'hookscope') this.unresolved.add(`${other}, which ${name} loads`);
    }
  }

  /** Adds the programs of a string, which may be a path or a command line. */
  async #word(word: string, from: string): Promise<void> {
    // In TypeScript, `import.meta.url` is compiled to the file's own URL.
    if (word.length > 1000 || word.startsWith('file:')) return;
    const paths = PATH.test(word) ? [resolve(dirname(from), word)] : [];
    for (const path of paths) if (isProgram(path)) await this.follow(realpathSync(path));
    for (const name of namedFiles({ type: 'command', command: word }, { projectDir: this.#project }).files) {
      const path = resolve(this.#project, name);
      if (!isProgram(path)) continue;
      this.files[name] = bound(path);
      if (PROGRAM.test(path)) await this.follow(realpathSync(path));
    }
  }

  async #bindManifest(file: string): Promise<void> {
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      const path = join(folder, 'package.json');
      if (existsSync(path)) {
        const { type, imports, exports, main } = (await readManifest(folder).catch(() => undefined)) ?? {};
        this.manifests[this.#name(path)] = { type, imports, exports, main };
        return;
      }
      if (folder === dirname(folder)) return;
    }
  }

  #name(path: string): string {
    return placeIn(this.#project, path);
  }
}

/** The folder of this package, which runs already. */
const OWN = realpathSync(ownFolder());
const PROGRAM = /\.[cm]?[jt]sx?$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|node|wasm|sh|bash|zsh|fish|ps1|cmd|bat|py|rb|pl|php|lua|awk)$/;
const PATH = /^(?:\.{1,2}(?:[/\\]|$)|file:|[/\\])/;
/** The name of an npm package, optionally with a path in it. */
const NAME = /^(?:@[\w.~-]+\/)?[\w.~-]+(?:\/[\w./~-]+)?$/;

function isProgram(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isFile() && (SCRIPT.test(path) || (stat.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

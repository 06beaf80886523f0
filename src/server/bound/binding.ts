import { type BigIntStats, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRegularFile } from '../../files/regular-file.js';
import { namesOf } from '../../files/same-files.js';
import type { HandlerDescription } from '../../handlers/handler.js';
import { CodeFiles } from '../../plugins/code-files.js';
import { locateConfig } from '../../plugins/config-file.js';
import { pluginNames } from '../../plugins/config-trust.js';
import { isPackageName, packageFolder } from '../../plugins/package-folder.js';
import type { Registration, Source, Untrusted } from '../../scopes/registration.js';
import { bound } from '../../trust/changes.js';
import { guardFiles } from '../../trust/guard.js';
import { namedFiles } from '../../trust/named/named-files.js';
import type { Variables } from '../../trust/named/variables.js';
import { bindPackage } from '../../trust/package-files.js';
import { sha256 } from '../../values/sha256.js';
import { AGENT, type NamedSet } from '../named-set.js';
import { type BoundScripts, folderOf, keyOfScripts } from './scripts.js';

/** One file, or all own files of a package (`…/**`), as it was. */
interface Bound {
  readonly sha256: string | null;
  /** It runs in our process, or decides what does. */
  readonly code: boolean;
  /** Where its name led when it was bound, if it or a folder of it is a link. */
  readonly real?: string;
  /** What it was called on the way there, as one link after the other was followed. */
  readonly through?: readonly string[];
  /** Not a file, but the folder to which a package name resolves. */
  readonly leads?: { readonly name: string; readonly from: string };
}

/** The named files, by absolute path. */
export type BoundFiles = Readonly<Record<string, Bound>>;

/** All that a set binds, as it is kept. */
export interface Bindings {
  readonly files: BoundFiles;
  readonly scripts: BoundScripts;
}

const PACKAGE = '/**';
/** Milliseconds that one look is good for, at the least and, for files and for packages, at the most; between them fifty times what it took. */
const SHORTEST = 50;
const LONGEST = { files: 500, packages: 5_000 };
const SHARE = 50;

/** Some of the bound files. Packages are dear to look at, and are not to delay what is seen of files. */
interface Look {
  readonly paths: readonly string[];
  readonly longest: number;
  changed: readonly string[];
  next: number;
}

/** The current files of a set. Nothing of it runs. */
export async function bindSet(set: NamedSet, cwd: string): Promise<BoundFiles> {
  const files: Record<string, Bound> = {};
  const data = (path: string): void => {
    const file = resolve(cwd, path);
    files[file] = { sha256: hashOf(file), code: false, ...realOf(file) };
  };
  const code = new CodeFiles(cwd);
  const plugin = async (name: string, from: string): Promise<void> => {
    await code.plugin(name, { from });
    if (!isPackageName(name)) return;
    const leads = { name, from };
    files[join(from, 'node_modules', name)] = { sha256: hashOfFolder(leads), code: true, leads };
  };
  const theirs = (set.from ?? []).filter((word) => !AGENT.test(word));
  for (const path of [...(set.hooks ?? []), ...(set.settings ?? []), ...theirs]) data(path);
  if (set.pluginDir !== undefined) {
    const { filesWithHooks } = await import('../../claude-code/files/plugin-files.js');
    for (const path of await filesWithHooks(set.pluginDir.map((one) => resolve(cwd, one)))) data(path);
  }
  for (const path of set.agent ?? []) data(statOf(resolve(cwd, path)) ? path : path.replace(/@[^/@]*$/, ''));
  if (typeof set.config === 'string') {
    const { file, isCode } = locateConfig(resolve(cwd, set.config));
    if (isCode) await code.follow(file);
    else {
      data(file);
      for (const name of namesIn(file)) await plugin(name, join(file, '..'));
    }
  }
  for (const name of set.plugin ?? []) await plugin(name, cwd);
  for (const name of Object.keys(code.files)) {
    const path = resolve(cwd, name);
    files[path] = { sha256: hashOf(path), code: true, ...realOf(path) };
  }
  return files;
}

function namesIn(file: string): string[] {
  try {
    return pluginNames(JSON.parse(readRegularFile(file).toString('utf8')));
  } catch {
    // Loading it says what is wrong.
    return [];
  }
}

/** Watches the bound files. Hooks of a changed file stay, do not run, and fail, until the user accepts the change. */
export class Binding {
  readonly files: BoundFiles;
  readonly scripts: BoundScripts;
  readonly #folder: string;
  readonly #seen = new Map<string, string>();
  readonly #looks: readonly Look[];
  #changed: readonly string[] = [];

  /** `folder`: where names of scripts that are not found from a call's own folder lead. */
  constructor({ files, scripts }: Bindings, folder: string) {
    this.files = files;
    this.scripts = scripts;
    this.#folder = folder;
    const look = (paths: readonly string[], longest: number): Look => ({ paths, longest, changed: [], next: 0 });
    const paths = Object.keys(files);
    this.#looks = [
      look(
        paths.filter((path) => this.#isFile(path)),
        LONGEST.files,
      ),
      look(
        paths.filter((path) => !this.#isFile(path)),
        LONGEST.packages,
      ),
    ];
  }

  /**
   * Files that are not as they were bound. One look is good for a moment, since what runs in us was loaded before; `afresh`: not for somebody
   * who asks what has changed.
   */
  changed(afresh = false): readonly string[] {
    for (const look of this.#looks) {
      const now = performance.now();
      if (now < look.next && !afresh) continue;
      look.changed = look.paths.filter((path) => this.#isChanged(path, look));
      const took = performance.now() - now;
      look.next = performance.now() + Math.min(Math.max(took * SHARE, SHORTEST), look.longest);
      this.#changed = this.#looks.flatMap(({ changed }) => changed);
    }
    return this.#changed;
  }

  /** Why hooks of that source do not run. */
  readonly guard = ({ file }: Source): Untrusted | undefined => {
    const changed = this.changed();
    if (changed.length === 0) return undefined;
    const own = file === undefined ? undefined : this.files[file];
    const found = own && !own.code ? changed.find((one) => one === file) : changed.find((one) => this.files[one]?.code);
    return found === undefined ? undefined : { file: file ?? found, why: whyChanged(found) };
  };

  /**
   * The check before a command of that file runs: whether the files that it names are unchanged since they were first seen. `fallback`: where
   * it runs if the call does not say; `variables`: what words in it stand for.
   */
  commandsOf(
    file: string,
    how: { readonly variables?: Variables | undefined; readonly fallback?: string } = {},
  ): (handler: HandlerDescription) => Registration['trustCheck'] {
    return (handler) => {
      const variables = { ...how.variables, projectDir: this.#folder };
      const key = keyOfScripts(this.#folder, file);
      this.scripts[key] ??= {};
      const files = this.scripts[key];
      for (const name of namedFiles(handler, variables).files) files[name] ??= bound(resolve(this.#folder, name));
      const consent = { file, project: this.#folder, definition: '', files, at: '' };
      return guardFiles(handler, consent, {
        file,
        variables,
        fallback: how.fallback ?? this.#folder,
        remedy: 'hookscope serve --accept',
      });
    };
  }

  #isChanged(path: string, { changed }: Look): boolean {
    const bound = this.files[path] as Bound;
    if (this.#isFile(path)) {
      const sign = signOf(path);
      if (sign === this.#seen.get(path)) return changed.includes(path);
      this.#seen.set(path, sign);
    }
    return isOther(path, bound);
  }

  /** A package's folder says nothing of what is in the folders below. */
  #isFile(path: string): boolean {
    return !path.endsWith(PACKAGE) && this.files[path]?.leads === undefined;
  }
}

export const whyChanged = (path: string): string =>
  `${path} has changed since the server was started with it; see hookscope serve --accept`;

/** The current contents of the files, as one text: acceptance refers to this text. */
export function stateOf(paths: readonly string[]): string {
  const all = [...paths].sort().map((path) => [path, hashOf(path) ?? linkOf(path)]);
  return sha256(JSON.stringify(all));
}

/** Scripts that commands name and that are not as they were bound. */
export function changedScripts(scripts: BoundScripts): string[] {
  const all = Object.entries(scripts).flatMap(([key, found]) =>
    Object.entries(found).map(([name, { sha256 }]) => [resolve(folderOf(key), name), sha256] as const),
  );
  return [...new Set(all.filter(([path, sha256]) => hashOf(path) !== sha256).map(([path]) => path))];
}

/** Which of them are not as they were bound; a look without memory. */
export function changedSince(files: BoundFiles): string[] {
  return Object.keys(files).filter((path) => isOther(path, files[path] as Bound));
}

function signOf(path: string): string {
  const stats = statOf(path);
  return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

function realOf(path: string): Pick<Bound, 'real' | 'through'> {
  const real = linkOf(path);
  return real === null || real === path ? {} : { real, through: namesOf(path).slice(1, -1) };
}

/** Where it leads, whatever of it is a link; null: it is not there. */
function linkOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const isOther = (path: string, { leads, sha256 }: Bound): boolean =>
  (leads === undefined ? hashOf(path) : hashOfFolder(leads)) !== sha256;

function hashOfFolder({ name, from }: NonNullable<Bound['leads']>): string | null {
  const folder = packageFolder(name, from);
  return folder === undefined ? null : sha256(folder);
}

function hashOf(path: string): string | null {
  try {
    if (path.endsWith(PACKAGE)) return bindPackage(path.slice(0, -PACKAGE.length)).sha256;
    // A pipe is read once, and may never end.
    return statSync(path).isFile() ? sha256(readFileSync(path)) : null;
  } catch {
    return null;
  }
}

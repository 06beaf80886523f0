import { resolve } from 'node:path';
import { isClosed } from '../../files/regular-file.js';
import type { HandlerDescription } from '../../handlers/handler.js';
import type { Registration, Source, UntrustedChange } from '../../scopes/registration.js';
import { bound, MEND_BIT } from '../../trust/changes.js';
import type { Consent } from '../../trust/consent.js';
import { isExecutable } from '../../trust/file-hash.js';
import { guardFiles } from '../../trust/guard.js';
import { namedFiles } from '../../trust/named/named-files.js';
import type { CommandVariables } from '../../trust/named/variables.js';
import {
  type Bindings,
  type BoundFile,
  type BoundFiles,
  type BoundScripts,
  FATES,
  fateOf,
  isNamedGone,
  isOther,
  PACKAGE,
  signOf,
} from './files.js';
import { executablesOf, hasStopped, keyOfScripts } from './scripts.js';

/** How long a look at the files is valid, in milliseconds: `SHARE` times as long as it took, but within these limits. */
const SHORTEST = 50;
const LONGEST = { files: 500, packages: 5_000 };
const SHARE = 50;

/** A part of the bound files. Packages are slow to check, so they are separate from files, whose changes should be noticed soon. */
interface FileRound {
  readonly paths: readonly string[];
  readonly longest: number;
  changed: readonly string[];
  next: number;
}

interface BindingOptions {
  /** Absolute paths of scripts that change by themselves, so that only their names are bound. */
  readonly data?: readonly string[] | undefined;
  /** A file that had changed before the hooks were loaded, so that none were. */
  readonly notLoaded?: string | undefined;
  /** Files that consent covers: those of a project's own configuration. */
  readonly consented?: BoundFiles;
  /** What helps after a change. Default: with a server that runs. */
  readonly remedy?: Remedy;
}

/** What helps where a served file is not what it was. */
export interface Remedy {
  /** How the change is accepted. */
  accept(): string;
  /** Where a file is gone that was named itself: its name leads nowhere, so that nothing can be loaded by it. */
  gone(): string;
}

/** With a server that runs. */
export const BESIDE_SERVER: Remedy = {
  accept: () => 'hookscope serve --accept',
  gone: () => 'put it back, or stop the server and start it without it in a terminal, which asks',
};

/** Without one. `serve`: the command that serves the same again. */
export function withoutServer(serve: () => string): Remedy {
  const accept = (): string => `${serve()} in a terminal, which asks`;
  return { accept, gone: () => `put it back, or leave it out: ${accept()}` };
}

/** Checks the bound files for changes. Hooks of a changed file stay registered, but fail without running until the user accepts the change. */
export class Binding {
  readonly files: BoundFiles;
  readonly scripts: BoundScripts;
  readonly #served: BoundFiles;
  readonly #folder: string;
  readonly #data: ReadonlySet<string>;
  readonly #seen = new Map<string, string>();
  readonly #looks: readonly FileRound[];
  readonly #notLoaded: string | undefined;
  readonly #remedy: Remedy;
  /** Why hooks of a changed file do not run, as long as a look at it is valid. */
  readonly #whys = new Map<string, string>();
  #changed: readonly string[] = [];

  /** `folder`: where scripts are looked for that are not found from a call's own folder. */
  constructor(
    { files, scripts }: Bindings,
    folder: string,
    { data = [], notLoaded, consented = {}, remedy = BESIDE_SERVER }: BindingOptions = {},
  ) {
    this.files = { ...consented, ...files };
    this.#served = files;
    this.scripts = scripts;
    this.#folder = folder;
    this.#data = new Set(data);
    this.#notLoaded = notLoaded;
    this.#remedy = remedy;
    const look = (paths: readonly string[], longest: number): FileRound => ({ paths, longest, changed: [], next: 0 });
    const paths = Object.keys(this.files);
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
   * Files that differ from what was bound. A look stays valid for a moment, since code that runs in this process is already loaded. `afresh`:
   * look again, for a user who asks what has changed.
   */
  changed(afresh = false): readonly string[] {
    for (const look of this.#looks) {
      const now = performance.now();
      if (now < look.next && !afresh) continue;
      for (const path of look.changed) this.#whys.delete(path);
      look.changed = look.paths.filter((path) => this.#isChanged(path, look));
      const took = performance.now() - now;
      look.next = performance.now() + Math.min(Math.max(took * SHARE, SHORTEST), look.longest);
      this.#changed = this.#looks.flatMap(({ changed }) => changed);
    }
    return this.#changed;
  }

  /** Why hooks of a source do not run; undefined if they do. */
  readonly guard = ({ file }: Source): UntrustedChange | undefined => {
    const changed = this.changed();
    if (this.#notLoaded !== undefined) {
      // Even if the file is as before again, the hooks are not loaded.
      const why = changed.includes(this.#notLoaded) ? this.whyChanged(this.#notLoaded) : whyNotLoaded(this.#notLoaded);
      return { file: this.#notLoaded, why };
    }
    if (changed.length === 0) return undefined;
    const own = file === undefined ? undefined : this.files[file];
    const found = own && !own.code ? changed.find((one) => one === file) : changed.find((one) => this.files[one]?.code);
    return found === undefined ? undefined : { file: file ?? found, why: this.whyChanged(found) };
  };

  /** Why a changed file's hooks do not run, and what to do. */
  whyChanged(path: string): string {
    const why = this.#whys.get(path) ?? this.#whyChanged(path);
    this.#whys.set(path, why);
    return why;
  }

  #whyChanged(path: string): string {
    const bound = this.files[path];
    if (Object.hasOwn(this.#served, path)) return whyChanged(path, { bound, remedy: this.#remedy });
    const fate = fateOf(path, bound);
    const see = 'see hookscope trust, or start the server again';
    if (fate === 'changed') return `${path} has changed since the server loaded it, as it was accepted; ${see}`;
    const what = `${path}, which the server loaded as it was accepted, ${FATES[fate]}`;
    return fate === 'closed' ? what : `${what}; ${see}`;
  }

  /**
   * The check before a command of a file runs: whether the files that it names are unchanged since they were bound. `fallback`: the folder in
   * which it runs if the call does not say; `variables`: the values of variables in it.
   */
  commandsOf(
    file: string,
    how: { readonly variables?: CommandVariables | undefined; readonly fallback?: string } = {},
  ): (handler: HandlerDescription) => Registration['trustCheck'] {
    return (handler) => {
      const variables = { ...how.variables, projectDir: this.#folder };
      const key = keyOfScripts(this.#folder, file);
      this.scripts[key] ??= {};
      const files = this.scripts[key];
      const named = namedFiles(handler, variables);
      for (const name of named.files) {
        const path = resolve(this.#folder, name);
        const kept = files[name] ?? this.#bound(path);
        files[name] = kept;
        // Another handler may have it only read.
        if (named.executed.has(name) && !kept.data && isExecutable(path)) files[name] = { ...kept, executable: true };
      }
      const consent = { file, project: this.#folder, definition: '', files, at: '' };
      return guardFiles(handler, consent, {
        file,
        variables,
        fallback: how.fallback ?? this.#folder,
        remedy: this.#remedy.accept,
        byName: BY_NAME,
      });
    };
  }

  #bound(path: string): Consent['files'][string] {
    return this.#data.has(path) ? { sha256: null, data: true } : bound(path, false);
  }

  #isChanged(path: string, { changed }: FileRound): boolean {
    const bound = this.files[path] as BoundFile;
    if (this.#isFile(path)) {
      const sign = signOf(path);
      if (sign === this.#seen.get(path)) return changed.includes(path);
      this.#seen.set(path, sign);
    }
    return isOther(path, bound);
  }

  /** Whether a path is a file. The `stat` of a package's folder does not show changes in the folders below. */
  #isFile(path: string): boolean {
    return !path.endsWith(PACKAGE) && this.files[path]?.leads === undefined;
  }
}

const BY_NAME = 'hookscope serve --data';

interface ChangedFile {
  /** As it was bound; absent for a script. */
  readonly bound?: BoundFile | undefined;
  readonly remedy?: Remedy;
  readonly hint?: string;
}

/** Why the hooks of a served file do not run. */
export function whyChanged(path: string, { bound, remedy = BESIDE_SERVER, hint = '' }: ChangedFile): string {
  const fate = fateOf(path, bound);
  if (fate === 'changed')
    return `${path} has changed since the server was started with it${hint}; see ${remedy.accept()}`;
  const what = `${path}, with which the server was started, ${FATES[fate]}`;
  if (fate === 'closed') return what;
  return `${what}${hint}; ${isNamedGone(path, bound) ? remedy.gone() : `see ${remedy.accept()}`}`;
}

/** Like `whyChanged`, for a file that is as it was again. */
const whyNotLoaded = (path: string): string =>
  `${path} had changed when the server was to load its hooks, so none are loaded; it loads them now, or tells on standard error why not`;

/** Like `whyChanged`, for a file that a command names. */
export function whyScriptChanged(path: string, remedy: Remedy, scripts: BoundScripts): string {
  if (!isClosed(path) && hasStopped(path, executablesOf(scripts)))
    return `${path} could be executed when the server was started with it, and cannot now: ${MEND_BIT}; see ${remedy.accept()}`;
  return whyChanged(path, { remedy, hint: ` (if hooks write to it themselves: ${BY_NAME})` });
}

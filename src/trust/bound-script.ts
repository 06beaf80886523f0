import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { usualDirectory } from '../handlers/command/environment.js';
import type { HandlerDescription } from '../handlers/handler.js';
import type { CallFolders, Registration, Source } from '../scopes/registration.js';
import { isText } from '../values/shape.js';
import { hashFile, relativeNames, UNREADABLE } from './named/named-files.js';
import { type RelativeName, RUNNABLE } from './named/named-paths.js';

/** Where the hooks come from that name scripts by relative paths. */
export interface ScriptBase {
  readonly source: Source;
  /** The project's directory, for hooks of no file. Default: this process's. */
  readonly dir?: string | undefined;
}

/** What a handler names, and what of it was bound whenever it was registered: agents get the same handlers later, when a script may be gone. */
interface KnownNames {
  readonly key: string;
  readonly all: readonly RelativeName[];
  readonly bound: Set<string>;
}

const KNOWN = new WeakMap<HandlerDescription, KnownNames>();

/**
 * Binds a command's relative paths to the scripts that they lead to from the folder of the command's file, or, in code, of the project.
 * Returns the check before every run: in a folder where such a path leads to another script, the hook does not run. Undefined if there
 * are no such scripts: then a path means the script of whatever folder the hook runs in.
 */
export function bindScripts(handler: HandlerDescription, { source, dir }: ScriptBase): Registration['trustCheck'] {
  const { cwd: own } = handler;
  if (handler['type'] !== 'command' || (isText(own) && isAbsolute(own))) return undefined;
  const base = source.file === undefined ? resolve(dir ?? '.') : dirname(resolve(source.file));
  const home = isText(own) ? resolve(base, own) : base;
  const names = boundNames(handler, base, home);
  if (names.length === 0) return undefined;
  const file = source.file ?? base;
  return ({ cwd }, folders) => {
    if (cwd === home && !isText(own)) return undefined;
    const folder = folderOf(cwd, own, dir, folders);
    if (folder === home) return undefined;
    const name = names.find((one) => isOther(`${home}/${one}`, `${folder}/${one}`));
    if (name === undefined) return undefined;
    const [bound, other] = [resolve(home, name), resolve(folder, name)];
    const why = `${name} is bound to ${bound}, and in this folder it is ${other}, which does not run: write an absolute path, or "$CLAUDE_PROJECT_DIR"/${name} if each project has its own`;
    return { file, why };
  };
}

function boundNames(handler: HandlerDescription, base: string, home: string): readonly string[] {
  const { cwd: _, ...line } = handler;
  const key = JSON.stringify([home, line['command'], line['args'], line['env'], line['shell']]);
  let known = KNOWN.get(handler);
  if (known?.key !== key) {
    known = { key, all: relativeNames(line, { projectDir: base }), bound: new Set() };
    KNOWN.set(handler, known);
  }
  for (const { path, runs } of known.all)
    if (isScript(`${home}/${path}`, runs || RUNNABLE.test(path))) known.bound.add(path);
  return [...known.bound];
}

/** The folder in which the hook runs, as for its start. */
function folderOf(cwd: unknown, own: unknown, dir: string | undefined, folders: CallFolders = {}): string {
  const here = isText(cwd) ? cwd : process.cwd();
  const project = folders.projectDir ?? dir ?? folders.projectOf?.(here) ?? here;
  return isText(own) ? resolve(project, own) : usualDirectory(cwd, project);
}

/** Whether there is a file that a line may run. `runs`: by its name or by the line, it is code. */
function isScript(path: string, runs: boolean): boolean {
  const stats = statOf(path);
  return stats?.isFile() === true && (runs || (stats.mode & 0o111n) !== 0n);
}

/** Whether a path leads to something else than the bound script: to another file with other bytes, a folder, a pipe, or a link that leads nowhere yet. */
function isOther(bound: string, path: string): boolean {
  const there = statOf(path);
  // Nothing to run: the command fails by itself.
  if (there === undefined) return isLink(path);
  const here = statOf(bound);
  if (here?.ino === there.ino && here.dev === there.dev) return false;
  const hash = hashFile(path);
  return hash === null || hash === UNREADABLE || hash !== hashFile(bound);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

/** Undefined if there is nothing that this user can reach. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

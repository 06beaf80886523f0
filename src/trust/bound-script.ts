import { dirname, isAbsolute, resolve } from 'node:path';
import { bindsOf } from '../events/handler-kinds.js';
import { usualDirectory } from '../handlers/command/environment.js';
import type { HandlerDescription } from '../handlers/handler.js';
import type { CallFolders, Registration, Source } from '../scopes/registration.js';
import { isText } from '../values/shape.js';
import { found, isOther, scriptsOf } from './found-script.js';
import { runNames } from './named/named-files.js';
import type { RunName } from './named/run-names.js';

/** Where the hooks come from that name scripts by relative paths. */
export interface ScriptBase {
  readonly source: Source;
  /** The project's directory, for hooks of no file. Default: this process's. */
  readonly dir?: string | undefined;
}

/** What a handler runs, and to which scripts that was bound whenever it was registered: agents get the same handlers later, when a script may be gone. */
interface KnownNames {
  readonly key: string;
  readonly all: readonly RunName[];
  readonly bound: Map<RunName, readonly string[]>;
}

const KNOWN = new WeakMap<HandlerDescription, KnownNames>();
/** What lines run, by line and folder: a host may register the same line many times. */
const READ = new Map<string, readonly RunName[]>();
const MOST_READ = 500;

/**
 * Binds a command's relative paths to the scripts that they lead to from the folder of the command's file, or, in code, of the project.
 * Returns the check before every run: in a folder where such a path leads to another script, the hook does not run. Undefined if there
 * are no such scripts: then a path means the script of whatever folder the hook runs in.
 */
export function bindScripts(handler: HandlerDescription, { source, dir }: ScriptBase): Registration['trustCheck'] {
  const { cwd: own } = handler;
  if (bindsOf(handler['type']) === 'nothing' || (isText(own) && isAbsolute(own))) return undefined;
  const base = source.file === undefined ? resolve(dir ?? '.') : dirname(resolve(source.file));
  const home = isText(own) ? resolve(base, own) : base;
  const names = boundNames(handler, base, home);
  if (names.size === 0) return undefined;
  const file = source.file ?? base;
  return ({ cwd }, folders) => {
    if (cwd === home && !isText(own)) return undefined;
    const folder = folderOf(cwd, own, dir, folders);
    if (folder === home) return undefined;
    for (const [name, scripts] of names) {
      if (!isOther(name, scripts, home, folder)) continue;
      const path = name.finding === 'list' ? (name.paths[0] as string) : (scripts[0] as string);
      const there =
        name.finding === 'list' ? path : (found(name, folder).find((one) => !scripts.includes(one)) ?? path);
      const [bound, other] = [resolve(home, path), resolve(folder, there)];
      const why = `${path} is bound to ${bound}, and in this folder it is ${other}, which does not run: write an absolute path${ofEach(path, handler)}`;
      return { file, why };
    }
    return undefined;
  };
}

/** The same path behind the project's folder, if a shell reads it as it is in the line and it does not lead out of that folder. */
const ofEach = (path: string, { command, args }: HandlerDescription): string =>
  args === undefined && /^(?!.*\.\.)[\w@%+=:,./-]+$/.test(path) && `${command}`.includes(path)
    ? `, or "$CLAUDE_PROJECT_DIR"/${path} if each project has its own`
    : '';

function boundNames(handler: HandlerDescription, base: string, home: string): KnownNames['bound'] {
  const { cwd: _, ...line } = handler;
  const key = JSON.stringify([home, base, line['type'], line['command'], line['args'], line['env'], line['shell']]);
  let known = KNOWN.get(handler);
  if (known?.key !== key) {
    known = { key, all: namesOf(line, key, base), bound: new Map() };
    KNOWN.set(handler, known);
  }
  for (const name of known.all) {
    const scripts = scriptsOf(name, home);
    if (scripts.length > 0) known.bound.set(name, scripts);
  }
  return new Map(known.bound);
}

function namesOf(line: HandlerDescription, key: string, base: string): readonly RunName[] {
  const known = READ.get(key);
  if (known !== undefined) return known;
  const names = runNames(line, { projectDir: base });
  if (READ.size >= MOST_READ) READ.clear();
  READ.set(key, names);
  return names;
}

/** The folder in which the hook runs, as for its start. */
function folderOf(cwd: unknown, own: unknown, dir: string | undefined, folders: CallFolders = {}): string {
  const here = isText(cwd) ? cwd : process.cwd();
  const project = folders.projectDir ?? dir ?? folders.projectOf?.(here) ?? here;
  return isText(own) ? resolve(project, own) : usualDirectory(cwd, project);
}

import { bindsOf } from '../../events/handler-kinds.js';
import type { HandlerDescription } from '../../handlers/handler.js';
import { isObject, isText } from '../../values/shape.js';
import { CommandFiles } from './command-files.js';
import { mayRename, onlyShows } from './harmless.js';
import { NamedPaths } from './named-paths.js';
import type { Purpose } from './program.js';
import type { RunName } from './run-names.js';
import type { CommandVariables } from './variables.js';

/** In characters. Longer commands are not searched for names, because some take quadratic time. */
const LONGEST = 16 * 1024;
const LONGEST_FILE = 32 * LONGEST;
const TOO_LONG = `a command of more than ${LONGEST / 1024} KiB`;
const TOO_MUCH = `what stands behind ${LONGEST_FILE / 1024} KiB of commands`;

/** What a command would run, as far as its text tells. */
export interface NamedFiles {
  readonly files: readonly string[];
  /** Those that may have to be executable: of a script that an interpreter is given, only its bytes count. */
  readonly executed: ReadonlySet<string>;
  /** Words of the source that determine what runs but whose value is known only at run time. */
  readonly unresolved: readonly string[];
}

/**
 * The files that a command names, as absolute paths or relative to the directory in which the command runs. They need not exist.
 * Every word that may name a file counts; files that those files load do not.
 */
export function namedFiles(handler: HandlerDescription, variables: CommandVariables): NamedFiles {
  const found = readNames(handler, variables, 'consent');
  return typeof found === 'string'
    ? { files: [], executed: new Set(), unresolved: [found] }
    : {
        files: found?.paths.all() ?? [],
        executed: new Set(found?.paths.executed()),
        unresolved: found?.unresolved ?? [],
      };
}

/** The scripts that a command surely runs, by paths that are relative to the directory in which it runs. They need not exist. */
export function runNames(handler: HandlerDescription, variables: CommandVariables): readonly RunName[] {
  const found = readNames(handler, variables, 'place');
  return typeof found === 'string' ? [] : (found?.runs ?? []);
}

/** What names what a handler runs; a text: why it is not searched for names; undefined: nothing does. */
type NamesIn = (
  handler: HandlerDescription,
  variables: CommandVariables,
  purpose: Purpose,
) =>
  | { readonly paths: NamedPaths; readonly unresolved: readonly string[]; readonly runs: readonly RunName[] }
  | string
  | undefined;

const READERS: Readonly<Record<ReturnType<typeof bindsOf>, NamesIn>> = {
  command: namesInCommand,
  nothing: () => undefined,
};

const readNames: NamesIn = (handler, variables, purpose) =>
  READERS[bindsOf(handler['type'])](handler, variables, purpose);

function namesInCommand(...[handler, variables, purpose]: Parameters<NamesIn>): ReturnType<NamesIn> {
  if (!isText(handler['command'])) return undefined;
  const { command, args: given, env, cwd } = handler;
  // The file may not have been checked yet.
  const args = Array.isArray(given) ? given.filter(isText) : undefined;
  if (lengthOf(handler) > LONGEST) return TOO_LONG;
  const paths = new NamedPaths(variables);
  const found = new CommandFiles(paths, purpose);
  if (isText(cwd)) paths.folder(cwd);
  if (Array.isArray(env) && !env.includes('HOME')) found.sets([['HOME', '']]);
  for (const [name, value] of isObject(env) ? Object.entries(env) : []) if (isText(value)) found.variable(name, value);
  if (args !== undefined) found.exec([command, ...args]);
  else {
    const line = command.replace(/\$env:(\w+)/gi, '$${$1}').replace(/%(CLAUDE_\w+|HOME)%/g, '$${$1}');
    found.shell(handler['shell'] === 'powershell' ? line.replaceAll('\\', '/') : line);
  }
  const unresolved = found.unresolved();
  const text = [command, ...(args ?? [])].join('\n');
  const isLoaded = Object.keys(isObject(env) ? env : {}).some(mayRename);
  if (unresolved.length > 0 || found.assembled || isLoaded || handler['shell'] === 'powershell' || mayRename(text))
    paths.bindSpared();
  else if (!onlyShows(text, found.quiet)) paths.bindSpared({ shown: 'only' });
  return { paths, unresolved, runs: found.runs.all() };
}

function lengthOf({ command, args = [], env }: HandlerDescription): number {
  return JSON.stringify([command, args, env])?.length ?? 0;
}

/** Collects the files that the commands of one hook file name. Limits the total length of commands that are searched. */
export function namedBy(handlers: Iterable<HandlerDescription>, variables: CommandVariables): NamedFiles {
  const files = new Set<string>();
  const executed = new Set<string>();
  const unresolved = new Set<string>();
  let left = LONGEST_FILE;
  for (const handler of handlers) {
    left -= isText(handler['command']) ? lengthOf(handler) : 0;
    const named = left < 0 ? { files: [], executed: [], unresolved: [TOO_MUCH] } : namedFiles(handler, variables);
    for (const name of named.files) files.add(name);
    for (const name of named.executed) executed.add(name);
    for (const word of named.unresolved) unresolved.add(word);
  }
  return { files: [...files].sort(), executed, unresolved: [...unresolved].sort() };
}

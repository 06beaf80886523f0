import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import type { HandlerDescription } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import { hashFile, isExecutable } from '../../trust/file-hash.js';
import { guardFiles } from '../../trust/guard.js';
import { namedFiles } from '../../trust/named/named-files.js';
import { configHome } from '../../values/user-folders.js';
import { schema, zod } from '../../values/zod.js';
import { readChecked } from '../checked-file.js';
import type { DescribedHandler } from './contents.js';

const allowSchema = schema(() =>
  zod().strictObject({
    $schema: zod().string().exactOptional(),
    /** By command as in the bundle, one with `args` as a list in JSON: the SHA-256 of each file that it names. */
    commands: zod().record(zod().string(), zod().record(zod().string(), zod().string())).exactOptional(),
    /** URLs of http hooks. */
    http: zod().array(zod().string()).exactOptional(),
    /** `server/tool`; `["server","tool"]` where the server's name has a `/` in it or begins with `[`. */
    mcp: zod().array(zod().string()).exactOptional(),
    /** The models for prompt and agent hooks; `default`: the host's own. */
    models: zod().array(zod().string()).exactOptional(),
    /** By `name@version`: the SHA-256 of the package's own files. */
    plugins: zod().record(zod().string(), zod().string()).exactOptional(),
  }),
);

/** What this host lets a bundle run, besides rules. */
export interface AllowList {
  readonly file: string;
  readonly list: z.infer<ReturnType<typeof allowSchema>>;
}

/** `$XDG_CONFIG_HOME/hookscope/fleet-allow.json`, else under `~/.config`. */
export function usualAllowFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(configHome(env), 'hookscope', 'fleet-allow.json');
}

/** Another one: what may run here may have changed, or a plugin was installed. */
export function allowStamp(file: string): string {
  const modules = join(dirname(file), 'node_modules');
  const all = [file, modules, join(modules, '.package-lock.json')];
  const stamp = (path: string): number | string => {
    try {
      return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? '';
    }
  };
  return all.map(stamp).join();
}

/** Reads the file again each time: it belongs to the host, and may have changed. A missing file allows nothing. Throws FILE, INVALID_CONFIG. */
export function readAllowed(file: string): AllowList {
  if (!existsSync(file)) return { file, list: {} };
  return { file, list: readChecked(file, allowSchema()) as AllowList['list'] };
}

/**
 * What a handler is called in the file. A command with `args` is a list in JSON: as one line it could also be read as words of a shell. So is a server's
 * tool where `server/tool` would not show where the server's name ends.
 */
function keyOf(handler: DescribedHandler): string {
  const { type, command, args, server, tool } = handler;
  if (type === 'command') return args === undefined ? String(command) : JSON.stringify([command, args].flat());
  if (type === 'mcp_tool')
    return /^\[|\//.test(String(server)) ? JSON.stringify([server, tool].map(String)) : `${server}/${tool}`;
  return String(type === 'http' ? handler['url'] : (handler['model'] ?? 'default'));
}

/** What the file says of a handler; undefined: it does not name it. */
export function grantOf(
  handler: DescribedHandler,
  list: AllowList['list'],
): Readonly<Record<string, string>> | undefined {
  const key = keyOf(handler);
  const named = (names: readonly string[] = []) => (names.includes(key) ? {} : undefined);
  switch (handler.type) {
    case 'command':
      return list.commands && Object.hasOwn(list.commands, key) ? list.commands[key] : undefined;
    case 'http':
      return named(list.http);
    case 'mcp_tool':
      return named(list.mcp);
    case 'prompt':
    case 'agent':
      return named(list.models);
    default:
      return undefined;
  }
}

/** Options that change what a command does, and are not part of what is allowed. */
const LOOSE = ['env', 'cwd', 'shell'] as const;

/** Why a handler may not run here; undefined: it may. */
export function whyNotAllowed(
  handler: DescribedHandler,
  { file, list }: AllowList,
  folder: string,
): string | undefined {
  const grant = grantOf(handler, list);
  const wants = (what: string, where: string): string | undefined =>
    grant === undefined ? `${what} ${keyOf(handler)}, which ${file} does not allow: name ${where}` : undefined;
  switch (handler.type) {
    case 'rule':
      return undefined;
    case 'command':
      return whyNoCommand(handler, { file, list }, folder);
    case 'http':
      if (handler['allowedEnvVars'] !== undefined)
        return 'it sends variables of the environment ("allowedEnvVars"), which a bundle cannot';
      return wants('it asks', 'the URL in "http"');
    case 'mcp_tool':
      return wants('it calls the tool', 'it in "mcp"');
    case 'prompt':
    case 'agent':
      return wants('it asks the model', 'it in "models"');
    default:
      return `a handler of the type "${handler.type}" cannot be in a bundle`;
  }
}

function whyNoCommand(handler: DescribedHandler, { file, list }: AllowList, folder: string): string | undefined {
  const line = keyOf(handler);
  const loose = LOOSE.find((key) => handler[key] !== undefined);
  if (loose !== undefined)
    return `it runs the command ${line} with "${loose}", which a command of a bundle cannot have`;
  if (handler['args'] === undefined && line.startsWith('["'))
    return `it runs the command ${line}, which could also be one with "args"`;
  const { files, unresolved } = namedFiles(handler as HandlerDescription, { projectDir: folder });
  if (unresolved.length > 0) return `it runs ${line}, and what "${unresolved[0]}" is shows only when it runs`;
  const needed = Object.fromEntries(files.map((name) => [name, hashFile(resolve(folder, name))]));
  const allowed = grantOf(handler, list);
  if (allowed === undefined)
    return `it runs the command ${line}, which ${file} does not allow: add ${JSON.stringify({ [line]: needed })} to "commands"`;
  for (const [name, hash] of Object.entries(needed)) {
    if (hash === null) return `it runs the command ${line}, and ${name} is not there`;
    if (allowed[name] !== hash)
      return `it runs the command ${line}, and ${name} is not what ${file} allows: its SHA-256 is ${hash}`;
  }
  noteExecutables(list, line, files, folder);
  return undefined;
}

/** The files that could be executed when their command was allowed, by its key: one that no longer can be is treated as gone. */
const EXECUTABLE = new WeakMap<AllowList['list'], Map<string, readonly string[]>>();

function noteExecutables(list: AllowList['list'], key: string, files: readonly string[], folder: string): void {
  const all = EXECUTABLE.get(list) ?? new Map<string, readonly string[]>();
  all.set(
    key,
    files.filter((name) => isExecutable(resolve(folder, name))),
  );
  EXECUTABLE.set(list, all);
}

/** The check before each run of a command: whether the files that it names are still those that the host's file allows, however long ago it was asked. */
export function trustCheckFor(
  handler: HandlerDescription,
  { file, list }: AllowList,
  folder: string,
): Registration['trustCheck'] {
  const key = keyOf(handler as DescribedHandler);
  const executable = EXECUTABLE.get(list)?.get(key) ?? [];
  const files = Object.fromEntries(
    Object.entries(grantOf(handler as DescribedHandler, list) ?? {}).map(([name, sha256]) => [
      name,
      { sha256, ...(executable.includes(name) && { executable: true as const }) },
    ]),
  );
  const consent = { file, project: folder, definition: '', files, at: '' };
  return guardFiles(handler, consent, {
    file,
    variables: { projectDir: folder },
    fallback: folder,
    remedy: () => file,
  });
}

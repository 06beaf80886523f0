import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { z } from 'zod';
import type { HandlerDescription } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import { bound } from '../../trust/changes.js';
import { guardFiles } from '../../trust/guard.js';
import { hashFile, namedFiles } from '../../trust/named/named-files.js';
import { schema, zod } from '../../values/zod.js';
import { readChecked } from '../checked-file.js';
import type { DescribedHandler } from './contents.js';

const allowSchema = schema(() =>
  zod().strictObject({
    $schema: zod().string().exactOptional(),
    /** By command line as in the bundle: the SHA-256 of each file that it names. */
    commands: zod().record(zod().string(), zod().record(zod().string(), zod().string())).exactOptional(),
    /** URLs of http hooks. */
    http: zod().array(zod().string()).exactOptional(),
    /** `server/tool`. */
    mcp: zod().array(zod().string()).exactOptional(),
    /** The models for prompt and agent hooks; `default`: the host's own. */
    models: zod().array(zod().string()).exactOptional(),
    /** By `name@version`: the SHA-256 of the package's own files. */
    plugins: zod().record(zod().string(), zod().string()).exactOptional(),
  }),
);

/** What this host lets a bundle run, besides rules. */
export interface Allowed {
  readonly file: string;
  readonly list: z.infer<ReturnType<typeof allowSchema>>;
}

/** `$XDG_CONFIG_HOME/hookscope/fleet-allow.json`, else under `~/.config`. */
export function usualAllowFile(env: NodeJS.ProcessEnv = process.env): string {
  const config = env['XDG_CONFIG_HOME'];
  return join(
    config !== undefined && isAbsolute(config) ? config : join(homedir(), '.config'),
    'hookscope',
    'fleet-allow.json',
  );
}

/** Another one: what may run here may have changed, or a plugin was installed. */
export function allowStamp(file: string): string {
  const modules = join(dirname(file), 'node_modules');
  const all = [file, modules, join(modules, '.package-lock.json')];
  return all.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join();
}

/** Reads the file again each time: it belongs to the host, and may have changed. A missing file allows nothing. Throws FILE, INVALID_CONFIG. */
export function readAllowed(file: string): Allowed {
  if (!existsSync(file)) return { file, list: {} };
  return { file, list: readChecked(file, allowSchema()) as Allowed['list'] };
}

/** A command's name for people, and in the file. */
const lineOf = ({ command, args }: DescribedHandler): string =>
  [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');

/** Options that change what a command does, and are not part of what is allowed. */
const LOOSE = ['env', 'cwd', 'shell'] as const;

/** Why a handler may not run here; undefined: it may. */
export function whyNotAllowed(handler: DescribedHandler, { file, list }: Allowed, folder: string): string | undefined {
  const wants = (what: string, where: string): string => `${what}, which ${file} does not allow: ${where}`;
  switch (handler.type) {
    case 'rule':
      return undefined;
    case 'command':
      return whyNoCommand(handler, { file, list }, folder);
    case 'http': {
      const url = String(handler['url']);
      if (handler['allowedEnvVars'] !== undefined)
        return 'it sends variables of the environment ("allowedEnvVars"), which a bundle cannot';
      return list.http?.includes(url) ? undefined : wants(`it asks ${url}`, 'name the URL in "http"');
    }
    case 'mcp_tool': {
      const tool = `${handler['server']}/${handler['tool']}`;
      return list.mcp?.includes(tool) ? undefined : wants(`it calls the tool ${tool}`, 'name it in "mcp"');
    }
    case 'prompt':
    case 'agent': {
      const model = String(handler['model'] ?? 'default');
      return list.models?.includes(model) ? undefined : wants(`it asks the model ${model}`, 'name it in "models"');
    }
    default:
      return `a handler of the type "${handler.type}" cannot be in a bundle`;
  }
}

function whyNoCommand(handler: DescribedHandler, { file, list }: Allowed, folder: string): string | undefined {
  const line = lineOf(handler);
  const loose = LOOSE.find((key) => handler[key] !== undefined);
  if (loose !== undefined)
    return `it runs the command ${line} with "${loose}", which a command of a bundle cannot have`;
  const { files, unresolved } = namedFiles(handler as HandlerDescription, { projectDir: folder });
  if (unresolved.length > 0) return `it runs ${line}, and what "${unresolved[0]}" is shows only when it runs`;
  const needed = Object.fromEntries(files.map((name) => [name, hashFile(resolve(folder, name))]));
  const allowed = list.commands && Object.hasOwn(list.commands, line) ? list.commands[line] : undefined;
  if (allowed === undefined)
    return `it runs the command ${line}, which ${file} does not allow: add ${JSON.stringify({ [line]: needed })} to "commands"`;
  for (const [name, hash] of Object.entries(needed)) {
    if (hash === null) return `it runs the command ${line}, and ${name} is not there`;
    if (allowed[name] !== hash)
      return `it runs the command ${line}, and ${name} is not what ${file} allows: its SHA-256 is ${hash}`;
  }
  return undefined;
}

/** The check before each run of a command: whether the files that it names are still the allowed ones. */
export function trustCheckFor(
  handler: HandlerDescription,
  { file }: Allowed,
  folder: string,
): Registration['trustCheck'] {
  const variables = { projectDir: folder };
  const files = Object.fromEntries(
    namedFiles(handler, variables).files.map((name) => [name, bound(resolve(folder, name))]),
  );
  const consent = { file, project: folder, definition: '', files, at: '' };
  return guardFiles(handler, consent, { file, variables, fallback: folder, remedy: file });
}

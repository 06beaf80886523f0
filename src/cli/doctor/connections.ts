import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { CONNECTABLE, projectOf, settingsFile, tableOf } from '../../connect/agent-hooks.js';
import { readRegularFile } from '../../files/regular-file.js';
import { plain } from '../../plain.js';
import { realOr } from '../../trust/consent.js';
import { shellCommands } from '../../trust/named/shell/words.js';
import { isObject } from '../../values/shape.js';
import { stateFolder } from '../../values/user-folders.js';
import { pasted } from '../history/again.js';

/** A file that `hookscope connect` has written into. */
export interface ConnectedSettings {
  readonly agent: string;
  readonly file: string;
  /** The commands and addresses that were written into it. */
  readonly handlers: readonly string[];
  /** When it was written, in milliseconds since 1970; absent if an earlier version wrote it. */
  readonly at?: number;
  /** The whole text that was written; absent if an earlier version wrote it. */
  readonly written?: string;
  /** `connections.json` does not have it. */
  readonly isUnlisted?: true;
}

/** Whether a handler is an address, not a command. */
export const isAddress = (handler: string): boolean => /^https?:/.test(handler);

/** The options of a command that name hooks. */
export const HOOK_OPTIONS = ['--hooks', '--config', '--plugin'];

/** The words of a command that connect has written: programs, options and paths. */
export function wordsOf(command: string): string[] {
  return shellCommands(command).flatMap(({ words }) => words.map(({ text }) => text));
}

/** The handlers that connect has written, and the existing hooks files that they name. */
export function connected(connections: readonly ConnectedSettings[]): {
  readonly handlers: ReadonlySet<string>;
  readonly hooksFiles: readonly string[];
} {
  const handlers = connections.flatMap((connection) => connection.handlers);
  const named = handlers.flatMap((command) => {
    const words = wordsOf(command);
    return words.filter((_, i) => words[i - 1] === '--hooks');
  });
  return { handlers: new Set(handlers), hooksFiles: [...new Set(named)].filter((file) => existsSync(file)) };
}

/** What `connections.json` lists, as far as it can be read. */
export function readConnections(): ConnectedSettings[] {
  const text = readIfThere(join(stateFolder(), 'connections.json'));
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    const list: unknown = isObject(found) ? found['connections'] : undefined;
    return Array.isArray(list) ? list.flatMap(connectionIn) : [];
  } catch {
    return [];
  }
}

function connectionIn(found: unknown): ConnectedSettings[] {
  if (!isObject(found)) return [];
  const { agent, file, handlers, at, written } = found;
  const when = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (typeof agent !== 'string' || typeof file !== 'string' || !Array.isArray(handlers)) return [];
  const ours = handlers.filter((one) => typeof one === 'string');
  const text = typeof written === 'string' ? { written: Buffer.from(written, 'base64').toString() } : {};
  return [{ agent, file, handlers: ours, ...(Number.isNaN(when) ? {} : { at: when }), ...text }];
}

/** The command that connects or disconnects the agent with this file, without that option: `hookscope connect gemini --project`. */
export function connectCommand({ agent, file }: ConnectedSettings): string {
  const isProject = CONNECTABLE.includes(agent) && isProjectFile(agent, file);
  return `${homeFor(agent, file)}hookscope connect ${plain(agent)}${isProject ? ' --project' : ''}`;
}

/** The variable by which the command finds the user's file, with a blank behind it; empty: it finds it without. */
function homeFor(agent: string, file: string): string {
  if (!CONNECTABLE.includes(agent) || isProjectFile(agent, file)) return '';
  const table = tableOf(agent);
  const { variable, path } = table.connect.user;
  const isFound = [process.env, {}].every(
    (env) => realOr(settingsFile(table, 'user', process.cwd(), env)) === realOr(file),
  );
  if (variable === undefined || isFound || !file.endsWith(sep + join(path))) return '';
  return `${variable}=${pasted(file.slice(0, -join(path).length - 1) || sep)} `;
}

/** Where that command must be run: nothing for here, else words that follow a verb. */
export function placeOfCommand({ agent, file }: ConnectedSettings): string {
  const project = CONNECTABLE.includes(agent) ? projectOf(tableOf(agent), file, process.cwd()) : undefined;
  if (project === undefined) return '';
  const here = realOr(settingsFile(tableOf(agent), 'project', process.cwd())) === realOr(file);
  return here ? '' : ` in ${pasted(project)}`;
}

const isProjectFile = (agent: string, file: string): boolean =>
  projectOf(tableOf(agent), file, process.cwd()) !== undefined;

/** undefined: it is not there, or is no file that is read. */
export function readIfThere(file: string): string | undefined {
  try {
    return readRegularFile(file).toString('utf8');
  } catch {
    return undefined;
  }
}

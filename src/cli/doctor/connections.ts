import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, sep } from 'node:path';
import { CONNECTABLE, projectOf, settingsFile, tableOf } from '../../connect/agent-hooks.js';
import { readRegularFile } from '../../files/regular-file.js';
import { clip, plain } from '../../plain.js';
import { defaultSocket, serverState } from '../../store/place.js';
import { realOr } from '../../trust/consent.js';
import { shellCommands } from '../../trust/named/shell/words.js';
import { isObject } from '../../values/shape.js';
import { stateFolder } from '../../values/state-folder.js';
import { pasted } from '../history/again.js';
import type { DoctorFinding } from './finding.js';
import type { StatelessFire } from './health.js';

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

/** Problems with the server, and with agents that ask it. `alone`: the last fire that was answered without a server. */
export async function serverFindings(
  connections: readonly ConnectedSettings[],
  alone: StatelessFire | undefined,
): Promise<DoctorFinding[]> {
  const socket = defaultSocket();
  const state = await serverState(socket);
  const findings: DoctorFinding[] = [];
  const problem = (text: string, fix: string): void =>
    void findings.push({ level: 'problem', about: 'server', text, fix });

  const unit = serviceFile();
  const addresses = connections.flatMap(({ handlers }) => handlers.filter(isAddress));
  const { serveAgain } = await import('./serve-again.js');
  const serve = serveAgain(addresses);
  const start = `Start it: ${serve}.`;
  if (state === 'dead') problem(`A server left its socket behind, ${plain(socket)}, and nobody answers there.`, start);
  else if (state === 'stranger')
    problem(
      `What answers on the socket ${plain(socket)} does not prove that it is your server.`,
      `Find out which program that is, and start your server: ${serve}.`,
    );
  else if (state === 'none' && unit !== undefined)
    problem(`A server is installed (${plain(unit)}) but does not run.`, start);
  const [asking] = connections.filter(({ handlers }) => handlers.some(isAddress));
  if (state !== 'runs' && asking !== undefined) {
    const { unaskedWords } = await import('../../connect/client-version.js');
    const unasked = CONNECTABLE.includes(asking.agent) ? `: ${unaskedWords(tableOf(asking.agent))}` : '';
    problem(
      `${plain(asking.agent)} asks ${clip(addresses[0] as string, 80)} about its calls, but no server runs${plain(unasked)}.`,
      start,
    );
  }
  findings.push(...(await noHooksFindings(connections)));
  const { placesFindings, servedFindings, servedLastFindings } = await import('./served.js');
  findings.push(...placesFindings());
  findings.push(...(state === 'runs' ? await servedFindings(alone) : servedLastFindings()));
  return findings;
}

/** Connected agents whose commands name no hooks, if there are no others for them to find. */
async function noHooksFindings(connections: readonly ConnectedSettings[]): Promise<DoctorFinding[]> {
  const isBare = (handler: string): boolean =>
    !isAddress(handler) && !wordsOf(handler).some((word) => HOOK_OPTIONS.includes(word));
  // Only where its settings still have them.
  const bare = connections.filter(({ handlers, file }) => {
    const text = readIfThere(file);
    return text && handlers.some((one) => isBare(one) && text.includes(JSON.stringify(one).slice(1, -1)));
  });
  const { findsNoHooks } = await import('../connect/no-hooks.js');
  if (bare.length === 0 || !(await findsNoHooks())) return [];
  return bare.map((connection) => ({
    level: 'problem',
    about: 'server',
    text: `${plain(connection.agent)} is connected (${plain(connection.file)}) without hooks, and no server is running: what can be denied is denied.`,
    fix: `Start hookscope serve --hooks FILE, or connect it${placeOfCommand(connection)} with hooks: ${connectCommand(connection)} --write --hooks FILE.`,
  }));
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

/** The service file, if a server is installed for this user. */
function serviceFile(): string | undefined {
  const config = process.env['XDG_CONFIG_HOME'];
  const systemd = join(
    config !== undefined && isAbsolute(config) ? config : join(homedir(), '.config'),
    'systemd/user',
  );
  return [join(systemd, 'hookscope.service'), join(homedir(), 'Library/LaunchAgents/dev.hookscope.serve.plist')].find(
    (file) => existsSync(file),
  );
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
  if (!CONNECTABLE.includes(agent) || !isProjectFile(agent, file)) return '';
  return realOr(settingsFile(tableOf(agent), 'project', process.cwd())) === realOr(file) ? '' : ' in that project';
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

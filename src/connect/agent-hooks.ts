import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { TABLES } from '../agents/agents.js';
import { builtInOf } from '../agents/rows.js';
import type { AgentConnect, AgentTable, EventRow } from '../agents/table.js';
import { homeFolder } from '../values/user-folders.js';
import type { Layout } from './layout.js';
import type { SettingsEntry, SettingsHandler } from './settings-text.js';

/** Whose sessions are connected: all of this user's, or those in one folder. */
export type ConnectScope = 'user' | 'project';

/** Seconds that an agent waits for a hook on an event without a limit of its own: our hooks may ask a person or a model. */
const PATIENCE = 600;

/** The agents that can be connected. */
export const CONNECTABLE: readonly string[] = TABLES.map(({ name }) => name);

export function tableOf(agent: string): AgentTable {
  return TABLES.find(({ name }) => name === agent) as AgentTable;
}

/** The file in which the agent reads hooks for this machine. */
export function settingsFile(
  { connect }: AgentTable,
  whose: ConnectScope,
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): string {
  if (whose === 'project') {
    const { path, from } = connect.project;
    return join((from === 'repository' ? repositoryOf(folder) : undefined) ?? resolve(folder), path);
  }
  return join(homeOf(connect, env), connect.user.path);
}

/** The folder of the agent's user files. */
export function homeOf({ user: { home, variable } }: AgentConnect, env: NodeJS.ProcessEnv = process.env): string {
  const given = variable === undefined ? undefined : env[variable];
  return given !== undefined && isAbsolute(given) ? given : join(homeFolder(env), home.slice(1));
}

/** The folder in which a file has this path. */
export const above = (file: string, path: string): string => resolve(file, ...path.split('/').map(() => '..'));

/**
 * The folder of the project whose file was connected; undefined: it is the user's. Where both have the same name, it is a project's in a repository and
 * in the current folder.
 */
export function projectOf(table: AgentTable, file: string, folder: string): string | undefined {
  const { user, project } = table.connect;
  const isOf = (whose: 'user' | 'project', env = process.env): boolean =>
    realOf(settingsFile(table, whose, folder, env)) === realOf(file);
  if (isOf('user') || isOf('user', {}) || !file.endsWith(sep + join(project.path))) return undefined;
  const root = above(file, project.path);
  const isAlike = user.variable !== undefined && file.endsWith(sep + join(user.path));
  return !isAlike || isOf('project') || existsSync(join(root, '.git')) ? root : undefined;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function repositoryOf(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** What the agent's file may contain, and what makes it void. */
export function layoutOf({ title, files, connect }: AgentTable): Layout {
  const { root, version } = files;
  return {
    title,
    ...(root.others === 'void' ? { keys: ['hooks', ...root.keys] } : {}),
    ...(version === undefined ? {} : { version }),
    ...(connect.reads === undefined ? {} : { reads: connect.reads }),
    ...(connect.void === undefined ? {} : { void: connect.void }),
  };
}

/** Every event once, by the name that it is connected under. */
export function connectedRows(table: AgentTable): EventRow[] {
  const rows = table.events.filter((row) => row.second === undefined && whyNot(row) === undefined);
  return rows.filter(({ name }, i) => rows.findIndex((row) => row.name === name) === i);
}

/** An event that is not connected. */
export interface OmittedEvent {
  readonly event: string;
  readonly why: string;
}

/** Events that cannot be connected, and why. */
export function notConnected(table: AgentTable): OmittedEvent[] {
  return table.events.flatMap((row) => {
    const why = whyNot(row);
    return why === undefined ? [] : [{ event: row.name, why }];
  });
}

function whyNot(row: EventRow): string | undefined {
  if (builtInOf(row)?.claude?.answerNeeded) return 'a hook for it must answer, and one without an answer makes it fail';
  return undefined;
}

/** The timeout that is written for an event, in seconds. */
const secondsOf = ({ timeout }: EventRow): number => timeout?.most ?? timeout?.usual ?? PATIENCE;

/** An entry with a command for each event. */
export function agentEntries(
  table: AgentTable,
  command: (event: string, seconds: number) => string,
): Readonly<Record<string, SettingsEntry>> {
  const { handler } = table.connect;
  return agentHandlers(table, (row) => ({ ...handler, command: command(row.name, secondsOf(row)) }));
}

/** An entry for each event, without a matcher. If the agent has a setting for it, a failure of the handler blocks what can be blocked. */
export function agentHandlers(
  table: AgentTable,
  make: (row: EventRow) => SettingsHandler,
  isMeant: (row: EventRow) => boolean = () => true,
): Readonly<Record<string, SettingsEntry>> {
  const { files, connect } = table;
  const { key, unit } = files.timeout;
  return Object.fromEntries(
    connectedRows(table)
      .filter(isMeant)
      .map((row) => {
        const seconds = secondsOf(row);
        const handler = {
          ...make(row),
          [key]: unit === 'ms' ? seconds * 1000 : seconds,
          ...(connect.guard?.on.some((what) => isSaid(row, what)) ? connect.guard.keys : {}),
        };
        return [row.name, files.shape === 'groups' ? { hooks: [handler] } : handler];
      }),
  );
}

function isSaid({ says }: EventRow, what: keyof EventRow['says']): boolean {
  const entry = says[what];
  return entry !== undefined && 'say' in entry;
}

import { statSync } from 'node:fs';
import { builtInOf } from '../agents/rows.js';
import type { EventRow } from '../agents/table.js';
import { agentHandlers, connectedRows, type OmittedEvent, tableOf } from './agent-hooks.js';
import type { SettingsEntry } from './settings-text.js';

/** The port on which a server listens, and the token that fires events. */
export interface HttpWay {
  readonly port: number;
  readonly token: string;
}

const asksByHttp = (row: EventRow): boolean => builtInOf(row)?.types.includes('http') === true;

/** Claude Code's hooks as HTTP requests to the server. */
export function httpEntries({ port, token }: HttpWay): Readonly<Record<string, SettingsEntry>> {
  return agentHandlers(
    tableOf('claude-code'),
    ({ name }) => ({
      type: 'http',
      url: `http://127.0.0.1:${port}/hooks/${name}`,
      headers: { Authorization: `Bearer ${token}` },
    }),
    asksByHttp,
  );
}

/** Events that Claude Code does not send to HTTP hooks. */
export function notByHttp(): OmittedEvent[] {
  const rows = connectedRows(tableOf('claude-code')).filter((row) => !asksByHttp(row));
  return rows.map(({ name }) => ({ event: name, why: 'Claude Code does not send it to HTTP hooks' }));
}

/** Whether other users of this machine may read a file, which is then no place for a token. Windows has no such modes. */
export function othersMayRead(file: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o044) !== 0;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTABLE, settingsFile, tableOf } from '../../connect/agent-hooks.js';
import { isHookscopeError } from '../../errors.js';
import { ended, plain } from '../../plain.js';
import { realOr } from '../../trust/consent.js';
import { stateFolder } from '../../values/user-folders.js';
import { type ConnectedSettings, connectCommand, readConnections, readIfThere } from './connections.js';
import type { DoctorFinding } from './finding.js';
import { connectAgain } from './written.js';

/** What is known of connected agents. */
export interface KnownConnections {
  /** Those that `connections.json` lists, then those that only the settings files show. */
  readonly all: readonly ConnectedSettings[];
  readonly findings: readonly DoctorFinding[];
}

/** The connections in `connections.json`, and hooks in the settings files of here and of the user that connect has written and that are not listed there. */
export async function knownConnections(folder: string): Promise<KnownConnections> {
  const listed = readConnections();
  const files = new Set(listed.flatMap(({ file }) => [file, realOr(file)]));
  const unlisted: ConnectedSettings[] = [];
  for (const agent of CONNECTABLE)
    for (const scope of ['user', 'project'] as const) {
      const file = realOr(settingsFile(tableOf(agent), scope, folder));
      if (files.has(file)) continue;
      files.add(file);
      const handlers = await writtenInto(file);
      if (handlers.length > 0) unlisted.push({ agent, file, handlers, isUnlisted: true });
    }
  return { all: [...listed, ...unlisted], findings: [...(await journalFindings()), ...unlisted.map(unlistedFinding)] };
}

/** The commands and addresses of connect in a file. */
async function writtenInto(file: string): Promise<readonly string[]> {
  const text = readIfThere(file);
  // The parser is loaded only if there is something to look at.
  if (text === undefined || !/hookscope|127\.0\.0\.1/.test(text)) return [];
  return (await import('../../connect/health.js')).oursInText(text, file);
}

async function journalFindings(): Promise<DoctorFinding[]> {
  if (!existsSync(join(stateFolder(), 'connections.json'))) return [];
  const { Journal } = await import('../../connect/journal.js');
  const journal = new Journal();
  try {
    journal.list();
    return [];
  } catch (error) {
    if (!isHookscopeError(error)) throw error;
    const [what = ''] = error.message.split('; ');
    return [
      {
        level: 'problem',
        about: 'agent',
        text: ended(plain(what)),
        fix: 'Move it away; hooks that connect has written are recognised in the settings files. Until then no agent can be connected or disconnected.',
      },
    ];
  }
}

const unlistedFinding = (connection: ConnectedSettings): DoctorFinding => ({
  level: 'remark',
  about: 'agent',
  text: `${plain(connection.file)} has ${connection.handlers.length === 1 ? 'a hook' : 'hooks'} that hookscope connect has written, but this user's connections.json does not list that file, so it is not known how it was before.`,
  fix: `To list it, connect it again: ${connectAgain(connection)}. To take the hooks out: ${connectCommand(connection)} --undo.`,
});

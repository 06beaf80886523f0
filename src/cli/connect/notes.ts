import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentTable } from '../../agents/table.js';
import { askCodex, findCodex, type HookTrust } from '../../connect/codex-trust.js';
import { handlersOf } from '../../connect/connect.js';
import { Journal } from '../../connect/journal.js';
import type { SettingsEntry } from '../../connect/settings-text.js';
import { readRegularFile } from '../../files/regular-file.js';
import { plain } from '../../plain.js';
import { homeFolder } from '../../values/user-folders.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Terminal } from '../terminal.js';

/** Notes for the user before the settings are written. */
export function notesBefore(table: AgentTable, file: string, isProject: boolean): string[] {
  const { name, title, source, files } = table;
  const notes: string[] = [];
  if (source === 'documents')
    notes.push(`${title} was not tried: its file locations, units and field names are from its documents`);
  if (isProject && name !== 'claude-code')
    notes.push(`${plain(file)} contains paths of this machine: do not share or commit it`);
  if (name === 'codex' && hasHooks(join(dirname(file), 'config.toml')))
    notes.push(
      `${plain(join(dirname(file), 'config.toml'))} has hooks too: Codex runs both, and warns at every start that there are two`,
    );
  const at = (path: string): string =>
    path.startsWith('~') ? join(homeFolder(), path.slice(1)) : join(realpathSync('.'), path);
  const others = files.places.flatMap(({ path, of }) => (of === undefined ? [] : [at(path)]));
  for (const { file: connected, agent } of new Journal().list())
    if (others.includes(connected))
      notes.push(
        `${title} reads ${plain(connected)} too, which is connected for ${agent}: it asks twice about what happens there`,
      );
  return notes;
}

/** `[[hooks.Event]]` or `hooks.Event = […]`; not `[hooks.state]`, which only remembers what is trusted. */
function hasHooks(file: string): boolean {
  if (!existsSync(file)) return false;
  return /^\s*(?:\[\[\s*hooks\s*\.|hooks\s*\.\s*(?!state)\w+\s*=|hooks\s*=\s*\{|\[\s*hooks\s*\])/m.test(
    readRegularFile(file).toString('utf8'),
  );
}

const TRUST: Readonly<Record<HookTrust, string>> = {
  trusted: 'trusted: it runs',
  managed: 'managed: it runs',
  untrusted: 'not trusted: it does not run',
  modified: 'changed since it was trusted: it does not run',
  off: 'switched off in Codex: it does not run',
  unlisted: 'not known to Codex: it does not run',
};
const RUNS: readonly HookTrust[] = ['trusted', 'managed'];

/** Prints what the agent itself requires before it runs the new hooks and, for Codex, which of them it trusts already. */
export async function sayTrust(
  table: AgentTable,
  file: string,
  entries: Readonly<Record<string, SettingsEntry>>,
  given: string | undefined,
  terminal: Terminal,
): Promise<void> {
  await terminal.print(table.files.trust);
  if (table.name !== 'codex') return;
  const program = given ?? findCodex();
  if (program === undefined) {
    terminal.tell(
      'codex is not on the PATH, so it could not be asked which hooks it trusts; give its path: --codex PATH',
    );
    return;
  }
  try {
    const { hooks, warnings } = await askCodex({ program, file, handlers: handlersOf(entries), cwd: process.cwd() });
    for (const warning of warnings) terminal.tell(`Codex says: ${plain(warning)}`);
    for (const { event, trust } of hooks) await terminal.print(`  ${event.padEnd(18)} ${TRUST[trust]}`);
    const waiting = hooks.filter(({ trust }) => !RUNS.includes(trust)).length;
    if (waiting > 0)
      await terminal.print(
        `${waiting} of ${hooks.length} do not run yet. Start codex in a terminal and choose "Trust all and continue", or look at them with /hooks.`,
      );
  } catch (error) {
    terminal.tell(`${plain(program)} could not be asked which hooks it trusts: ${plain(messageOf(error))}`);
  }
}

import type { AgentTable } from '../../agents/table.js';
import type { OmittedEvent } from '../../connect/agent-hooks.js';
import type { SettingsEntry } from '../../connect/settings-text.js';
import { HookscopeError } from '../../errors.js';
import { plain } from '../../plain.js';
import { wrongOption } from '../../values/options.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Terminal } from '../terminal.js';
import { type ConnectFlags, checkAgent, checkFiles, checkFlags } from './flags.js';

/** As observed on the real client with HTTP hooks. `unasked`: what happens where they cannot be asked. */
const httpWarning = (unasked: string): string[] => [
  'warning: with HTTP, whatever listens at the port is obeyed, and gets the token. If nothing listens there, or the token is refused,',
  `${unasked}. Without --http the hooks are a command, which believes only the server of this user.`,
];

/** Shows what connecting an agent would change and, with --write, does it. */
export async function connectCommand(
  [given]: readonly string[],
  flags: ConnectFlags,
  terminal: Terminal,
): Promise<number> {
  const { CONNECTABLE, layoutOf, settingsFile, tableOf } = await import('../../connect/agent-hooks.js');
  const agent = given as string;
  checkAgent(agent, CONNECTABLE);
  checkFlags(agent, flags);
  const table = tableOf(agent);
  const file = settingsFile(table, flags.project ? 'project' : 'user', process.cwd());
  if (flags.undo) {
    const other = settingsFile(table, flags.project ? 'user' : 'project', process.cwd());
    return undo([file], terminal, { file: other, option: flags.project ? '--user' : '--project' });
  }
  const { planConnect } = await import('../../connect/connect.js');
  const { entries, leftOut } = await wayOf(table, flags, terminal);
  const plan = await planConnect({ agent, file, entries, layout: layoutOf(table) });
  const { guardWarning, unaskedWords } = await import('../../connect/client-version.js');
  if (flags.http) {
    for (const line of httpWarning(unaskedWords(table))) terminal.tell(line);
    await checkPrivate(plan.file, flags.write === true, terminal);
  }
  const lax = guardWarning(table, flags.http === true);
  if (lax !== undefined) terminal.tell(`warning: ${plain(lax)}`);
  for (const { event, why } of leftOut) terminal.tell(`${event} is not connected: ${why}`);
  const { notesBefore, sayTrust } = await import('./notes.js');
  for (const note of notesBefore(table, plan.file, flags.project === true)) terminal.tell(note);
  if (plan.void !== undefined)
    terminal.tell(`not in force: ${plain(plan.file)}, ${plan.void}: they will run when you have removed that`);
  const { switchedOff } = await import('../../connect/health.js');
  for (const { file: by, what } of await switchedOff(table, plan.file, process.cwd()))
    terminal.tell(`not in force: ${plain(by)} ${what}: they will run when you have removed that`);
  if (plan.difference === '') await terminal.print(`${plain(plan.file)} is connected already; nothing was changed.`);
  else await terminal.print(plan.difference.trimEnd());
  if (plan.difference !== '' && !flags.write) {
    terminal.tell('nothing was changed; add --write to write it');
    return 0;
  }
  if (flags.write && (plan.difference !== '' || !plan.isKnown)) plan.write();
  if (plan.difference !== '') {
    const again = `hookscope connect ${agent} ${flags.project ? '--project ' : ''}--undo`;
    await terminal.print(`Connected: ${plain(plan.file)}. ${again} restores it.`);
  }
  const namesHooks = (flags.hooks ?? flags.config ?? flags.plugin) !== undefined;
  if (!flags.http && !namesHooks && (await (await import('./no-hooks.js')).findsNoHooks()))
    terminal.tell(
      `warning: no hooks are named, and no server is running: ${table.title} will be denied what can be denied. Start hookscope serve --hooks FILE, or connect it with --hooks FILE`,
    );
  await sayTrust(table, plan.file, entries, flags.codex, terminal);
  return 0;
}

/** Refuses to write the token where other users may read it, rather than change the mode of the user's file. Throws FILE. */
async function checkPrivate(file: string, isWritten: boolean, { tell }: Terminal): Promise<void> {
  const { othersMayRead } = await import('../../connect/claude-http.js');
  if (!othersMayRead(file)) return;
  const problem = 'other users of this machine may read it, and the token would be in it; run chmod 600 on it first';
  if (isWritten) throw new HookscopeError('FILE', { file, problem: `${problem}; nothing was changed` });
  tell(`warning: ${plain(file)}: ${problem}`);
}

/** Undoes what `connect` has done, for one agent or for all. */
export async function disconnectCommand(
  [agent]: readonly (string | undefined)[],
  flags: { readonly all?: true },
  terminal: Terminal,
): Promise<number> {
  const { CONNECTABLE, settingsFile, tableOf } = await import('../../connect/agent-hooks.js');
  if (agent !== undefined) checkAgent(agent, CONNECTABLE, 'disconnect');
  if ((agent === undefined) === (flags.all === undefined))
    throw wrongOption('disconnect', `name one agent (${CONNECTABLE.join(', ')}), or every agent with --all`);
  const { Journal } = await import('../../connect/journal.js');
  const connections = new Journal().list().filter((one) => agent === undefined || one.agent === agent);
  const tables = (agent === undefined ? CONNECTABLE : [agent]).map(tableOf);
  // The files that connect writes by default, since the journal may have been lost.
  const usual = tables.flatMap((table) =>
    (['user', 'project'] as const).map((whose) => settingsFile(table, whose, process.cwd())),
  );
  return undo([...connections.flatMap(({ file, named = file }) => [file, named]), ...usual], terminal);
}

const BECAME = {
  restored: 'is as it was before, byte for byte',
  removed: 'was not there before, and has been removed',
  taken_out: 'has been changed since; what connect had written was taken out, the rest was left',
  unknown:
    'had hooks that connect had written, and these were taken out; how it was before the first of them is not known, so the rest was left',
  clean: 'has no hook that connect has written; nothing was changed in it',
  gone: 'is not there any more',
} as const;

/** Every file is tried, even if another failed. */
async function undo(
  names: readonly string[],
  terminal: Terminal,
  other?: { readonly file: string; readonly option: string },
): Promise<number> {
  const { disconnectAll } = await import('../../connect/undo.js');
  const results = await disconnectAll(names);
  let failed = false;
  for (const result of results) {
    if ('how' in result) await terminal.print(`${plain(result.file)} ${BECAME[result.how]}.`);
    else {
      failed = true;
      terminal.tell(messageOf(result.error));
    }
  }
  if (results.length === 0) {
    const { Journal } = await import('../../connect/journal.js');
    const isThere =
      other !== undefined && new Journal().list().some(({ file, named }) => [file, named].includes(other.file));
    const advice = isThere ? ` ${plain(other.file)} is connected: undo it with ${other.option}.` : '';
    await terminal.print(`Nothing is connected there; nothing was changed.${advice}`);
  }
  return failed ? 1 : 0;
}

interface ConnectWay {
  readonly entries: Readonly<Record<string, SettingsEntry>>;
  readonly leftOut: readonly OmittedEvent[];
}

async function wayOf(table: AgentTable, flags: ConnectFlags, { tell }: Terminal): Promise<ConnectWay> {
  const { agentEntries, notConnected } = await import('../../connect/agent-hooks.js');
  const { hooks, config, plugin, port } = flags;
  const leftOut = notConnected(table);
  if (!flags.http) {
    const set = { ...(hooks && { hooks }), ...(config !== undefined && { config }), ...(plugin && { plugin }) };
    await checkFiles(set, tell);
    const { thinCommand } = await import('../../server/client/thin.js');
    const who = {
      ...(table.name === 'claude-code' ? {} : { as: table.name }),
      ...(flags.attended && { attended: true }),
    };
    return { entries: agentEntries(table, (event, timeout) => thinCommand(event, { ...who, set, timeout })), leftOut };
  }
  if (hooks || plugin || config !== undefined)
    throw wrongOption('--http', 'expected without --hooks, --config and --plugin: the server is what names them');
  if (port === undefined || port === 0)
    throw wrongOption('--port', 'expected the port of hookscope serve, from 1 to 65535');
  const { placesOf } = await import('../../server/places.js');
  const { ensureTokens } = await import('../../server/tokens.js');
  const { httpEntries, notByHttp } = await import('../../connect/claude-http.js');
  const token = ensureTokens(placesOf()).fire;
  return { entries: httpEntries({ port, token }), leftOut: [...leftOut, ...notByHttp()] };
}

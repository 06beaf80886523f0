import { existsSync } from 'node:fs';
import type { ClaudeWay } from '../../connect/claude-code.js';
import { HookscopeError } from '../../errors.js';
import { plain } from '../../plain.js';
import { nearest } from '../../values/nearest.js';
import type { Terminal } from '../terminal.js';

export interface ConnectFlags {
  readonly write?: true;
  readonly undo?: true;
  readonly user?: true;
  readonly project?: true;
  readonly http?: true;
  readonly port?: string;
  readonly hooks?: readonly string[];
  readonly config?: string;
  readonly plugin?: readonly string[];
}

const AGENTS = ['claude-code'];

/** What was seen of the real client where its hooks are requests. */
const HTTP_WARNING = [
  'warning: by HTTP a stranger who listens at the port is obeyed, and is handed the token. Where nobody listens, or the token is refused,',
  'what can be denied is blocked, and everything else goes on unasked. Without --http the hooks are a command, which believes only the server of this user.',
];

/** Shows what connecting an agent would change and, with --write, does it. */
export async function connectCommand(
  [agent]: readonly string[],
  flags: ConnectFlags,
  terminal: Terminal,
): Promise<number> {
  checkAgent(agent as string);
  const file = await fileOf(flags);
  if (flags.undo) {
    if (flags.write) throw wrong('--undo', 'expected without --write: it writes by itself');
    return undo([file], terminal);
  }
  const { claudeGroups, notConnected } = await import('../../connect/claude-code.js');
  const { planConnect } = await import('../../connect/connect.js');
  const way = await wayOf(flags);
  const plan = await planConnect({ agent: agent as string, file, groups: claudeGroups(way) });
  if (flags.http) for (const line of HTTP_WARNING) terminal.tell(line);
  for (const { event, why } of notConnected(way.kind)) terminal.tell(`${event} is not connected: ${why}`);
  if (plan.difference === '') {
    await terminal.print(`${plain(plan.file)} is connected already; nothing was changed.`);
    return 0;
  }
  await terminal.print(plan.difference.trimEnd());
  if (!flags.write) {
    terminal.tell('nothing was changed; --write does it');
    return 0;
  }
  plan.write();
  await terminal.print(`Connected: ${plain(plan.file)}. hookscope connect ${agent} --undo restores it.`);
  return 0;
}

/** Undoes what `connect` has done: of one agent, or everywhere. */
export async function disconnectCommand(
  [agent]: readonly (string | undefined)[],
  flags: { readonly all?: true },
  terminal: Terminal,
): Promise<number> {
  if (agent !== undefined) checkAgent(agent);
  if ((agent === undefined) === (flags.all === undefined))
    throw wrong('disconnect', `expected --all, or one of ${AGENTS.join(', ')}`);
  const { Journal } = await import('../../connect/journal.js');
  const connections = new Journal().list().filter((one) => agent === undefined || one.agent === agent);
  return undo(
    connections.map(({ file }) => file),
    terminal,
  );
}

const BECAME = {
  restored: 'has the bytes that it had before',
  removed: 'was not there before, and is gone again',
  taken_out: 'has been changed since; what connect had written was taken out, the rest was left',
  gone: 'is not there any more',
} as const;

/** Every file is tried, whatever became of the others. */
async function undo(files: readonly string[], terminal: Terminal): Promise<number> {
  const { disconnect } = await import('../../connect/connect.js');
  let failed = false;
  let done = 0;
  for (const file of files) {
    try {
      const came = await disconnect(file);
      if (came === undefined) continue;
      done += 1;
      await terminal.print(`${plain(came.file)} ${BECAME[came.how]}.`);
    } catch (error) {
      failed = true;
      terminal.tell(error instanceof Error ? error.message : String(error));
    }
  }
  if (done === 0 && !failed) await terminal.print('Nothing is connected there; nothing was changed.');
  return failed ? 1 : 0;
}

async function fileOf({ user, project }: ConnectFlags): Promise<string> {
  if (user && project) throw wrong('--user', 'expected without --project');
  const { claudeSettingsFile } = await import('../../connect/claude-code.js');
  return claudeSettingsFile(project ? 'project' : 'user', process.cwd());
}

async function wayOf(flags: ConnectFlags): Promise<ClaudeWay> {
  const { hooks, config, plugin, port } = flags;
  if (!flags.http) {
    if (port !== undefined) throw wrong('--port', 'expected together with --http');
    const set = { ...(hooks && { hooks }), ...(config !== undefined && { config }), ...(plugin && { plugin }) };
    checkThere([...(hooks ?? []), ...(config === undefined ? [] : [config])]);
    const { thinCommand } = await import('../../server/client/thin.js');
    return { kind: 'command', command: (event, timeout) => thinCommand(event, { set, timeout }) };
  }
  if (hooks || plugin || config !== undefined)
    throw wrong('--http', 'expected without --hooks, --config and --plugin: the server is what names them');
  const number = Number(port);
  if (!(Number.isInteger(number) && number > 0 && number < 65_536))
    throw wrong('--port', 'expected the port of hookscope serve, from 1 to 65535');
  const { placesOf } = await import('../../server/places.js');
  const { ensureTokens } = await import('../../server/tokens.js');
  return { kind: 'http', port: number, token: ensureTokens(placesOf()).fire };
}

/** A guard that is not there would block every call. */
function checkThere(files: readonly string[]): void {
  for (const file of files) {
    if (!existsSync(file)) throw new HookscopeError('FILE', { file, problem: 'there is no such file' });
  }
}

function checkAgent(agent: string): void {
  if (AGENTS.includes(agent)) return;
  throw wrong(
    'connect',
    `"${agent}" is not an agent that can be connected; there are ${AGENTS.join(', ')}`,
    nearest(agent, AGENTS),
  );
}

function wrong(where: string, expected: string, near?: string): HookscopeError {
  return new HookscopeError('INVALID_OPTIONS', { where, expected, nearest: near });
}

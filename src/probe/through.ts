import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adoptGroup } from '../handlers/command/process-group.js';
import { ownFolder } from '../plugins/own-folder.js';
import { thinCommand } from '../server/client/thin.js';
import type { ProbedAgent } from './agents/agent.js';
import type { ProbeFolders } from './place.js';

/** `direct`: the agent alone; `stateless`: with a `hookscope hook` process for each call; `server`: with a warm server. */
export const MODES = ['direct', 'stateless', 'server'] as const;
export type ProbeMode = (typeof MODES)[number];

/** The built hookscope program. */
const program = (): string => join(ownFolder(), 'dist/cli/main.js');

/** The hookscope command for an event in the agent's configuration. */
export function throughUs({ name }: ProbedAgent, place: ProbeFolders, event: string, hooks: string): string {
  const as = name === 'claude-code' ? {} : { as: name };
  return thinCommand(event, { ...as, set: { hooks: [hooks] }, cwd: place.project, env: place.env });
}

/** Starts a warm server with these hooks; `end` stops it. */
export async function serve(place: ProbeFolders, hooks: string): Promise<{ end(): Promise<void> }> {
  const child = spawn(process.execPath, [program(), 'serve', '--hooks', hooks], {
    cwd: place.project,
    env: { ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = adoptGroup(child.pid as number, { atExit: 'tree' });
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`hookscope serve has ended: ${text.slice(-500)}`)));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (/^hookscope serves on/m.test(text)) resolve();
      });
  });
  return { end: () => group.end('tree') };
}

/**
 * The alarms in the server's records, about calls that did not run as decided. An alarm that an agent was never seen to start is left out
 * if no hook is asked when agents start.
 */
export async function alarmsIn(place: ProbeFolders, events: readonly string[]): Promise<string[]> {
  const options = { cwd: place.project, env: { ...place.env } };
  const { stdout } = await promisify(execFile)(process.execPath, [program(), 'history', '--alarms', '--json'], options);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as { alarm: string; message: string })
    .filter(({ alarm }) => alarm !== 'reopened' || events.some((event) => /^subagentstart$/i.test(event)))
    .map(({ alarm, message }) => `With a hookscope server: an alarm (${alarm}): ${message}.`);
}

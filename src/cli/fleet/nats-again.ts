import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configOf, processOf } from './nats-config.js';

/** Milliseconds between the two signals: sent at once, they would arrive as one. */
const APART = 500;

/** Makes the broker of a folder reload its users. False if none runs. */
export async function readAgain(folder: string): Promise<boolean> {
  const id = brokerOf(folder);
  if (id === undefined) return false;
  try {
    process.kill(id, 'SIGHUP');
    // nats-server creates a new account at the first reload, and its imports from the team's account at the second.
    await sleep(APART);
    if (brokerOf(folder) === id) process.kill(id, 'SIGHUP');
    return true;
  } catch {
    return false;
  }
}

/** The broker's process id. A killed broker leaves its file behind, and its id may belong to another process by now. */
function brokerOf(folder: string): number | undefined {
  try {
    const [, digits] = /^([1-9]\d*)\s*$/.exec(readFileSync(processOf(folder), 'utf8')) ?? [];
    const id = Number(digits);
    if (!Number.isSafeInteger(id)) return undefined;
    const [, program = '', config = ''] = /^(\S+) .*?-c (.+?) --pid /.exec(commandOf(id)) ?? [];
    const isOurs = basename(program) === 'nats-server' && realpathSync(config) === realpathSync(configOf(folder));
    return isOurs ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The command line of a process: from /proc or, where there is none, from `ps`. */
function commandOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return execFileSync('ps', ['-o', 'args=', '-p', `${id}`], { encoding: 'utf8' });
  }
}

import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configOf, processOf } from './nats-config.js';

/** Milliseconds between two signals: two at once are one. */
const APART = 500;

/** Has the broker of a folder read its users again. False: none runs. */
export async function readAgain(folder: string): Promise<boolean> {
  const id = brokerOf(folder);
  if (id === undefined) return false;
  try {
    process.kill(id, 'SIGHUP');
    // A server makes an account that is new with the first, and its way into the team's with the second.
    await sleep(APART);
    if (brokerOf(folder) === id) process.kill(id, 'SIGHUP');
    return true;
  } catch {
    return false;
  }
}

/** The broker's process. One that was killed leaves its file, and its number may be another's by now. */
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

/** What a process was started with; where there is no /proc, as `ps` shows it. */
function commandOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return execFileSync('ps', ['-o', 'args=', '-p', `${id}`], { encoding: 'utf8' });
  }
}

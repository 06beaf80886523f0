import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { unclosedWriters } from '../../src/emit/sinks/files/open-mark.js';
import { isRunning, startOf } from '../../src/values/processes.js';

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** A process whose parent never asks how it ended: a shell that is stopped, since a shell may ask before it becomes another program. */
async function uncollected(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  ended.push(() => parent.kill('SIGKILL'));
  for await (const line of createInterface(parent.stdout)) {
    parent.kill('SIGSTOP');
    await stopped(parent.pid as number);
    return Number(line);
  }
  throw new Error('the shell said nothing');
}

/** A stop is asked for; what is asked for may come later. */
async function stopped(pid: number): Promise<void> {
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a process runs until it has ended, whether or not anybody collects it', async () => {
  expect(isRunning(process.pid)).toBe(true);
  // Another user's, as it is for most who run this.
  expect(isRunning(1)).toBe(true);
  const child = spawn('sleep', ['600']);
  const pid = child.pid as number;
  expect(isRunning(pid)).toBe(true);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
  expect(isRunning(pid)).toBe(false);
  expect(isRunning(Number.NaN)).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'what a process wrote that was killed and never collected is not whole',
  async () => {
    const pid = await uncollected();
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(() => process.kill(pid, 0)).not.toThrow();
    const folder = mkdtempSync(join(tmpdir(), 'hookscope-zombie-'));
    ended.push(() => rmSync(folder, { recursive: true }));
    const mark = { pid, since: new Date().toISOString(), hosts: ['h'], started: startOf(pid) };
    writeFileSync(join(folder, `r.db.writing.${pid}-00000000`), JSON.stringify(mark));
    expect(unclosedWriters(join(folder, 'r.db'))).toMatchObject([{ pid, hosts: ['h'] }]);
  },
);

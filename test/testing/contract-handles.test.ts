import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MessageChannel, Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import type { HookCallback, Plugin } from '../../src/index.js';
import { contract } from '../../src/testing.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function started(process: ChildProcess): ChildProcess {
  ends.push(() => process.kill());
  return process;
}
function repeat(): void {
  let next = setImmediate(function again() {
    next = setImmediate(again);
  });
  ends.push(() => clearImmediate(next));
}
function interval(): NodeJS.Timeout {
  const timer = setInterval(() => {}, 60_000);
  ends.push(() => clearInterval(timer));
  return timer;
}
function worker(): Worker {
  const made = new Worker('setInterval(() => {}, 1000)', { eval: true });
  ends.push(() => made.terminate());
  return made;
}
function port(): void {
  const { port1 } = new MessageChannel();
  port1.on('message', () => {});
  ends.push(() => port1.close());
}
const closing = <T extends { close(): unknown }>(made: T): T => {
  ends.push(() => made.close());
  return made;
};
const server = () => closing(createServer().listen(0, '127.0.0.1'));
const udp = () => closing(createSocket('udp4').bind(0, '127.0.0.1'));
const watcher = () => closing(watch(tmpdir()));

/** What the case says about a plugin that does this when it is applied. */
async function leftBy(start: () => unknown): Promise<string> {
  const plugin: Plugin = {
    name: 'under-test',
    apply(scope) {
      start();
      scope.on('Stop', () => undefined);
    },
  };
  const found = contract(plugin, { patience: 0.1 }).find(({ name }) => name.startsWith('nothing is left behind'));
  return (found as NonNullable<typeof found>).run().then(
    () => '',
    (error: { actual: unknown }) => String(error.actual),
  );
}

const keep: Record<string, [start: () => unknown, kind: RegExp]> = {
  'a timer': [interval, /^1 Timeout$/],
  'a timer that keeps nothing running, and goes on': [() => interval().unref(), /^1 Timeout$/],
  'immediates without end': [repeat, /^1 Immediate$/],
  'a server': [server, /^1 TCPSERVERWRAP$/],
  'a datagram socket': [udp, /^1 UDPWRAP$/],
  'a watcher': [watcher, /^1 FSEVENTWRAP$/],
  'a message port': [port, /^1 MESSAGEPORT$/],
  'a worker': [worker, /1 WORKER/],
  'a process': [() => started(spawn('sleep', ['60'])), /1 PROCESSWRAP/],
  'a process that keeps nothing running': [
    () => started(spawn('sleep', ['60'], { stdio: 'ignore' })).unref(),
    /^1 PROCESSWRAP$/,
  ],
  'a process in a group of its own': [
    () => started(spawn('sleep', ['60'], { stdio: 'ignore', detached: true })).unref(),
    /^1 PROCESSWRAP$/,
  ],
  'what is started a moment later': [() => void Promise.resolve().then(() => setImmediate(interval)), /^1 Timeout$/],
};
const keepNot: Record<string, () => unknown> = {
  'a server that keeps nothing running': () => server().unref(),
  'a process that has ended': () => started(spawn('true', { stdio: 'ignore' })).unref(),
  'what it closes at once': () => server().close(),
  'a timer that is over soon': () => setTimeout(() => {}, 20),
};

test.each(Object.entries(keep))('is found: %s', async (_name, [start, kind]) => {
  expect(await leftBy(start)).toMatch(kind);
});

test.each(Object.entries(keepNot))('is left: %s', async (_name, start) => {
  expect(await leftBy(start)).toBe('');
});

test('what other code starts or ends meanwhile is not confused with it', async () => {
  const before = interval();
  let made: NodeJS.Timeout | undefined;
  const other = setInterval(() => {
    clearInterval(before);
    made ??= interval();
  }, 1);
  ends.push(() => clearInterval(other));
  expect(await leftBy(() => undefined)).toBe('');
  expect(made).toBeDefined();
  expect(await leftBy(interval)).toBe('1 Timeout');
});

test('a server that is opened once is found, though it listens a turn after the first case has ended', async () => {
  let isOpen = false;
  const plugin: Plugin = {
    name: 'under-test',
    apply(scope) {
      if (!isOpen) server();
      isOpen = true;
      scope.on('Stop', () => undefined);
    },
  };
  const failed: string[] = [];
  for (const { name, run } of contract(plugin, { patience: 0.1 }))
    await run().catch((error: Error) => failed.push(`${name}: ${error.message}`));
  expect(failed).toEqual([expect.stringMatching(/^nothing is left behind[\s\S]*1 TCPSERVERWRAP/)]);
});

test('no process stays on the machine that the cases have found, or that a later one starts', async () => {
  const pids: number[] = [];
  const plugin: Plugin = {
    name: 'under-test',
    apply(scope) {
      scope.on('Stop', () => {
        const child = started(spawn('sh', ['-c', 'sleep 60 & wait'], { stdio: 'ignore', detached: true }));
        child.unref();
        pids.push(child.pid as number);
      });
    },
  };
  const bystander = started(spawn('sleep', ['60'], { stdio: 'ignore', detached: true }));
  const failed: string[] = [];
  for (const { name, run } of contract(plugin, { patience: 0.1 })) await run().catch(() => failed.push(name));
  expect(failed).toContainEqual(expect.stringMatching(/^nothing is left behind/));
  expect(pids.length).toBeGreaterThan(3);
  await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([]);
  expect(isRunning(bystander.pid as number)).toBe(true);
});

const execute = promisify(execFile);
const clean: Record<string, HookCallback<'Stop'>> = {
  'that its hook waits for': async () => void (await execute('true')),
  'that end with the signal': async (_input, _id, { signal }) =>
    void (await execute('sleep', ['0.05'], { signal }).catch(() => undefined)),
  'that soon end by themselves': () => started(spawn('sleep', ['0.1'], { stdio: 'ignore' })).unref(),
};

test.each(Object.entries(clean))('nothing is found or signalled of child processes %s', async (_name, hook) => {
  const plugin: Plugin = { name: 'under-test', apply: (scope) => void scope.on('Stop', hook) };
  expect(await failuresOf(plugin)).toEqual([[], []]);
});

test('nothing is found or signalled of child processes that the cleanup ends', async () => {
  const plugin: Plugin = {
    name: 'under-test',
    apply(scope) {
      const children: ChildProcess[] = [];
      scope.onClose(() => children.forEach((child) => void child.kill('SIGKILL')));
      scope.on('Stop', () => {
        const child = started(spawn('sleep', ['60'], { stdio: 'ignore' }));
        child.unref();
        children.push(child);
      });
    },
  };
  expect(await failuresOf(plugin)).toEqual([[], []]);
});

test('of a plugin that leaves processes, only those that still run are signalled', async () => {
  const [ended, left] = [new Set<number>(), new Set<number>()];
  const plugin: Plugin = {
    name: 'under-test',
    apply(scope) {
      scope.on('Stop', async () => {
        const awaited = execute('true');
        ended.add(awaited.child.pid as number);
        const child = started(spawn('sleep', ['60'], { stdio: 'ignore' }));
        child.unref();
        left.add(child.pid as number);
        await awaited;
      });
    },
  };
  const [failed, signalled] = await failuresOf(plugin);
  expect(failed).toContainEqual(expect.stringMatching(/^nothing is left behind/));
  expect(signalled.length).toBeGreaterThan(0);
  expect(signalled.filter((id) => ended.has(Math.abs(id)) || !left.has(Math.abs(id)))).toEqual([]);
  expect(new Set(signalled).size).toBe(signalled.length);
});

/** The cases that fail, each begun a moment after the one before, and the numbers that are sent a signal by `process.kill`. */
async function failuresOf(plugin: Plugin): Promise<[failed: string[], signalled: number[]]> {
  const sent = vi.spyOn(process, 'kill');
  ends.push(() => sent.mockRestore());
  const failed: string[] = [];
  for (const { name, run } of contract(plugin, { patience: 1 })) {
    await sleep(20);
    await run().catch((error: Error) => failed.push(`${name}: ${error.message}`));
  }
  return [failed, sent.mock.calls.flatMap(([id, signal]) => (signal === 0 ? [] : id))];
}

/** Whether anybody of its group is still there. */
function isRunning(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

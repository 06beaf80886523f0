import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { commandHandler } from '../../src/handlers/command/handler.js';
import { adoptGroup } from '../../src/handlers/command/process-group.js';
import { readProcess } from '../../src/handlers/command/process-table.js';
import { signalAll } from '../../src/handlers/command/process-tree.js';
import { freshMark } from '../../src/handlers/command/run-mark.js';
import { type CommandOptions, command } from '../../src/handlers/command/spec.js';
import { useHookHost } from '../built.js';
import { INPUTS } from '../host/inputs.js';
import { testHost } from '../host/kit.js';
import { processes, runShell, shellCall, uniqueSeconds, until } from './shell-call.js';

const PROGRAM = useHookHost();
/** How many ways of starting a process are put together in one run of the tests. */
const GENERATED = Number(process.env['HOOKSCOPE_GENERATED'] ?? 8);

// A machine with other work takes its time to start a chain of programs.
vi.setConfig({ testTimeout: 120_000 });

let seconds = '';
beforeEach(() => {
  seconds = uniqueSeconds();
});
/** Ends, by number, what a test has left running on purpose. */
afterEach(() => {
  for (const line of processes(seconds)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
});

/** The processes of this test that run `sleep`. */
const sleepers = (): string[] => processes(`sleep ${seconds}`).filter((line) => /^\s*\d+\s+\S+\s+sleep /.test(line));
const started = (): Promise<void> => until(() => sleepers().length > 0, 60);
/** Killed they are at once; a machine with other work may need a moment to let them die. By itself none ends in 30 s. */
const gone = (text: string): Promise<void> => until(() => processes(text).length === 0, 25);
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs the line as a hook, and cuts it short as soon as its `sleep` runs. */
async function abortOnceStarted(line: string, options: CommandOptions = {}): Promise<void> {
  const end = new AbortController();
  const run = runShell('PreToolUse', line, options, { signal: end.signal });
  await started();
  end.abort();
  expect((await run).failure?.cause).toBe('aborted');
}

type Way = (line: string) => string;

/** Each starts the line out of the hook's group, session or family. */
const WAYS: Record<string, Way> = {
  timeout: (line) => `timeout 600 sh -c ${quoted(line)}`,
  'timeout --foreground': (line) => `timeout --foreground 600 sh -c ${quoted(line)}`,
  setsid: (line) => `setsid sh -c ${quoted(line)}`,
  'setsid -f': (line) => `setsid -f sh -c ${quoted(line)}`,
  nohup: (line) => `nohup sh -c ${quoted(line)} >/dev/null 2>&1 &`,
  'a subshell in the background': (line) => `(sh -c ${quoted(line)} &)`,
  'a double fork': (line) => `( ( sh -c ${quoted(line)} ) & ) &`,
  'a shell with job control': (line) => `bash -mc ${quoted(`sh -c ${quoted(line)} & wait`)}`,
  // Its terminal goes with it, and takes along whatever is there.
  'script -c': (line) => `script -qc ${quoted(`${line}\nsleep 600.5`)} /dev/null >/dev/null`,
  'python in a new session': (line) =>
    `python3 -c 'import subprocess,sys; subprocess.Popen(["sh", "-c", sys.argv[1]], start_new_session=True)' ${quoted(line)}`,
  'node, detached': (line) =>
    `node -e 'require("child_process").spawn("sh", ["-c", process.argv[1]], { detached: true, stdio: "ignore" }).unref()' ${quoted(line)}`,
};
const ways = Object.entries(WAYS);

describe.runIf(process.platform === 'linux')('a hook that is cut short takes with it what it started', () => {
  test.each(ways)('by %s, while it runs itself', async (_, way) => {
    await abortOnceStarted(`${way(`sleep ${seconds}`)}\nsleep 600.5`);
    await gone(seconds);
  });

  test('though it ignores SIGTERM, whichever way it was started', async () => {
    const runs = ways.map(async ([name, way]) => {
      const own = uniqueSeconds();
      const end = new AbortController();
      const line = `${way(`trap "" TERM HUP; sleep ${own}; :`)}\nsleep 600.5`;
      const run = runShell('PreToolUse', line, {}, { signal: end.signal });
      await until(() => processes(`sleep ${own}`).some((found) => /^\s*\d+\s+\S+\s+sleep /.test(found)), 60);
      end.abort();
      await run;
      await gone(own);
      return name;
    });
    expect(await Promise.all(runs)).toEqual(ways.map(([name]) => name));
  });

  test('in any of these ways within another', async () => {
    const any = fc.array(fc.constantFrom(...ways), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(any, async (chain) => {
        seconds = uniqueSeconds();
        const line = chain.reduceRight((inner, [, way]) => way(inner), `sleep ${seconds}`);
        await abortOnceStarted(`${line}\nsleep 600.5`);
        await gone(seconds);
      }),
      { numRuns: GENERATED },
    );
  }, 600_000);

  test.each([
    ['with an empty environment', 'env -i /bin/sh -c'],
    ['with an empty environment, by timeout', 'timeout 600 env -i /bin/sh -c'],
    ['with an empty environment, in a session of its own', 'env -i setsid -w /bin/sh -c'],
    ['with only the marks of others', `HOOKSCOPE_RUNS=${freshMark()} timeout 600 sh -c`],
  ])('%s, as long as it is its child', async (_, how) => {
    await abortOnceStarted(`${how} 'sleep ${seconds}; :'`);
    await gone(seconds);
  });

  test('with an empty environment and without a parent, as long as its session is one of the hook', async () => {
    await abortOnceStarted(`setsid sh -c '(env -i sleep ${seconds} &); sleep 600.5'; :`);
    await gone(seconds);
  });

  test('also what is started when it is asked to end', async () => {
    await abortOnceStarted(`trap 'setsid -f sleep ${seconds}; setsid -f sleep ${seconds}; exit 1' TERM
      sleep ${seconds} & wait; wait`);
    await gone(seconds);
  });

  test('also what goes on starting others, and ignores SIGTERM', async () => {
    const breeder = `trap "" TERM; while :; do setsid -f sleep ${seconds}; sleep 0.05; done`;
    await abortOnceStarted(`setsid -f sh -c ${quoted(breeder)}; sleep 600.5`);
    await gone(seconds);
  });

  test('also with an allowlist of variables, and whatever it sets itself', async () => {
    await abortOnceStarted(`setsid -f sleep ${seconds}; sleep 600.5`, { env: ['PATH'] });
    await gone(seconds);
    await abortOnceStarted(`setsid -f sleep ${seconds}; sleep 600.5`, { env: { HOOKSCOPE_RUNS: 'none' } });
    await gone(seconds);
  });
});

/** Fires a hook with a timeout, a longer one if it was over before the hook had started what it should. */
async function timeOut(made: (file: string, timeout: number) => ReturnType<typeof command>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-tree-'));
  try {
    for (let timeout = 0.4; ; timeout *= 2) {
      const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() } });
      const file = join(folder, `${timeout}`);
      host.register({ PostToolUse: [{ hooks: [made(file, timeout)] }] });
      let late: () => void = () => {};
      const told = new Promise<void>((resolve) => {
        late = resolve;
      });
      host.events$.subscribe((record) => {
        if (record.type === 'system' && record.subtype === 'hook_response' && record.outcome === 'cancelled') late();
      });
      await host.fire('PostToolUse', INPUTS.PostToolUse);
      await told;
      if (existsSync(file)) return;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.runIf(process.platform === 'linux')('a timeout ends', () => {
  test.each([
    ['what runs in a group of its own', (s: string, f: string) => `timeout 600 sh -c ': > ${f}; sleep ${s}'; exit 0`],
    ['what is not its child any more', (s: string, f: string) => `setsid -f sh -c ': > ${f}; sleep ${s}'; sleep 600.5`],
  ])('%s', async (_, line) => {
    await timeOut((file, timeout) => command(line(seconds, file), { timeout }));
    await gone(seconds);
  });

  test.each<[string, CommandOptions]>([
    ['async from the start', { async: true }],
    ['called a second time', { async: 'two-phase' }],
  ])('in the background, %s, the same', async (_, options) => {
    await timeOut((file, asyncTimeout) =>
      command(
        `if [ "$HOOKSCOPE_CALL" = async ] || ${options.async === true}; then setsid -f sh -c ': > ${file}; sleep ${seconds}'; sleep 600.5
         else echo '{"async":true}'; fi`,
        { ...options, asyncTimeout },
      ),
    );
    await until(() => processes(seconds).length === 0);
  });
});

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** A process that no hook has started. */
function stranger(env: Record<string, string> = {}): { child: ChildProcess; alive: () => boolean } {
  const child = spawn('sleep', [seconds], { stdio: 'ignore', detached: true, env: { ...process.env, ...env } });
  return { child, alive: () => readProcess(child.pid as number)?.dead === false };
}

describe.runIf(process.platform === 'linux')('nobody else is ended', () => {
  const daemon = (): string => `setsid -f sleep ${seconds} >/dev/null 2>&1`;

  test('by the end of a hook, or by close, if it was started to stay', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [command(daemon())] }] });
    await host.fire('PreToolUse', INPUTS.PreToolUse);
    await started();
    expect(await host.close()).toEqual({ pending: [] });
    expect(sleepers()).toHaveLength(1);
  });

  test('by the timeout of another run of the same hook', async () => {
    await runShell('PreToolUse', daemon());
    await started();
    const mine = uniqueSeconds();
    const end = new AbortController();
    const run = runShell('PreToolUse', `setsid -f sleep ${mine}; sleep 600.5`, {}, { signal: end.signal });
    await until(() => processes(`sleep ${mine}`).length > 1);
    end.abort();
    await run;
    await gone(`sleep ${mine}`);
    expect(sleepers()).toHaveLength(1);
  });

  test('by close while the hook that started it runs: only its group and its descendants', async () => {
    const { host } = testHost({ closeTimeout: 0 });
    const group = uniqueSeconds();
    host.register({ PreToolUse: [{ hooks: [command(`${daemon()}; timeout 600 sleep ${group}; :`)] }] });
    const fire = expect(host.fire('PreToolUse', INPUTS.PreToolUse)).rejects.toMatchObject({ code: 'CLOSED' });
    await until(() => sleepers().length > 0 && processes(`timeout 600 sleep ${group}`).length > 1);
    await host.close();
    await fire;
    await gone(group);
    expect(sleepers()).toHaveLength(1);
  });

  test.each<[string, CommandOptions]>([
    ['async', { async: true }],
    ['in two phases', { async: 'two-phase' }],
  ])('by close while the hook runs in the background, %s', async (_, options) => {
    const { host } = testHost({ closeTimeout: 0 });
    const group = uniqueSeconds();
    const line = `[ -z "$HOOKSCOPE_CALL" ] && ${options.async === 'two-phase'} && echo '{"async":true}' && exit
      ${daemon()}; timeout 600 sleep ${group}; :`;
    host.register({ PostToolUse: [{ hooks: [command(line, options)] }] });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    await until(() => sleepers().length > 0 && processes(`timeout 600 sleep ${group}`).length > 1);
    await host.close();
    await gone(group);
    expect(sleepers()).toHaveLength(1);
  });

  test('for a mark of another run, or of the run around this one', async () => {
    const outer = freshMark();
    const before = process.env['HOOKSCOPE_RUNS'];
    process.env['HOOKSCOPE_RUNS'] = outer;
    try {
      const parent = stranger({ HOOKSCOPE_RUNS: outer });
      const other = stranger({ HOOKSCOPE_RUNS: `${freshMark()}:${freshMark()}` });
      const mine = uniqueSeconds();
      const end = new AbortController();
      let printed = '';
      const progress = (piece: { stdout?: string }): void => {
        printed += piece.stdout ?? '';
      };
      const line = `echo "$HOOKSCOPE_RUNS"; setsid -f sleep ${mine}; sleep 600.5`;
      const run = runShell('PreToolUse', line, {}, { signal: end.signal, progress });
      await until(() => processes(`sleep ${mine}`).length > 1 && printed.endsWith('\n'));
      end.abort();
      await run;
      expect(printed).toMatch(new RegExp(`^${outer}:[0-9a-f-]{36}\n$`));
      await gone(`sleep ${mine}`);
      expect([parent.alive(), other.alive()]).toEqual([true, true]);
    } finally {
      if (before === undefined) delete process.env['HOOKSCOPE_RUNS'];
      else process.env['HOOKSCOPE_RUNS'] = before;
    }
  });

  test('for a mark, if it is older than the run', async () => {
    const mark = freshMark();
    const older = stranger({ HOOKSCOPE_RUNS: mark });
    const before = readProcess(older.child.pid as number)?.start as number;
    let leader = stranger();
    // The kernel counts in hundredths of a second.
    while (readProcess(leader.child.pid as number)?.start === before) leader = stranger();
    const younger = stranger({ HOOKSCOPE_RUNS: mark });
    await adoptGroup(leader.child.pid as number, { mark }).end('marked');
    expect([leader.alive(), younger.alive(), older.alive()]).toEqual([false, false, true]);
  });

  test('for having the number of one that was found', async () => {
    for (const [shift, how] of [
      [-1, [7, null]],
      [0, [null, 'SIGKILL']],
    ] as const) {
      const child = spawn('sh', ['-c', 'read line; exit 7'], { stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin?.on('error', () => {});
      const ended = new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
      const found = readProcess(child.pid as number);
      if (!found) throw new Error('it is not there');
      signalAll([{ ...found, start: found.start + shift }], 'SIGKILL');
      child.stdin?.end('\n');
      expect(await ended).toEqual(how);
    }
  });

  // The kernel can be told which number comes next. Whatever else is started may take it, so it is tried with several.
  test.runIf(mayWrite('/proc/sys/kernel/ns_last_pid'))('for having the number of a hook that has ended', async () => {
    const endedHook = async (): Promise<{ number: number; group: ReturnType<typeof adoptGroup> }> => {
      const hook = stranger();
      const number = hook.child.pid as number;
      const group = adoptGroup(number, { atExit: 'tree' });
      const reaped = new Promise((resolve) => hook.child.once('exit', resolve));
      hook.child.kill('SIGKILL');
      await reaped;
      // The kernel counts starts in hundredths of a second.
      await sleep(30);
      return { number, group };
    };
    const reused = async (): Promise<[ReturnType<typeof stranger>, ReturnType<typeof adoptGroup>]> => {
      for (let tries = 0; tries < 200; tries++) {
        const { number, group } = await endedHook();
        writeFileSync('/proc/sys/kernel/ns_last_pid', `${number - 1}`);
        const other = stranger();
        if (other.child.pid === number) return [other, group];
      }
      throw new Error('no number was given twice');
    };
    const [other, group] = await reused();
    await group.end('marked');
    await group.end('tree');
    expect([other.alive(), group.alive(), group.strays()]).toEqual([true, false, false]);
  });

  test('in the program that hosts the hooks, which may carry the mark of a run itself', async () => {
    const inner = `setsid -f sleep ${seconds}; sleep 600.5`;
    await abortOnceStarted(`${process.execPath} ${PROGRAM} wait ${quoted(inner)}`);
    await gone(seconds);
  });
});

describe.runIf(process.platform === 'linux')('what a hook leaves behind', () => {
  test('in a group of its own, with its output open, is kept and ended like the rest', async () => {
    const { call, kept } = shellCall('PreToolUse');
    await commandHandler(command(`timeout 600 sleep ${seconds} & echo up`, { name: 'it' })).run(call);
    expect(kept.map((k) => k.name)).toEqual(['it (left behind)']);
    await started();
    await kept[0]?.end();
    await kept[0]?.done;
    await gone(seconds);
  });

  test('is ended with what that has started in groups of its own', async () => {
    const { call, kept } = shellCall('PreToolUse');
    await commandHandler(command(`(timeout 600 sleep ${seconds}; :) >/dev/null 2>&1 & echo up`)).run(call);
    await started();
    await kept[0]?.end();
    await gone(seconds);
  });
});

describe.runIf(process.platform === 'linux')('what a hook left behind and has ended', () => {
  test('is not said to have been ended by close', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [command(`sleep ${seconds} >/dev/null 2>&1 & :`)] }] });
    for (const _ of [1, 2, 3, 4, 5]) await host.fire('PreToolUse', INPUTS.PreToolUse);
    await until(() => sleepers().length === 5);
    // By then each is looked at four times a second.
    await sleep(2000);
    for (const line of sleepers()) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await gone(seconds);
    expect(await host.close()).toEqual({ pending: [] });
  });
});

describe.runIf(process.platform === 'linux')('with keep: true', () => {
  test('what a hook leaves behind is not ended by close, and may go on printing', async () => {
    const { host } = testHost();
    const line = `(while sleep 0.02; do echo more; done & exec sleep ${seconds}) & echo up`;
    host.register({ PreToolUse: [{ hooks: [command(line, { keep: true })] }] });
    await host.fire('PreToolUse', INPUTS.PreToolUse);
    await started();
    expect(await host.close()).toEqual({ pending: [] });
    expect(sleepers()).toHaveLength(1);
    const { group } = readProcess(Number.parseInt(sleepers()[0] as string, 10)) ?? {};
    process.kill(-(group as number), 'SIGKILL');
  });

  test('what it left behind lives on when this process has ended', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'end', `sleep ${seconds} >/dev/null 2>&1 &`, '{"keep":true}']);
    await new Promise((resolve) => child.once('close', resolve));
    await started();
  });

  test('an abort ends its group, and nothing that has left that', async () => {
    const group = uniqueSeconds();
    await abortOnceStarted(`setsid sleep ${seconds} >/dev/null 2>&1 & sleep ${group} & wait`, { keep: true });
    await gone(`sleep ${group}`);
    expect(sleepers()).toHaveLength(1);
  });

  test.each([1, 'yes', null])('and nothing else: %j is refused', (keep) => {
    expect(() => command('x', { keep } as never)).toThrow('keep');
  });
});

describe.runIf(process.platform === 'linux')('when the host process ends', () => {
  test.each(['exit', 'throw'])('by %s, what its hooks run in groups and sessions of their own is gone', async (how) => {
    const line = `setsid -w sleep ${seconds} & timeout 600 sleep ${seconds} & until [ "$(pgrep -fc '^sleep ${seconds}')" = 2 ]; do sleep 0.02; done; echo up; wait`;
    const child = spawn(process.execPath, [PROGRAM, how, line], { stdio: 'ignore' });
    await new Promise((resolve) => child.once('close', resolve));
    await until(() => processes(seconds).length === 0);
  });
});

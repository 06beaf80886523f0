import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { commandHandler } from '../../src/handlers/command/handler.js';
import { ProcessTable } from '../../src/handlers/command/process-table.js';
import { command } from '../../src/handlers/command/spec.js';
import { useHookHost } from '../built.js';
import { HOOKS, processes, runShell, shellCall, uniqueSeconds, until } from './shell-call.js';

const hook = (name: string): string => join(HOOKS, name);
/** A file to wait for, and the shell's words for that: whoever waits goes on when it is there, however slow the machine is. */
function sign(): { give(): void; folder: string; file: string; wait: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-sign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'sign');
  return { give: () => writeFileSync(file, ''), folder, file, wait: `while [ ! -e '${file}' ]; do sleep 0.05; done` };
}
/** What waits for the sign goes on when the host has looked at it a few times: the hook itself has ended by then. */
function giveWhenLookedAt({ give }: ReturnType<typeof sign>): void {
  const { read } = ProcessTable;
  let looks = 0;
  const looked = vi.spyOn(ProcessTable, 'read').mockImplementation(() => {
    looks++;
    if (looks === 5) give();
    return read.call(ProcessTable);
  });
  onTestFinished(() => looked.mockRestore());
}
const abortIn = (ms: number): AbortSignal => AbortSignal.timeout(ms);

describe('a hook that is aborted', () => {
  test('is ended with all of its pipeline, and settles when nothing of it is left', async () => {
    const seconds = uniqueSeconds();
    const reply = await runShell('PreToolUse', `${hook('hang.sh')} ${seconds}`, {}, { signal: abortIn(300) });
    expect(reply.failure?.cause).toBe('aborted');
    expect(processes(seconds)).toEqual([]);
  });

  test('is killed when it does not end on SIGTERM', async () => {
    const seconds = uniqueSeconds();
    const reply = await runShell('PreToolUse', `${hook('stubborn.sh')} ${seconds}`, {}, { signal: abortIn(300) });
    expect(reply.failure?.cause).toBe('aborted');
    expect(processes(seconds)).toEqual([]);
  });

  test('may use the time between SIGTERM and SIGKILL to clean up', async () => {
    const line = `trap 'echo cleaned; exit 0' TERM; sleep ${uniqueSeconds()} & echo up; wait`;
    const signal = new AbortController();
    const run = runShell('PreToolUse', line, {}, { signal: signal.signal, progress: () => signal.abort() });
    expect(await run).toMatchObject({ failure: { cause: 'aborted' }, stdout: 'up\ncleaned\n' });
  });

  test('takes with it a child that ignores SIGTERM though the hook itself ends on it', async () => {
    const seconds = uniqueSeconds();
    const line = `(trap '' TERM; sleep ${seconds}) & echo up; wait`;
    const signal = new AbortController();
    await runShell('PreToolUse', line, {}, { signal: signal.signal, progress: () => signal.abort() });
    expect(processes(seconds)).toEqual([]);
  });

  test('is told apart from what it printed before, which stays to be looked at', async () => {
    const line = `cat '${hook('deny.sh')}'; ${hook('deny.sh')}; sleep ${uniqueSeconds()}`;
    const reply = await runShell('PreToolUse', line, {}, { signal: abortIn(500) });
    expect(reply.output).toBeUndefined();
    expect(reply.stdout).toContain('"permissionDecision":"deny"');
  });

  test('before its start is not started', async () => {
    const { call } = shellCall('PreToolUse', { signal: AbortSignal.abort() });
    const reply = await commandHandler(command('echo ran')).run(call);
    expect(reply).toEqual({ failure: { cause: 'aborted', message: 'It was not started any more.' } });
  });

  test('that was not in the end leaves no listener on the signal', async () => {
    const signal = new AbortController().signal;
    const listeners: unknown[] = [];
    let added = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>): void => {
      added++;
      listeners.push(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>): void => {
      listeners.splice(listeners.indexOf(args[1]), 1);
      removeEventListener.apply(signal, args);
    };
    await runShell('PreToolUse', hook('context.sh'), {}, { signal });
    expect(added).toBe(1);
    expect(listeners).toEqual([]);
  });
});

describe('a child left behind', () => {
  test('with stdout open does not hold the hook, and lives until the host ends it', async () => {
    const seconds = uniqueSeconds();
    const { call, kept } = shellCall('PreToolUse');
    const reply = await commandHandler(command(`${hook('leave-child.sh')} ${seconds}`)).run(call);
    expect(reply).toMatchObject({ stdout: 'started\n', exitCode: 0 });
    await until(() => processes(`sleep ${seconds}`).length === 1);
    expect(kept.map((k) => k.name)).toEqual([`${hook('leave-child.sh')} ${seconds} (left behind)`]);
    await kept[0]?.end();
    expect(processes(seconds)).toEqual([]);
    await kept[0]?.done;
  });

  test('may go on printing: nobody keeps or tells it, and no broken pipe ends it', async () => {
    const pieces: unknown[] = [];
    const { call, kept } = shellCall('PreToolUse', { progress: (piece) => pieces.push(piece) });
    const mark = uniqueSeconds();
    const go = sign();
    const line = `(${go.wait}; head -c 200000 /dev/zero && exec sleep ${mark}) & echo started`;
    const reply = await commandHandler(command(line)).run(call);
    expect(reply.stdout).toBe('started\n');
    go.give();
    await until(() => processes(`sleep ${mark}`).some((process) => /^\s*\d+ S\S* +sleep/.test(process)));
    expect(pieces).toEqual([{ stdout: 'started\n' }]);
    await kept[0]?.end();
    expect(processes(mark)).toEqual([]);
  });

  test('may say a last word while the pipes are emptied', async () => {
    const line = 'main=$$; (while kill -0 $main 2>/dev/null; do :; done; echo late) & echo early';
    expect((await runShell('PreToolUse', line)).stdout).toBe('early\nlate\n');
  });

  // Only Linux tells what a process does.
  describe.runIf(process.platform === 'linux')('of a gate that has not answered', () => {
    // It ends with the test, whose folder is then gone.
    const busy = ({ folder, file }: ReturnType<typeof sign>, rest = ':'): string =>
      `(while [ -d '${folder}' ] && [ ! -e '${file}' ]; do :; done; ${rest})`;
    /** Pipes may be removed as soon as both of their ends are open: the last to open them makes a file. */
    const opened = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done`;
    const told = [expect.stringContaining('holds its stdout open')];

    const late = '{"decision": "block", "reason": "late"}';
    test.each<[string, (compute: string) => string, 'bash'?]>([
      ['itself', (c) => `(${c}; echo '${late}') &`],
      ['itself, although the hook has failed', (c) => `(${c}; echo '${late}') & exit 3`],
      ['itself, on another descriptor', (c) => `exec 3>&1 >/dev/null; (${c}; echo '${late}' >&3) &`],
      ['itself, on stderr', (c) => `exec 2>&1; (${c}; echo '${late}' >&2) >/dev/null &`],
      ['the last piece of it', (c) => `printf '{"hookSpecificOutput": {}'; (${c}; echo ', ${late.slice(1)}') &`],
      ['through a filter', (c) => `exec > >(cat | (${c}; cat)); echo '${late}'`, 'bash'],
      ['through a filter, although the hook has failed', (c) => `exec > >(${c}; cat); echo '${late}'; exit 1`, 'bash'],
      ['through a filter in the middle', (c) => `echo '${late}' | (${c}; cat) | cat &`],
      ['through a filter that has another filter', (c) => `exec > >(${c} > >(cat); cat); echo '${late}'`, 'bash'],
      ['through a named pipe', (c) => `mkfifo p; (${c}; cat) < p & exec > p; echo '${late}'`],
      [
        'through named pipes that are removed',
        (c) => `mkfifo p q; (: > o; ${c}; cat) < p > q & cat < q & exec > p; ${opened('o')}; rm p q; echo '${late}'`,
      ],
      ['through a filter of a session of its own', (c) => `exec > >(setsid sh -c "${c}; cat"); echo '${late}'`, 'bash'],
      ['through a named pipe and a filter', (c) => `mkfifo p; (${c}; cat) < p | tee log & exec > p; echo '${late}'`],
    ])('is waited for while it computes, since it may print the answer: %s', async (_, line, shell) => {
      const go = sign();
      giveWhenLookedAt(go);
      const reply = await runShell('PreToolUse', `cd '${go.folder}'; ${line(busy(go))}`, shell ? { shell } : {});
      expect(reply).toMatchObject({ output: { decision: 'block', reason: 'late' } });
      expect(reply.warnings).toBeUndefined();
    });

    test('is waited for while another of its threads computes', async () => {
      const go = sign();
      const filter = [
        'import os, sys, threading',
        'def work():',
        " open('begun', 'w').close()",
        ' said = sys.stdin.read()',
        " while os.path.isdir('.') and not os.path.exists('sign'): pass",
        ' print(said)',
        'one = threading.Thread(target=work)',
        'one.start()',
        'one.join()',
      ];
      writeFileSync(join(go.folder, 'filter.py'), filter.join('\n'));
      // Python has started before the hook ends, since its start may take longer than the hook's stdout is read.
      const line = `cd '${go.folder}'; exec > >(exec python3 filter.py); while [ ! -e begun ]; do sleep 0.05; done; echo '${late}'`;
      giveWhenLookedAt(go);
      expect(await runShell('PreToolUse', line, { shell: 'bash' })).toMatchObject({ output: { reason: 'late' } });
    });

    test('of a guard is waited for behind other text, which makes its answer a failure', async () => {
      const go = sign();
      giveWhenLookedAt(go);
      const line = `exec > >(read -r l; echo "$l"; ${busy(go)}; cat); echo checking; echo '${late}'`;
      const reply = await runShell('PreToolUse', line, { shell: 'bash' }, { onFailure: 'block' });
      expect(reply.failure?.cause).toBe('bad_json');
    });

    test.each([
      ['a group of commands', (c: string) => `(cd / && ${c} > /dev/null 2>&1) &`],
      ['a function', (c: string) => `f() { ${c} > /dev/null 2>&1; }; f &`],
      [
        'a process that shares a pipe with one that holds it',
        (c: string) => `exec 5> >(cat > /dev/null); sleep ${uniqueSeconds()} & ${c} >&5 2>&1 &`,
      ],
    ])('whose output goes elsewhere is no failure of a guard: %s', async (_, line) => {
      const go = sign();
      const reply = await runShell('PreToolUse', line(busy(go)), { shell: 'bash' }, { onFailure: 'block' });
      expect([reply.output, reply.failure, reply.warnings]).toEqual([undefined, undefined, told]);
      go.give();
    });

    // Each look at what the processes do is a turn of 25 ms. All the time that there is would be 32.
    test.each<[string, (compute: string) => string, readonly unknown[] | undefined]>([
      ['the hook has answered', (compute) => `echo '{}'; ${compute} &`, undefined],
      ['the hook has printed text', (compute) => `echo started; ${compute} &`, told],
      ['the hook has blocked', (compute) => `${compute} & exit 2`, undefined],
      ['it prints elsewhere', (compute) => `${compute} >/dev/null &`, undefined],
      ['it prints elsewhere, and another waits', (c) => `${c} >/dev/null & sleep ${uniqueSeconds()} &`, told],
    ])('is not waited for where %s', async (_, line, warnings) => {
      const go = sign();
      const looks = vi.spyOn(ProcessTable, 'read');
      onTestFinished(() => looks.mockRestore());
      const reply = await runShell('PreToolUse', line(busy(go)));
      expect(looks.mock.calls.length).toBeLessThan(16);
      expect(reply.warnings).toEqual(warnings);
      go.give();
    });

    test.each([
      ['block', { cause: 'timeout', message: expect.stringContaining('computes on') }, undefined],
      ['ask', { cause: 'timeout', message: expect.stringContaining('computes on') }, undefined],
      ['continue', undefined, told],
    ] as const)(
      'that computes for too long is a failure where failures count (%s)',
      async (onFailure, failure, warnings) => {
        const go = sign();
        const reply = await runShell('PreToolUse', `(${busy(go)}; echo '${late}') &`, {}, { onFailure });
        expect([reply.output, reply.failure, reply.warnings]).toEqual([undefined, failure, warnings]);
        go.give();
      },
    );

    test('that computes for too long behind named pipes in shared memory is a failure of a guard', async () => {
      const go = sign();
      const pipes = 'd=$(mktemp -d /dev/shm/hook-XXXXXX); mkfifo $d/p $d/q';
      const filter = `(: > $d/o; ${busy(go)}; cat) < $d/p > $d/q & cat < $d/q & exec > $d/p`;
      const line = `${pipes}; ${filter}; ${opened('$d/o')}; rm -r $d; :`;
      const reply = await runShell('PreToolUse', line, { shell: 'bash' }, { onFailure: 'block' });
      expect(reply.failure?.cause).toBe('timeout');
      go.give();
    });

    // Not every system has the program that opens a terminal.
    test.runIf(existsSync('/usr/bin/script')).each([
      ['is a failure of a guard', (c: string) => `exec > >(script -qec "${c}" /dev/null | cat); :`, 'timeout'],
      [
        'is one also where this process holds the end of a terminal',
        (c: string) => {
          const end = openSync('/dev/ptmx', 'r+');
          onTestFinished(() => closeSync(end));
          return `exec > >(script -qec "${c}" /dev/null | cat); :`;
        },
        'timeout',
      ],
      [
        'is none if that prints elsewhere',
        (c: string) => `(script -qec "${c}" /dev/null > /dev/null 2>&1; :) &`,
        undefined,
      ],
    ])('that computes for too long in a terminal %s', async (_, line, cause) => {
      const go = sign();
      const reply = await runShell('PreToolUse', line(busy(go)), { shell: 'bash' }, { onFailure: 'block' });
      expect(reply.failure?.cause).toBe(cause);
      go.give();
    });

    test('that only waits before it prints the answer is not heard, and a warning says so', async () => {
      const reply = await runShell('PreToolUse', `(sleep ${uniqueSeconds()}; echo '{"decision": "block"}') &`);
      expect([reply.output, reply.failure, reply.warnings]).toEqual([undefined, undefined, told]);
    });

    test('is told only where its answer would count', async () => {
      const wait = `sleep ${uniqueSeconds()}`;
      expect((await runShell('PreToolUse', `${wait} &`)).warnings).toEqual(told);
      expect((await runShell('PostToolUse', `${wait} &`)).warnings).toBeUndefined();
      expect((await runShell('PreToolUse', `${wait} > /dev/null &`)).warnings).toBeUndefined();
    });
  });

  test('that ends by itself is not kept any longer', async () => {
    const { call, kept } = shellCall('PreToolUse');
    const go = sign();
    await commandHandler(command(`(${go.wait}) & echo started`)).run(call);
    expect(kept).toHaveLength(1);
    go.give();
    await kept[0]?.done;
    await kept[0]?.end();
  });

  test('of a background run is kept as well', async () => {
    const seconds = uniqueSeconds();
    const { call, kept } = shellCall('PreToolUse');
    const reply = await commandHandler(command(`${hook('leave-child.sh')} ${seconds}`, { async: true })).run(call);
    await reply.later;
    expect(kept.map((k) => k.name.endsWith('(left behind)'))).toEqual([false, true]);
    await kept[1]?.end();
    expect(processes(seconds)).toEqual([]);
  });

  // Only Linux is sure to have the program setsid.
  test.runIf(process.platform === 'linux')('that is dead but never reaped counts for nothing', async () => {
    // The subshell becomes a program that leaves the group and does not wait for the child it has there.
    const seconds = uniqueSeconds();
    const { call, kept } = shellCall('PreToolUse');
    const line = `(sleep 0.01 & exec setsid sleep ${seconds}) >/dev/null 2>&1 & sleep 0.3`;
    try {
      await commandHandler(command(line)).run(call);
      await until(() => processes(`sleep ${seconds}`).length === 1);
      expect(kept).toEqual([]);
    } finally {
      for (const found of processes(`sleep ${seconds}`)) process.kill(Number.parseInt(found, 10));
    }
  });
});

/** Built, so that the process has nothing in it but what runs hooks. */
const PROGRAM = useHookHost();

/** A host in a process of its own, running one hook. */
function host(
  how: string,
  line: string,
  limit?: string,
): { child: ChildProcess; output: () => string; ended: Promise<unknown[]> } {
  const args = [PROGRAM, how, line];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = limit
    ? spawn('/bin/sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, ...args], { stdio: [...stdio] })
    : spawn(process.execPath, args, { stdio: ['ignore', 'pipe', how === 'throw' ? 'ignore' : 'inherit'] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<unknown[]>((resolve) => {
    child.once('close', (...how: unknown[]) => resolve(how));
  });
  return { child, output: () => output, ended };
}

describe('when the host process ends', () => {
  const line = (seconds: string): string => `trap '' TERM HUP INT; echo up; sleep ${seconds} | sleep ${seconds}`;

  test.each([
    ['exit', 3],
    ['throw', 1],
  ])('by %s, its hooks are gone', async (how, code) => {
    const seconds = uniqueSeconds();
    const { ended } = host(how, line(seconds));
    expect(await ended).toEqual([code, null]);
    await until(() => processes(seconds).length === 0);
  });

  test('by itself, it does not wait for a child that was left behind', async () => {
    const seconds = uniqueSeconds();
    const { ended } = host('end', `${hook('leave-child.sh')} ${seconds}`);
    expect(await ended).toEqual([0, null]);
    await until(() => processes(seconds).length === 0);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'by %s, its hooks are gone and the signal is what it died of',
    async (signal) => {
      const seconds = uniqueSeconds();
      const { child, output, ended } = host('wait', line(seconds));
      await until(() => output().includes('started'));
      expect(processes(`sleep ${seconds}`).length).toBeGreaterThanOrEqual(2);
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      await until(() => processes(seconds).length === 0);
    },
  );

  test("a handler of the user's own decides over a signal, and the hooks live until the process ends", async () => {
    const seconds = uniqueSeconds();
    const { child, output, ended } = host('handle', line(seconds));
    await until(() => output().includes('started'));
    child.kill('SIGTERM');
    await until(() => output().includes('handled'));
    expect(processes(`sleep ${seconds}`).length).toBeGreaterThanOrEqual(2);
    child.kill('SIGTERM');
    expect(await ended).toEqual([5, null]);
    await until(() => processes(seconds).length === 0);
  });
});

describe('under load', () => {
  test('hundreds of megabytes of output do not stay in memory', async () => {
    const { output, ended } = host('memory', `${hook('flood.sh')} 200000000`);
    expect(await ended).toEqual([0, null]);
    const { grew, kept, cause } = JSON.parse(output()) as { grew: number; kept: number; cause: string };
    expect({ kept, cause }).toEqual({ kept: 1024 * 1024, cause: 'too_large' });
    // Node itself lets some 64 MB of what was read pile up before it collects.
    expect(grew).toBeLessThan(120 * 1024 * 1024);
  });

  test('out of file descriptors, hooks fail to start by name and the process lives', async () => {
    const { output, ended } = host('files', 'sleep 0.5', '150');
    expect(await ended).toEqual([0, null]);
    const failures = JSON.parse(output()) as { cause: string; message: string }[];
    expect(failures).toHaveLength(60);
    const causes = new Set(failures.map((failure) => failure.cause));
    expect(causes).toEqual(new Set(['none', 'spawn_failed']));
    expect(failures.find((failure) => failure.cause === 'spawn_failed')?.message).toContain('EMFILE');
  });

  test('two hundred hooks at once leave no process and nothing open', async () => {
    const seconds = uniqueSeconds();
    const open = (): number =>
      process.getActiveResourcesInfo().filter((name) => /Pipe|Process|Timeout/.test(name)).length;
    const before = open();
    const handler = commandHandler(command(`cat >/dev/null; sleep 0.0${seconds.slice(3)}; ${hook('context.sh')}`));
    const calls = Array.from({ length: 200 }, () => shellCall('SessionStart'));
    const replies = await Promise.all(calls.map(({ call }) => handler.run(call)));
    const context = { hookEventName: 'SessionStart', additionalContext: 'It is raining.' };
    expect(replies.filter((reply) => reply.output?.['hookSpecificOutput'])).toHaveLength(200);
    expect(replies[0]?.output).toEqual({ hookSpecificOutput: context });
    expect(calls.flatMap(({ kept }) => kept)).toEqual([]);
    await until(() => open() <= before);
    expect(processes(seconds.slice(3))).toEqual([]);
  });
});

test('the watch on what is open sees a thing that is', async () => {
  const server = createServer().listen(0);
  await until(() => process.getActiveResourcesInfo().includes('TCPServerWrap'));
  server.close();
});

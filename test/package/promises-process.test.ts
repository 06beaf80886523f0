import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from './sources.js';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const PRE = `'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }`;

/** Runs a program on what was built, with a host. */
function run(lines: string, ...args: string[]): Promise<Ended> {
  const program = `
    import { createHost, ndjsonSink } from 'hookscope';
    import { groupBy, merge, mergeMap, NEVER, Subject } from 'rxjs';
    const host = createHost();
    const on = (hook) => host.register({ PreToolUse: [{ hooks: [hook] }] });
    const fire = () => host.fire(${PRE});
    const rest = () => new Promise((resolve) => setTimeout(resolve, 20));
    const boom = () => { throw new Error('boom'); };
    ${lines}`;
  return new Promise((resolve) => {
    const argv = ['--input-type=module', '--eval', program, ...args];
    execFile(process.execPath, argv, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
}

test.each<[string, lines: string, code: number, stderr: RegExp]>([
  ['process.exit()', 'on(() => process.exit(7));', 7, /^$/],
  ['an error thrown in a timer', 'on(() => void setTimeout(boom));', 1, /boom/],
  [
    'an async function that returns a rejected promise of a hostile class',
    `class Hostile extends Promise { static get [Symbol.species]() { throw new Error('species'); } }
     on(async () => Hostile.reject(new Error('nobody hears this')));`,
    1,
    /nobody hears this/,
  ],
  [
    'an async function that returns a thenable whose then rejects',
    `on(async () => ({ async then() { throw new Error('nobody hears this'); } }));`,
    1,
    /nobody hears this/,
  ],
  [
    'a rejected promise that nobody can listen to',
    `on(() => Object.defineProperty(Promise.reject(new Error('nobody hears this')), 'constructor', { get: boom }));`,
    1,
    /nobody hears this/,
  ],
  [
    'a listener that throws on its signal',
    `const host2 = createHost();
     host2.register({ PreToolUse: [{ timeout: 0.05, hooks: [(_input, _id, { signal }) => new Promise(() => signal.addEventListener('abort', boom))] }] });
     await host2.fire(${PRE});`,
    1,
    /boom/,
  ],
  [
    "a listener that throws on a plugin's signal",
    `const host2 = createHost();
     await host2.use({ name: 'p', apply: (scope) => scope.signal.addEventListener('abort', boom) });
     await host2.close();`,
    1,
    /boom/,
  ],
  [
    'a promise that rejects in a closure',
    `on(() => { const kept = Promise.reject(new Error('hidden')); return () => kept; });`,
    1,
    /hidden/,
  ],
  [
    'a promise that rejects behind a Proxy',
    `on(() => ({ systemMessage: 'x', kept: new Proxy({ it: Promise.reject(new Error('hidden')) }, { ownKeys: () => [] }) }));`,
    1,
    /hidden/,
  ],
])('a hook’s own code can end the process, as its answer cannot: %s', async (_, lines, code, stderr) => {
  const ended = await run(`${lines} await fire(); await rest(); console.log('alive');`);
  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) });
});

test.each([
  ['merge', 'merge(host.events$, NEVER).subscribe(boom);'],
  ['the groups of groupBy', 'host.events$.pipe(groupBy((r) => r.type)).subscribe((group) => group.subscribe(boom));'],
  [
    'a Subject',
    'const subject = new Subject(); subject.subscribe(boom); host.events$.subscribe((r) => subject.next(r));',
  ],
])('an Observable made of the stream by %s is not behind the guard of its watchers', async (_, lines) => {
  const ended = await run(`on(() => {}); ${lines} await fire(); await rest(); console.log('alive');`);
  expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('boom') });
});

test('a hook runs with the rights of its host: it reads what the host may read, and changes its globals', async () => {
  const ended = await run(`
    const { readFileSync } = await import('node:fs');
    const { command } = await import('hookscope');
    on(() => ({ systemMessage: readFileSync('package.json', 'utf8').length > 0 && (globalThis.touched = 'yes') }));
    on(command('id -u; pwd; exit 1'));
    const { systemMessages, failures } = await fire();
    console.log(systemMessages[0], globalThis.touched, failures[0].message.includes('1'), process.getuid());
    host.events$.subscribe((r) => r.subtype === 'hook_response' && r.stdout && console.log(r.stdout.trim()));
    await fire();`);
  const uid = String(process.getuid?.());
  expect(ended).toEqual({
    code: 0,
    stderr: expect.any(String),
    stdout: `yes yes true ${uid}\n${uid}\n${ROOT.replace(/\/$/, '')}\n`,
  });
});

test('lines that are not written yet when the process dies are lost, those that were flushed are not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-promises-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'hooks.ndjson');
  const ended = await run(
    `const sink = ndjsonSink(process.argv[1]); sink.attach(host.events$); on(() => {});
     await fire(); await sink.flush(); const before = sink.pending; await fire();
     console.log(before, sink.pending); process.kill(process.pid, 'SIGKILL');`,
    file,
  );
  expect(ended.stdout).toBe('0 3\n');
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
});

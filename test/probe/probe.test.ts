import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeCommand } from '../../src/cli/doctor/probe.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { findProgram } from '../../src/files/find-program.js';
import { findIsolation } from '../../src/probe/isolation.js';
import type { ProbeReport } from '../../src/probe/report.js';
import { cli, type Finished, isOneMessage, spawnCli, start } from '../cli/cli.js';
import { processes, uniqueSeconds, until } from '../handlers/shell-call.js';
import { install, packed } from '../package/install.js';
import { type FakeAgent, writeFakeAgent } from './fake-agent.js';

let root = '';
let canBlock = true;
let server: Server;
/** Runs of whole agents. The first is by the packed program. */
let whole: Readonly<Record<'same' | 'more' | 'less', Awaited<ReturnType<typeof probed>>>>;
/** It takes as long as patience lasts: it begins first. */
let hung: ReturnType<typeof probed>;
// Longer than any run takes.
const sleeps = `6${uniqueSeconds()}`;
const reported = join(tmpdir(), `hookscope-probe-${process.pid}-${sleeps}.json`);
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-probe-test-')));
  canBlock = 'words' in (await findIsolation(process.env));
  server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  hung = probedBy(spawnCli, { hears: 'codex', instead: 'hang' }, ['--patience', '25s']);
  const installed = join(root, 'installed');
  mkdirSync(installed);
  await install(installed, (await packed()).tarball, 'hookscope');
  const answers = join(root, 'answers.jsonl');
  const same = await byPacked(join(installed, 'node_modules/.bin/hookscope'), {
    ...{ hears: 'codex', report: reported, port, sleeps, answers },
  });
  // What hookscope answers is the same whoever hears it.
  const [more, less] = await Promise.all([
    probed({ hears: 'everything', version: 'codex-cli 9.9.9', answers }),
    probed({ hears: 'exit codes', version: 'what is this?', answers }, '--markdown'),
  ]);
  whole = { same, more, less };
});
afterAll(() => {
  server.close();
  rmSync(reported, { force: true });
  rmSync(root, { recursive: true, force: true });
});

/** Where the network cannot be blocked, whoever runs the tests has agreed to that. */
const agreed = (): string[] => (canBlock ? [] : ['--open-network']);

let count = 0;
/** A folder with a program in it, and one for what is temporary. */
function place(fake: FakeAgent): { folder: string; agent: string; temporary: string } {
  const folder = join(root, String(count++));
  for (const name of ['', 'bin', 'tmp']) mkdirSync(join(folder, name));
  return { folder, agent: writeFakeAgent(join(folder, 'bin/codex'), fake), temporary: join(folder, 'tmp') };
}

const environmentOf = (temporary: string): NodeJS.ProcessEnv => ({
  ...{ TMPDIR: temporary, SECRET_OF_MINE: 'swordfish', OPENAI_API_KEY: 'sk-mine', NODE_OPTIONS: '' },
});

/** By the program as it is packed, with the agent on the PATH, in an empty folder. */
async function byPacked(program: string, fake: FakeAgent) {
  const { folder, temporary } = place(fake);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
  const env = { ...process.env, NO_COLOR: '1', ...environmentOf(temporary), PATH };
  const ended = await start(program, ['doctor', '--probe', 'codex', ...agreed(), '--json'], {
    ...{ cwd: empty, stdin: '', env },
  });
  return { ...ended, left: [...readdirSync(temporary), ...readdirSync(empty)], folder };
}

/** Within this process, one at a time. */
const probed = (fake: FakeAgent, ...args: string[]) => probedBy(cli, fake, args);

async function probedBy(program: typeof cli | typeof spawnCli, fake: FakeAgent, args: readonly string[]) {
  const { folder, agent, temporary } = place(fake);
  const env = environmentOf(temporary);
  const given = ['doctor', '--probe', 'codex', '--agent-path', agent, ...agreed(), ...args];
  const { code, stdout, stderr } = await program(given, { cwd: folder, env });
  return { code, stdout, stderr, left: readdirSync(temporary), folder };
}

const reportOf = ({ stdout }: { stdout: string }): ProbeReport => JSON.parse(stdout) as ProbeReport;
const did = ({ cases }: ProbeReport, mode: 'direct' | 'stateless'): Record<string, string | undefined> =>
  Object.fromEntries(cases.map((one) => [one.name, one[mode]?.did]));

describe('an agent that hears what the recorded one hears, driven by the packed program in an empty folder', () => {
  test('its noes that are lost, and 13 of 13 with hookscope in between', () => {
    expect(whole.same).toMatchObject({ code: 0, stderr: expect.stringContaining('Codex CLI 0.169.0') });
    const report = reportOf(whole.same);
    expect(report).toMatchObject({
      agent: 'codex',
      version: '0.169.0',
      sums: {
        direct: { noes: 5, broken: 0, of: { noes: 13, broken: 5 } },
        stateless: { noes: 13, broken: 5, of: { noes: 13, broken: 5 } },
      },
      recorded: { version: '0.169.0' },
      hears_more: [],
      hears_less: [],
      problems: [],
    });
    for (const { name, direct, recorded } of report.cases) expect([name, direct?.did]).toEqual([name, recorded]);
    expect(did(report, 'stateless')).toMatchObject({ silent0: 'ran', rewrite: 'rewritten', ask: 'blocked' });
  });

  test('what is said of two calls at once stops the one that it is about', () => {
    for (const mode of ['direct', 'stateless'] as const)
      expect(did(reportOf(whole.same), mode)).toMatchObject({ parallel_deny: 'blocked', parallel_silent0: 'ran' });
  });

  test('what is said in a subagent is heard there', () => {
    for (const mode of ['direct', 'stateless'] as const)
      expect(did(reportOf(whole.same), mode)).toMatchObject({ subagent_silent0: 'ran', subagent_deny: 'blocked' });
    expect(reportOf(whole.same).cases.find(({ name }) => name === 'subagent_deny')?.stateless?.told).toBe(true);
  });

  test('all cases of a way are carried by one start', () => {
    // One more says the version.
    expect(reportOf(whole.same).runs).toBe(3);
  });

  test('nothing of the environment reaches it but what is listed', () => {
    const { env, home, cwd, uid } = JSON.parse(readFileSync(reported, 'utf8')) as Record<string, unknown>;
    expect(JSON.stringify(env)).not.toMatch(/swordfish|sk-mine/);
    expect(Object.keys(env as object).sort()).toEqual(
      [
        ...['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'].filter((name) => process.env[name] !== undefined),
        ...['CODEX_HOME', 'HOME', 'HOOKSCOPE_RUNS', 'NO_COLOR', 'TERM', 'TMPDIR'],
        ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME'],
      ].sort(),
    );
    const temporary = join(whole.same.folder, 'tmp');
    expect([String(home).startsWith(temporary), String(cwd).startsWith(temporary)]).toEqual([true, true]);
    expect(uid).toBe(process.getuid?.());
  });

  test('it has no network but loopback, and that is its own', () => {
    const { connected, outside, interfaces } = JSON.parse(readFileSync(reported, 'utf8')) as Record<string, unknown>;
    const { network } = reportOf(whole.same);
    expect(network.blocked).toBe(canBlock);
    // The machine's loopback is reached where it is not blocked: the server is there.
    expect(connected).toBe(canBlock ? 'ECONNREFUSED' : 'connected');
    if (canBlock) expect([outside, interfaces]).toEqual(['ENETUNREACH', ['lo']]);
  });

  test('neither its children nor its folders are left, and the empty folder is empty', () => {
    expect(processes(sleeps)).toEqual([]);
    expect(whole.same.left).toEqual([]);
  });
});

test('a version that hears more than the recorded one is said to', () => {
  const { more } = whole;
  expect(more.code).toBe(0);
  expect(more.stdout).toMatch(/noes heard +13 of 13 +13 of 13\nbroken guards stopped +5 of 5 +5 of 5\n/);
  expect(more.stdout).toContain('Codex CLI 9.9.9');
  expect(more.stdout).toMatch(
    /This version hears more than recorded \(0\.169\.0, .*: exit 2, nothing on stderr; .*broken: killed/,
  );
});

test('a version that hears less is said to, and what is lost with hookscope in between is a problem', () => {
  const { less } = whole;
  expect(less.code).toBe(1);
  expect(less.stdout).toContain('## Codex CLI unknown\n');
  expect(less.stdout).toContain('| exit 0, the deny of this agent | **runs** | **runs** |');
  expect(less.stdout).toContain('| noes heard | 3 of 13 | 0 of 13 |');
  expect(less.stdout).toMatch(
    /- This version hears less than recorded \(0\.169\.0, [^)]*\): exit 0, the deny of this agent/,
  );
  expect(less.stdout).toContain('- With hookscope: exit 0, the deny of this agent: ran, not blocked.');
});

test('a call that something else refuses is no no that was heard', async () => {
  const refused = await probed({ hears: 'nothing', instead: 'refuse' }, '--json');
  const report = reportOf(refused);
  expect(refused.code).toBe(1);
  expect(report.sums).toMatchObject({ direct: { noes: 0, broken: 0 }, stateless: { noes: 0, broken: 0 } });
  expect(report.problems[0]).toContain('something else does not allow its shell tool');
});

describe('an agent that does not work', () => {
  test.each([
    [
      'login',
      'It ended with exit code 1 and never called the model. It printed: You are not logged in. Run codex login.',
    ],
    ['end', 'It ended with exit code 0 and never called the model. It printed nothing.'],
    ['talk', 'It ended with exit code 0 and never called the model. It printed: I think that nothing is to be done.'],
    ['hang', 'It did nothing for 25 s and never called the model. It printed nothing.'],
  ] as const)('%s: one message says what it did', async (instead, problem) => {
    const { code, stdout, stderr, left } = await (instead === 'hang'
      ? hung
      : probed({ hears: 'codex', instead }, '--patience', '25s'));
    expect([code, stdout, left]).toEqual([1, '', []]);
    expect(stderr.split('\n').filter((line) => /could not be driven/.test(line))).toEqual([
      `hookscope: Codex CLI could not be driven: ${problem} Nothing was seen of it.`,
    ]);
  });

  test('one that calls the model for ever is ended', async () => {
    const { code, left, stdout } = await probed({ hears: 'nothing', instead: 'chatter' }, '--json');
    expect([code, left]).toEqual([1, []]);
    // What it did before that is seen.
    expect(did(reportOf({ stdout }), 'stateless')).toMatchObject({ silent0: 'unasked', ask: 'unasked' });
  });

  test('a path that is no program, an agent that is not there, one that nobody knows, and an interpreter that is gone', async () => {
    const { folder, agent } = place({ hears: 'codex' });
    const run = (args: string[], PATH = process.env['PATH']) =>
      cli(['doctor', ...agreed(), ...args], { cwd: folder, env: { PATH } });
    const none = await run(['--probe', 'codex', '--agent-path', 'nowhere']);
    expect(none.stderr).toMatch(
      /Invalid option --agent-path: expected the executable of Codex CLI, and \S+nowhere is none\./,
    );
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const missing = await run(['--probe', 'codex'], empty);
    expect(missing.stderr).toMatch(/Invalid option --probe: expected codex on the PATH/);
    const unknown = await run(['--probe', 'copilto']);
    expect(unknown.stderr).toMatch(/"copilto"\. Did you mean "copilot"\?/);
    const hasty = await run(['--probe', 'codex', '--agent-path', agent, '--patience', '2s']);
    expect(hasty.stderr).toMatch(/Invalid option --patience: expected at least 25s/);
    const both = await run(['--probe', 'codex', '--json', '--markdown', '--agent-path', agent]);
    const cursor = await run(['--probe', 'cursor']);
    expect(cursor.stderr).toMatch(/expected an agent that can be driven, one of claude-code, codex, copilot, gemini/);
    for (const one of [cursor, none, missing, unknown, hasty, both]) {
      expect(one.code).toBe(1);
      expect(isOneMessage(one.stderr)).toBe(true);
    }
    writeFileSync(agent, '#!/nowhere/at/all\n');
    const gone = await run(['--probe', 'codex', '--agent-path', agent]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('Codex CLI could not be driven') });
  });
});

describe('where the network cannot be blocked', () => {
  /** A PATH on which there is no unshare, but what hooks need. */
  function without(folder: string): string {
    const bin = join(folder, 'some');
    mkdirSync(bin);
    for (const name of ['sh', 'cat', 'sleep', 'curl', 'env'])
      writeFileSync(join(bin, name), `#!/bin/sh\nexec ${findProgram(name, process.env)} "$@"\n`, { mode: 0o700 });
    return bin;
  }

  test('nothing is started without a yes', async () => {
    const { folder, agent, temporary } = place({ hears: 'codex', report: join(root, 'started.json') });
    const env = { PATH: without(folder), TMPDIR: temporary };
    const refused = await cli(['doctor', '--probe', 'codex', '--agent-path', agent], { cwd: folder, env });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /the network cannot be blocked here, since .*; --open-network drives it all the same/,
    );
    expect(existsSync(join(root, 'started.json'))).toBe(false);
  });

  test.each(['', 'n', 'yes, but'])('whoever is asked and says "%s" has not agreed', async (answer) => {
    const { folder, agent } = place({ hears: 'codex', report: join(root, 'agreed.json') });
    const asked: string[] = [];
    const path = process.env['PATH'];
    process.env['PATH'] = without(folder);
    const terminal = {
      signal: new AbortController().signal,
      tell: (text: string) => void asked.push(text),
      ask: async (question: string) => `${asked.push(question) > 0 ? answer : ''}`,
    } as unknown as Terminal;
    try {
      expect(await probeCommand('codex', { agentPath: agent }, terminal)).toBe(1);
    } finally {
      process.env['PATH'] = path;
    }
    expect(asked).toEqual([
      expect.stringMatching(/^the network cannot be blocked here, since .*Codex CLI \(.*\) would have it/),
      'Drive it all the same? [y/N] ',
    ]);
    expect(existsSync(join(root, 'agreed.json'))).toBe(false);
  });

  describe('and it is driven all the same', () => {
    let deaf: Finished;
    beforeAll(async () => {
      const { folder, agent, temporary } = place({ hears: 'nothing' });
      const env = { PATH: without(folder), TMPDIR: temporary };
      const args = ['doctor', '--probe', 'codex', '--agent-path', agent, '--open-network', '--json'];
      deaf = await cli(args, { cwd: folder, env });
    });

    test('with --open-network it runs with it, and the report says so', () => {
      const { code, stdout, stderr } = deaf;
      expect(stderr).toContain('Codex CLI runs with it');
      expect([code, reportOf({ stdout }).network.blocked]).toEqual([1, false]);
      expect(did(reportOf({ stdout }), 'direct')).toMatchObject({ silent0: 'unasked' });
    });

    test('where hooks are not asked nothing is said of noes', () => {
      const { problems, hears_less, cases } = reportOf(deaf);
      expect(deaf.code).toBe(1);
      expect(problems).toEqual([
        expect.stringMatching(
          /^By itself: nothing can be said, since it never asked its hook: this version may not read/,
        ),
        expect.stringMatching(/^With hookscope: nothing can be said/),
      ]);
      expect(hears_less).toEqual([]);
      expect(cases.find(({ name }) => name === 'deny')?.direct?.did).toBe('unasked');
    });
  });
});

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'interrupted with %s, it leaves neither the agent nor its folders',
  async (signal) => {
    const sleeps = uniqueSeconds();
    const report = join(root, `interrupted-${signal}.json`);
    const { folder, agent, temporary } = place({ hears: 'codex', instead: 'hang', report, sleeps });
    const env = { TMPDIR: temporary, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
    const ended = spawnCli(['doctor', '--probe', 'codex', ...agreed()], { cwd: folder, env });
    await until(() => existsSync(report));
    const [line] = processes(`--probe codex`).filter((one) => one.includes('cli/main.js'));
    process.kill(Number((line as string).split(' ')[0]), signal);
    const { code } = await ended;
    expect(code).toBe({ SIGINT: 130, SIGTERM: 143, SIGKILL: null }[signal]);
    await until(() => processes(sleeps).length === 0 && processes(agent).length === 0);
    await until(() => readdirSync(temporary).length === 0);
  },
);

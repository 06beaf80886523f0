import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { createFolder, denying, type Folder } from '../plugins/folder.js';
import { BIN, cli, SESSIONS, spawnCli, start } from './cli.js';

const SUBAGENTS = join(SESSIONS, 'two-parallel-subagents.jsonl');
const SIMPLE = join(SESSIONS, 'simple.jsonl');
const SURVEYOR = 'a4b31ea214a8f8e3d';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
  folder.write('guard.json', { PreToolUse: [shell('Bash', `echo 'no shell' >&2; exit 2`, { name: 'guard' })] });
  folder.write('slow.json', { PreToolUse: [shell('Bash', 'sleep 30', { name: 'slow' })] });
  folder.write('scopes.mjs', SCOPES);
  folder.write('always.json', { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] });
});
afterAll(() => folder.remove());

const shell = (matcher: string, command: string, options: object = {}): object => ({
  matcher,
  hooks: [{ type: 'command', command, ...options }],
});

/** A plugin that says on every event which agents' scopes are open. */
const SCOPES = `
  const ids = (d) => [...(d.kind === 'agent' ? [d.scope] : []), ...d.children.flatMap(ids)];
  const say = (input, _, { host }) => ({ systemMessage: JSON.stringify(ids(host.describe())) });
  export default { name: 'scopes', apply(scope) {
    for (const event of ['SubagentStart', 'PreToolUse', 'SubagentStop', 'SessionEnd']) scope.register({ [event]: [{ hooks: [say] }] });
  } };`;

const run = (...args: string[]) => cli(['run', ...args], { cwd: folder.path });
async function records(...args: string[]): Promise<HookRecord[]> {
  const { stdout } = await run(...args, '--json');
  return stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as HookRecord);
}
const fires = (all: readonly HookRecord[]): FireRecord[] => all.filter((record) => record.type === 'hook_fire');

test.each(['compaction', 'interactive-permission', 'permissions', 'simple', 'two-parallel-subagents'])(
  'what ran in the recorded session %s is no alarm, whatever the hooks of today say of it',
  async (name) => {
    const { stdout, stderr } = await run(join(SESSIONS, `${name}.jsonl`), '--hooks', 'guard.json', '--json');
    expect(stdout).toContain('"hook_fire"');
    expect(stdout).not.toContain('hook_alarm');
    expect(stderr).not.toMatch(/alarm/i);
  },
);

describe('hookscope run, given what hookscope has recorded', () => {
  const calls = (all: readonly HookRecord[]): string[] =>
    fires(all).map((f) => `${f.scope} ${f.event} ${JSON.stringify(f.input['tool_input'] ?? null)}`);
  const decided = (all: readonly HookRecord[]): unknown[] => fires(all).map(({ decision }) => decision.verdict);

  test.each(['compaction', 'interactive-permission', 'permissions', 'simple', 'two-parallel-subagents'])(
    'fires the same events again: %s',
    async (name) => {
      const { stdout } = await run(join(SESSIONS, `${name}.jsonl`), '--hooks', 'guard.json', '--json');
      folder.write('again.ndjson', stdout);
      const first = stdout
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text) as HookRecord);
      const again = await records('again.ndjson', '--hooks', 'guard.json');
      expect(calls(first).length).toBeGreaterThan(1);
      expect(calls(again)).toEqual(calls(first));
      expect(decided(again)).toEqual(decided(first));
    },
  );

  test('as a sink writes it to a file, while it is still written', async () => {
    const host = createHost();
    const sink = ndjsonSink(join(folder.path, 'kept.ndjson'));
    sink.attach(host.events$);
    for (const command of ['ls', 'pwd', 'id', 'date'])
      await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: command });
    await host.close();
    await sink.close();
    const kept = readFileSync(join(folder.path, 'kept.ndjson'), 'utf8');
    const again = await records('kept.ndjson', '--hooks', 'guard.json');
    expect(calls(again).length).toBeGreaterThan(3);
    folder.write('growing.ndjson', `${kept}{"type":"hook_fire","ev`);
    const growing = await run('growing.ndjson', '--hooks', 'guard.json', '--json');
    expect(growing.stderr).toMatch(/growing\.ndjson:\d+: its last line is not complete/);
    expect(
      calls(
        growing.stdout
          .trimEnd()
          .split('\n')
          .map((t) => JSON.parse(t) as HookRecord),
      ),
    ).toEqual(calls(again));
  });

  test('keeps the recorded pace, and says what of an input the record does not hold', async () => {
    const fire = (time: string, more: object = {}): string =>
      JSON.stringify({ type: 'hook_fire', time, event: 'Stop', input: { stop_hook_active: false }, ...more });
    folder.write(
      'odd.ndjson',
      [
        fire('2026-01-01T00:00:00.000Z'),
        JSON.stringify({ type: 'system', subtype: 'hook_started', hook_event: 'Stop' }),
        fire('2026-01-01T00:00:02.500Z', { truncated: ['input.data', 'decision.x'] }),
        fire('2026-01-01T00:00:03.000Z', { error: 'INVALID_INPUT', input: {} }),
        '',
      ].join('\n'),
    );
    const { stdout, stderr, code } = await run('odd.ndjson', '--hooks', 'always.json');
    expect(code).toBe(0);
    expect(stdout).toContain('2 of 2 events sent');
    expect(stdout).toContain('+2.500s');
    expect(stderr).toContain('odd.ndjson:3: the record does not hold all of its input: input.data');
    expect(stderr).toContain('odd.ndjson:4: Stop was refused for its input');
  });

  test('a torn line that is not the last is an error, and so are records without a fire', async () => {
    folder.write('torn.ndjson', `{"type":"hook_fire","ev\n{"type":"system"}\n`);
    folder.write('none.ndjson', `{"type":"system","subtype":"hook_started"}\n`);
    expect((await run('torn.ndjson')).stderr).toContain('torn.ndjson:1: is not JSON');
    expect((await run('none.ndjson')).stderr).toContain('none.ndjson: holds no events.');
  });
});

describe('hookscope run', () => {
  test.each(['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop'])(
    'counts above the table what the table counts as blocked, on %s',
    async (event) => {
      folder.write('blocking.json', { [event]: [shell('', 'exit 2', { name: 'block' })] });
      const { stdout } = await run(SUBAGENTS, '--hooks', 'blocking.json');
      const summary = (await records(SUBAGENTS, '--hooks', 'blocking.json')).at(-1) as unknown as {
        rows: { blocked: number }[];
      };
      const blocked = summary.rows.reduce((sum, row) => sum + row.blocked, 0);
      expect(blocked).toBeGreaterThan(0);
      expect(stdout).toContain(`, ${blocked} denied or blocked.`);
    },
  );

  test('shows what ran, for whom and why, and what was denied', async () => {
    const { stdout, stderr, code } = await run(SUBAGENTS, '--hooks', 'guard.json');
    expect(stdout).toMatch(
      /^two-parallel-subagents\.jsonl: 50 events of main, surveyor \w{6} and builder \w{6}\n {2}everyone {2}/,
    );
    expect(stdout).toMatch(
      /^ \+1\.421s {2}surveyor a4b31e {2}PreToolUse {2}Bash ls src {2}DENIED\n {6}✗ guard +everyone, hooks-file, on Bash +deny: no shell\n/m,
    );
    expect(stdout).toContain('50 of 50 events sent, hooks ran on 5, 5 denied or blocked.');
    // Told once, however often it happens.
    expect(stderr).toBe(
      `hookscope: The input's cwd /home/dev/project is not a directory; the hook ran in ${folder.path}.\n`,
    );
    expect(code).toBe(0);
  });

  test('a hook that fails is shown with each event, and not told again', async () => {
    folder.write('broken.json', { PreToolUse: [shell('Bash', 'echo out of paper >&2; exit 3')] });
    const { stdout, stderr } = await run(SUBAGENTS, '--hooks', 'broken.json');
    expect(stdout.match(/failed: .*out of paper/g)).toHaveLength(5);
    expect(stderr).not.toContain('out of paper');
  });

  test('ends with a summary by agent, event and hook', async () => {
    const { stdout } = await run(SUBAGENTS, '--hooks', 'guard.json');
    const table = stdout
      .slice(stdout.indexOf('\nagent '))
      .trim()
      .split('\n')
      .map((row) => row.split(/ {2,}/));
    expect(table.map((row) => row.slice(0, 6))).toEqual([
      ['agent', 'event', 'hook', 'runs', 'blocked', 'failed'],
      ['main', 'PreToolUse', 'guard', '2', '2', '0'],
      ['surveyor a4b31e', 'PreToolUse', 'guard', '2', '2', '0'],
      ['builder a9e488', 'PreToolUse', 'guard', '1', '1', '0'],
    ]);
    for (const [p50, p95] of table.slice(1).map((row) => row.slice(6).map(Number)))
      expect(p50).toBeLessThanOrEqual(p95 as number);
  });

  test('opens an agent’s scope before its start and ends it after its stop', async () => {
    const said = fires(await records(SUBAGENTS, '--plugin', './scopes.mjs')).flatMap(({ event, decision }) => {
      const open = (decision as unknown as { systemMessages: string[] }).systemMessages[0];
      return open === undefined ? [] : [[event, (JSON.parse(open) as string[]).length] as const];
    });
    const ofEvent = (event: string): number[] => said.filter(([name]) => name === event).map(([, open]) => open);
    expect(ofEvent('SubagentStart')).toEqual([1, 2]);
    expect(ofEvent('SubagentStop')).toEqual([2, 1]);
    expect(said.filter(([name]) => name === 'PreToolUse').map(([, open]) => open)).toEqual([
      0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0,
    ]);
    expect(ofEvent('SessionEnd')).toEqual([0]);
  });

  test('an agent that is kept going keeps its scope, until the recording ends', async () => {
    folder.write('go-on.json', { SubagentStop: [shell('surveyor', 'echo more >&2; exit 2')] });
    const all = fires(await records(SUBAGENTS, SIMPLE, '--hooks', 'go-on.json', '--plugin', './scopes.mjs'));
    const open = all.map((r) => ({
      event: r.event,
      open: (r.decision as unknown as { systemMessages: string[] }).systemMessages[0],
    }));
    const ends = open.filter(({ event }) => event === 'SessionEnd').map((r) => r.open);
    expect(ends).toEqual([JSON.stringify([SURVEYOR]), '[]']);
  });

  test('gives each agent the spawnHooks of its type', async () => {
    const own = (reason: string) => ({ PreToolUse: [shell('Bash', `echo '${reason}' >&2; exit 2`, { name: reason })] });
    folder.write('spawn.json', { spawnHooks: { surveyor: own('no surveys'), builder: own('no builds') } });
    const denied = fires(await records(SUBAGENTS, '--config', 'spawn.json')).filter(
      (r) => r.decision.verdict === 'deny',
    );
    expect(denied.map((r) => [r.input['agent_type'], r.decision.reason])).toEqual([
      ['surveyor', 'no surveys'],
      ['surveyor', 'no surveys'],
      ['builder', 'no builds'],
    ]);
  });

  test('--json prints every record in order, and the summary as the last line', async () => {
    const all = await records(SUBAGENTS, '--hooks', 'guard.json');
    const summary = all.pop() as unknown as { type: string; rows: { agent: string; runs: number }[] };
    expect(all.map((record) => record.seq)).toEqual(all.map((_, i) => i + 1));
    expect(fires(all)).toHaveLength(50);
    expect(summary.type).toBe('run_summary');
    expect(summary.rows.map(({ agent, runs }) => [agent, runs])).toEqual([
      ['main', 2],
      ['surveyor a4b31e', 2],
      ['builder a9e488', 1],
    ]);
  });

  test('sends several recordings one after the other', async () => {
    const sessions = fires(await records(SIMPLE, SUBAGENTS)).map((r) => r.session_id);
    expect(sessions).toHaveLength(70);
    expect(new Set(sessions.slice(0, 20)).size).toBe(1);
    expect(new Set(sessions.slice(20)).size).toBe(1);
  });

  test('shows what a background hook did when it ends, and counts it', async () => {
    folder.write('late.json', {
      SessionStart: [{ hooks: [{ type: 'command', command: 'sleep 0.2', async: true, name: 'late' }] }],
    });
    const { stdout } = await run(SIMPLE, '--hooks', 'late.json');
    expect(stdout).toMatch(/… late ended in the background: success for main, [1-9]\d\d+ ms/);
    expect(stdout).toMatch(/^main +SessionStart +late +1 +0 +0 +[1-9]\d\d+ +[1-9]\d\d+$/m);
  });

  test('--speed keeps the pace of the recording', async () => {
    // 600 ms at half the pace. The first is always late: it is what everything is loaded for.
    folder.write(
      'pace.jsonl',
      [0, 300]
        .map((at_ms) => `${JSON.stringify({ at_ms, event: 'Stop', input: { stop_hook_active: false } })}\n`)
        .join(''),
    );
    const [first, second] = fires(await records('pace.jsonl', '--speed', '0.5')).map((r) => Date.parse(r.time));
    expect((second as number) - (first as number)).toBeGreaterThanOrEqual(300);
  });

  test('takes the events of a recording in other spellings', async () => {
    folder.write(
      'other.jsonl',
      `${JSON.stringify({ at_ms: 0, event: 'pre_tool_use', input: { tool_name: 'Bash', tool_input: {}, tool_use_id: 't' } })}\n`,
    );
    expect(fires(await records('other.jsonl'))[0]?.event).toBe('PreToolUse');
  });
});

describe('hookscope run on a terminal', () => {
  /** `script` gives it a terminal; what the terminal got comes back. */
  const onTerminal = (...args: string[]) =>
    start('script', ['-qec', [process.execPath, BIN, 'run', ...args].join(' '), '/dev/null'], {
      cwd: folder.path,
      stdin: '',
      // Node takes a CI's terminal for one without colours.
      env: { ...process.env, CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined, TERM: 'xterm-256color' },
    });
  const ESCAPE = String.fromCharCode(27);

  test('shows how far it is, below the lines', async () => {
    const { stdout } = await onTerminal(SIMPLE, '--hooks', 'guard.json');
    expect(stdout).toContain(`\r${ESCAPE}[K`);
    expect(stdout).toMatch(/█+.*20\/20 events/);
    expect(stdout).toContain(`${ESCAPE}[31m✗`);
  });

  test('a file gets neither a bar nor colour', async () => {
    const { stdout } = await run(SIMPLE, '--hooks', 'guard.json');
    expect(stdout).not.toContain(ESCAPE);
    expect(stdout).not.toContain('20/20');
  });

  test.each([
    [{ FORCE_COLOR: '1', NO_COLOR: '' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%j: colour is %s', async (env, colored) => {
    const { stdout } = await cli(['run', SIMPLE, '--hooks', 'guard.json'], { cwd: folder.path, env });
    expect(stdout.includes(`${ESCAPE}[31m`)).toBe(colored);
  });

  test('what a hook or a recording says cannot move the cursor', async () => {
    folder.write('evil.mjs', denying(`a${ESCAPE}[2Jb`));
    const { stdout } = await run(SIMPLE, '--plugin', './evil.mjs');
    expect(stdout).toContain('deny: a\\u{1b}[2Jb');
    expect(stdout).not.toContain(ESCAPE);
  });
});

describe('a program that is cut short', () => {
  test('nobody reads on: it stops, and says nothing', async () => {
    const many = Array.from({ length: 40 }, () => SUBAGENTS);
    const line = [process.execPath, BIN, 'run', ...many, '--json'].map((word) => `'${word}'`).join(' ');
    const { stdout, stderr, code } = await start('bash', ['-c', `${line} | head -1; exit "\${PIPESTATUS[0]}"`], {
      cwd: folder.path,
      stdin: '',
      env: process.env,
    });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect([stderr, code]).toEqual(['', 0]);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the hooks and the program, which exits with %i', async (signal, code) => {
    const pidFile = join(folder.path, `pid-${signal}`);
    folder.write('stuck.json', {
      PreToolUse: [shell('Bash', `echo $$ > '${pidFile}'; echo; sleep 30`, { name: 'stuck' })],
    });
    // The first line comes before the hook starts; it is waited for in its file.
    const finished = await spawnCli(['run', SIMPLE, '--hooks', 'stuck.json', '--json'], {
      cwd: folder.path,
      onOutput: (pid) => void whenThere(pidFile).then(() => process.kill(pid, signal)),
    });
    expect(finished.code).toBe(code);
    // Killed before the program ended, and gone a moment later; if not, this test runs out of time.
    const group = Number(await whenThere(pidFile));
    while (isAlive(group)) await sleep(20);
  });

  test('what a plugin left open does not keep it alive', async () => {
    folder.write('timer.mjs', "export default { name: 'timer', apply() { setInterval(() => undefined, 1000); } };");
    const { code } = await spawnCli(['list', '--plugin', './timer.mjs'], { cwd: folder.path });
    expect(code).toBe(0);
  });
});

async function whenThere(file: string): Promise<string> {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return text;
    await sleep(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    // ESRCH: the whole group is gone.
    return false;
  }
}

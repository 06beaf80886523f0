import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HookscopeError } from '../../src/errors.js';
import { commandHandler } from '../../src/handlers/command/handler.js';
import { type CommandOptions, command, isCommandSpec } from '../../src/handlers/command/spec.js';
import { testHost } from '../host/kit.js';
import { HOOKS, runShell, shellCall } from './shell-call.js';

const hook = (name: string): string => join(HOOKS, name);

test('a command that blocks in JSON and ends with a code of its own has failed as well, where a failure counts', async () => {
  const { host } = testHost();
  const answer = `echo '{"decision":"block","reason":"not here"}'; exit 3`;
  host.register({ PreToolUse: [{ onFailure: 'block', hooks: [command(answer)] }] });
  const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
  expect(decision).toMatchObject({ verdict: 'deny', failures: [{ cause: 'exit_code' }] });
  expect(decision.reason).toContain('not here');
});

describe('command()', () => {
  test('describes a hook as frozen plain data that nobody can change through the options', () => {
    const args = ['a'];
    const env = { A: '1' };
    const spec = command('guard', { args, env, timeout: 5 });
    args.push('b');
    env.A = '2';
    expect(spec).toEqual({ type: 'command', command: 'guard', args: ['a'], env: { A: '1' }, timeout: 5 });
    expect([spec, spec.args, spec.env].every(Object.isFrozen)).toBe(true);
    expect(isCommandSpec(spec)).toBe(true);
    expect(isCommandSpec({ type: 'http' })).toBe(false);
    expect(isCommandSpec(undefined)).toBe(false);
  });

  test.each<[object, string, string | undefined]>([
    [{ timeot: 5 }, 'timeot', 'timeout'],
    [{ timeout: -1 }, 'timeout', undefined],
    [{ timeout: '5' }, 'timeout', undefined],
    [{ timeout: Number.POSITIVE_INFINITY }, 'timeout', undefined],
    [{ args: 'x' }, 'args', undefined],
    [{ args: [1] }, 'args', undefined],
    [{ shell: '' }, 'shell', undefined],
    [{ async: 'twice' }, 'async', undefined],
    [{ asyncTimeout: Number.NaN }, 'asyncTimeout', undefined],
    [{ asyncRewake: 1 }, 'asyncRewake', undefined],
    [{ env: { A: 1 } }, 'env', undefined],
    [{ env: 'PATH' }, 'env', undefined],
    [{ cwd: '' }, 'cwd', undefined],
    [{ outputLimit: 0 }, 'outputLimit', undefined],
    [{ name: ' ' }, 'name', undefined],
  ])('refuses %j by name', (options, key, nearest) => {
    const make = () => command('x', options as CommandOptions);
    expect(make).toThrow(HookscopeError);
    try {
      make();
    } catch (error) {
      const { code, details } = error as HookscopeError<'INVALID_OPTIONS'>;
      expect(code).toBe('INVALID_OPTIONS');
      expect(details.where).toBe(`command(): ${key}`);
      expect(details.nearest).toBe(nearest);
    }
  });

  test.each(['', '  ', 5, undefined])('refuses the command line %j', (line) => {
    expect(() => command(line as string)).toThrow('command(): command: expected a string');
  });

  test('takes an option that is undefined for one that is absent', () => {
    expect(() => command('x', { timeout: undefined } as unknown as CommandOptions)).not.toThrow();
  });

  test('makes a handler named after its line, its arguments or its own name', () => {
    expect(commandHandler(command('a b')).name).toBe('a b');
    expect(commandHandler(command('a', { args: ['b', 'c'] })).name).toBe('a b c');
    expect(commandHandler(command('a', { name: 'guard' })).name).toBe('guard');
  });
});

describe('what a shell hook is given', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-command-')));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  test('its input is one line of JSON and a newline, then the end', async () => {
    const input = { cwd: folder, text: 'a "b"\nc ü 語' };
    const reply = await runShell('PreToolUse', hook('echo-input.sh'), {}, { input });
    expect(reply.stdout).toBe(`${JSON.stringify(input)}\n`);
  });

  test('it runs where the input says', async () => {
    const reply = await runShell('PreToolUse', 'pwd', {}, { input: { cwd: folder } });
    expect(reply.stdout).toBe(`${folder}\n`);
    expect(reply.warnings).toBeUndefined();
  });

  test('it runs in the project, with a warning, when that folder is gone', async () => {
    const input = { cwd: join(folder, 'gone') };
    const reply = await runShell('PreToolUse', 'pwd', {}, { input, projectDir: folder });
    expect(reply.stdout).toBe(`${folder}\n`);
    expect(reply.warnings).toEqual([`The input's cwd ${input.cwd} is not a directory; the hook ran in ${folder}.`]);
    const nowhere = await runShell('PreToolUse', 'pwd', {}, { input, projectDir: input.cwd });
    expect(nowhere.stdout).toBe(`${process.cwd()}\n`);
  });

  test('its own cwd comes first, relative to the project, and must exist', async () => {
    const over = { input: { cwd: '/' }, projectDir: folder };
    expect((await runShell('PreToolUse', 'pwd', { cwd: '.' }, over)).stdout).toBe(`${folder}\n`);
    expect((await runShell('PreToolUse', 'pwd', { cwd: 'gone' }, over)).failure).toEqual({
      cause: 'spawn_failed',
      message: `pwd could not be started: its cwd ${join(folder, 'gone')} is not a directory.`,
    });
  });

  test('its environment tells of the project, the event, the scope and the fire', async () => {
    vi.stubEnv('HOOKSCOPE_CALL', 'async');
    const line = 'echo "$CLAUDE_PROJECT_DIR|$HOOKSCOPE_EVENT|$HOOKSCOPE_SCOPE|$HOOKSCOPE_FIRE_ID|$HOOKSCOPE_CALL"';
    const over = { projectDir: folder, scope: 'agent-1', fireId: 'f7' };
    const first = await runShell('PreToolUse', line, {}, over);
    expect(first.stdout).toBe(`${folder}|PreToolUse|agent-1|f7|\n`);
    const second = await runShell('PreToolUse', line, {}, { ...over, call: 'async' });
    expect(second.stdout).toBe(`${folder}|PreToolUse|agent-1|f7|async\n`);
  });

  test('an object of variables is added to what it inherits', async () => {
    vi.stubEnv('HOOKSCOPE_TEST_INHERITED', 'yes');
    const reply = await runShell('PreToolUse', 'echo "$HOOKSCOPE_TEST_INHERITED $ADDED"', { env: { ADDED: 'too' } });
    expect(reply.stdout).toBe('yes too\n');
  });

  test('an array of names is all it inherits', async () => {
    vi.stubEnv('HOOKSCOPE_TEST_A', 'a');
    vi.stubEnv('HOOKSCOPE_TEST_B', 'b');
    const env = ['HOOKSCOPE_TEST_A', 'HOOKSCOPE_TEST_UNSET'];
    const reply = await runShell('PreToolUse', '/usr/bin/env | /usr/bin/sort', { env });
    const names = reply.stdout
      ?.trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    const ours = [
      'CLAUDE_PROJECT_DIR',
      'HOOKSCOPE_EVENT',
      'HOOKSCOPE_FIRE_ID',
      'HOOKSCOPE_RUNS',
      'HOOKSCOPE_SCOPE',
      'HOOKSCOPE_TEST_A',
    ];
    // The shell itself sets these three.
    expect(names?.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? ''))).toEqual(ours);
  });

  test('its source may add variables, of each call too', async () => {
    const spec = command('echo "$ROOT"', { env: { ROOT: 'own' } });
    const { call } = shellCall('PreToolUse');
    expect((await commandHandler(spec, { env: { ROOT: '/plugin' } }).run(call)).stdout).toBe('/plugin\n');
    const each = commandHandler(spec, { env: ({ fireId }) => ({ ROOT: fireId }) });
    expect((await each.run(call)).stdout).toBe('fire-1\n');
  });

  test('a command line is read by /bin/sh, or by the shell it names', async () => {
    expect((await runShell('PreToolUse', 'echo $0')).stdout).toBe('/bin/sh\n');
    expect((await runShell('PreToolUse', 'echo $BASH', { shell: 'bash' })).stdout).toMatch(/bash\n$/);
  });

  test.each([[{ args: ['$HOME `id` "x y"', '*'] }], [{ args: ['$HOME `id` "x y"', '*'], shell: 'bash' }]])(
    'arguments are read by no shell: %j',
    async (options) => {
      const reply = await runShell('PreToolUse', 'printf', { ...options, args: ['[%s]', ...options.args] });
      expect(reply.stdout).toBe('[$HOME `id` "x y"][*]');
    },
  );

  test('shell: false starts the program by its name alone', async () => {
    expect((await runShell('PreToolUse', hook('context.sh'), { shell: false })).stdout).toBe('It is raining.\n');
    expect((await runShell('PreToolUse', 'echo x', { shell: false })).failure?.cause).toBe('spawn_failed');
  });
});

describe('what a shell hook says', () => {
  test('exit 2 of an interpreter that cannot read the hook is doubted, whatever stands around it; what the hook says of another file is not', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-doubt-')));
    mkdirSync(join(cwd, 'r&d (new)'));
    const broken = '#!/bin/sh\nif )\n';
    for (const name of ['guard.sh', 'r&d (new)/guard.sh']) writeFileSync(join(cwd, name), broken, { mode: 0o755 });
    const isDoubted = async (line: string): Promise<boolean> => {
      const { output, stderr, warnings } = await runShell('PreToolUse', line, { cwd });
      expect([line, stderr, output]).toEqual([
        line,
        expect.stringMatching(/guard\.sh: .*syntax error/i),
        expect.objectContaining({
          hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }) as unknown,
        }),
      ]);
      return warnings !== undefined;
    };
    const runs = [
      './guard.sh',
      'sh guard.sh',
      'bash guard.sh -n',
      'bash -eo pipefail guard.sh --env prod',
      'bash "r&d (new)/guard.sh"',
      "'./r&d (new)/guard.sh' x",
      'bash \\\n  -e r\\\n\\&d\\ \\(new\\)/guard.sh',
      'bash "$(pwd)/guard.sh"',
      '< /dev/null sh 3>out.txt "$PWD/guard.sh"',
    ];
    const around = ['#', 'FOO="a (b)" #', 'timeout -s KILL 5 #', '/usr/bin/env -u FOO #', 'nice -n 1 #', 'exec #'];
    around.push(
      'command -v sh >/dev/null; command #',
      'if true; then #; fi',
      '{ #; }',
      ': "x;y" | #',
      'cd . && # || exit 2',
    );
    for (const run of runs)
      for (const line of around)
        expect([run, line, await isDoubted(line.replace('#', run))]).toEqual([run, line, true]);
    expect(await isDoubted('bash -c ". ./guard.sh; exit 2" || { . ./guard.sh; }')).toBe(true);
    for (const line of [
      'bash -n guard.sh || exit 2',
      'bash -o noexec guard.sh || exit 2',
      'f="tools (guard.sh)"; bash -en guard.sh || exit 2',
      'command -v ./guard.sh; bash -n guard.sh || exit 2',
      'for f in "x;guard.sh" guard.sh; do test -f "$f" && { bash -n "$f" || exit 2; }; done',
    ])
      expect([line, await isDoubted(line)]).toEqual([line, false]);
    rmSync(cwd, { recursive: true });
  });

  test('JSON, exit 2 and plain text are read', async () => {
    const denied = await runShell('PreToolUse', hook('deny.sh'));
    expect(denied).toMatchObject({ exitCode: 0, output: { hookSpecificOutput: { permissionDecision: 'deny' } } });
    const blocked = await runShell('UserPromptSubmit', hook('block.sh'));
    expect(blocked).toMatchObject({ exitCode: 2, output: { decision: 'block', reason: 'not allowed' } });
    const context = await runShell('SessionStart', hook('context.sh'));
    expect(context.output).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'It is raining.' },
    });
  });

  test.each<[string, CommandOptions, string, string]>([
    [hook('fail.sh'), {}, 'exit_code', 'It exited with code 1: broken'],
    [hook('bad-json.sh'), {}, 'bad_json', 'Stdout looks like a JSON object but is not valid JSON: {not json}'],
    ['kill -KILL $$', {}, 'signal', 'It was killed by SIGKILL.'],
    ['no-such-program-here', {}, 'spawn_failed', 'no-such-program-here could not be started: a program was not found'],
    [hook('not-executable.sh'), {}, 'spawn_failed', 'could not be started: a program is not executable'],
    [
      hook('not-executable.sh'),
      {},
      'spawn_failed',
      `a program is not executable (exit code 126; if it is a script: chmod +x ${hook('not-executable.sh')}): `,
    ],
    [
      'echo "sh: 1: exec: -a: Permission denied" >&2; exit 126',
      {},
      'spawn_failed',
      'a program is not executable (exit code 126): ',
    ],
    ['exit 126', {}, 'spawn_failed', 'a program is not executable (exit code 126).'],
    [
      'no-such-program',
      { args: [] },
      'spawn_failed',
      'no-such-program could not be started: no-such-program was not found.',
    ],
    [hook('not-executable.sh'), { args: [] }, 'spawn_failed', 'not-executable.sh is not executable.'],
    ['true', { shell: '/no/such/shell' }, 'spawn_failed', 'true could not be started: /no/such/shell was not found.'],
    ['a\0b', { args: [] }, 'spawn_failed', 'null bytes'],
    [`${hook('flood.sh')} 5000`, { outputLimit: 4999 }, 'too_large', 'It printed more than 4999 bytes on stdout.'],
  ])('%j %j fails as %s', async (line, options, cause, message) => {
    const reply = await runShell('PreToolUse', line, options);
    expect(reply.failure?.cause).toBe(cause);
    expect(reply.failure?.message).toContain(message);
    expect(reply.output).toBeUndefined();
  });

  test('as much as the limit is not too much', async () => {
    const reply = await runShell('PreToolUse', `${hook('flood.sh')} 5000`, { outputLimit: 5000 });
    expect(reply.failure).toBeUndefined();
    expect(reply.stdout).toHaveLength(5000);
  });

  test('exit 2 blocks however much was printed before', async () => {
    const reply = await runShell('PreToolUse', `${hook('flood.sh')} 3000000 2`);
    expect(reply.failure).toBeUndefined();
    expect(reply.output).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(reply.stdout).toHaveLength(1024 * 1024);
  });

  test('too much on stderr is cut, with a warning, and the answer counts', async () => {
    const reply = await runShell('PreToolUse', `${hook('flood.sh')} 5000 >&2; ${hook('deny.sh')}`, {
      outputLimit: 4000,
    });
    expect(reply.output).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(reply.stderr).toHaveLength(4000);
    expect(reply.warnings).toEqual(['It printed more than 4000 bytes on stderr; the rest was dropped.']);
  });

  test.each(['true', hook('deaf.sh'), 'head -c 10 >/dev/null'])(
    'five megabytes of input that it does not read are no error: %s',
    async (line) => {
      const input = { cwd: process.cwd(), tool_response: 'x'.repeat(5_000_000) };
      const reply = await runShell('PostToolUse', line, {}, { input });
      expect(reply).toMatchObject({ exitCode: 0 });
      expect(reply.failure).toBeUndefined();
    },
  );

  test('five megabytes of input arrive whole', async () => {
    const input = { cwd: process.cwd(), tool_response: 'x'.repeat(5_000_000) };
    const reply = await runShell('PostToolUse', 'wc -c', {}, { input });
    expect(Number(reply.stdout)).toBe(JSON.stringify(input).length + 1);
  });

  test('each piece is told as it comes, up to the limit, and no character is torn', async () => {
    const pieces: { stdout?: string; stderr?: string }[] = [];
    const line = "printf 'a\\303'; sleep 0.2; printf '\\274b' ; printf err >&2; sleep 0.2; printf 0123456789";
    const reply = await runShell('PreToolUse', line, { outputLimit: 8 }, { progress: (piece) => pieces.push(piece) });
    // Not how many there are: a busy machine may hand over two at once.
    expect(pieces.map((p) => p.stdout ?? '').join('|')).toMatch(/^a\|*üb\|*0123\|*$/);
    expect(pieces.map((p) => p.stderr ?? '').join('')).toBe('err');
    expect(reply.stdout).toBe('aüb0123');
  });

  test('what the last write held is read although the hook ended right after it', async () => {
    for (let i = 0; i < 20; i++) {
      const reply = await runShell('PreToolUse', `${hook('flood.sh')} 200000`);
      expect(reply.stdout).toHaveLength(200_000);
    }
  });
});

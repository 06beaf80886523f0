import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../package/sources.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { cli, spawnCli } from './cli.js';

const WIRE = join(ROOT, 'test/fixtures/wire');

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
  folder.write('call.json', LS);
  folder.write('guard.json', hooks(`echo 'not here' >&2; exit 2`, { name: 'guard' }));
});
afterAll(() => folder.remove());

/** A hooks file with one shell hook for calls of Bash. */
function hooks(command: string, options: object = {}, event = 'PreToolUse') {
  return { hooks: { [event]: [{ matcher: 'Bash', hooks: [{ type: 'command', command, ...options }] }] } };
}

const fire = (...args: string[]) => cli(['fire', ...args], { cwd: folder.path });
const record = async (...args: string[]) => JSON.parse((await fire(...args, '--json')).stdout);

test.each(['fire', 'explain'])(
  'hookscope %s takes its input as JSON, as a file, or from standard input',
  async (command) => {
    const json = JSON.stringify(LS);
    const given = async (input: string, stdin?: string): Promise<unknown> => {
      const how = { cwd: folder.path, ...(stdin === undefined ? {} : { stdin }) };
      const { stdout, code } = await cli(
        [command, 'PreToolUse', '--hooks', 'guard.json', '--json', '--input', input],
        how,
      );
      expect(code).toBe(0);
      const { decision, handlers, hooks: planned } = JSON.parse(stdout);
      return [decision?.reason, handlers?.[0].status, planned?.[0].runs];
    };
    const expected = command === 'fire' ? ['not here', 'ran', undefined] : [undefined, undefined, true];
    for (const input of [json, ` \n${json}`, 'call.json']) expect(await given(input)).toEqual(expected);
    expect(await given('-', json)).toEqual(expected);
  },
);

test('a file whose name begins as JSON does is that file', async () => {
  folder.write('{a}', LS);
  expect((await record('PreToolUse', '--hooks', 'guard.json', '--input', '{a}')).decision.reason).toBe('not here');
});

describe('hookscope fire, for people', () => {
  test('prints the decision, and a line for every registered hook with why', async () => {
    folder.write('other.json', {
      PreToolUse: [{ matcher: 'Write', name: 'other', hooks: [{ type: 'command', command: 'true' }] }],
    });
    const { stdout, stderr, code } = await fire(
      'PreToolUse',
      '--input',
      'call.json',
      '--hooks',
      'guard.json',
      '--hooks',
      'other.json',
    );
    expect(stdout).toMatch(/^PreToolUse:Bash {2}deny by guard: "not here" {2}in session\n/);
    expect(stdout).toMatch(/^ {2}guard +command hooks-file +deny/m);
    expect(stdout).toMatch(/^ {2}other +command hooks-file +did not run: its matcher did not match \(\w+\)$/m);
    expect([stderr, code]).toEqual(['', 0]);
  });

  test.each(['pre-tool-use', 'pre_tool_use', 'preToolUse'])('takes %s for PreToolUse', async (spelling) => {
    expect((await fire(spelling, '--input', 'call.json')).stdout).toMatch(/^PreToolUse:Bash {2}no opinion/);
  });

  test.each<[string, object, string]>([
    ['SessionStart', { source: 'startup' }, 'SessionStart:startup'],
    ['FileChanged', { file_path: '/project/src/a.ts', event: 'change' }, 'FileChanged:a.ts'],
    ['UserPromptSubmit', { prompt: 'Hello.' }, 'UserPromptSubmit'],
    ['Deploy', { target: 'prod' }, 'Deploy:prod'],
  ])('names %s %j by what matchers look at', async (event, input, title) => {
    folder.write('input.json', input);
    folder.write(
      'deploy.config.mjs',
      `import { defineEvent } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
      import { z } from ${JSON.stringify(join(ROOT, 'node_modules/zod/index.js'))};
      export default { events: { Deploy: defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' }) } };`,
    );
    const { stdout, stderr } = await fire(event, '--input', 'input.json', '--config', 'deploy.config.mjs');
    expect(stdout.split('  ')[0], stderr).toBe(title);
  });

  test('shows what the hook put in place of the input, and what it said to whom', async () => {
    folder.write(
      'say.mjs',
      `export default { name: 'say', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => ({
      systemMessage: 'told', hookSpecificOutput: { updatedInput: { command: 'ls -a' }, additionalContext: 'known\\u001b[2J' } })] }] }); } };`,
    );
    const { stdout } = await fire('PreToolUse', '--input', 'call.json', '--plugin', './say.mjs');
    expect(stdout).toContain('input rewritten');
    expect(stdout).toContain('  input now: {"command":"ls -a"}\n');
    expect(stdout).toContain('  for the model: known\\u{1b}[2J\n');
    expect(stdout).toContain('  for the user: told\n');
  });

  test('gives a spawned agent its hooks, found by type', async () => {
    const { hooks: own } = hooks('echo "only read" >&2; exit 2');
    folder.write('agents.json', { spawnHooks: { reviewer: own } });
    folder.write('agent.json', { ...LS, agent_id: 'a1', agent_type: 'reviewer' });
    const { stdout } = await fire('PreToolUse', '--config', 'agents.json', '--input', 'agent.json');
    expect(stdout).toMatch(/deny by .*: "only read" {2}in a1\n/);
    expect((await record('PreToolUse', '--config', 'agents.json', '--input', 'call.json')).decision.verdict).toBe(
      'none',
    );
  });
});

describe('hookscope fire --json', () => {
  test('prints the fire record on one line, and nothing else', async () => {
    const { stdout, stderr } = await fire('PreToolUse', '--input', 'call.json', '--hooks', 'guard.json', '--json');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'hook_fire',
      event: 'PreToolUse',
      scope: 'session',
      input: LS,
      decision: { verdict: 'deny', reason: 'not here' },
      handlers: [{ name: 'guard', status: 'ran', exit_code: 2, source: { kind: 'hooks-file', file: 'guard.json' } }],
      later: [],
      wakes: [],
      cancelled: [],
    });
    expect(stderr).toBe('');
  });

  test('an unknown field of the input passes through to the hook and to the record', async () => {
    folder.write('see.json', hooks('cat > seen.json'));
    const input = { ...LS, brand_new: { a: [1] } };
    folder.write('new.json', input);
    expect((await record('PreToolUse', '--input', 'new.json', '--hooks', 'see.json')).input).toMatchObject(input);
    expect(JSON.parse(readFileSync(join(folder.path, 'seen.json'), 'utf8'))).toMatchObject(input);
  });

  test('says what came later, who is to be woken, and what was cancelled', async () => {
    const said = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'found it' } });
    folder.write('late.json', hooks(`sleep 0.2; echo '${said}'`, { async: true }));
    folder.write(
      'wake.json',
      hooks('sleep 0.1; echo wake up >&2; exit 2', { async: true, asyncRewake: true, name: 'waker' }),
    );
    folder.write('long.json', hooks('sleep 30', { async: true, name: 'long' }));
    folder.write('close.json', { closeTimeout: 1 });
    const args = ['late', 'wake', 'long'].flatMap((name) => ['--hooks', `${name}.json`]);
    expect(await record('PreToolUse', '--input', 'call.json', '--config', 'close.json', ...args)).toMatchObject({
      decision: { verdict: 'none' },
      later: ['found it'],
      wakes: [{ scope: 'session', text: 'wake up' }],
      cancelled: ['long'],
    });
  });

  test('--scope names the scope; nobody has opened it', async () => {
    const fired = await record('PreToolUse', '--input', 'call.json', '--scope', 'agent-7', '--hooks', 'guard.json');
    expect(fired).toMatchObject({ scope: 'agent-7', scope_known: false, decision: { verdict: 'deny' } });
  });
});

describe('a hook that fails', () => {
  const broken = ['--input', 'call.json', '--hooks', 'broken.json'];
  const WORDS = /It exited with code 3: out of paper/g;
  beforeAll(() => folder.write('broken.json', hooks('echo out of paper >&2; exit 3')));

  test('is shown once to people', async () => {
    const { stdout, stderr } = await fire('PreToolUse', ...broken);
    expect(stdout.match(WORDS)).toHaveLength(1);
    expect(stderr).toBe('');
  });

  test.each(['--json', '--exit-code'])('is told on standard error with %s', async (flag) => {
    const { stderr } = await fire('PreToolUse', ...broken, flag);
    expect(stderr.match(WORDS)).toHaveLength(1);
  });
});

describe('hookscope fire --exit-code is a hook', () => {
  test.each<[string, string, object]>([
    ['denied', 'PreToolUse', LS],
    ['kept going', 'Stop', { stop_hook_active: false }],
    ['blocked', 'UserPromptSubmit', { prompt: 'x' }],
  ])('%s: 2, and the reason alone on standard error', async (_, event, input) => {
    folder.write('in.json', input);
    folder.write('no.json', hooks('echo no >&2; exit 2', {}, event));
    const { stderr, code } = await fire(event, '--input', 'in.json', '--hooks', 'no.json', '--exit-code');
    expect([stderr, code]).toEqual(['no\n', 2]);
  });

  test('nothing against it: 0, and the decision in the wire’s shape on standard output', async () => {
    folder.write(
      'ask.json',
      hooks(
        `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`,
      ),
    );
    const asked = await fire('PreToolUse', '--no-config', '--input', 'call.json', '--hooks', 'ask.json', '--exit-code');
    expect(JSON.parse(asked.stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: 'sure?' },
    });
    expect([asked.stderr, asked.code]).toEqual(['', 0]);
  });

  test('used as a hook of another host, it decides there', async () => {
    const inner = `"${process.execPath}" "${join(ROOT, 'dist/cli/main.js')}" fire PreToolUse --no-config --input - --hooks guard.json --exit-code`;
    folder.write('outer.json', hooks(`cd '${folder.path}' && ${inner}`, { name: 'inner' }));
    const fired = await record('PreToolUse', '--no-config', '--input', 'call.json', '--hooks', 'outer.json');
    expect(fired.decision).toMatchObject({ verdict: 'deny', reason: 'not here' });
  });
});

describe('what code prints where it runs is on standard error', () => {
  const noisy = (print: string) =>
    `${print}; export default { hooks: { PreToolUse: [{ hooks: [function guard() { ${print}; return { decision: 'block', reason: 'no' }; }] }] } };`;
  beforeAll(() => {
    folder.write('session.jsonl', JSON.stringify({ at_ms: 0, event: 'PreToolUse', input: LS }));
    folder.write('loud.hooktest.yaml', '- event: PreToolUse\n  input: { tool_name: Bash }\n  expect: deny\n');
  });

  test.each([
    'fire PreToolUse --input call.json',
    'fire PreToolUse --input call.json --json',
    'fire PreToolUse --input call.json --exit-code',
    'explain PreToolUse --input call.json --json',
    'list --json',
    'run session.jsonl --json',
    'replay session.jsonl --json --run-callbacks',
    'replay session.jsonl --markdown --run-callbacks',
    'test loud.hooktest.yaml --tap',
  ])('%s', async (command) => {
    const file = `loud-${command.replace(/\W+/g, '-')}.mjs`;
    folder.write(file, noisy("process.stdout.write('noise\\n')"));
    const { stdout, stderr } = await cli([...command.split(' '), '--config', file], { cwd: folder.path });
    expect(stderr).toMatch(/^noise$/m);
    expect(stdout).not.toMatch(/^noise$/m);
    expect(stdout).not.toBe('');
    if (command.endsWith('--json')) for (const line of stdout.trim().split('\n')) JSON.parse(line);
  });

  test('also what a process of its own writes with console.log', async () => {
    folder.write('logs.mjs', noisy("console.log('noise')").replace("'block'", "'approve'"));
    const args = ['fire', 'PreToolUse', '--input', 'call.json', '--exit-code', '--config', 'logs.mjs'];
    const { stdout, stderr, code } = await spawnCli(args, { cwd: folder.path });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } });
    expect(stderr.match(/^noise$/gm)).toHaveLength(2);
  });
});

test('under hookscope fire --exit-code, another input that JSON does not carry denies the call', async () => {
  const say = `{ hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: 'x \\ud83d' } }`;
  folder.write(
    'half.mjs',
    `export default { hooks: { PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: ${say} })] }] } };`,
  );
  const args = ['PreToolUse', '--input', 'call.json', '--exit-code', '--config', 'half.mjs'];
  const { stdout, stderr, code } = await fire(...args);
  expect(code).toBe(2);
  expect(stderr).toContain('half a surrogate pair');
  expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
  expect(stdout).not.toContain('updatedInput');
});

describe('under hookscope fire --exit-code, code that ends the process blocks', () => {
  const never = 'await new Promise(() => {})';
  const EXITED = 'has ended the process before the hooks had answered';
  // As processes, which these end.
  test.each([
    ['exits with 0', 'process.exit(0)', EXITED],
    ['exits with 3 a little later', `setTimeout(() => process.exit(3), 5); ${never}`, EXITED],
    ['throws in a timer', `setTimeout(() => { throw new Error('boom') }, 5); ${never}`, 'boom'],
    ['leaves a promise that rejects', `void Promise.reject(new Error('boom')); ${never}`, 'boom'],
  ])('a hook that %s', async (name, code, why) => {
    const file = `${name.replace(/\W+/g, '-')}.mjs`;
    folder.write(file, `export default { hooks: { PreToolUse: [{ hooks: [async () => { ${code}; }] }] } };`);
    const args = ['fire', 'PreToolUse', '--input', 'call.json', '--exit-code', '--config', file];
    const ended = await spawnCli(args, { cwd: folder.path });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(why);
    expect(ended.stderr).not.toMatch(/^ {4}at /m);
    expect(JSON.parse(ended.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test.each([
    ['does so', 'process.exit(0);'],
    ['waits for nothing', never],
  ])('a configuration that %s while it is loaded, on an event of the host’s own', async (_, code) => {
    folder.write('leaves.mjs', code);
    const args = ['fire', 'Deploy', '--exit-code', '--config', 'leaves.mjs'];
    const ended = await spawnCli(args, { cwd: folder.path });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(EXITED) });
  });
});

test('explain and list say that hooks are made when an agent of a type starts, and call nothing that makes them', async () => {
  const maker = "() => { throw new Error('called'); }";
  folder.write(
    'quota.mjs',
    `export default { name: 'quota', apply: (scope) => void scope.spawnHooks('researcher', ${maker}) };`,
  );
  const how = { cwd: folder.path };
  const plugin = ['--no-config', '--plugin', './quota.mjs'];
  const input = JSON.stringify({ ...LS, agent_id: 'r1', agent_type: 'researcher' });
  const explained = await cli(['explain', 'PreToolUse', ...plugin, '--input', input], how);
  const made = /hooks made when an agent of type researcher starts {2}\[quota\.mjs:1 plugin quota\]/;
  expect(explained.stdout).toMatch(new RegExp(`no hook would run\\nnot known before:\\n {2}- {2}${made.source}`));
  const listed = await cli(['list', ...plugin], how);
  expect(listed.stdout).toMatch(new RegExp(`agents of type researcher\\n +${made.source}`));
  expect(listed.stderr).not.toContain('nothing is registered');
  expect([explained.code, listed.code]).toEqual([0, 0]);
});

describe('hookscope fire on what a real client sent', () => {
  const payloads = readdirSync(WIRE).flatMap((file) => {
    const event = file.replace('.json', '');
    const inputs = JSON.parse(readFileSync(join(WIRE, file), 'utf8')) as object[];
    return inputs.map((input, i) => [`${event} ${i + 1}`, event, input] as const);
  });

  // Every tenth as a program of its own, from standard input as a client would.
  test.each(payloads.map(([name, event, input], i) => [name, event, input, i % 10 === 0 ? spawnCli : cli] as const))(
    '%s',
    async (_, event, input, program) => {
      const { stdout, stderr, code } = await program(['fire', event, '--no-config', '--input', '-', '--json'], {
        cwd: folder.path,
        stdin: `${JSON.stringify(input)}\n`,
      });
      expect([stderr, code]).toEqual(['', 0]);
      expect(JSON.parse(stdout)).toMatchObject({ event, input, decision: { event, continue: true } });
    },
  );
});

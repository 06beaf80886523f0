import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { agentEvents } from '../../src/agents/own-events.js';
import { createHost, type Host } from '../../src/create-host.js';
import { type LoadAgentHooksOptions, loadAgentHooks } from '../../src/foreign/load.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore } from '../../src/trust/store.js';
import { payloadsOf, SEEN } from '../agents/recorded.js';

let folder: string;
let host: Host;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-load-')));
  host = createHost({ logger: () => undefined, events: agentEvents() }) as Host;
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, content: unknown): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const load = (agent: string, file?: string, more: Partial<LoadAgentHooksOptions> = {}) =>
  loadAgentHooks({
    host,
    agent,
    projectDir: folder,
    home: join(folder, 'home'),
    ...(file ? { file } : {}),
    ...more,
  } as LoadAgentHooksOptions);
const bash = (command = 'ls') => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: 't1', cwd: folder });
const runs = (event: 'PreToolUse' | 'SessionStart', input: object): string[] =>
  host
    .explain(event, input as Record<string, unknown>)
    .hooks.filter((hook) => hook.runs)
    .map(({ name }) => name);
const whyNot = (input: object = bash()): unknown[] =>
  host.explain('PreToolUse', input as Record<string, unknown>).hooks.map(({ reason, why }) => [reason, why]);
const codex = (groups: object, event = 'PreToolUse') => ({ hooks: { [event]: groups } });
const command = (line: string, more: object = {}) => ({ type: 'command', command: line, ...more });

describe('what a hook gets on standard input', () => {
  test.each(SEEN.flatMap((agent) => payloadsOf(agent).map((one) => ({ agent, ...one }))))(
    '$agent $file: exactly the payload that this agent gave it',
    async ({ agent, event, text }) => {
      const { files } = agentCodec(agent);
      const hook = command('cat > got.json', {});
      const entry = files.shape === 'groups' ? { hooks: [hook] } : hook;
      const version = files.version === undefined ? {} : { version: files.version };
      await load(agent, write('hooks.json', { ...version, hooks: { [event]: [entry] } }));
      const { event: ours, input } = agentCodec(agent).decode(text, {}, [event]);
      const at = { ...input, cwd: folder };
      await host.fireAny(ours, at);
      const payload = { ...JSON.parse(text), cwd: folder };
      expect(JSON.parse(readFileSync(join(folder, 'got.json'), 'utf8'))).toEqual(payload);
    },
  );

  test.each([
    ['codex', 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }],
    ['gemini', 'BeforeTool', { tool_name: 'run_shell_command', tool_input: { command: 'ls' } }],
    ['copilot', 'preToolUse', { toolName: 'bash', toolArgs: { command: 'ls' } }],
    ['copilot', 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, hook_event_name: 'PreToolUse' }],
    ['cursor', 'preToolUse', { tool_name: 'Shell', tool_input: { command: 'ls' }, hook_event_name: 'preToolUse' }],
    ['cursor', 'beforeShellExecution', { command: 'ls' }],
  ])('%s %s: an event of ours under the names of that agent', async (agent, event, payload) => {
    const { files } = agentCodec(agent);
    const hook = command(`cat > got.json; ${agent === 'gemini' ? 'echo "$GEMINI_PROJECT_DIR" > env' : ''}`);
    const entry = files.shape === 'groups' ? { hooks: [hook] } : hook;
    await load(agent, write('hooks.json', { version: files.version, hooks: { [event]: [entry] } }));
    await host.fire('PreToolUse', bash());
    expect(JSON.parse(readFileSync(join(folder, 'got.json'), 'utf8'))).toMatchObject(payload);
  });

  test('an edit is a patch for Codex, and its result a text', async () => {
    const hooks = { PreToolUse: [{ matcher: 'Edit', hooks: [command('cat > edit.json')] }] };
    const after = { PostToolUse: [{ hooks: [command('cat > after.json')] }] };
    await load('codex', write('hooks.json', { hooks: { ...hooks, ...after } }));
    const tool_input = { file_path: 'a.ts', old_string: 'x', new_string: 'y' };
    await host.fire('PreToolUse', { ...bash(), tool_name: 'Edit', tool_input });
    expect(JSON.parse(readFileSync(join(folder, 'edit.json'), 'utf8'))).toMatchObject({
      tool_name: 'apply_patch',
      tool_input: { command: '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch\n' },
    });
    await host.fire('PostToolUse', { ...bash(), tool_response: { stdout: 'out', stderr: '' } });
    expect(JSON.parse(readFileSync(join(folder, 'after.json'), 'utf8')).tool_response).toBe('out');
  });
});

describe('matchers', () => {
  const tools = ['Bash', 'Edit', 'Write', 'Read', 'Agent', 'mcp__github__push'];
  const matched = (): string[] => tools.filter((tool_name) => runs('PreToolUse', { ...bash(), tool_name }).length > 0);

  test.each([
    ['codex', '', tools],
    ['codex', 'Bash', ['Bash']],
    ['codex', 'bash', []],
    ['codex', 'Bash|Read', ['Bash', 'Read']],
    ['codex', 'apply_patch', ['Edit', 'Write']],
    ['codex', 'Write', ['Edit', 'Write']],
    ['codex', 'mcp__.*', ['mcp__github__push']],
    ['codex', 'mcp__', []],
    ['codex', 'a.h', ['Bash']],
    ['codex', '(', []],
    ['copilot', 'bash', ['Bash']],
    ['copilot', 'Bash', []],
    ['copilot', 'bas', []],
    ['copilot', 'bash|view', ['Bash', 'Read']],
    ['copilot', '[', []],
    ['copilot', 'github-push', ['mcp__github__push']],
    ['copilot', 'github-.*', ['mcp__github__push']],
    ['copilot', 'mcp__.*', []],
    ['gemini', 'mcp_github_.*', ['mcp__github__push']],
    ['gemini', 'mcp__github__push', ['mcp__github__push']],
    ['cursor', 'MCP:push', ['mcp__github__push']],
    ['cursor', 'github', []],
    ['gemini', 'shell', ['Bash']],
    ['gemini', 'run_shell_command|replace', ['Bash', 'Edit']],
    ['gemini', 'Bash', []],
    ['gemini', '*', tools],
    ['cursor', 'Shell', ['Bash']],
    ['cursor', 'Write', ['Edit', 'Write']],
    ['cursor', 'Edit', ['Edit']],
    ['cursor', 'Shell|Read', ['Bash', 'Read']],
  ])('%s: %j', async (agent, matcher, expected) => {
    const { files, events } = agentCodec(agent);
    const event = events.find(({ ours }) => ours === 'PreToolUse')?.name as string;
    const hook = command('true');
    const entry = files.shape === 'groups' ? { matcher, hooks: [hook] } : { matcher, ...hook };
    await load(agent, write('hooks.json', { version: files.version, hooks: { [event]: [entry] } }));
    expect(matched()).toEqual(expected);
  });

  test('of other events: exact in Gemini, by the field that the agent has for it', async () => {
    const groups = [
      { matcher: 'startup', hooks: [command('a')] },
      { matcher: 'start', hooks: [command('b')] },
      { matcher: '[', hooks: [command('c')] },
    ];
    await load('gemini', write('settings.json', { hooks: { SessionStart: groups } }));
    expect(runs('SessionStart', { source: 'startup' })).toEqual(['a']);
  });

  test("Cursor's events of one tool run for it alone, and those that came from Cursor for their own name", async () => {
    const hooks = {
      preToolUse: [command('all')],
      beforeShellExecution: [command('shell', { matcher: '^git ' })],
      beforeReadFile: [command('read')],
      beforeMCPExecution: [command('mcp')],
    };
    await load('cursor', write('hooks.json', { version: 1, hooks }));
    expect(runs('PreToolUse', bash('git push'))).toEqual(['all', 'shell']);
    expect(runs('PreToolUse', bash('ls'))).toEqual(['all']);
    expect(runs('PreToolUse', { ...bash(), tool_name: 'Read', tool_input: { file_path: 'a' } })).toEqual([
      'all',
      'read',
    ]);
    expect(runs('PreToolUse', { ...bash(), tool_name: 'mcp__a__b' })).toEqual(['all', 'mcp']);
    const shell = { hook_event_name: 'beforeShellExecution', command: 'git push', conversation_id: 'c' };
    expect(runs('PreToolUse', agentCodec('cursor').decode(JSON.stringify(shell)).input)).toEqual(['shell']);
  });
});

describe('units, order and fields', () => {
  const described = () => host.describe().children.flatMap(({ hooks }) => hooks);

  test.each([
    ['codex', { timeout: 5 }, 5],
    ['codex', {}, 600],
    ['copilot', { timeoutSec: 5 }, 5],
    ['copilot', {}, 30],
    ['gemini', { timeout: 5_000 }, 5],
    ['gemini', {}, 60],
    ['cursor', { timeout: 5 }, 5],
  ])('%s with %j waits %d seconds', async (agent, more, seconds) => {
    const { files, events } = agentCodec(agent);
    const event = events.find(({ ours }) => ours === 'PreToolUse')?.name as string;
    const hook = command('true', more);
    const entry = files.shape === 'groups' ? { hooks: [hook] } : hook;
    await load(agent, write('hooks.json', { version: files.version, hooks: { [event]: [entry] } }));
    expect(described().map(({ timeout }) => timeout)).toEqual([seconds]);
  });

  test('of several rewrites in Codex that of the last to finish counts, asked again or not', async () => {
    const rewrite = (to: string) =>
      `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: to } } })}'`;
    const late = `until [ -e done ]; do sleep 0.1; done; sleep 0.2; ${rewrite('late')}`;
    const early = `${rewrite('early')}; touch done`;
    await load('codex', write('hooks.json', codex([{ hooks: [command(late), command(early)] }])));
    const { updatedInput } = await host.fire('PreToolUse', bash());
    expect(updatedInput).toEqual({ command: 'late' });
  });

  test('in Gemini a group that is sequential has all of the event run one after the other, each with the input as it stands', async () => {
    const change = `echo '${JSON.stringify({ hookSpecificOutput: { tool_input: { command: 'changed' } } })}'`;
    const groups = [
      { sequential: true, hooks: [command(change)] },
      { matcher: 'shell', hooks: [command('cat > got.json')] },
    ];
    await load('gemini', write('settings.json', { hooks: { BeforeTool: groups } }));
    expect(described().map(({ mode }) => mode)).toEqual(['series', 'series']);
    const input = { ...bash(), tool_input: { command: 'ls', description: 'd' } };
    const { updatedInput } = await host.fire('PreToolUse', input);
    // Keys that are left out stay.
    expect(updatedInput).toEqual({ command: 'changed', description: 'd' });
    expect(JSON.parse(readFileSync(join(folder, 'got.json'), 'utf8')).tool_input.command).toBe('changed');
  });

  test('Copilot: bash before command, cwd and env, one after the other', async () => {
    mkdirSync(join(folder, 'sub'));
    const hook = {
      type: 'command',
      bash: 'echo "$PWD $NAME $COPILOT_PROJECT_DIR" > "$OUT"',
      powershell: 'x',
      cwd: 'sub',
    };
    const env = { NAME: 'n', OUT: join(folder, 'out') };
    await load(
      'copilot',
      write('hooks.json', { version: 1, hooks: { preToolUse: [{ ...hook, env }, command('true')] } }),
    );
    expect(described().map(({ mode }) => mode)).toEqual(['series', 'series']);
    await host.fire('PreToolUse', bash());
    expect(readFileSync(join(folder, 'out'), 'utf8').trim()).toBe(`${join(folder, 'sub')} n ${folder}`);
  });

  test('Cursor: a hook that fails blocks where it is failClosed, and not elsewhere', async () => {
    const at = async (more: object): Promise<string> => {
      const { undo } = await load(
        'cursor',
        write('hooks.json', { version: 1, hooks: { preToolUse: [command('exit 1', more)] } }),
      );
      const { verdict } = await host.fire('PreToolUse', bash());
      undo();
      return verdict;
    };
    expect([await at({}), await at({ failClosed: true })]).toEqual(['none', 'deny']);
  });

  test('what cannot be run here is listed with the reason, and told', async () => {
    const hooks = {
      preToolUse: [{ type: 'command', powershell: 'x.ps1' }],
      sessionStart: [{ type: 'prompt', prompt: 'say hello' }],
    };
    const { problems } = await load('copilot', write('hooks.json', { version: 1, hooks }));
    expect(problems.map(({ where, message }) => [where, message])).toEqual([
      ['hooks.preToolUse[0]', expect.stringMatching(/^does not run here: it has no command for /)],
      ['hooks.sessionStart[0]', expect.stringMatching(/^does not run here: GitHub Copilot CLI puts this prompt/)],
    ]);
    expect(whyNot()).toEqual([['unsupported', expect.stringContaining('hooks.preToolUse[0] in ')]]);
  });

  test('Copilot: a server is asked in its words and heard in its words; one that cannot be asked denies a tool', async () => {
    let asked = '';
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (piece: string) => {
        asked += piece;
      });
      request.on('end', () =>
        response.end(JSON.stringify({ permissionDecision: 'deny', permissionDecisionReason: 'no' })),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const hooks = { preToolUse: [{ type: 'http', url }] };
    const { undo } = await load('copilot', write('hooks.json', { version: 1, hooks }));
    expect(await host.fire('PreToolUse', bash())).toMatchObject({ verdict: 'deny', reason: 'no', failures: [] });
    expect(JSON.parse(asked)).toMatchObject({ toolName: 'bash', toolArgs: { command: 'ls' } });
    undo();
    await new Promise((resolve) => server.close(resolve));
    await load('copilot', write('hooks.json', { version: 1, hooks }));
    expect(await host.fire('PreToolUse', bash())).toMatchObject({
      verdict: 'deny',
      failures: [{ cause: 'connection' }],
    });
  });

  test("Cursor: a prompt is put to the host's model, with Cursor's payload", async () => {
    const prompts: string[] = [];
    await host.close();
    host = createHost({
      logger: () => undefined,
      model: ({ prompt }) => {
        prompts.push(prompt);
        return { ok: false, reason: 'not this' };
      },
    }) as Host;
    const hooks = { preToolUse: [{ type: 'prompt', prompt: 'Is this safe? $ARGUMENTS' }] };
    await load('cursor', write('hooks.json', { version: 1, hooks }));
    expect(await host.fire('PreToolUse', bash())).toMatchObject({ verdict: 'deny', reason: 'not this' });
    expect(prompts).toEqual([expect.stringContaining('"tool_name":"Shell"')]);
  });

  test('what the agent itself switches off does not run', async () => {
    const file = {
      hooksConfig: { disabled: ['audit'] },
      hooks: { BeforeTool: [{ hooks: [command('a', { name: 'audit' }), command('b')] }] },
    };
    await load('gemini', write('settings.json', file));
    expect(runs('PreToolUse', bash())).toEqual(['b']);
    await load(
      'copilot',
      write('off.json', { version: 1, disableAllHooks: true, hooks: { preToolUse: [command('c')] } }),
    );
    expect(runs('PreToolUse', bash())).toEqual(['b']);
  });
});

describe('files', () => {
  const toml =
    '[[hooks.PreToolUse]]\nmatcher = "^Bash$"\n\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "echo no >&2; exit 2"\ntimeout = 30\n';

  test('hooks in config.toml', async () => {
    await load('codex', write('.codex/config.toml', `model = "m"\n${toml}\n[hooks.state."a:b"]\nenabled = true\n`));
    expect(await host.fire('PreToolUse', bash())).toMatchObject({ verdict: 'deny', reason: 'no' });
  });

  test.each([
    ['codex', 'hooks.json', '{ "hooks": {\n "PreToolUse": [ }', /line 2, column 18: is not JSON/],
    ['codex', 'config.toml', 'a = 1\nb =\n', /line [23], column \d: is not TOML/],
    [
      'codex',
      'hooks.json',
      '{\n "$schema": "x", "hooks": {} }',
      /line 2, column 2: \$schema: Codex CLI drops the whole file/,
    ],
    [
      'codex',
      'hooks.json',
      '{"hooks": {\n"Stop": [{"hooks": [\n{"command": "x"}]}]}}',
      /line 3, column 1: hooks\.Stop\[0\]\.hooks\[0\]\.type: expected one of command/,
    ],
    ['cursor', 'hooks.json', '{ "hooks": {} }', /Cursor wants "version": 1/],
    ['copilot', 'a.json', '{"version": 1,\n"hooks": []}', /line 2, column 1: hooks: expected an object by event/],
  ])('%s %s that is wrong is an error with its line', async (agent, name, text, message) => {
    await expect(load(agent, write(name, text))).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ['gemini', '.gemini/settings.json', 'BeforeTool'],
    ['codex', '.codex/hooks.json', 'PreToolUse'],
  ])(
    'a relative path of %s’s own file means the folder of the session, as in the agent',
    async (agent, name, event) => {
      const lines = ['./hooks/guard.sh', 'cd "$GEMINI_PROJECT_DIR" && ./hooks/guard.sh'];
      for (const at of ['hooks', `${dirname(name)}/hooks`]) {
        write(`${at}/guard.sh`, `# ${at}`);
        write(`other/${at}/guard.sh`, `# other ${at}`);
      }
      await load(agent, write(name, codex([{ hooks: lines.map((line) => command(line)) }], event)));
      for (const cwd of [folder, join(folder, 'other')])
        expect(whyNot({ ...bash(), cwd })).toEqual(lines.map(() => [undefined, undefined]));
    },
  );

  test('an unknown agent, and Claude Code, are refused', async () => {
    await expect(load('codexx', 'x')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(load('claude-code', 'x')).rejects.toThrow('loadClaudeCode');
    await expect(load('codex', write('h.json', codex([])), { wrong: 1 } as object)).rejects.toThrow('wrong');
  });

  test('the events that only this agent has need a host that has them', async () => {
    await host.close();
    host = createHost({ logger: () => undefined }) as Host;
    const { problems } = await load(
      'gemini',
      write('settings.json', { hooks: { BeforeModel: [{ hooks: [command('x')] }] } }),
    );
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("agentEvents('gemini')")]);
  });
});

describe('consent', () => {
  const store = () => createTrustStore(join(dirname(folder), `${folder.split('/').at(-1)}-trust.json`));
  const guard = (words = 'no') => codex([{ hooks: [command(`./guard.sh ${words}`)] }]);
  const verdict = async (): Promise<unknown> => {
    const { verdict, failures } = await host.fire('PreToolUse', bash());
    return failures.length > 0 ? failures[0]?.cause : verdict;
  };
  const found = async () => {
    const loaded = await load('codex', undefined, { trust: store() });
    const said = await verdict();
    const states = loaded.held.map(({ state }) => state);
    loaded.undo();
    return { said, states, held: loaded.held };
  };

  test('what is found runs once it is accepted, by its bytes and those of what it names; what was accepted does not vanish', async () => {
    write('.codex/hooks.json', guard());
    write('guard.sh', '#!/bin/sh\necho "$1" >&2; exit 2\n');
    rmSync(store().path as string, { force: true });
    const before = await found();
    expect([before.said, before.states]).toEqual(['none', ['never']]);
    expect(await load('codex', undefined, { trust: store() }).then(() => whyNot())).toEqual([
      ['trust', expect.stringContaining('hookscope trust --from codex')],
    ]);
    await host.close();
    host = createHost({ logger: () => undefined }) as Host;
    const [held] = before.held;
    if (held) acceptTrust(held.request, store());
    writeFileSync(join(folder, 'guard.sh'), '#!/bin/sh\necho "$1" >&2; exit 2\n', { mode: 0o755 });
    const { chmodSync } = await import('node:fs');
    chmodSync(join(folder, 'guard.sh'), 0o755);
    expect(await found()).toMatchObject({ said: 'deny', states: [] });
    write('guard.sh', '#!/bin/sh\nexit 0\n');
    expect(await found()).toMatchObject({ said: 'untrusted', states: ['changed'] });
    write('guard.sh', '#!/bin/sh\necho "$1" >&2; exit 2\n');
    write('.codex/hooks.json', guard('other'));
    expect(await found()).toMatchObject({ said: 'untrusted', states: ['changed'] });
    rmSync(join(folder, '.codex'), { recursive: true });
    expect(await found()).toMatchObject({ said: 'untrusted', states: ['gone'] });
    rmSync(store().path as string, { force: true });
  });

  test("the user's own files need none, and Codex's are found from the repository's folder down", async () => {
    write('home/.codex/hooks.json', codex([{ hooks: [command('user')] }]));
    write('.git/HEAD', 'ref');
    write('.codex/hooks.json', codex([{ hooks: [command('root')] }]));
    write('sub/.codex/hooks.json', codex([{ hooks: [command('sub')] }]));
    const { files } = await load('codex', undefined, { trust: 'all', projectDir: join(folder, 'sub') });
    expect(files.map(({ file, place, status }) => [file.slice(folder.length), place, status])).toEqual([
      ['/home/.codex/hooks.json', 'user', 'loaded'],
      ['/.codex/hooks.json', 'project', 'loaded'],
      ['/sub/.codex/hooks.json', 'project', 'loaded'],
    ]);
    expect(runs('PreToolUse', bash())).toEqual(['user', 'root', 'sub']);
  });

  test('files that are read as Claude Code writes them are left to --claude-code, and named', async () => {
    const file = write('.claude/settings.json', { hooks: {} });
    expect(await load('copilot')).toMatchObject({ leftAlone: [file], files: [] });
  });
});

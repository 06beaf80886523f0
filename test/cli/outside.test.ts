import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { heldMcpServers } from '../../src/claude-code/trust/mcp-servers.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore, type TrustStore } from '../../src/trust/store.js';
import { ROOT } from '../package/sources.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { cli, type Finished } from './cli.js';

interface Asked {
  readonly key: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly content: unknown }[];
    readonly tools?: unknown;
  };
}

/** A server that speaks the Messages API: it says no to what holds the word `rm`. */
let asked: Asked[] = [];
let api: Server;
let address: string;
beforeAll(async () => {
  api = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
    asked.push({
      key: request.headers['x-api-key']?.toString() ?? request.headers.authorization?.replace('Bearer ', ''),
      body,
    });
    const bad = JSON.stringify(body.messages).includes('rm -r');
    const verdict = { ok: !bad, ...(bad ? { reason: 'the model says no' } : {}) };
    const content = body.tools
      ? [{ type: 'tool_use', id: 't1', name: 'answer', input: verdict }]
      : [{ type: 'text', text: JSON.stringify(verdict) }];
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...{ id: 'm1', type: 'message', role: 'assistant', model: body.model, content },
        ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
      }),
    );
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => api.close(resolve)));

let folder: Folder;
let home: Folder;
let store: TrustStore;
beforeEach(() => {
  asked = [];
  folder = createFolder();
  home = createFolder();
  store = createTrustStore(join(home.path, 'config/hookscope/trust.json'));
});
afterEach(() => {
  folder.remove();
  home.remove();
});

const KEY = { ANTHROPIC_API_KEY: 'the-key', ANTHROPIC_AUTH_TOKEN: undefined };
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> =>
  cli(args, {
    cwd: folder.path,
    env: { HOME: home.path, XDG_CONFIG_HOME: join(home.path, 'config'), ANTHROPIC_BASE_URL: address, ...KEY, ...env },
  });
const hooks = (hook: object): object => ({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } });
async function fired(command: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await run([
    'fire',
    'PreToolUse',
    '--json',
    '--input',
    JSON.stringify({ ...LS, tool_input: { command } }),
    ...args,
  ]);
  expect(stdout, stderr).toMatch(/^\{/);
  return (JSON.parse(stdout) as { decision: Record<string, unknown> }).decision;
}

describe('--model anthropic:NAME', () => {
  test.each(['prompt', 'agent'])('answers %s hooks', async (type) => {
    folder.write('h.json', hooks({ type, prompt: 'Is it safe? $ARGUMENTS', onFailure: 'block' }));
    const how = ['--hooks', 'h.json', '--model', 'anthropic:some-model'];
    expect(await fired('rm -r .', ...how)).toMatchObject({
      verdict: 'deny',
      reason: 'the model says no',
      failures: [],
    });
    expect(await fired('ls', ...how)).toMatchObject({ verdict: 'none', failures: [] });
    expect(asked.map(({ key, body }) => [key, body.model])).toEqual([
      ['the-key', 'some-model'],
      ['the-key', 'some-model'],
    ]);
  });

  test.each(['anthropic', 'anthropic:', 'openai:gpt', 'some-model', ''])('%j is refused', async (model) => {
    const { stderr, code } = await run(['list', '--model', model]);
    expect([stderr, code]).toEqual([expect.stringContaining('Invalid option --model: expected anthropic:NAME'), 1]);
  });

  test('needs a key in the environment', async () => {
    const { stderr, code } = await run(['list', '--model', 'anthropic:x'], { ANTHROPIC_API_KEY: undefined });
    expect([stderr, code]).toEqual([expect.stringContaining('ANTHROPIC_API_KEY'), 1]);
  });

  test('neither key nor address come from what a project says, accepted or not', async () => {
    const env = {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'theirs',
      ANTHROPIC_AUTH_TOKEN: 'theirs',
    };
    folder.write(
      '.env',
      Object.entries(env)
        .map((pair) => pair.join('='))
        .join('\n'),
    );
    folder.write('.claude/settings.json', {
      env,
      ...hooks({ type: 'prompt', prompt: 'Safe? $ARGUMENTS', timeout: 20 }),
    });
    folder.write('.claude/settings.local.json', { env });
    folder.write('c.config.mjs', `Object.assign(process.env, ${JSON.stringify(env)}); export default {};`);
    const how = ['--claude-code', '.', '--trust', 'all', '--config', 'c.config.mjs', '--model', 'anthropic:m'];
    expect(await fired('rm -r .', ...how)).toMatchObject({ verdict: 'deny', failures: [] });
    expect(asked.map(({ key }) => key)).toEqual(['the-key']);
  });

  test('without it, list and check say that they cannot run and why, and a fire fails by its policy', async () => {
    folder.write('.claude/settings.json', hooks({ type: 'prompt', prompt: 'Safe?' }));
    const why = /hooks.* cannot run.*no model.*--model anthropic:NAME/;
    expect((await run(['list', '--claude-code', '.', '--trust', 'all'])).stderr).toMatch(why);
    expect((await run(['check'])).stdout).toMatch(why);
    // Whoever fires it by hand is told what to write on the command line; a caller of the hook reads the failure.
    const fire = ['fire', 'PreToolUse', '--claude-code', '.', '--trust', 'all', '--input', JSON.stringify(LS)];
    expect((await run(fire)).stderr).toMatch(why);
    expect((await run([...fire, '--exit-code'])).stderr).not.toMatch(why);
    expect((await run(['list', '--claude-code', '.', '--trust', 'all', '--model', 'anthropic:m'])).stderr).not.toMatch(
      why,
    );
    expect((await run(['check', '--model', 'anthropic:m'])).stdout).not.toMatch(why);
    expect(asked).toEqual([]);
    expect(await fired('ls', '--claude-code', '.', '--trust', 'all')).toMatchObject({
      failures: [{ cause: 'spawn_failed' }],
    });
  });
});

describe('MCP servers', () => {
  const PROGRAM = join(ROOT, 'test/fixtures/programs/mcp-server.mjs');
  const DENY = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'scanned',
    },
  });
  const server = (more: object = {}): object => ({ command: process.execPath, args: [PROGRAM], ...more });
  const call = { type: 'mcp_tool', server: 'scanner', tool: 'hookish', input: { text: DENY } };
  const accept = (): void => {
    for (const { request } of heldMcpServers(folder.path, store)) acceptTrust(request, store);
  };
  const scan = (): Promise<Record<string, unknown>> => fired('ls', '--hooks', 'h.json');
  beforeEach(() => void folder.write('h.json', hooks(call)));

  test.each(['.mcp.json', '.claude/settings.json', '.claude/settings.local.json'])(
    'of %s run once they are accepted',
    async (file) => {
      folder.write(file, { mcpServers: { scanner: server() } });
      expect(await scan()).toMatchObject({ verdict: 'ask', failures: [{ cause: 'untrusted' }] });
      accept();
      expect(await scan()).toMatchObject({ verdict: 'deny', reason: 'scanned', failures: [] });
    },
  );

  test('of .mcp.json that have changed or are gone since do not run, and what they guarded is asked about', async () => {
    folder.write('scanner.mjs', readFileSync(PROGRAM, 'utf8'));
    const marked = (text: string): void =>
      writeFileSync(join(folder.path, 'scanner.mjs'), `${readFileSync(PROGRAM, 'utf8')}\n// ${text}`);
    const own = { command: process.execPath, args: ['./scanner.mjs'] };
    const refused = {
      verdict: 'ask',
      failures: [{ cause: 'untrusted', message: expect.stringMatching(/hookscope trust/) }],
    };
    folder.write('.mcp.json', { mcpServers: { scanner: own } });
    accept();
    folder.write('.mcp.json', { mcpServers: { scanner: { ...own, env: { X: '1' } } } });
    expect(await scan()).toMatchObject(refused);
    folder.write('.mcp.json', { mcpServers: {} });
    expect(await scan()).toMatchObject(refused);
    folder.write('.mcp.json', { mcpServers: { scanner: own } });
    marked('other bytes');
    expect(await scan()).toMatchObject(refused);
  });

  test('of the user need no consent, and no project takes their names', async () => {
    home.write('.claude.json', { mcpServers: { scanner: server() } });
    folder.write('.mcp.json', { mcpServers: { scanner: { command: '/nowhere/evil' } } });
    const decision = await fired('ls', '--hooks', 'h.json', '--claude-code', '.');
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'scanned' });
  });

  test('are given what the environment holds, by name, or what stands instead', async () => {
    const env = { A: `\${WHO:-nobody}`, B: `\${HOOKSCOPE_TEST_B:-otherwise}` };
    folder.write('.mcp.json', { mcpServers: { scanner: server({ env }) } });
    accept();
    for (const [name, value] of [
      ['A', 'me'],
      ['B', 'otherwise'],
    ] as const) {
      folder.write('h.json', hooks({ ...call, tool: 'env', input: { text: name } }));
      const { stdout } = await run(
        ['fire', 'PreToolUse', '--json', '--input', JSON.stringify(LS), '--hooks', 'h.json'],
        { WHO: 'me' },
      );
      expect(JSON.parse(stdout).decision.systemMessages).toEqual([value]);
    }
  });

  test('list, explain and check start none, and say what cannot run and why', async () => {
    folder.write('.mcp.json', { mcpServers: { scanner: { command: 'sh', args: ['-c', 'echo RAN > ran'] } } });
    const list = await run(['list', '--hooks', 'h.json']);
    expect(list.stderr).toMatch(
      /mcp_tool hooks cannot run: the MCP servers of .*\.mcp\.json are not accepted; see hookscope trust/,
    );
    const check = await run(['check', '--hooks', 'h.json']);
    expect(check.stdout).toMatch(/MCP tool hooks \(1\) run in hookscope only on servers/);
    await run(['explain', 'PreToolUse', '--tool', 'Bash', '--hooks', 'h.json']);
    expect(() => readFileSync(join(folder.path, 'ran'))).toThrow('ENOENT');
    folder.write('.mcp.json', {});
    expect((await run(['list', '--hooks', 'h.json'])).stderr).toMatch(/no MCP server is known here/);
  });

  test('that are held are shown by trust, and kept apart from the hooks of the same file', async () => {
    folder.write('.claude/settings.json', { mcpServers: { scanner: server() }, ...hooks(call) });
    const { stdout, code } = await run(['trust']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^mcp {2}.*settings\.json$/m);
    expect(stdout).toMatch(/^project {2}.*settings\.json$/m);
    accept();
    const after = await run(['trust']);
    expect(after.stdout).not.toMatch(/^mcp {2}/m);
    expect(after.stdout).toMatch(/^project {2}.*settings\.json$/m);
  });
});

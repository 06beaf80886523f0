// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how a hook's input names fields
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import type { HookRecord } from '../../src/emit/record.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import { interpolate } from '../../src/handlers/mcp/interpolate.js';
import { type McpToolOptions, mcpTool } from '../../src/handlers/mcp/spec.js';
import type { CallTool } from '../../src/handlers/mcp/tool-caller.js';
import type { HostOptions } from '../../src/host/options.js';
import { fireAny, fires, only, registerAs, testHost, until } from '../host/kit.js';
import { processes } from './shell-call.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/mcp-server.mjs', import.meta.url));
const SERVER = { command: process.execPath, args: [PROGRAM] };
const INPUT = { tool_name: 'Bash', tool_input: { command: 'echo "hi"' }, tool_use_id: 't1' };

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

function hostWith(options: HostOptions): Host {
  const { host } = testHost(options);
  hosts.push(host);
  return host;
}

const { host: shared } = testHost({ mcpServers: { mem: SERVER } });
afterAll(() => shared.close());
/** One for all tests that do not count servers: starting one takes time. */
const serverHost = (): Host => shared;

interface Ask {
  readonly event?: HookEvent;
  readonly input?: Record<string, unknown>;
  readonly toolInput?: Readonly<Record<string, unknown>>;
  readonly options?: McpToolOptions;
}

/** One fire with one hook that calls a tool of the server `mem`. */
async function ask(host: Host, tool: string, { event = 'PreToolUse', input = INPUT, toolInput, options }: Ask = {}) {
  const undo = host.register({ [event]: [{ hooks: [mcpTool('mem', tool, toolInput, { timeout: 10, ...options })] }] });
  const seen: HookRecord[] = [];
  const watching = host.events$.subscribe((record) => seen.push(record));
  const decision = await fireAny(host, event, input);
  watching.unsubscribe();
  undo();
  return { decision, handler: only(only(fires(seen)).handlers), causes: decision.failures.map((f) => f.cause) };
}

const say = (text: string): Ask => ({ toolInput: { text } });

describe('an mcp_tool hook, with a server of the host', () => {
  test('has its fields filled in, and a JSON text is its output', async () => {
    const text =
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"${tool_name}: ${tool_use_id}${none}"}}';
    const { decision, handler } = await ask(serverHost(), 'hookish', say(text));
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'Bash: t1', failures: [] });
    expect(handler).toMatchObject({ status: 'ran', handler: 'mcp_tool', name: 'mem/hookish', exit_code: 0 });
  });

  test('is read as the stdout of a command is', async () => {
    const host = serverHost();
    expect((await ask(host, 'hookish', say('a remark'))).decision).toMatchObject({ verdict: 'none', failures: [] });
    expect((await ask(host, 'hookish', say(''))).decision).toMatchObject({ verdict: 'none', failures: [] });
    expect((await ask(host, 'hookish', say('{bad}'))).causes).toEqual(['bad_json']);
    expect((await ask(host, 'hookish', say('{"a":'))).causes).toEqual(['bad_json']);
    expect((await ask(host, 'hookish', say('{"hookSpecificOutput":{}}'))).causes).toEqual(['bad_schema']);
    const prompt = { event: 'UserPromptSubmit', input: { prompt: 'go' } } as const;
    expect((await ask(host, 'lines', prompt)).decision.additionalContext).toEqual(['one\ntwo']);
  });

  test.each([
    ['that says it failed', 'refuse', say('no disk'), 'threw', 'no disk'],
    ['that is not there', 'nothing', {}, 'threw', 'nothing'],
    ['that wants other input', 'hookish', {}, 'threw', 'text'],
    ['that answers more than a megabyte', 'big', {}, 'too_large', '1048576'],
    ['that ends its server', 'die', {}, 'connection', 'mem'],
  ])('fails by name on a tool %s', async (_what, tool, how, cause, words) => {
    const { decision, causes } = await ask(serverHost(), tool, how);
    expect(decision.verdict).toBe('none');
    expect(causes).toEqual([cause]);
    expect(decision.failures[0]?.message).toContain(words);
  });

  test('starts a server once, and again after it has died', async () => {
    const host = hostWith({ mcpServers: { mem: SERVER } });
    const pid = async () => only((await ask(host, 'pid')).decision.systemMessages);
    const first = await pid();
    expect(await pid()).toBe(first);
    process.kill(Number(first), 'SIGKILL');
    await until(() => processes(PROGRAM).every((line) => !line.trim().startsWith(first)));
    const { causes } = await ask(host, 'pid');
    // Whether the call was made before the death was noticed is a race; the one after it must not fail.
    expect([[], ['connection']]).toContainEqual(causes);
    expect(await pid()).not.toBe(first);
  });

  test('is ended by its timeout; the server is told, and lives on', async () => {
    const host = serverHost();
    const { decision: before } = await ask(host, 'pid');
    expect((await ask(host, 'hang', { options: { timeout: 0.2 } })).causes).toEqual(['timeout']);
    expect((await ask(host, 'cancelled')).decision.systemMessages).toEqual(['1 cancelled']);
    expect((await ask(host, 'pid')).decision.systemMessages).toEqual(before.systemMessages);
  });

  test('starts servers with our environment and their own, and ends them with the host', async () => {
    process.env['HOOK_OURS'] = 'ours';
    const { host } = testHost({ mcpServers: { mem: { ...SERVER, env: { HOOK_THEIRS: 'theirs' } } } });
    const ours = await ask(host, 'env', say('HOOK_OURS'));
    const theirs = await ask(host, 'env', say('HOOK_THEIRS'));
    delete process.env['HOOK_OURS'];
    expect([ours, theirs].map((a) => a.decision.systemMessages)).toEqual([['ours'], ['theirs']]);
    const pid = only((await ask(host, 'pid')).decision.systemMessages);
    await host.close();
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  test('names what keeps a server from being connected', async () => {
    const broken = { command: process.execPath, args: [PROGRAM, '--broken'] };
    const missing = { command: '/nowhere/mcp-server' };
    for (const [server, words] of [
      [broken, 'it said: no database'],
      [missing, 'ENOENT'],
    ] as const) {
      const { decision, causes } = await ask(hostWith({ mcpServers: { mem: server } }), 'pid');
      expect(causes).toEqual(['connection']);
      expect(decision.failures[0]?.message).toContain('MCP server "mem" is not connected');
      expect(decision.failures[0]?.message).toContain(words);
    }
  });

  test('closes at once while a server does not answer', async () => {
    const { host } = testHost({ mcpServers: { mem: { command: 'sleep', args: ['60'] } } });
    expect((await ask(host, 'pid', { options: { timeout: 0.2 } })).causes).toEqual(['timeout']);
    await host.close();
  });

  test('speaks to a server at a URL, with its headers', async () => {
    const program = spawn(process.execPath, [PROGRAM, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(program.stdout, 'data')) as [Buffer];
      const url = `http://127.0.0.1:${String(line).trim()}/mcp`;
      const type = 'http';
      const good = hostWith({ mcpServers: { mem: { type, url, headers: { Authorization: 'Bearer key' } } } });
      expect((await ask(good, 'pid')).decision.systemMessages).toEqual([String(program.pid)]);
      const bad = hostWith({ mcpServers: { mem: { type, url } } });
      expect((await ask(bad, 'pid')).causes).toEqual(['connection']);
    } finally {
      program.kill();
    }
  });

  test('runs on SessionStart too, and fails there by name where no such server is connected', async () => {
    const start = { event: 'SessionStart', input: { source: 'startup' } } as const;
    expect((await ask(serverHost(), 'lines', start)).decision.additionalContext).toEqual(['one\ntwo']);
    const { decision, causes } = await ask(hostWith({}), 'lines', start);
    expect(causes).toEqual(['connection']);
    expect(decision.failures[0]?.message).toContain('MCP server "mem" is not connected');
  });
});

describe('where failures of an mcp_tool hook block', () => {
  const blocks: McpToolOptions = { onFailure: 'block' };

  test.each([
    ['plain text', 'hookish', { text: 'could not check' }],
    ['an object without a field of a hook', 'hookish', { text: '{"status":"fine"}' }],
    ['an object with a reason alone', 'hookish', { text: '{"reason":"fine"}' }],
    ['a picture', 'picture', undefined],
  ])('%s is a failure', async (_what, tool, toolInput) => {
    const { decision, causes } = await ask(serverHost(), tool, { ...(toolInput && { toolInput }), options: blocks });
    expect(causes).toEqual(['bad_schema']);
    expect(decision.verdict).toBe('deny');
  });

  test.each(['{}', '', '{"systemMessage":"checked"}', '{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}'])(
    '%j is none',
    async (text) => {
      const { decision } = await ask(serverHost(), 'hookish', { ...say(text), options: blocks });
      expect(decision).toMatchObject({ verdict: 'none', failures: [] });
    },
  );

  test('plain text is an answer where the event asks for it, and where nothing can be blocked', async () => {
    const compact = { event: 'PreCompact', input: { trigger: 'auto', custom_instructions: null } } as const;
    const host = serverHost();
    const kept = await ask(host, 'lines', { ...compact, options: blocks });
    expect(kept.decision).toMatchObject({ blocked: false, additionalContext: ['one\ntwo'], failures: [] });
    const stop = { event: 'Stop', input: { stop_hook_active: false } } as const;
    expect((await ask(host, 'lines', { ...stop, options: blocks })).causes).toEqual([]);
    const prompt = { event: 'UserPromptSubmit', input: { prompt: 'go' } } as const;
    expect((await ask(host, 'lines', { ...prompt, options: blocks })).decision.blocked).toBe(true);
  });
});

describe('the host option callTool', () => {
  const calls: unknown[][] = [];
  const callTool: CallTool = (server, tool, input, { signal }) => {
    calls.push([server, tool, input, signal instanceof AbortSignal]);
    if (server !== 'mem') return undefined;
    if (tool === 'throw') throw new Error('BOOM');
    if (tool === 'never') return new Promise(() => {});
    return tool === 'text' ? '{"systemMessage":"hi"}' : { content: [{ type: 'text', text: '{"systemMessage":"ho"}' }] };
  };

  test('is asked with the input filled in, and may answer a text or what the protocol has', async () => {
    const host = hostWith({ callTool });
    const input = { cmd: '${tool_input.command}', deep: [{ n: 1, all: '${tool_input}' }] };
    expect((await ask(host, 'text', { toolInput: input })).decision.systemMessages).toEqual(['hi']);
    const filled = { cmd: 'echo "hi"', deep: [{ n: 1, all: '{"command":"echo \\"hi\\""}' }] };
    expect(calls.at(-1)).toEqual(['mem', 'text', filled, true]);
    expect((await ask(host, 'protocol')).decision.systemMessages).toEqual(['ho']);
  });

  test('is the failure where it throws, and does not hold up a fire it does not answer', async () => {
    const host = hostWith({ callTool });
    const thrown = await ask(host, 'throw');
    expect(thrown.causes).toEqual(['threw']);
    expect(thrown.decision.failures[0]?.message).toContain('BOOM');
    expect((await ask(host, 'never', { options: { timeout: 0.1 } })).causes).toEqual(['timeout']);
  });

  test('leaves servers it does not know to the host', async () => {
    const host = hostWith({ callTool, mcpServers: { own: SERVER } });
    registerAs(host, { PreToolUse: [{ hooks: [mcpTool('own', 'pid'), mcpTool('nosuch', 'pid')] }] }, {});
    const decision = await fireAny(host, 'PreToolUse', INPUT);
    expect(decision.systemMessages).toHaveLength(1);
    expect(decision.failures.map((f) => f.message)).toEqual([expect.stringContaining('"nosuch" is not connected')]);
  });
});

describe('interpolation', () => {
  const input = { a: { b: ['x', { c: 1 }] }, t: true, n: null, 'd.e': 'dotted' };

  test.each([
    ['${a.b.0}', 'x'],
    ['${a.b.1.c} and ${t}', '1 and true'],
    ['${a.b}', '["x",{"c":1}]'],
    ['${n}${none}${a.none.deeper}', ''],
    ['${constructor}${a.b.length}', '2'],
    ['$a {a} ${ a.b.0 } ${}', '$a {a} x '],
    ['$${t}', '$true'],
  ])('makes of %s: %s', (text, made) => {
    expect(interpolate(text, input)).toBe(made);
  });

  test('leaves what is no string, and keys', () => {
    expect(interpolate({ '${t}': [1, null, '${t}'] }, input)).toEqual({ '${t}': [1, null, 'true'] });
  });
});

test('mcpTool() and the host refuse what is wrong', () => {
  expect(() => mcpTool('', 'x')).toThrow('mcpTool(): server: expected a string');
  expect(() => mcpTool('a', 'x', [] as never)).toThrow('mcpTool(): input: expected an object');
  expect(() => mcpTool('a', 'x', {}, { timeOut: 1 } as McpToolOptions)).toThrow('Did you mean "timeout"?');
  const options = (mem: unknown) => () => testHost({ mcpServers: { mem } as never });
  expect(options({ command: 5 })).toThrow('Invalid option mcpServers.mem.command: expected a string');
  expect(options({ args: [] })).toThrow('mcpServers.mem.command: is missing');
  expect(options({ type: 'http' })).toThrow('mcpServers.mem.url: is missing');
  expect(options({ type: 'ws', url: 'x' })).toThrow('type: expected "http" or "sse"');
});

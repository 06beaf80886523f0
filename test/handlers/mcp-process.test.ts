import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { createLines } from '../../src/handlers/mcp/lines.js';
import type { McpServers } from '../../src/handlers/mcp/server-options.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import { doneWithin } from '../../src/values/waiting/timer.js';
import { growth } from '../growth.js';
import { testHost } from '../host/kit.js';
import { processes, uniqueSeconds, until } from './shell-call.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/raw-mcp-server.mjs', import.meta.url));
const RAW = { command: process.execPath, args: [PROGRAM] };
const NONE = { content: [{ type: 'text', text: '{}' }] };

/** A server behind a shell, which passes on neither signals nor the end of stdin; its own mark tells its processes from others. */
function behindShell(mark: string, more = '', flags = '') {
  return { command: 'sh', args: ['-c', `${more} "${process.execPath}" "${PROGRAM}" ${mark} ${flags}; true`] };
}

async function ask(host: Host, tool: string, input: Record<string, unknown> = {}, timeout = 20) {
  const undo = host.register({ PreToolUse: [{ hooks: [mcpTool('s', tool, input, { timeout, onFailure: 'block' })] }] });
  const { failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
  undo();
  return { causes: failures.map((f) => f.cause), message: failures[0]?.message ?? '' };
}

const withServer = (s: McpServers[string]): Host => testHost({ mcpServers: { s } }).host;

describe('a server that was started', () => {
  test('behind a shell ends with the host, and so does what it left in the background', async () => {
    const mark = uniqueSeconds();
    const host = withServer(behindShell(mark, `sleep ${mark} &`));
    expect((await ask(host, 'result', { value: NONE })).causes).toEqual([]);
    expect(processes(mark).length).toBeGreaterThan(1);
    expect(await host.close()).toEqual({ pending: [] });
    expect(processes(mark)).toEqual([]);
  });

  test('is killed and named where it ends neither with its stdin nor when it is told to', async () => {
    const mark = uniqueSeconds();
    const host = withServer(behindShell(mark, '', '--stubborn'));
    expect((await ask(host, 'result', { value: NONE })).causes).toEqual([]);
    expect(await host.close()).toEqual({ pending: ['MCP server "s"'] });
    expect(processes(mark)).toEqual([]);
  });

  test('does not keep what it started once it has ended by itself', async () => {
    const mark = uniqueSeconds();
    const host = withServer(behindShell('server', `sleep ${mark} &`));
    expect((await ask(host, 'last', { value: NONE })).causes).toEqual([]);
    await until(() => processes(mark).length === 0);
    expect((await ask(host, 'result', { value: NONE })).causes).toEqual([]);
    await host.close();
    expect(processes(mark)).toEqual([]);
  });

  test('that never answered is gone with the host too', async () => {
    const mark = uniqueSeconds();
    const host = withServer({
      command: 'sh',
      args: ['-c', `trap '' TERM; sleep ${mark} & sleep ${mark}; sleep ${mark}`],
    });
    expect((await ask(host, 'result', {}, 0.3)).causes).toEqual(['timeout']);
    expect(await host.close()).toEqual({ pending: ['MCP server "s"'] });
    expect(processes(mark)).toEqual([]);
  });
});

describe('a failure of a server', () => {
  const raw = withServer(RAW);
  afterAll(() => raw.close());

  test.each([
    ['the server’s own error', 'error', { value: { code: -32000, message: 'boom' } }, 'threw', 'boom'],
    [
      'its own error that looks like an end',
      'error',
      { value: { code: -32000, message: 'Connection closed' } },
      'threw',
      'closed',
    ],
    ['an answer without content', 'result', { value: {} }, 'bad_schema', 'content: is missing'],
    ['content that is no list', 'result', { value: { content: 'deny' } }, 'bad_schema', 'content: expected an array'],
    ['isError that is text', 'result', { value: { ...NONE, isError: 'true' } }, 'bad_schema', 'isError: expected'],
    ['a text of more than a megabyte', 'text', { bytes: 1024 * 1024 + 1 }, 'too_large', '1048576 characters'],
    ['a message of more than four', 'picture', { bytes: 5 * 1024 * 1024 }, 'too_large', '4194304 bytes'],
    ['an answer that does not end', 'endless', {}, 'too_large', '4194304 bytes'],
  ])('has the name of what it is: %s', async (_what, tool, input, cause, words) => {
    const { causes, message } = await ask(raw, tool, input);
    expect(causes).toEqual([cause]);
    expect(message).toContain(words);
    expect(message.split('\n')).toHaveLength(1);
    // Whatever it was, the next call is answered.
    expect((await ask(raw, 'result', { value: NONE })).causes).toEqual([]);
  });

  test('at a URL has a limit too, and is told from what is no message', async () => {
    const big = 'x'.repeat(5 * 1024 * 1024);
    const answers: Record<string, (id: number) => readonly [type: string, body: string]> = {
      json: (id) => ['application/json', JSON.stringify({ jsonrpc: '2.0', id, result: { big } })],
      event: (id) => ['text/event-stream', `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { big } })}\n\n`],
      rows: () => ['text/event-stream', 'data: x\n'.repeat(1024 * 1024)],
      many: (id) => [
        'text/event-stream',
        `${`: ${'x'.repeat(1024)}\n\n`.repeat(5 * 1024)}data: ${JSON.stringify({ jsonrpc: '2.0', id, result: NONE })}\n\n`,
      ],
      returns: (id) => [
        'text/event-stream',
        `${`: ${'x'.repeat(1024)}\r\r`.repeat(5 * 1024)}data: ${JSON.stringify({ jsonrpc: '2.0', id, result: NONE })}\n\n`,
      ],
      'rows of returns': () => ['text/event-stream', 'data: x\r\n'.repeat(1024 * 1024)],
      nothing: () => ['application/json', '{"never":"mind"}'],
      words: () => ['application/json', 'never mind'],
    };
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      if (id === undefined) return void response.writeHead(202).end();
      const init = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'r', version: '1' } };
      const answer = answers[params.name as string];
      const [type, body] =
        method === 'initialize' || answer === undefined
          ? ['application/json', JSON.stringify({ jsonrpc: '2.0', id, result: init })]
          : answer(id);
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const host = withServer({ type: 'http', url });
    const causes: Record<string, readonly string[]> = {};
    for (const name of Object.keys(answers)) causes[name] = (await ask(host, name)).causes;
    await host.close();
    server.closeAllConnections();
    server.close();
    const expected = { json: ['too_large'], event: ['too_large'], rows: ['too_large'], many: [], returns: [] };
    expect(causes).toEqual({
      ...expected,
      'rows of returns': ['too_large'],
      nothing: ['bad_schema'],
      words: ['bad_schema'],
    });
  });
});

describe('a server at a URL', () => {
  const INIT = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'r', version: '1' } };
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const end of ends.splice(0)) await end();
  });

  /** The answer to one request; `message` is what was posted. */
  type Answer = (request: IncomingMessage, response: ServerResponse, message: { id?: number; method?: string }) => void;

  async function served(answer: Answer): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      answer(request, response, JSON.parse(Buffer.concat(chunks).toString() || '{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  const json = (response: ServerResponse, status: number, body: object, headers = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

  /** Names its endpoint to those who come after the first `silent`. */
  function sse(silent: number): Promise<string> {
    let seen = 0;
    let events: ServerResponse;
    return served(({ method: verb }, response, { id, method }) => {
      if (verb === 'GET') {
        seen += 1;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (seen <= silent) return void response.write(': wait\n\n');
        events = response;
        return void events.write('event: endpoint\ndata: /post\n\n');
      }
      response.writeHead(202).end();
      const result = method === 'initialize' ? INIT : NONE;
      if (id !== undefined) events.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
  }

  test('does not hold up the end of its host where it never names its endpoint', async () => {
    const host = withServer({ type: 'sse', url: await sse(1) });
    expect((await ask(host, 't', {}, 0.3)).causes).toEqual(['timeout']);
    expect(await doneWithin(5_000, host.close())).toBe(true);
  });

  test('is tried again after it did not name its endpoint in time', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 30_000 ? 200 : ms));
    const host = withServer({ type: 'sse', url: await sse(1) });
    ends.push(() => doneWithin(5_000, host.close()));
    const { causes, message } = await ask(host, 't', {}, 5);
    expect(causes).toEqual(['connection']);
    expect(message).toContain('it did not answer in time');
    expect((await ask(host, 't', {}, 5)).causes).toEqual([]);
  });

  test.each([404, 400])('that has forgotten the session, and answers %i, is met anew', async (status) => {
    let sessions = 0;
    const known = new Set<string>();
    const run: string[] = [];
    const waiting: ServerResponse[] = [];
    const url = await served(({ method: verb, headers }, response, { id, method }) => {
      const session = String(headers['mcp-session-id']);
      if (verb !== 'POST') return void response.writeHead(405).end();
      if (method === 'initialize') {
        sessions += 1;
        known.add(`s${sessions}`);
        return json(response, 200, { jsonrpc: '2.0', id, result: INIT }, { 'mcp-session-id': `s${sessions}` });
      }
      if (!known.has(session)) {
        // Two that come together are told one after the other.
        return void setTimeout(
          () => json(response, status, { error: 'Session not found' }),
          50 * waiting.push(response),
        );
      }
      if (id === undefined) return void response.writeHead(202).end();
      run.push(session);
      json(response, 200, { jsonrpc: '2.0', id, result: NONE });
    });
    const host = withServer({ type: 'http', url });
    ends.push(() => host.close());
    expect((await ask(host, 't')).causes).toEqual([]);
    known.clear();
    const both = await Promise.all([ask(host, 't'), ask(host, 't')]);
    expect(both.map(({ message }) => message)).toEqual(['', '']);
    // Each of the two asks runs the hooks of both.
    expect(run.slice(1).every((session) => session === 's2')).toBe(true);
    expect(sessions).toBe(2);
  });

  test('that forgets each session is asked twice, and not for ever', async () => {
    let calls = 0;
    const url = await served(({ method: verb }, response, { id, method }) => {
      if (verb !== 'POST') return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize')
        return json(response, 200, { jsonrpc: '2.0', id, result: INIT }, { 'mcp-session-id': 's' });
      calls += 1;
      json(response, 404, { error: 'Session not found' });
    });
    const host = withServer({ type: 'http', url });
    ends.push(() => host.close());
    const { causes, message } = await ask(host, 't');
    expect(causes).toEqual(['connection']);
    expect(message).toContain('Session not found');
    expect(calls).toBe(2);
  });
});

describe('lines', () => {
  const read = (limit: number, ...pieces: readonly string[]): string[] => {
    const seen: string[] = [];
    const add = createLines(limit, { onLine: (line) => seen.push(line), onTooLong: () => seen.push('too long') });
    for (const piece of pieces) add(Buffer.from(piece));
    return seen;
  };

  test('come from pieces, however they are cut', () => {
    expect(read(10, 'a\nb', 'c\n', '\n', 'd')).toEqual(['a', 'bc', '']);
    expect(read(2_000, ...'x'.repeat(1_000), '\n')).toEqual(['x'.repeat(1_000)]);
  });

  test('cost no more by the byte when they are long', async () => {
    const piece = Buffer.alloc(16, 'x');
    const feed = (bytes: number): void => {
      const add = createLines(bytes, { onLine: () => undefined, onTooLong: () => undefined });
      for (let i = 0; i < bytes; i += piece.length) add(piece);
    };
    // Eight times as much comes; if what has come were copied again and again, it would cost sixty-four times as much.
    expect(await growth(feed, { few: 2 ** 19, many: 2 ** 22, most: 32 })).toBeLessThan(32);
  }, 60_000);

  test('that are too long are reported once, and nothing is read after one', () => {
    expect(read(3, 'abc\nde', 'fg', 'h\nabc\n', 'x\n')).toEqual(['abc', 'too long']);
    expect(read(3, 'abcd\nab\n', 'a\n')).toEqual(['too long']);
  });
});

test('a process whose host has closed ends, whatever its servers do', async () => {
  const mark = uniqueSeconds();
  const program = `
    import { createHost, mcpTool } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const host = createHost({ mcpServers: { s: ${JSON.stringify(behindShell(mark, `sleep ${mark} &`, '--stubborn'))} } });
    host.register({ PreToolUse: [{ hooks: [mcpTool('s', 'result', { value: ${JSON.stringify(NONE)} })] }] });
    const { failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
    console.log(JSON.stringify({ failures, ...(await host.close()) }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 30_000,
  });
  expect(JSON.parse(stdout)).toEqual({ failures: [], pending: ['MCP server "s"'] });
  expect(processes(mark)).toEqual([]);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how a header names variables
import { createServer, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { createExternalServices } from '../../src/handlers/external.js';
import { httpHandler } from '../../src/handlers/http/handler.js';
import { type HttpOptions, http } from '../../src/handlers/http/spec.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import type { HostOptions } from '../../src/host/options.js';
import { fires, testHost, until, watch } from '../host/kit.js';
import { type Answers, type HookServer, hookServer } from './hook-server.js';
import { shellCall } from './shell-call.js';

const INPUT = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' } as const;
const DENY = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
};

const servers: HookServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

async function serve(answers: Answers, host?: string): Promise<HookServer> {
  const server = await hookServer(answers, host);
  servers.push(server);
  return server;
}

/** One PreToolUse with one http hook, at host level. */
async function ask(url: string, options: HttpOptions = {}, hostOptions: HostOptions = {}) {
  const { host, reports } = testHost(hostOptions);
  const seen = watch(host);
  host.register({ PreToolUse: [{ hooks: [http(url, { timeout: 5, ...options })] }] });
  const decision: AnyDecision = await host.fire('PreToolUse', INPUT);
  await host.close();
  const [record] = fires(seen);
  return { decision, handler: record?.handlers[0], reports, seen };
}

const causes = (decision: AnyDecision): string[] => decision.failures.map((f) => f.cause);

describe('an http hook', () => {
  test('posts the input, and a JSON object is its output whatever the content type', async () => {
    const server = await serve({ '/h': { headers: { 'content-type': 'text/plain' }, body: DENY } });
    const { decision, handler } = await ask(server.url('/h'));
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no', failures: [] });
    expect(handler).toMatchObject({ status: 'ran', exit_code: 200, handler: 'http', name: server.url('/h') });
    const [request] = server.asked;
    expect(request?.method).toBe('POST');
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ ...INPUT, hook_event_name: 'PreToolUse', session_id: 's' });
    expect(request?.headers).toMatchObject({
      accept: 'application/json, text/plain, */*',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request?.body ?? '')),
      connection: 'close',
    });
  });

  test('allows, and an empty answer of any 2xx, or null, is no opinion', async () => {
    const allow = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
    const server = await serve({
      '/allow': { body: allow },
      '/none': { status: 204 },
      '/space': { body: '\uFEFF \n' },
      '/null': { body: 'null' },
    });
    expect((await ask(server.url('/allow'))).decision.verdict).toBe('allow');
    for (const path of ['/none', '/space', '/null'])
      expect((await ask(server.url(path))).decision).toMatchObject({ verdict: 'none', failures: [] });
  });

  test('must carry the name of the event', async () => {
    const unnamed = { hookSpecificOutput: { permissionDecision: 'deny' } };
    const server = await serve({ '/h': { body: unnamed } });
    expect(causes((await ask(server.url('/h'))).decision)).toEqual(['bad_schema']);
  });

  test.each([
    ['an error of the server, whose body says nothing', { status: 500, body: DENY }, 'http_status', 500],
    ['a client error', { status: 401 }, 'http_status', 401],
    ['text', { body: 'fine by me' }, 'bad_json', 200],
    ['broken JSON', { body: '{bad}' }, 'bad_json', 200],
    ['JSON that was cut off', { body: '{"continue":' }, 'bad_json', 200],
    ['an array', { body: [DENY] }, 'bad_json', 200],
    ['more than a megabyte', { body: `{"systemMessage":"${'x'.repeat(1024 * 1024)}"}` }, 'too_large', 200],
  ])('fails by name on %s', async (_what, answer, cause, status) => {
    const server = await serve({ '/h': answer });
    const { decision, handler } = await ask(server.url('/h'));
    expect(decision.verdict).toBe('none');
    expect(causes(decision)).toEqual([cause]);
    expect(handler).toMatchObject({ status: 'failed', exit_code: status });
    const closed = await ask(server.url('/h'), { onFailure: 'block' });
    expect(closed.decision.verdict).toBe('deny');
  });

  test('takes an answer of exactly a megabyte', async () => {
    const frame = JSON.stringify({ suppressOutput: true, metrics: '' });
    const body = JSON.stringify({ suppressOutput: true, metrics: 'x'.repeat(1024 * 1024 - frame.length) });
    const server = await serve({ '/h': { body } });
    expect(Buffer.byteLength(body)).toBe(1024 * 1024);
    expect((await ask(server.url('/h'))).decision.failures).toEqual([]);
  });

  test('stops reading an endless answer', async () => {
    let sent = 0;
    const server = await serve({
      '/h': (_request, response) => {
        const more = (): void => {
          while (response.write(Buffer.alloc(64 * 1024, 'x'))) sent += 64 * 1024;
          sent += 64 * 1024;
          response.once('drain', more);
        };
        more();
      },
    });
    expect(causes((await ask(server.url('/h'))).decision)).toEqual(['too_large']);
    await until(async () => (await server.connections()) === 0);
    // What the kernel's buffers hold may have been sent beside the megabyte, but not much more.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test('does not read the answer of a failure', async () => {
    const server = await serve({
      '/h': (_request, response) => {
        response.writeHead(500).write('an answer that does not end');
      },
    });
    expect(causes((await ask(server.url('/h'))).decision)).toEqual(['http_status']);
    await until(async () => (await server.connections()) === 0);
  });

  test('follows no redirect, not even to the same server', async () => {
    const server = await serve({ '/h': { status: 307, headers: { location: '/other' } }, '/other': { body: DENY } });
    const { decision } = await ask(server.url('/h'));
    expect(causes(decision)).toEqual(['http_status']);
    expect(decision.failures[0]?.message).toContain('307, which points to /other');
    expect(server.asked.map((a) => a.path)).toEqual(['/h']);
  });

  test.each([
    ['before it answers', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'],
    ['after what is no HTTP', 'hello\r\n\r\n'],
  ])('fails as a connection where the server hangs up %s', async (_when, words) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(words));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { decision } = await ask(`http://127.0.0.1:${port}/`);
    server.close();
    expect(causes(decision)).toEqual(['connection']);
  });

  test('fails as a connection where nobody listens, and where there is no such name', async () => {
    const refused = await ask('http://127.0.0.1:9/x');
    expect(causes(refused.decision)).toEqual(['connection']);
    expect(refused.decision.failures[0]?.message).toContain('ECONNREFUSED');
    const unknown = await ask('http://nobody.invalid/x');
    expect(causes(unknown.decision)).toEqual(['connection']);
  });

  test('reaches this machine by its name', async () => {
    const server = await serve({ '/h': { body: DENY } });
    expect((await ask(`http://localhost:${server.port}/h`)).decision.verdict).toBe('deny');
  });

  test('is ended by its timeout, and leaves no connection', async () => {
    const server = await serve({ '/h': { body: DENY, delay_ms: 60_000 } });
    const { decision } = await ask(server.url('/h'), { timeout: 0.2 });
    expect(causes(decision)).toEqual(['timeout']);
    await until(async () => (await server.connections()) === 0);
  });

  test.each(['http', 'https'])(
    'is ended by its timeout, and leaves no connection, where the server accepts one and is silent (%s)',
    async (scheme) => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket.on('error', () => undefined).resume());
        socket.on('close', () => sockets.delete(socket));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const { host } = testHost();
      host.register({ PreToolUse: [{ hooks: [http(`${scheme}://127.0.0.1:${port}/`, { timeout: 0.2 })] }] });
      expect(causes(await host.fire('PreToolUse', INPUT))).toEqual(['timeout']);
      expect(await host.close()).toEqual({ pending: [] });
      await until(() => sockets.size === 0, 5);
      server.close();
    },
  );

  test('is ended by its timeout while the name of the server is looked up', async () => {
    const rules = { ...createExternalServices({}).http, lookup: () => undefined };
    const { call } = shellCall('PreToolUse', { signal: AbortSignal.timeout(100) });
    const asked = httpHandler(http('http://policy.invalid/h'), rules).run(call);
    // Long before no connection within 10 s is a failure of its own.
    const reply = await Promise.race([asked, sleep(5_000)]);
    expect(reply?.failure?.cause).toBe('aborted');
  });

  test('is ended with the fire of whoever aborts it', async () => {
    const server = await serve({ '/h': { body: DENY, delay_ms: 60_000 } });
    const host = createHost();
    host.register({ PreToolUse: [{ hooks: [http(server.url('/h'))] }] });
    const controller = new AbortController();
    const fire = host.fire('PreToolUse', INPUT, { signal: controller.signal });
    await until(() => server.asked.length === 1);
    controller.abort();
    await expect(fire).rejects.toThrow('aborted');
    await until(async () => (await server.connections()) === 0);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test('keeps no connection open, whatever the server offers', async () => {
    const server = await serve({ '/h': { headers: { connection: 'keep-alive' }, body: {} } });
    const host = createHost();
    host.register({ PreToolUse: [{ hooks: [http(server.url('/h'))] }] });
    for (let i = 0; i < 3; i++) await host.fire('PreToolUse', INPUT);
    await until(async () => (await server.connections()) === 0);
    await host.close();
  });

  test('looks at no proxy settings', async () => {
    const proxy = await serve({});
    const server = await serve({ '/h': { body: DENY } });
    process.env['HTTP_PROXY'] = proxy.url('');
    process.env['http_proxy'] = proxy.url('');
    try {
      expect((await ask(server.url('/h'))).decision.verdict).toBe('deny');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
    expect(proxy.asked).toEqual([]);
  });

  test('goes on in the background where it is async, and its context comes later', async () => {
    const context = { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'late' } };
    const server = await serve({ '/h': { body: context, delay_ms: 50 } });
    const host = createHost();
    host.register({ PreToolUse: [{ hooks: [http(server.url('/h'), { async: true })] }] });
    expect((await host.fire('PreToolUse', INPUT)).additionalContext).toEqual([]);
    await until(() => host.pendingContext().length > 0);
    expect(host.pendingContext()).toEqual(['late']);
    await host.close();
  });
});

describe('the headers of an http hook', () => {
  const headersOf = async (options: HttpOptions, hostOptions: HostOptions = {}) => {
    const server = await serve({ '/h': {} });
    await ask(server.url('/h'), options, hostOptions);
    return server.asked[0]?.headers ?? {};
  };

  test('take variables the hook lists, and no others', async () => {
    process.env['HOOK_TOKEN'] = 'secret\n';
    process.env['HOOK_OTHER'] = 'other';
    const headers = { 'X-A': '$HOOK_TOKEN', 'X-B': '${HOOK_TOKEN}-${HOOK_OTHER}-$HOOK_OTHER-$NO', 'X-C': '$ 5$' };
    const sent = await headersOf({ headers, allowedEnvVars: ['HOOK_TOKEN', 'NO'] });
    expect(sent).toMatchObject({ 'x-a': 'secret', 'x-c': '$ 5$' });
    expect(sent['x-b']).toBe('secret ---');
    expect((await headersOf({ headers }))['x-a']).toBe('');
    const host = { httpHookAllowedEnvVars: ['HOOK_OTHER'] };
    expect((await headersOf({ headers, allowedEnvVars: ['HOOK_TOKEN'] }, host))['x-a']).toBe('');
    delete process.env['HOOK_TOKEN'];
    delete process.env['HOOK_OTHER'];
  });

  test('take no variable from what every object has, and may have the name of such a thing', async () => {
    const headers = JSON.parse('{ "X-A": "$constructor ${__proto__}", "__proto__": "sent" }') as Record<string, string>;
    let sent: string[] = [];
    const server = await serve({
      '/h': ({ rawHeaders }, response) => {
        sent = rawHeaders;
        response.end();
      },
    });
    await ask(server.url('/h'), { headers, allowedEnvVars: ['constructor', '__proto__'] });
    expect(sent.join('\n')).toContain('\nx-a\n\n__proto__\nsent\n');
  });

  test('may replace ours, but not those of the message itself', async () => {
    const headers = { 'CONTENT-type': 'text/x', 'Content-Length': '3', 'Transfer-Encoding': 'chunked', Host: 'evil' };
    const sent = await headersOf({ headers: { ...headers, 'User-Agent': 'mine' } });
    expect(sent).toMatchObject({ 'content-type': 'text/x', 'user-agent': 'mine' });
    expect(sent['transfer-encoding']).toBeUndefined();
    expect(sent['content-length']).not.toBe('3');
    expect(sent.host).not.toBe('evil');
  });

  test('carry what stands before the @ of the URL, which nobody else is told', async () => {
    const server = await serve({ '/h': { status: 500 } });
    const { handler, reports, seen } = await ask(server.url('/h').replace('//', '//me:p%40ss@'));
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${btoa('me:p@ss')}`);
    expect(handler?.name).toBe(server.url('/h'));
    expect(JSON.stringify([reports, seen])).not.toContain('p%40ss');
    await ask(server.url('/h').replace('//', '//:p%40ss@'));
    expect(server.asked[1]?.headers.authorization).toBe(`Basic ${btoa(':p@ss')}`);
  });

  test('that cannot be sent are a failure', async () => {
    const server = await serve({ '/h': {} });
    const { decision } = await ask(server.url('/h'), { headers: { 'not a name': 'x' } });
    expect(causes(decision)).toEqual(['connection']);
    expect(server.asked).toEqual([]);
  });
});

describe('where an http hook may go', () => {
  test('is no private network, by number or by name, unless the host allows it', async () => {
    for (const url of [
      'http://10.1.2.3/',
      'http://169.254.169.254/',
      'http://[fe80::1]/',
      'http://[::ffff:10.1.2.3]/',
    ]) {
      const { decision } = await ask(url);
      expect(causes(decision)).toEqual(['connection']);
      expect(decision.failures[0]?.message).toContain('private network');
    }
    const allowed = await ask('http://0.0.0.0:9/', {}, { httpHookPrivateAddresses: true });
    expect(allowed.decision.failures[0]?.message).toContain('ECONNREFUSED');
  });

  test('is no private network by name either: only addresses that were looked at are connected to', async () => {
    expect(createExternalServices({}).http.lookup).toBe('public');
    expect(createExternalServices({ httpHookPrivateAddresses: true }).http.lookup).toBeUndefined();
    const server = await serve({ '/h': { body: DENY } });
    const names: Record<string, string> = { 'policy.invalid': '127.0.0.1' };
    const lookup: LookupFunction = (name, _options, callback) => {
      const address = names[name];
      if (address === undefined) callback(new Error(`${name} is not to be reached`), []);
      else callback(null, [{ address, family: 4 }]);
    };
    const rules = { ...createExternalServices({}).http, lookup };
    const run = (host: string) =>
      httpHandler(http(`http://${host}:${server.port}/h`), rules).run(shellCall('PreToolUse').call);
    expect(await run('policy.invalid')).toMatchObject({ exitCode: 200, output: DENY });
    expect(await run('intranet.invalid')).toMatchObject({
      failure: { cause: 'connection', message: expect.stringContaining('intranet.invalid is not to be reached') },
    });
    expect(server.asked).toHaveLength(1);
  });

  test('is within the URLs the host lists', async () => {
    const server = await serve({ '/h': { body: DENY } });
    const fire = async (...allowedHttpHookUrls: string[]) =>
      (await ask(server.url('/h'), {}, { allowedHttpHookUrls })).decision;
    expect((await fire('http://127.0.0.1:*')).verdict).toBe('deny');
    expect(server.asked).toHaveLength(1);
    const outside = await fire('https://hooks.example.com/*');
    expect(causes(outside)).toEqual(['connection']);
    expect(outside.failures[0]?.message).toContain('allowedHttpHookUrls');
    expect(causes(await fire())).toEqual(['connection']);
    expect(server.asked).toHaveLength(1);
  });
});

describe('http()', () => {
  test.each([
    ['ftp://example.com', 'http or https URL'],
    ['example.com/hook', 'http or https URL'],
    ['http:/x', 'http or https URL'],
    ['http:x', 'http or https URL'],
    ['http:\\\\x', 'http or https URL'],
    ['http:///x', 'http or https URL'],
    ['http://u%:p@host/', 'write "%25"'],
    ['http://u:p%zz@host/', 'write "%25"'],
    ['', 'a string that is not empty'],
    [5, 'a string that is not empty'],
  ])('refuses the URL %j', (url, message) => {
    expect(() => http(url as string)).toThrow(message);
  });

  test.each([
    [{ header: {} }, 'Did you mean "headers"?'],
    [{ headers: { a: 1 } }, 'http(): headers: expected an object of strings'],
    [{ allowedEnvVars: 'A' }, 'http(): allowedEnvVars: expected an array of names'],
    [{ timeout: -1 }, 'http(): timeout: expected seconds'],
    [{ onFailure: 'deny' }, 'http(): onFailure: expected "continue" or "block" or "ask"'],
  ])('refuses the options %j', (options, message) => {
    expect(() => http('http://127.0.0.1/', options as HttpOptions)).toThrow(message);
  });

  test('is plain data that cannot be changed', () => {
    const spec = http('http://127.0.0.1/', { headers: { a: 'b' } });
    expect(spec).toEqual({ type: 'http', url: 'http://127.0.0.1/', headers: { a: 'b' } });
    expect(() => Object.assign(spec.headers as object, { a: 'c' })).toThrow();
  });

  test('is refused on an event that takes no http hooks', () => {
    const { host } = testHost();
    expect(() => host.register({ SessionStart: [{ hooks: [http('http://127.0.0.1/')] }] })).toThrow(
      'SessionStart does not take "http" hooks; it takes command, mcp_tool and functions',
    );
  });
});

test('hosts refuse lists that are none', () => {
  expect(() => createHost({ allowedHttpHookUrls: ['localhost:*'] })).toThrow(
    'allowedHttpHookUrls: expected an array of URL',
  );
  expect(() => createHost({ httpHookAllowedEnvVars: 'A' as never })).toThrow(
    'httpHookAllowedEnvVars: expected an array',
  );
});

import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENVIRONMENT, HEAD } from '../../src/server/agent-protocol.js';
import { type HttpTimeouts, httpServer } from '../../src/server/http/server.js';
import { checkOwned } from '../../src/server/owned.js';
import { bash, createUser, GUARD, hooksFile, type Running, send, type User, until } from './kit.js';

let user: User;
let server: Running;
let tokens: Record<'fire' | 'read' | 'admin', string>;
beforeAll(async () => {
  user = createUser();
  user.write('guard.sh', GUARD, 0o755);
  user.write('hooks.json', hooksFile(join(user.path, 'project/guard.sh')));
  server = await user.serve(['--hooks', 'hooks.json', '--port', '0']);
  tokens = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as typeof tokens;
});
afterAll(() => user.remove());

const asked = (): number => {
  const file = join(user.path, 'project/asked');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};
const ways = (): [name: string, at: { socketPath: string } | { port: number }, host: string][] => [
  ['socket', { socketPath: user.places.socket }, 'localhost'],
  ['port', { port: server.port as number }, `127.0.0.1:${server.port}`],
];
const ROUTES: readonly [method: string, path: string, right: 'fire' | 'read' | 'admin'][] = [
  ['POST', '/hooks/PreToolUse', 'fire'],
  ['GET', '/records', 'read'],
  ['GET', '/events', 'read'],
  ['GET', '/scopes', 'read'],
  ['GET', '/admin/changes', 'admin'],
  ['POST', '/admin/reload', 'admin'],
  ['POST', '/admin/accept', 'admin'],
  ['POST', '/admin/stop', 'admin'],
];
const body = JSON.stringify(bash('ls'));

/** Bytes as they are, and what comes back until the other side ends the connection. */
function raw(text: string | Buffer, port = server.port as number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (piece: Buffer) => (answer += piece.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    );
    socket.write(text);
  });
}

/** The same with more than is read: what is left unread resets the connection, and a reset can overtake the answer. */
async function rawTooLarge(text: string | Buffer): Promise<string> {
  let answer = '';
  for (let i = 0; answer === '' && i < 10; i++) answer = await raw(text);
  return answer;
}

describe('a server is closed to strangers', () => {
  test('without a token, with one that is none, or in another form, nothing is answered but /healthz', async () => {
    for (const [, at, host] of ways()) {
      for (const [method, path] of ROUTES) {
        for (const authorization of [
          '',
          'Bearer',
          'Bearer x',
          `Basic ${tokens.fire}`,
          `Bearer${tokens.fire}`,
          ` ${tokens.fire}`,
          `Bearer Bearer ${tokens.fire}`,
          `Bearer ${tokens.fire}x`,
          tokens.admin,
        ]) {
          const { status, body: said } = await send(at, {
            method,
            path,
            body: method === 'POST' ? body : '',
            headers: { host, authorization },
          });
          expect([status, path, authorization]).toEqual([401, path, authorization]);
          expect(JSON.parse(said)).toEqual({ error: 'no token, or an unknown one' });
        }
        expect((await send(at, { method, path, headers: { host } })).status).toBe(401);
      }
      expect(await send(at, { method: 'GET', path: '/healthz', headers: { host } })).toEqual({
        status: 200,
        body: '{"ok":true}',
      });
    }
    expect(asked()).toBe(0);
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('the scheme is not case-sensitive: %s', async (scheme) => {
    for (const [, at, host] of ways()) {
      const headers = { host, authorization: `${scheme} ${tokens.read}` };
      expect((await send(at, { path: '/records', method: 'GET', headers })).status).toBe(200);
    }
  });

  test('each of the three tokens does what it is for, and nothing else', async () => {
    for (const [, at, host] of ways()) {
      for (const [method, path, right] of ROUTES) {
        for (const [name, token] of Object.entries(tokens)) {
          if (name === right) continue;
          const headers = { host, authorization: `Bearer ${token}` };
          expect(
            (await send(at, { method, path, headers, body: method === 'POST' ? body : '' })).status,
            `${name} ${path}`,
          ).toBe(403);
        }
      }
      const fire = { host, authorization: `Bearer ${tokens.fire}` };
      expect(await send(at, { path: '/hooks/PreToolUse', headers: fire, body })).toEqual({ status: 200, body: '{}' });
      const read = { host, authorization: `Bearer ${tokens.read}` };
      expect((await send(at, { path: '/records', method: 'GET', headers: read })).body).toMatch(/"hook_fire"/);
      expect(
        (
          await send(at, { path: '/records?event=PreToolUse&limit=1&newest=true', method: 'GET', headers: read })
        ).body.split('\n'),
      ).toHaveLength(2);
      expect((await send(at, { path: '/records?evnt=x', method: 'GET', headers: read })).status).toBe(400);
      expect(JSON.parse((await send(at, { path: '/scopes', method: 'GET', headers: read })).body)).toMatchObject([
        { root: null, scopes: { scope: 'managed' } },
      ]);
      const admin = { host, authorization: `Bearer ${tokens.admin}` };
      expect(
        JSON.parse((await send(at, { path: '/admin/changes', method: 'GET', headers: admin })).body),
      ).toMatchObject({ changes: [] });
      // What was not looked at is not accepted.
      const accept = (text: string) => send(at, { path: '/admin/accept', headers: admin, body: text });
      expect((await accept('{"state":"x"}')).status).toBe(409);
      // What does not say what was looked at is no change since.
      for (const text of [
        '',
        '{}',
        '[]',
        'null',
        '"x"',
        '{"state":1}',
        '{"state":null}',
        'no JSON',
        '{"state":"x"}}',
      ]) {
        const { status, body: why } = await accept(text);
        expect([text, status, JSON.parse(why)]).toEqual([
          text,
          400,
          { ok: false, error: expect.stringMatching(/expected a JSON object with the "state"/) },
        ]);
      }
    }
    expect(asked()).toBe(2);
  });

  test('the agent, with the token that it can see, can neither administer nor read', async () => {
    const seen = readFileSync(user.places.fireHeader, 'utf8').trim().replace('Authorization: ', '');
    expect(seen).toBe(`Bearer ${tokens.fire}`);
    for (const [method, path, right] of ROUTES.filter(([, , right]) => right !== 'fire')) {
      const answer = await send(
        { socketPath: user.places.socket },
        { method, path, headers: { host: 'hookscope', authorization: seen } },
      );
      expect(answer).toEqual({ status: 403, body: JSON.stringify({ error: `this needs the token to ${right}` }) });
    }
    expect(
      (
        await send(
          { socketPath: user.places.socket },
          { method: 'GET', path: '/healthz', headers: { host: 'hookscope' } },
        )
      ).status,
    ).toBe(200);
  });

  test('from a page of a browser, but for our own: that one may be opened, and may read', async () => {
    const { port } = server;
    const host = `127.0.0.1:${port}`;
    const get = async (path: string, more: Record<string, string>, token?: keyof typeof tokens): Promise<number> => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${tokens[token]}` };
      return (
        await send({ port: port as number }, { method: 'GET', path, headers: { host, ...authorization, ...more } })
      ).status;
    };
    const from = (site: string, dest: string) => ({ 'sec-fetch-site': site, 'sec-fetch-dest': dest });
    for (const site of ['none', 'same-origin', 'same-site', 'cross-site']) {
      expect(await get('/', from(site, 'document')), site).toBe(200);
      for (const dest of ['iframe', 'script', 'empty', 'object'])
        expect(await get('/', from(site, dest)), dest).toBe(403);
      for (const path of ['/records', '/scopes']) {
        expect(await get(path, from(site, 'empty'), 'read'), site).toBe(site === 'same-origin' ? 200 : 403);
        expect(await get(path, from(site, 'empty'))).toBe(site === 'same-origin' ? 401 : 403);
        expect(await get(path, { ...from(site, 'empty'), origin: `http://${host}` }, 'read')).toBe(403);
      }
      expect(await get('/admin/changes', from(site, 'empty'), 'admin')).toBe(403);
      expect(await get('/healthz', from(site, 'empty'))).toBe(403);
    }
  });

  test('under another Host (a name that was made to lead here), or from a page of a browser', async () => {
    const authorization = `Bearer ${tokens.fire}`;
    const { port } = server;
    const before = asked();
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1',
      `0.0.0.0:${port}`,
      `[::1]:${port}`,
      `127.0.0.1:${Number(port) + 1}`,
      '',
    ]) {
      expect(
        (await send({ port: port as number }, { path: '/hooks/PreToolUse', headers: { host, authorization }, body }))
          .status,
        host,
      ).toBe(host === '' ? 403 : 403);
    }
    const own = `127.0.0.1:${port}`;
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${port}`, 'file://']) {
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const answer = await send(
          { port: port as number },
          {
            method,
            path: '/hooks/PreToolUse',
            headers: { host: own, authorization, origin },
            body: method === 'POST' ? body : '',
          },
        );
        expect(answer.status).toBe(403);
      }
    }
    expect(
      (
        await send(
          { port: port as number },
          { path: '/hooks/PreToolUse', headers: { host: own, authorization, 'sec-fetch-site': 'cross-site' }, body },
        )
      ).status,
    ).toBe(403);
    const preflight = await raw(
      `OPTIONS /hooks/PreToolUse HTTP/1.1\r\nHost: ${own}\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    );
    expect(preflight).toMatch(/^HTTP\/1\.1 403/);
    expect(preflight).not.toMatch(/access-control/i);
    // Two of them, of which one is right.
    for (const two of [`Host: ${own}\r\nHost: evil.example`, `Host: evil.example\r\nHost: ${own}`])
      expect(
        await raw(
          `POST /hooks/PreToolUse HTTP/1.1\r\n${two}\r\nauthorization: ${authorization}\r\ncontent-length: 2\r\n\r\n{}`,
        ),
      ).toMatch(/^HTTP\/1\.1 40[03]/);
    // No Host at all.
    expect(await raw('POST /hooks/PreToolUse HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
    expect(
      await raw(`POST /hooks/PreToolUse HTTP/1.0\r\nauthorization: ${authorization}\r\ncontent-length: 2\r\n\r\n{}`),
    ).toMatch(/^HTTP\/1\.1 403/);
    expect(asked()).toBe(before);
  });

  test('by tricks of paths', async () => {
    const headers = { host: `127.0.0.1:${server.port}`, authorization: `Bearer ${tokens.fire}` };
    const before = asked();
    for (const path of [
      '/admin/stopped',
      '/x/admin/stop',
      '/hooks/../admin/stop',
      '/hooks/%2e%2e/admin/stop',
      '/hooks/..%2fadmin/stop',
      '//admin/stop',
      '/hooks//admin/stop',
      '/./admin/stop',
      '/admin/stop/',
      '/ADMIN/stop',
      '/hooks/PreToolUse/../../admin/stop',
      '/hooks/PreToolUse%00',
      '/hooks/PreToolUse;x',
      '/hooks/',
      '/hooks',
      '/hooks/__proto__/x',
      '/admin',
      '/',
      '/etc/passwd',
      '\\admin\\stop',
      'http://127.0.0.1/admin/stop',
      '/hooks/%50reToolUse',
      '*',
      `/hooks/${'a'.repeat(200)}`,
    ]) {
      const answer = await raw(
        `POST ${path} HTTP/1.1\r\nHost: ${headers.host}\r\nAuthorization: ${headers.authorization}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      // Who may not do it learns nothing of what is there but that.
      expect(answer.split('\r\n', 1)[0], path).toMatch(
        path === '/' ? / 405 / : /^\/(?:admin|x)\//.test(path) ? / 404 / : / (?:400|403|404) /,
      );
    }
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'pretooluse', 'Nothing']) {
      const { status } = await send({ port: server.port as number }, { path: `/hooks/${name}`, headers, body });
      expect([name, status]).toEqual([name, 404]);
    }
    expect(asked()).toBe(before);
  });

  test('with a body of 100 MB: it is refused before it is sent, whoever asks', async () => {
    const host = `127.0.0.1:${server.port}`;
    const head = (more: string): string => `POST /hooks/PreToolUse HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n\r\n`;
    const own = `Authorization: Bearer ${tokens.fire}`;
    const closes = /^connection: close\r$/im;
    const unknown = await raw(head('Content-Length: 104857600'));
    expect(unknown).toMatch(/^HTTP\/1\.1 401/);
    expect(unknown).toMatch(closes);
    const denied = /"permissionDecision":"deny","permissionDecisionReason":"hookscope: a request has at most/;
    expect(await raw(head(`${own}\r\nContent-Length: 104857600`))).toMatch(denied);
    const notice = head(`${own}\r\nContent-Length: 104857600`).replace('PreToolUse', 'Notification');
    expect(await raw(notice)).toMatch(/^HTTP\/1\.1 413/);
    for (const more of [
      `${own}\r\nContent-Length: 104857600`,
      'Content-Length: 2',
      'Authorization: Bearer x\r\nContent-Length: 2',
    ]) {
      const answer = await raw(head(`${more}\r\nExpect: 100-continue`));
      // It is not told to go on.
      expect(answer).toMatch(more.startsWith(own) ? denied : /^HTTP\/1\.1 401/);
      expect(answer).not.toMatch(/ 100 /);
      expect(answer).toMatch(/^connection: close\r$/im);
    }
    expect(await raw(head(`${own}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked`))).toMatch(/^HTTP\/1\.1 400/);
    // Who sends it all the same reads the answer when all is sent.
    const sent = { host, authorization: `Bearer ${tokens.fire}`, 'content-length': '104857600' };
    const told = await send(
      { port: server.port as number },
      { path: '/hooks/PreToolUse', headers: sent, body: Buffer.alloc(104857600, 32) },
    );
    expect([told.status, told.body]).toEqual([200, expect.stringMatching(denied)]);
    // In pieces, whose sum nobody has said.
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 32), Buffer.from('\r\n')]);
    const all = Buffer.concat([
      Buffer.from(head(`${own}\r\nTransfer-Encoding: chunked\r\nConnection: close`)),
      ...Array.from({ length: 70 }, () => piece),
      Buffer.from('0\r\n\r\n'),
    ]);
    expect(await rawTooLarge(all)).toMatch(denied);
    // It may have more to send: the connection ends with the answer.
    const endless = head(`${own}\r\nTransfer-Encoding: chunked`) + piece.toString().repeat(66);
    const cut = await rawTooLarge(endless);
    expect(cut).toMatch(denied);
    expect(cut).toMatch(closes);
    // Each call that was answered so is kept: four whose length was told, two in pieces.
    const kept = () =>
      user.records().filter((one) => /at most/.test(String((one as { unanswered?: string }).unanswered)));
    await until(() => kept().length >= 6);
    expect(kept().map((one) => (one as { event?: string }).event)).toEqual([
      'PreToolUse',
      'Notification',
      'PreToolUse',
      'PreToolUse',
      'PreToolUse',
      'PreToolUse',
    ]);
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431/,
    );
  });

  test('that are slow: a head or a body that does not come is cut off, and the others are answered meanwhile', async () => {
    const host = `127.0.0.1:${server.port}`;
    const slow = Array.from({ length: 30 }, () => raw(`POST /hooks/PreToolUse HTTP/1.1\r\nHost: ${host}\r\n`));
    const headers = { host, authorization: `Bearer ${tokens.fire}` };
    expect((await send({ port: server.port as number }, { path: '/hooks/PreToolUse', headers, body })).status).toBe(
      200,
    );
    const answers = await Promise.all(slow);
    expect(answers.every((answer) => answer === '' || /^HTTP\/1\.1 408/.test(answer))).toBe(true);
  });

  test.each([
    ['a head', { head: 0.3, request: 600 }, 'POST /healthz HTTP/1.1\r\nHost: x\r\n'],
    ['a body', { head: 0.3, request: 0.4 }, `POST /hooks/PreToolUse HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`],
    ['a second request', { head: 600, request: 600, idle: 0.3 }, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ] as [string, Partial<HttpTimeouts>, string][])(
    'whoever is slow with %s is cut off by a limit of its own',
    async (_, patience, text) => {
      const hosts = { spec: () => undefined, whyChanged: () => '', all: [] };
      const calls = { waiting: new Set(), answered: 0 };
      const parts = { calls, hosts: () => hosts, serves: () => true, accepted: () => false, kept: () => undefined };
      const slow = httpServer(parts as never, { hosts: new Set(['x']), check: () => 'fire', patience });
      await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
      // Comes back when the server has ended it.
      await raw(text, (slow.address() as AddressInfo).port);
      await new Promise((resolve) => slow.close(resolve));
    },
  );

  test('who may fire leads its hooks nowhere: of the environment counts what is known, and paths to what they are for', async () => {
    const other = createUser();
    try {
      other.write('env.sh', '#!/bin/sh\ncat > /dev/null; env > "$(dirname "$0")/env"\n', 0o755);
      other.write('hooks.json', hooksFile(join(other.path, 'project/env.sh')));
      await other.serve(['--hooks', 'hooks.json']);
      const { fire } = JSON.parse(readFileSync(other.places.tokens, 'utf8')) as typeof tokens;
      const seen = async (env: readonly string[]): Promise<string> => {
        const headers = { host: 'hookscope', authorization: `Bearer ${fire}`, [HEAD.env]: [...env] };
        const { status } = await send(
          { socketPath: other.places.socket },
          { path: '/hooks/PreToolUse', headers, body },
        );
        expect(status).toBe(200);
        return readFileSync(join(other.path, 'project/env'), 'utf8');
      };
      const session = join(other.path, 'home/.claude/session-env/s1/sessionstart-hook-0.sh');
      const known = await seen([`CLAUDE_ENV_FILE=${session}`, `CLAUDE_PROJECT_DIR=${join(other.path, 'project')}`]);
      expect(known).toContain(`CLAUDE_ENV_FILE=${session}\n`);
      const evil = await seen([
        'PATH=/evil',
        'LD_PRELOAD=/evil.so',
        'NODE_OPTIONS=--require=/evil.js',
        'CLAUDE_ENV_FILE=/evil/.bashrc',
        'CLAUDE_PROJECT_DIR=evil',
        'GEMINI_CWD=/evil/not/there',
      ]);
      expect(ENVIRONMENT).not.toContain('PATH');
      expect(evil).not.toContain('evil');
      expect(evil).toMatch(/^PATH=/m);
    } finally {
      await other.remove();
    }
  });

  test('that upgrade, or send several requests as one', async () => {
    const host = `127.0.0.1:${server.port}`;
    expect(
      await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
    ).not.toMatch(/ 101 /);
    const smuggled = `POST /hooks/PreToolUse HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nhelloPOST /admin/stop HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.fire}\r\nContent-Length: 0\r\n\r\n`;
    expect(await raw(smuggled)).toMatch(/^HTTP\/1\.1 401/);
  });

  test('what it keeps is for its user alone', () => {
    for (const folder of [user.places.run, user.places.state]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of [
      user.places.tokens,
      user.places.fireHeader,
      user.places.proof,
      user.places.served,
      user.places.socket,
    ])
      expect(statSync(file).mode & 0o777, file).toBe(0o600);
    expect(new Set(Object.values(tokens)).size).toBe(3);
    expect(server.output()).not.toContain(tokens.fire);
    expect(server.output()).toContain(user.places.tokens);
    expect(server.output()).not.toContain(readFileSync(user.places.proof, 'utf8').trim());
  });
});

describe("a folder or a socket that is not the user's own", () => {
  test('is not used by a server, nor asked by a command', async () => {
    const other = createUser();
    try {
      other.write('hooks.json', hooksFile('exit 2'));
      mkdirSync(other.places.run, { mode: 0o700 });
      chmodSync(other.places.run, 0o777);
      await expect(other.serve(['--hooks', 'hooks.json'])).rejects.toThrow(/open to other users/);
      const blocked = await other.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
      expect(blocked).toMatchObject({ code: 2, stdout: expect.stringMatching(/open to other users/) });
    } finally {
      await other.remove();
    }
  });

  test('nor one that belongs to another user, be it a folder, a file or a socket', async () => {
    if (process.getuid?.() !== 0) {
      // What is the superuser's is another user's.
      for (const [path, type] of [
        ['/etc', 'folder'],
        ['/etc/passwd', 'file'],
      ] as const)
        expect(() => checkOwned(path, type)).toThrow(/belongs to another user/);
      return;
    }
    const other = createUser();
    try {
      other.write('hooks.json', hooksFile('exit 2'));
      mkdirSync(other.places.run, { mode: 0o700 });
      chownSync(other.places.run, 65534, 65534);
      await expect(other.serve(['--hooks', 'hooks.json'])).rejects.toThrow(/belongs to another user/);
      expect(await other.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'))).toMatchObject({
        code: 2,
        stdout: expect.stringMatching(/belongs to another user/),
      });
      chownSync(other.places.run, 0, 0);
      const running = await other.serve(['--hooks', 'hooks.json']);
      chownSync(other.places.socket, 65534, 65534);
      expect(await other.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'))).toMatchObject({
        code: 2,
        stdout: expect.stringMatching(/belongs to another user/),
      });
      await running.stop('SIGTERM');
      chownSync(other.places.tokens, 65534, 65534);
      await expect(other.serve(['--hooks', 'hooks.json'])).rejects.toThrow(/belongs to another user/);
    } finally {
      await other.remove();
    }
  });

  test('nor one that a link leads to', async () => {
    const other = createUser();
    try {
      other.write('hooks.json', hooksFile('exit 2'));
      mkdirSync(join(other.path, 'elsewhere'), { mode: 0o700 });
      symlinkSync(join(other.path, 'elsewhere'), other.places.run);
      await expect(other.serve(['--hooks', 'hooks.json'])).rejects.toThrow(/it is no folder/);
      const blocked = await other.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
      expect(blocked).toMatchObject({ code: 2, stdout: expect.stringMatching(/it is no folder/) });
    } finally {
      await other.remove();
    }
  });
});

import { existsSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveControl } from '../../src/claude-code.js';
import { command, createHost, type Host, http, ndjsonSink } from '../../src/index.js';
import { SESSION, until } from './kit.js';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(503).end();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const never = (): Promise<never> => new Promise(() => undefined);
const boom = (): never => {
  throw new Error('boom');
};
const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
const ASKED = { ...CALL, session_id: 's', cwd: '/w' };

/** A hook on PreToolUse that goes wrong. */
const hooked = (hook: unknown) => async (host: Host) => {
  host.register({ PreToolUse: [hook as never] });
  await host.fire('PreToolUse', ASKED);
};

/** All that a host has to complain of, and a word of the complaint. */
const WRONG: Readonly<Record<string, readonly [(host: Host) => Promise<unknown>, RegExp]>> = {
  'a callback that throws': [hooked({ hooks: [boom] }), /\(threw\): .*boom/],
  'a callback that rejects': [hooked({ hooks: [async () => boom()] }), /\(threw\): .*boom/],
  'a callback that is late': [hooked({ timeout: 0.01, hooks: [never] }), /\(timeout\)/],
  'a program that is late and does not end, until the caller aborts': [
    async (host) => {
      const told = join(mkdtempSync(join(tmpdir(), 'late-')), 'told');
      const stubborn = command(`trap ': >${told}' TERM; while :; do sleep 0.05; done`);
      host.register({ PreToolUse: [{ timeout: 1, hooks: [stubborn] }] });
      const cut = new AbortController();
      const firing = host.fire('PreToolUse', ASKED, { signal: cut.signal });
      const rejected = expect(firing).rejects.toMatchObject({ code: 'ABORTED' });
      await until(() => existsSync(told));
      cut.abort();
      await rejected;
    },
    /\(timeout\)/,
  ],
  'an answer of a wrong shape': [hooked({ hooks: [() => ({ systemMessage: 1 })] }), /\(bad_schema\)/],
  'an answer with a key that nobody knows': [
    hooked({ hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContex: 'x' } })] }),
    /additionalContex/,
  ],
  'a program that is not there': [hooked({ hooks: [command('no-such-program', { args: [] })] }), /\(spawn_failed\)/],
  'an exit code': [hooked({ hooks: [command('exit 3')] }), /\(exit_code\)/],
  'a signal': [hooked({ hooks: [command('kill -9 $$')] }), /\(signal\)/],
  'what is no JSON': [hooked({ hooks: [command("echo '{no}'")] }), /\(bad_json\)/],
  'too long an answer': [hooked({ hooks: [command('echo 12345678', { outputLimit: 4 })] }), /\(too_large\)/],
  'a server that is not there': [hooked({ hooks: [http('http://127.0.0.1:9/')] }), /\(connection\)/],
  'a status of a server': [(host) => hooked({ hooks: [http(url())] })(host), /\(http_status\)/],
  'a callback in the background': [hooked({ hooks: [{ handler: async () => boom(), async: true }] }), /\(threw\)/],
  'a tap that throws': [
    async (host) => {
      host.hooks.PreToolUse.tap('t', boom);
      await host.fire('PreToolUse', ASKED);
    },
    /\(threw\): .*boom/,
  ],
  'a matcher that throws': [hooked({ matcher: boom, hooks: [() => undefined] }), /matcher .*threw.*boom/],
  'a call that was denied and ran': [
    async (host) => {
      host.register({ PreToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'no' }) as const] }] });
      await host.fire('PreToolUse', ASKED);
      await host.fire('PostToolUse', { ...ASKED, tool_response: {} });
    },
    /Alarm \(not_honoured\)/,
  ],
  'garbage on a control connection': [
    async (host) => {
      const input = new PassThrough();
      const { ended } = serveControl({ host, input, output: new PassThrough().resume() });
      input.end('no json\n');
      await ended;
    },
    /bad_json/,
  ],
};

let lines: string[] = [];
const WATCHED: Readonly<Record<string, (host: Host) => void>> = {
  nobody: () => {},
  'a subscriber': (host) => void host.events$.subscribe(() => {}),
  'a sink': (host) => void ndjsonSink(join(mkdtempSync(join(tmpdir(), 'sink-')), 'log.ndjson')).attach(host.events$),
};

for (const [watcher, watch] of Object.entries(WATCHED)) {
  test.each(Object.entries(WRONG))(`the logger hears of %s while ${watcher} watches`, async (_, [happens, word]) => {
    lines = [];
    const host = createHost({ session: SESSION, logger: (line) => lines.push(line) });
    watch(host);
    await happens(host);
    await host.close();
    expect(lines.filter((line) => word.test(line))).toHaveLength(1);
  });
}

test.each(Object.entries(WATCHED))(
  'an abort is the caller’s wish: nothing is heard of it while %s watches',
  async (_, watch) => {
    lines = [];
    const host = createHost({ session: SESSION, logger: (line) => lines.push(line) });
    watch(host);
    const answers = [() => undefined, () => ({ systemMessage: 'one' }), never];
    host.register({ PreToolUse: [{ hooks: answers as never }] });
    const cut = new AbortController();
    const firing = host.fire('PreToolUse', ASKED, { signal: cut.signal });
    cut.abort();
    await expect(firing).rejects.toMatchObject({ code: 'ABORTED' });
    await host.close();
    expect(lines).toEqual([]);
  },
);

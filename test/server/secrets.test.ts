import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { otelSink } from '../../src/emit/sinks/otel.js';
import { BIN } from '../cli/cli.js';
import { telemetry } from '../emit/otel/kit.js';
import { CHOSEN, CLASSES } from '../emit/redact/classes.js';
import { IDIOMS } from '../emit/redact/idioms.js';
import { SAMPLES as LOOKS } from '../emit/redact/secrets.js';
import { fire } from '../emit/samples.js';
import { createUser, type Running, type User, until } from './kit.js';

/** Of what programs and files say, one of each kind; each with a secret of its own. */
const SAID = [...Object.values(IDIOMS), ...Object.values(CLASSES)].map((idioms, i) => {
  const secret = `${CHOSEN[2]}${i}${i}`;
  return { text: (idioms[i % idioms.length] as string).replaceAll('§', secret), secret };
});
const SAMPLES: readonly { readonly text: string; readonly secret: string }[] = [...LOOKS, ...SAID];

/** So many at a time that what a hook says is no long output. */
const AT_ONCE = 15;
const GROUPS = Array.from({ length: Math.ceil(SAMPLES.length / AT_ONCE) }, (_, i) =>
  SAMPLES.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
);
const SECRETS = SAMPLES.map(({ secret }) => secret);
const textOf = (group: number): string => (GROUPS[group] as typeof SAMPLES).map(({ text }) => text).join('\n');

/** Every secret that a text shows, as it is or as JSON writes it. */
const shown = (text: string): string[] =>
  SECRETS.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)));

const call = (group: number): Record<string, unknown> => ({
  session_id: 'secrets',
  tool_name: `Tool${group}`,
  tool_use_id: `t${group}`,
  tool_input: { command: textOf(group) },
});

let user: User;
let server: Running;
let watching: ChildProcess;
let watched = '';
let listening: { readonly text: () => string; end(): void };

/** What whoever listens to the server's records is sent. */
function listen(): typeof listening {
  const { read } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { read: string };
  let text = '';
  const headers = { host: 'hookscope', authorization: `Bearer ${read}` };
  const asked = request({ socketPath: user.places.socket, path: '/events', headers }, (response) => {
    response.on('data', (part) => (text += String(part)));
    response.on('error', () => undefined);
  });
  asked.on('error', () => undefined).end();
  return { text: () => text, end: () => asked.destroy() };
}

beforeAll(async () => {
  user = createUser();
  // They say what they are told, and what is in their environment.
  const hooks = [
    { hooks: [{ type: 'command', command: 'cat >&2; echo "$SAID" >&2; exit 2', name: 'denies' }] },
    { hooks: [{ type: 'command', command: 'cat; echo "$SAID"; exit 1', name: 'fails' }] },
  ];
  user.write('hooks.json', { PreToolUse: hooks });
  for (const [i] of GROUPS.entries()) user.write(`call-${i}.json`, call(i));
  const ends = { SessionEnd: [{ hooks: [{ type: 'command', command: 'true' }] }] };
  const long = `head -c 10001 /dev/zero | tr '\\0' x; cat; echo "$SAID"; exit 2`;
  user.write('long.json', { PostToolUse: [{ hooks: [{ type: 'command', command: `{ ${long}; } >&2` }] }], ...ends });
  user.write(
    'session.jsonl',
    GROUPS.map(
      (_, i) =>
        `${JSON.stringify({ at_ms: i, event: 'PreToolUse', input: { transcript_path: '', cwd: '/', ...call(i) } })}\n`,
    ).join(''),
  );
  // Alone, and as a server has it.
  for (const [i] of GROUPS.entries())
    await user.run(['hook', 'PreToolUse', '--no-server', '--hooks', 'hooks.json'], {
      stdin: JSON.stringify(call(i)),
      env: { SAID: textOf(i) },
    });
  // A long output, which is kept in a file until the session ends.
  const said = await user.run(['hook', 'PostToolUse', '--no-server', '--hooks', 'long.json'], {
    stdin: JSON.stringify({ ...call(0), tool_response: {} }),
    env: { SAID: textOf(0) },
  });
  const spilled = /saved to: ([^\s"\\]+)/.exec(said.stdout)?.[1] as string;
  expect(shown(readFileSync(spilled, 'latin1')).length, 'its agent reads all').toBeGreaterThan(0);
  await user.run(['hook', 'SessionEnd', '--no-server', '--timeout', '60', '--hooks', 'long.json'], {
    stdin: JSON.stringify({ session_id: 'secrets', reason: 'other' }),
  });
  server = await user.serve(['--hooks', 'hooks.json']);
  listening = listen();
  watching = spawn(process.execPath, [BIN, 'watch'], { cwd: join(user.path, 'project'), env: user.env });
  for (const stream of [watching.stdout, watching.stderr]) stream?.on('data', (part) => (watched += String(part)));
  await until(() => watched.includes('watching'));
  for (const [i] of GROUPS.entries()) {
    const { stdout } = await user.hook(['PreToolUse', '--hooks', 'hooks.json'], call(i));
    expect(shown(stdout).length, 'its agent is told all').toBeGreaterThan(0);
  }
  const sink = ndjsonSink(join(user.path, 'kept/records.ndjson'));
  for (const [i] of GROUPS.entries())
    sink.push(fire(i + 1, { input: call(i) as never, decision: { ...fire().decision, reason: textOf(i) } as never }));
  await sink.close();
  // As a program has kept them that turned redaction off.
  const raw = ndjsonSink(join(user.path, 'project/raw.ndjson'), { redact: false });
  for (const [i] of GROUPS.entries()) {
    const reason = textOf(i);
    const [handler] = fire().handlers;
    raw.push(
      fire(i + 1, {
        session_id: `session ${reason}`,
        input: call(i) as never,
        decision: { ...fire().decision, reason } as never,
        handlers: [
          { ...handler, name: reason, output: { systemMessage: reason }, failure: { cause: 'exit', message: reason } },
        ] as never,
      }),
    );
  }
  await raw.close();
  expect(shown(readFileSync(join(user.path, 'project/raw.ndjson'), 'utf8')).length).toBe(SECRETS.length);
});
afterAll(async () => {
  watching?.kill('SIGKILL');
  await user.remove();
});

const STORE = ['--store', '../kept/records.ndjson'];
const RAW = ['--store', 'raw.ndjson'];
const COMMANDS: readonly (readonly string[])[] = [
  ['history', '--long'],
  ['history', '--json'],
  ['why', 'last'],
  ['why', 'last', '--json'],
  ['stats'],
  ['stats', '--json'],
  ['doctor'],
  ['history', '--long', ...STORE],
  ['why', 'last', ...STORE],
  ['history', '--format', 'trace'],
  ['history', '--format', 'trace', ...STORE],
  ['history', ...RAW],
  ['history', '--long', ...RAW],
  ['history', '--blocked', ...RAW],
  ['history', '--json', ...RAW],
  ['history', '--format', 'trace', ...RAW],
  ['why', 'last', ...RAW],
  ['why', 'fire-1', '--json', ...RAW],
  ['stats', ...RAW],
  ['stats', '--json', ...RAW],
  ['doctor', ...RAW],
  ['list', '--hooks', 'hooks.json'],
  ['list', '--hooks', 'hooks.json', '--json'],
  ['explain', 'PreToolUse', '--hooks', 'hooks.json', '--input', 'call-0.json'],
  ['explain', 'PreToolUse', '--hooks', 'hooks.json', '--input', 'call-0.json', '--json'],
  ['fire', 'PreToolUse', '--hooks', 'hooks.json', '--input', 'call-0.json', '--json'],
  ['run', 'session.jsonl', '--hooks', 'hooks.json'],
  ['run', 'session.jsonl', '--hooks', 'hooks.json', '--json'],
];

test.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
  'no secret is printed by hookscope %s',
  async (_, args) => {
    const { stdout, stderr } = await user.run(args);
    expect(stdout.length + stderr.length).toBeGreaterThan(20);
    expect(shown(stdout + stderr)).toEqual([]);
  },
);

test('none is printed by hookscope watch, nor by the server', async () => {
  await until(() => watched.split('\n').filter((line) => line.includes('PreToolUse')).length >= GROUPS.length);
  expect(shown(watched)).toEqual([]);
  expect(shown(server.output())).toEqual([]);
});

test('none is in what the server answers whoever reads', async () => {
  const { read } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { read: string };
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(
      {
        socketPath: user.places.socket,
        path: '/records',
        headers: { host: 'hookscope', authorization: `Bearer ${read}` },
      },
      (response) => {
        let body = '';
        response.on('data', (part) => (body += String(part))).on('end', () => resolve(body));
      },
    );
    asked.on('error', reject).end();
  });
  expect(text).toContain('PreToolUse');
  expect(shown(text)).toEqual([]);
});

test('none is in what the server sends whoever listens', async () => {
  await until(() => (listening.text().match(/"hook_fire"/g) ?? []).length >= GROUPS.length);
  listening.end();
  expect(shown(listening.text())).toEqual([]);
});

test.each([
  ['../kept/records.ndjson', 'kept.html'],
  ['raw.ndjson', 'raw.html'],
  ['../state/hookscope/records.db', 'state.html'],
])('none is in the page that is made of %s', async (store, out) => {
  const made = await user.run(['page', store, '--out', out]);
  expect(made.code, made.stderr).toBe(0);
  const html = readFileSync(join(user.path, 'project', out), 'utf8');
  expect(html).toContain('hook_fire');
  // As a page writes it as well.
  expect(shown(html + html.replaceAll('\\u003c', '<'))).toEqual([]);
});

test('none is in a trace file that a command writes', async () => {
  await user.run(['history', '--format', 'trace', '--out', 'raw.trace.json', ...RAW]);
  const text = readFileSync(join(user.path, 'project/raw.trace.json'), 'utf8');
  expect(text).toContain('traceEvents');
  expect(shown(text)).toEqual([]);
});

test('none is on a span or in a metric, also where content is asked for', async () => {
  for (const content of [false, true]) {
    const { providers, spans, points, end } = telemetry();
    const sink = otelSink({ ...providers, ...(content ? { content: true } : {}) });
    const host = createHost({ tracing: sink, logger: () => undefined });
    for (const [i] of GROUPS.entries()) {
      const reason = textOf(i);
      const hooks = [
        () => ({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: reason,
          },
        }),
        () => Promise.reject(new Error(reason)),
      ];
      const undo = host.register({ PreToolUse: [{ hooks: hooks as never }] });
      await host.fire('PreToolUse', call(i) as never);
      undo();
    }
    await host.close();
    const told = JSON.stringify([
      spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      await points(),
    ]);
    expect(spans().length).toBeGreaterThan(GROUPS.length);
    expect(shown(told), `content: ${content}`).toEqual([]);
    await end();
  }
});

test('none is left behind in a store, a log or an output', async () => {
  await server.stop('SIGTERM');
  const files = ['state', 'run', 'kept', 'home'].flatMap((folder) =>
    readdirSync(join(user.path, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files.some((file) => file.endsWith('records.db'))).toBe(true);
  expect(files.some((file) => file.endsWith('records.ndjson'))).toBe(true);
  for (const file of files) expect(shown(readFileSync(file, 'latin1')), file).toEqual([]);
});

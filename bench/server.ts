import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, type HookRecord } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { preToolUse } from './recorded.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const body = JSON.stringify(preToolUse);
const started: ChildProcess[] = [];
const folders: string[] = [];
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const PLUGIN = `export default { name: 'silent', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => undefined] }] }); } };`;
/** The same hook as a process. */
const PROCESS = `let text = ''; for await (const piece of process.stdin) text += piece; JSON.parse(text);`;
/** Parses the same JSON, and answers as much. */
const BARE = `
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
const app = new Hono();
app.post('/hooks/:event', async (c) => { await c.req.json(); return c.json({}); });
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('at :' + port));`;

interface Served {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ours: number;
  readonly bare: number;
  readonly keeping: number;
  readonly token: string;
}

export async function serveBoth(): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-bench-'));
  folders.push(folder);
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  writeFileSync(join(folder, 'plugin.mjs'), PLUGIN);
  writeFileSync(join(folder, 'hook.mjs'), PROCESS);
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: join(folder, 'run') };
  const main = join(ROOT, 'dist/cli/main.js');
  const ours = await portOf([main, 'serve', '--plugin', join(folder, 'plugin.mjs'), '--port', '0'], env);
  const bare = await portOf(['--input-type=module', '-e', BARE], env);
  const samples = join(folder, 'samples.json');
  writeFileSync(samples, JSON.stringify(await recordsOfOne()));
  const keeping = await portOf([join(ROOT, 'bench/keeping-route.mjs'), folder, samples], env);
  const tokens = JSON.parse(readFileSync(join(folder, 'state/hookscope/tokens.json'), 'utf8')) as { fire: string };
  return { folder, env, ours, bare, keeping, token: tokens.fire };
}

/** What a host tells of one call with one silent hook. */
async function recordsOfOne(): Promise<HookRecord[]> {
  const host = createHost();
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  host.register({ PreToolUse: [{ hooks: [() => undefined] }] });
  await host.fire('PreToolUse', preToolUse);
  await host.close();
  return records;
}

function portOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  return new Promise((resolve) => {
    child.stdout.on('data', (piece: Buffer) => {
      const found = /:(\d+)/.exec(piece.toString());
      if (found) resolve(Number(found[1]));
    });
  });
}

/** At least so many requests for the slowest of a hundred. */
const MANY = 500;

/** What ends the head of a response. */
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * One connection that stays open. It writes the same bytes again and again and reads no more of an answer than where it ends: Node's own client
 * takes more processor time for a request than either server does, and would be what is measured.
 */
class Connection {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #had: Buffer = Buffer.alloc(0);
  #settle: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(port: number, request: Buffer) {
    this.#request = request;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (piece: Buffer) => this.#read(piece));
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error('the server has closed the connection')));
  }

  ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(this.#request);
    });
  }

  #read(piece: Buffer): void {
    this.#had = this.#had.length === 0 ? piece : Buffer.concat([this.#had, piece]);
    const end = this.#had.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#had.toString('latin1', 0, end);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`no answer: ${head}`);
    if (this.#had.length < end + HEAD_END.length + Number(length)) return;
    this.#had = Buffer.alloc(0);
    this.#settle?.resolve();
  }
}

/** Requests over that many connections. `tail`: what counts is the 99th of 100. */
function client(name: string, port: number, token: string, connections: number, tail: boolean): Candidate {
  let times: number[] = [];
  const head = `POST /hooks/PreToolUse HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const bytes = Buffer.from(head + body);
  const open = Array.from({ length: connections }, () => new Connection(port, bytes));
  const batch = async (count: number): Promise<void> => {
    let left = tail ? Math.max(count, MANY) : count;
    times = [];
    const one = async (connection: Connection): Promise<void> => {
      while (left-- > 0) {
        const from = process.hrtime.bigint();
        await connection.ask();
        times.push(Number(process.hrtime.bigint() - from));
      }
    };
    await Promise.all(open.map(one));
  };
  const each = (): number => times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] as number;
  return { name, run: () => (open[0] as Connection).ask(), batch, ...(tail ? { each } : {}) };
}

const overHttp = (connections: number, tail: boolean): Case => ({
  name: `a call over HTTP, ${connections} connections${tail ? ', p99' : ''}`,
  goal: 1.5,
  candidates: async () => {
    const { ours, bare, keeping, token } = await serveBoth();
    return [
      client('a bare hono route', bare, token, connections, tail),
      client('a hono route that keeps as many records', keeping, token, connections, tail),
      client('hookscope serve', ours, token, connections, tail),
    ];
  },
  floor: 'a bare hono route',
  subject: 'hookscope serve',
  wall: true,
  ...(tail ? { rounds: 30 } : {}),
});

export const cases: Case[] = [
  ...[1, 10, 100].flatMap((connections) => [overHttp(connections, false), overHttp(connections, true)]),
  {
    name: 'a call by the thin command',
    goal: 0.3,
    candidates: async () => {
      const { folder, env } = await serveBoth();
      const call = (program: string, args: readonly string[]) => () => spawnSync(program, args, { env, input: body });
      return [
        { name: 'the hook as a Node process', run: call(process.execPath, [join(folder, 'hook.mjs')]) },
        { name: 'hookscope-hook.sh', run: call('sh', [join(ROOT, 'dist/hookscope-hook.sh'), 'PreToolUse']) },
      ];
    },
    floor: 'the hook as a Node process',
    subject: 'hookscope-hook.sh',
    rounds: 40,
    wall: true,
  },
];

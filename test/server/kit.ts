import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unpacked } from '../../src/emit/packed.js';
import type { HookRecord } from '../../src/emit/record.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { placesOf, type ServerPaths } from '../../src/server/places.js';
import { BIN, cli, type Finished, start } from '../cli/cli.js';

interface RunOptions {
  readonly stdin?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A user of his own: a project, a state, a folder for sockets. */
export interface User {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly places: ServerPaths;
  write(name: string, content: unknown, mode?: number): string;
  /** `hookscope` with these arguments, within this process. What the process is the subject of, or loads code that changes, needs `spawn`. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** The same as a process. */
  spawn(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** A program of Node, as a process. */
  program(file: string): Promise<Finished>;
  /** `hookscope hook`, with an input, within this process. */
  hook(args: readonly string[], input: unknown, cwd?: string): Promise<Finished>;
  /** The same as a process. */
  spawnHook(args: readonly string[], input: unknown, cwd?: string): Promise<Finished>;
  serve(args: readonly string[], options?: { cwd?: string; env?: NodeJS.ProcessEnv }): Promise<Running>;
  /** What `hookscope serve` says that serves nothing, within this process: it has started no other by then. */
  refused(args: readonly string[], options?: { cwd?: string }): Promise<string>;
  records(): HookRecord[];
  /** Ends what was started, and removes all. */
  remove(): Promise<void>;
}

export interface Running {
  readonly child: ChildProcess;
  readonly port: number | undefined;
  /** What it has printed so far. */
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

export const bash = (command: string, more: object = {}): Record<string, unknown> => ({
  hook_event_name: 'PreToolUse',
  session_id: 's1',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: `t-${command}`,
  ...more,
});

/** A shell hook that denies what has `rm` in it, and writes a line to `asked` whenever it runs. */
export const GUARD = `#!/bin/sh
echo asked >> "$(dirname "$0")/asked"
read -r input
case "$input" in *'"rm'*) echo 'nothing is removed' >&2; exit 2;; esac
`;

/** A user whose `hooks.json` has the guard for every call, */
export function guardedUser(): User {
  const user = createUser();
  user.write('guard.sh', GUARD, 0o755);
  user.write('hooks.json', hooksFile(join(user.path, 'project/guard.sh')));
  return user;
}
/** and how often it has run. */
export function askedOf({ path }: User): number {
  const file = join(path, 'project/asked');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

export const hooksFile = (command: string, event = 'PreToolUse', more: object = {}): object => ({
  [event]: [{ onFailure: 'block', hooks: [{ type: 'command', command, ...more }] }],
});

export function createUser(): User {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-server-')));
  const env = {
    ...process.env,
    NO_COLOR: '1',
    HOME: join(path, 'home'),
    XDG_STATE_HOME: join(path, 'state'),
    XDG_CONFIG_HOME: join(path, 'config'),
    XDG_RUNTIME_DIR: join(path, 'run'),
  };
  for (const folder of ['home', 'run', 'project']) mkdirSync(join(path, folder), { mode: 0o700 });
  const places = placesOf(env);
  const running: Running[] = [];
  const inProject = ({ stdin = '', cwd = join(path, 'project'), env: more = {} }: RunOptions = {}) => ({
    cwd,
    stdin,
    env: { ...env, ...more },
  });
  const run: User['run'] = (args, options) => cli(args, inProject(options));
  const spawnIt: User['spawn'] = (args, options) => start(process.execPath, [BIN, ...args], inProject(options));
  const asked = (run: User['run']): User['hook'] => {
    return (args, input, cwd) =>
      run(['hook', ...args], {
        stdin: typeof input === 'string' ? input : JSON.stringify(input),
        ...(cwd === undefined ? {} : { cwd }),
      });
  };
  return {
    path,
    env,
    places,
    write(name, content, mode = 0o644) {
      const file = join(path, 'project', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
      return file;
    },
    run,
    spawn: spawnIt,
    program: (file) => start(process.execPath, [file], { cwd: join(path, 'project'), stdin: '', env }),
    hook: asked(run),
    spawnHook: asked(spawnIt),
    async serve(args, { cwd = join(path, 'project'), env: more = {} } = {}) {
      const one = await serve(args, cwd, { ...env, ...more });
      running.push(one);
      return one;
    },
    async refused(args, options) {
      const { code, stderr } = await run(['serve', ...args], options);
      if (code !== 1) throw new Error(`serve ended with ${code}: ${stderr}`);
      return stderr;
    },
    records() {
      const file = join(places.state, 'records.db');
      if (!existsSync(file)) return [];
      const database = openSqlite(file);
      database.exec('PRAGMA busy_timeout = 5000');
      // It may have been made, and hold nothing yet.
      const made = database.all("SELECT name FROM sqlite_master WHERE name = 'records'").length > 0;
      const rows = made ? database.all('SELECT json FROM records ORDER BY id') : [];
      database.close();
      return rows
        .flatMap(({ json }) => [JSON.parse(String(json)) as HookRecord].flat())
        .flatMap((one) => unpacked(one));
    },
    async remove() {
      for (const one of running) await one.stop('SIGKILL');
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function serve(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, [BIN, 'serve', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return new Promise((resolve, reject) => {
    const read = (piece: Buffer): void => {
      text += piece.toString();
      const ready = /^hookscope serves on \S+(?: and http:\/\/127\.0\.0\.1:(\d+))?;/m.exec(text);
      if (!ready) return;
      resolve({
        child,
        port: ready[1] === undefined ? undefined : Number(ready[1]),
        output: () => text,
        ended,
        async stop(signal = 'SIGTERM') {
          child.kill(signal);
          return ended;
        },
      });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then((code) => reject(new Error(`serve ended with ${code}: ${text}`)));
  });
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One request to a server, over its socket or its port, with whatever head. */
export function send(
  at: { socketPath: string } | { port: number },
  {
    path,
    method = 'POST',
    headers = {},
    body = '',
  }: {
    path: string;
    method?: string;
    headers?: Record<string, string | string[]>;
    body?: string | Buffer;
  },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const where = 'port' in at ? { host: '127.0.0.1', port: at.port } : at;
    const asked = request({ ...where, path, method, agent: false, headers, setHost: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('It did not happen within 30 s.');
}

import { spawn } from 'node:child_process';
import { Console } from 'node:console';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { ROOT } from '../package/sources.js';

/** The program as it is built. */
export const BIN = join(ROOT, 'dist/cli/main.js');
export const SESSIONS = join(ROOT, 'test/fixtures/sessions');
/** The same without the line that calls it. */
const PROGRAM = join(ROOT, 'dist/cli/program.js');

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: a signal ended it; after 240 s that is ours. */
  readonly code: number | null;
}

export interface CliOptions {
  readonly cwd: string;
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface FinishedHere extends Finished {
  /** Both streams as one, as a terminal shows them. */
  readonly output: string;
}

interface HereOptions extends CliOptions {
  /** In place of the one whose text is returned. */
  readonly stdout?: Writable;
}

interface SpawnOptions extends CliOptions {
  /** Called once with what is on stdout so far, as soon as there is something. */
  readonly onOutput?: (pid: number) => void;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `hookscope` as it is built, all of it, in this process: with arguments, folder, environment and standard input of its
 * own. One at a time, whoever calls, since a process has one folder. Modules are loaded once: what a test writes, loads,
 * changes and loads again needs `spawnCli`.
 */
export function cli(args: readonly string[], options: HereOptions): Promise<FinishedHere> {
  const finished = last.then(() => runHere(args, options));
  last = finished.catch(() => undefined);
  return finished;
}

async function runHere(
  args: readonly string[],
  { cwd, stdin = '', env, ...given }: HereOptions,
): Promise<FinishedHere> {
  const { program } = (await import(pathToFileURL(PROGRAM).href)) as {
    program(argv: readonly string[]): Promise<void>;
  };
  const texts = { stdout: '', stderr: '', output: '' };
  const stream = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _, done) {
        texts[name] += chunk.toString();
        texts.output += chunk.toString();
        done();
      },
    });
  const began = performance.now();
  // As of a process that has just begun: deadlines count from there.
  const uptime = (): number => (performance.now() - began) / 1000;
  const [stdout, stderr] = [given.stdout ?? stream('stdout'), stream('stderr')];
  const undo = [
    replaced(process, { stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), stdout, stderr, uptime }),
    replaced(globalThis, { console: new Console(stdout, stderr) }),
    inFolder(cwd),
    inEnvironment({ ...process.env, NO_COLOR: '1', ...env }),
    listenersKept(),
    threadsEnded(),
  ];
  try {
    const code = await new Promise<number>((resolve, reject) => {
      // Nothing goes on after the real one either.
      const exit = (code?: number): Promise<never> => {
        resolve(code ?? 0);
        return new Promise(() => undefined);
      };
      undo.push(replaced(process, { exit }));
      program(args).catch(reject);
    });
    return { ...texts, code };
  } finally {
    for (const back of undo.reverse()) back();
  }
}

/** Puts values in the place of an object's own; the result puts those back. */
function replaced<T extends object>(target: T, values: { readonly [K in keyof T]?: unknown }): () => void {
  const before = Object.keys(values).map((key) => [key, Object.getOwnPropertyDescriptor(target, key)] as const);
  for (const [key, value] of Object.entries(values)) {
    Object.defineProperty(target, key, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [key, descriptor] of before) Object.defineProperty(target, key, descriptor as PropertyDescriptor);
  };
}

function inFolder(cwd: string): () => void {
  const before = process.cwd();
  process.chdir(cwd);
  return () => process.chdir(before);
}

function inEnvironment(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  const set = (to: NodeJS.ProcessEnv): void => {
    for (const key of Object.keys(process.env)) if (to[key] === undefined) delete process.env[key];
    for (const [key, value] of Object.entries(to)) if (value !== undefined) process.env[key] = value;
  };
  set(env);
  return () => set(before);
}

/** What listens to the process afterwards is what did before. */
function listenersKept(): () => void {
  const names = () => process.eventNames() as readonly 'exit'[];
  const before = new Map(names().map((name) => [name, process.listeners(name)]));
  return () => {
    for (const name of names()) {
      for (const listener of process.listeners(name)) {
        if (!before.get(name)?.includes(listener)) process.removeListener(name, listener);
      }
    }
  };
}

/** What it has started within this process ends with it, as it would with its own. */
function threadsEnded(): () => void {
  const threads: Worker[] = [];
  const add = (thread: Worker): void => void threads.push(thread);
  process.on('worker', add);
  return () => {
    process.removeListener('worker', add);
    for (const thread of threads) void thread.terminate();
  };
}

/** Runs `hookscope` as a process, with nobody's colours and without input unless some is given. */
export function spawnCli(args: readonly string[], { cwd, stdin = '', env, onOutput }: SpawnOptions): Promise<Finished> {
  return start(process.execPath, [BIN, ...args], {
    cwd,
    stdin,
    env: { ...process.env, NO_COLOR: '1', ...env },
    onOutput,
  });
}
interface Start {
  readonly cwd: string;
  readonly stdin: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput?: ((pid: number) => void) | undefined;
  readonly uid?: number;
}

/** Runs a program and kills what is left of its process group when it has ended. */
export function start(
  program: string,
  args: readonly string[],
  { cwd, stdin, env, onOutput, ...as }: Start,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, ...as });
    const pid = child.pid as number;
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        if (name === 'stdout' && texts.stdout === '') onOutput?.(pid);
        texts[name] += text;
      });
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), 240_000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ ...texts, code });
    });
  });
}

/** One line on standard error, which is what somebody who got it wrong is told; no stack. */
export function isOneMessage(stderr: string): boolean {
  return /^hookscope: [^\n]+\n(?:\(Did you mean [^\n]+\?\)\n)?$/.test(stderr) && !/\n\s+at /.test(stderr);
}

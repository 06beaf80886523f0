import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from './sources.js';

export interface Surroundings {
  readonly cwd: string;
  /** Comes first in PATH. */
  readonly bin: string;
  /** HOME: no test reads or writes the real one. */
  readonly home: string;
}

export interface Finished {
  /** Both streams as one, as a terminal shows them. */
  readonly output: string;
  /** Null when a signal ended it; after 240 s that is ours. */
  readonly code: number | null;
}

const LIMIT = 240_000;

/** The whole environment of what is run there. */
export function environment({ bin, home }: Omit<Surroundings, 'cwd'>): NodeJS.ProcessEnv {
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  return { PATH: path, HOME: home, NO_COLOR: '1', npm_config_update_notifier: 'false' };
}

/** Ends whatever is left of a process group. */
function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch (error) {
    // ESRCH: nothing is left; EPERM: what macOS says of a group of zombies.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Runs a program without input, and kills what is left of its process group when it ends. */
export function run(program: string, args: readonly string[], where: Surroundings): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: where.cwd,
      env: environment(where),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
      });
    }
    const timer = setTimeout(() => killGroup(child), LIMIT);
    child.on('error', reject);
    child.on('exit', () => killGroup(child));
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ output, code });
    });
  });
}

/** Runs modules one after the other in one process of Node, which loads what they share once. */
export interface Runner {
  run(file: string, cwd: string, args?: readonly string[]): Promise<Finished>;
  remove(): void;
}

/** `nodeArgs` are Node's own. A module that ends its process, or fails, takes it along; the next one gets another. */
export function createRunner(where: Omit<Surroundings, 'cwd'>, nodeArgs: readonly string[] = []): Runner {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-runner-'));
  const file = join(folder, 'output');
  // One file for both streams: what was written first stands first.
  const output = openSync(file, 'a');
  let child: ChildProcess | undefined;
  let read = 0;
  const start = (): ChildProcess =>
    spawn(process.execPath, [...nodeArgs, join(ROOT, 'test/package/one-by-one.mjs')], {
      cwd: ROOT,
      env: environment(where),
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
  return {
    async run(program, cwd, args = []) {
      if (child?.exitCode !== null || child.signalCode !== null) child = start();
      const running = child;
      const code = await new Promise<number | null>((resolve, reject) => {
        const timer = setTimeout(() => killGroup(running), LIMIT);
        const end = (ended: number | null): void => {
          clearTimeout(timer);
          for (const name of ['message', 'exit', 'error']) running.removeAllListeners(name);
          resolve(ended);
        };
        running.once('message', (message: { code: number }) => end(message.code));
        running.once('exit', (ended) => {
          killGroup(running);
          end(ended);
        });
        running.once('error', reject);
        running.send({ file: program, cwd, args });
      });
      const all = readFileSync(file);
      const own = all.subarray(read).toString();
      read = all.length;
      return { output: own, code };
    },
    remove() {
      if (child) killGroup(child);
      closeSync(output);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

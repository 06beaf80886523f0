import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../package/sources.js';

/** The program as it is built. */
export const BIN = join(ROOT, 'dist/cli/main.js');
export const SESSIONS = join(ROOT, 'test/fixtures/sessions');

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: a signal ended it; after 60 s that is ours. */
  readonly code: number | null;
}

export interface CliOptions {
  readonly cwd: string;
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called once with what is on stdout so far, as soon as there is something. */
  readonly onOutput?: (pid: number) => void;
}

/** Runs `hookscope`, with nobody's colours and without input unless some is given. */
export function cli(args: readonly string[], { cwd, stdin = '', env, onOutput }: CliOptions): Promise<Finished> {
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
}

/** Runs a program and kills what is left of its process group when it has ended. */
export function start(
  program: string,
  args: readonly string[],
  { cwd, stdin, env, onOutput }: Start,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true });
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
    const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), 60_000);
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

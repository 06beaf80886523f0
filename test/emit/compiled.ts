import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useBuilt } from '../built.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs programs of test/fixtures/emit on what is built here of src/emit, in real processes. */
export function useCompiled(): {
  /** The folder. */
  built: string;
  start: (program: string, ...args: string[]) => Child;
  /** The same after a line of shell, such as `ulimit -f 100`. */
  startShell: (before: string, program: string, ...args: string[]) => Child;
} {
  const built = useBuilt({
    bus: 'src/emit/bus.ts',
    ndjson: 'src/emit/sinks/ndjson.ts',
    sqlite: 'src/emit/sinks/sqlite.ts',
  });
  const argv = (program: string, args: string[]) => [
    process.execPath,
    join(ROOT, 'test/fixtures/emit', program),
    built,
    ...args,
  ];
  return {
    built,
    start: (program, ...args) => startProcess('/usr/bin/env', argv(program, args)),
    startShell: (before, program, ...args) =>
      startProcess('/bin/sh', ['-c', `${before}; exec "$@"`, 'sh', ...argv(program, args)]),
  };
}

export interface Child {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has printed the text. */
  says(text: string): Promise<void>;
}

function startProcess(file: string, args: string[]): Child {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    pid: child.pid as number,
    ended,
    kill: (signal) => child.kill(signal),
    async says(text) {
      while (!stdout.includes(text)) {
        const more = new Promise((resolve) => child.stdout.once('data', resolve));
        const end = await Promise.race([more.then(() => undefined), ended]);
        if (end !== undefined && !stdout.includes(text))
          throw new Error(`It ended without saying "${text}": ${stderr}`);
      }
    },
  };
}

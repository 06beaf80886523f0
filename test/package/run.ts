import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

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
  /** Null when a signal ended it; after 60 s that is ours. */
  readonly code: number | null;
}

/** Runs a program without input, and kills what is left of its process group when it ends. */
export function run(program: string, args: readonly string[], where: Surroundings): Promise<Finished> {
  const path = [where.bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: where.cwd,
      env: { PATH: path, HOME: where.home, NO_COLOR: '1', npm_config_update_notifier: 'false' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const killGroup = (): void => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch (error) {
        // ESRCH: nothing is left; EPERM: what macOS says of a group of zombies.
        if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) reject(error);
      }
    };
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
      });
    }
    const timer = setTimeout(killGroup, 60_000);
    child.on('error', reject);
    child.on('exit', killGroup);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ output, code });
    });
  });
}

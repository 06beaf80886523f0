import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { ending } from '../../../emit/redact/total.js';
import { adoptGroup, type ProcessGroup } from '../../../handlers/command/process-group.js';
import { clipped } from '../peer/problem.js';
import { folderProblem, scriptProblem, startProblem } from './start-problem.js';

/** How many characters are kept of the end of a program's stderr. An error message shows the first line and this end. */
const TAIL = 2_000;
/** How long, in milliseconds, the rest of stderr is read after the program has ended. A child process may hold stderr open forever. */
const LAST_WORDS = 200;

export interface ProgramStart {
  readonly executable: string;
  readonly args: readonly string[];
  /** The program's environment, which replaces that of this process; undefined: the same. */
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly cwd: string;
  /** Called with each piece that the program writes to stderr. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly exitCode?: number;
  readonly signal?: string;
}

/** A running program with pipes to its standard streams, in its own process group. */
export interface ClaudeProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly group: ProcessGroup;
  /** Settles when the program has ended. */
  readonly ended: Promise<ProgramEnd>;
  /** The program's stderr: all of it, or the first line and the end. */
  stderr(): string;
}

/** The command to start. A JavaScript file is run by the current Node, as in Claude's SDK. */
function commandOf({ executable, args }: ProgramStart): [string, readonly string[]] {
  return /\.[cm]?js$/.test(executable) ? [process.execPath, [executable, ...args]] : [executable, args];
}

/** Starts a program, or returns why it could not be started. */
export async function startProgram(start: ProgramStart): Promise<ClaudeProcess | { readonly problem: string }> {
  const [file, args] = commandOf(start);
  const { env, cwd } = start;
  const named = { executable: start.executable, file, cwd, env };
  const early = scriptProblem(named);
  if (early !== undefined) return { problem: folderProblem(cwd) ?? early };
  let child: ReturnType<typeof launch>;
  try {
    child = launch(file, args, env, cwd);
  } catch (error) {
    return { problem: startProblem(error, named) };
  }
  if (child.pid === undefined) return { problem: startProblem((await child).cause, named) };
  const last = keepTail(child.stderr, start.onStderr);
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      const end = { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) };
      const late = sleep(LAST_WORDS, undefined, { ref: false });
      void Promise.race([last.ended, late]).then(() => {
        // A child process that was left behind may hold stderr open, which would keep this process running.
        child.stderr.destroy();
        resolve(end);
      });
    });
  });
  return { stdin: child.stdin, stdout: child.stdout, group: adoptGroup(child.pid), ended, stderr: last.text };
}

function launch(file: string, args: readonly string[], env: ProgramStart['env'], cwd: string) {
  return execa(file, args, {
    cwd,
    ...(env === undefined ? {} : { env, extendEnv: false }),
    stdin: 'pipe',
    detached: process.platform !== 'win32',
    // The process group is ended explicitly, with everything that the program started.
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
  });
}

interface Tail {
  text(): string;
  readonly ended: Promise<void>;
}

function keepTail(stream: Readable, tell: ProgramStart['onStderr']): Tail {
  const decoder = new StringDecoder('utf8');
  let first = '';
  let tail = '';
  let whole = true;
  stream.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    if (!/\S.*\n/.test(first)) first = (first + text).slice(0, TAIL);
    whole &&= tail.length + text.length <= TAIL;
    tail = (tail + text).slice(-2 * TAIL);
    tell?.(text);
  });
  stream.on('error', () => stream.destroy());
  const ended = new Promise<void>((resolve) => stream.once('close', resolve));
  const head = (): string => `${clipped((first.trim().split('\n')[0] as string).trim())}\n… `;
  return { text: () => (whole ? '' : head()) + ending(tail, TAIL).trim(), ended };
}

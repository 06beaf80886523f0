import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { adoptGroup, type ProcessGroup } from '../../handlers/command/process-group.js';
import { messageOf } from '../../values/promises.js';

/** Characters of what a program wrote to stderr last; its failure is told with them. */
const TAIL = 2_000;
/** Milliseconds for what is still in its stderr when it has ended; a child that it left behind may hold that open for ever. */
const LAST_WORDS = 200;

export interface ProgramStart {
  readonly executable: string;
  readonly args: readonly string[];
  /** In place of this process's own environment. */
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly cwd: string;
  /** Told what it writes to stderr, as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly exitCode?: number;
  readonly signal?: string;
}

/** A program under way, with pipes to its standard streams, in a process group of its own. */
export interface ClaudeProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly group: ProcessGroup;
  /** Settles when it has ended. */
  readonly ended: Promise<ProgramEnd>;
  /** What it wrote to stderr last. */
  stderr(): string;
}

/** A JavaScript file is run by this very Node, as the client's SDK does. */
function commandOf({ executable, args }: ProgramStart): [string, readonly string[]] {
  return /\.[cm]?js$/.test(executable) ? [process.execPath, [executable, ...args]] : [executable, args];
}

/** Starts it, or says why it did not start. */
export async function startProgram(start: ProgramStart): Promise<ClaudeProcess | { readonly problem: string }> {
  const [file, args] = commandOf(start);
  const { env, cwd } = start;
  let child: ReturnType<typeof launch>;
  try {
    child = launch(file, args, env, cwd);
  } catch (error) {
    return { problem: messageOf(error) };
  }
  if (child.pid === undefined) return { problem: problemOf((await child).cause, file, cwd) };
  const tail = keepTail(child.stderr, start.onStderr);
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      const end = { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) };
      const late = sleep(LAST_WORDS, undefined, { ref: false });
      void Promise.race([tail.ended, late]).then(() => {
        // A child that it left behind may hold it open, which would keep this process running.
        child.stderr.destroy();
        resolve(end);
      });
    });
  });
  return { stdin: child.stdin, stdout: child.stdout, group: adoptGroup(child.pid), ended, stderr: tail.text };
}

function launch(file: string, args: readonly string[], env: ProgramStart['env'], cwd: string) {
  return execa(file, args, {
    cwd,
    ...(env === undefined ? {} : { env, extendEnv: false }),
    stdin: 'pipe',
    detached: process.platform !== 'win32',
    // It ends as a group, with whatever it started.
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
  });
}

function problemOf(error: unknown, file: string, cwd: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return `${file} was not found (or the folder ${cwd} is not there); give its path as "executable"`;
  if (code === 'EACCES') return `${file} is not executable`;
  return messageOf(error);
}

interface Tail {
  text(): string;
  readonly ended: Promise<void>;
}

function keepTail(stream: Readable, tell: ProgramStart['onStderr']): Tail {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  stream.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    tail = (tail + text).slice(-TAIL);
    tell?.(text);
  });
  stream.on('error', () => stream.destroy());
  const ended = new Promise<void>((resolve) => stream.once('close', resolve));
  return { text: () => tail.trim(), ended };
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { execa } from 'execa';
import type { ExternalCall } from '../handler.js';
import { type Capture, capture } from './capture.js';
import { adoptGroup, type ProcessGroup } from './process-group.js';
import type { CommandSpec } from './spec.js';

/** Milliseconds for what is still in the pipes when the hook has ended but a child of it holds them open. */
const DRAIN = 100;

/** Bytes of each output stream that are kept unless the spec says otherwise. */
export const OUTPUT_LIMIT = 1024 * 1024;

/** How a program ended. */
export interface Ending {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** A hook under way. */
export interface RunningCommand {
  readonly group: ProcessGroup;
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** Settles when the program itself has ended and its output is read, whether or not children of it live on. */
  readonly ended: Promise<Ending>;
}

/** What to start, where, and with which input. */
export interface StartOptions {
  readonly spec: CommandSpec;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A mark in its environment by which the processes that it starts can be found. */
  readonly mark?: string | undefined;
  readonly stdin: string;
  /** Bytes of each output stream that are kept. */
  readonly outputLimit: number;
  readonly progress: ExternalCall['progress'];
  /** Told all of stdout so far when more has come, until it returns true. */
  readonly onStdout?: ((text: string) => boolean) | undefined;
}

/** Starts the program in its own process group, or says what kept it from starting. */
export async function startCommand(start: StartOptions): Promise<RunningCommand | { readonly problem: string }> {
  const errors: Error[] = [];
  const child = launch(start, errors);
  if (child instanceof Error) {
    // The child tells a moment later what was wrong.
    await nextTurn();
    return { problem: problemOf(errors[0] ?? child, start) };
  }
  // Without an id the child never existed, and its promise settles at once with the reason.
  if (child.pid === undefined) return { problem: problemOf((await child).cause, start) };
  const { progress, outputLimit: limit } = start;
  const stdout = capture(child.stdout, {
    limit,
    onPiece: progress && ((piece) => progress({ stdout: piece })),
    onText: start.onStdout,
  });
  const stderr = capture(child.stderr, { limit, onPiece: progress && ((piece) => progress({ stderr: piece })) });
  // A hook need not read its input, so a broken pipe means nothing.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(start.stdin);
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => {
      const ending = { exitCode: code ?? undefined, signal: signal ?? undefined };
      // One more turn of the loop after the time is up, because the pipes could not be read while it was blocked.
      const timer = setTimeout(() => setImmediate(resolve, ending), DRAIN);
      void Promise.all([stdout.closed, stderr.closed]).then(() => {
        clearTimeout(timer);
        resolve(ending);
      });
    });
  });
  const group = adoptGroup(child.pid, { mark: start.mark, atExit: start.spec.keep ? 'group' : 'tree' });
  return { group, stdout, stderr, ended };
}

function execute({ spec, cwd, env }: StartOptions) {
  return execa(spec.command, spec.args ?? [], {
    shell: shellOf(spec),
    cwd,
    env,
    extendEnv: false,
    detached: process.platform !== 'win32',
    // Ours end as groups, with all their children.
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
  });
}

/** `powershell` in Claude Code's files means `pwsh` on systems without Windows PowerShell. */
function shellOf({ args, shell = true }: CommandSpec): string | boolean {
  if (args) return false;
  return shell === 'powershell' && process.platform !== 'win32' ? 'pwsh' : shell;
}

function launch(start: StartOptions, errors: Error[]): ReturnType<typeof execute> | Error {
  // Out of file descriptors, execa throws before it listens to the child, whose `error` would then end this process.
  const listen = (message: unknown): void => {
    const { process: child } = message as { process: NodeJS.EventEmitter };
    child.on('error', (error: Error) => errors.push(error));
  };
  subscribe('child_process', listen);
  try {
    return execute(start);
  } catch (error) {
    return error as Error;
  } finally {
    unsubscribe('child_process', listen);
  }
}

function problemOf(error: unknown, { spec }: StartOptions): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const shell = shellOf(spec);
  const program = typeof shell === 'string' ? shell : shell ? '/bin/sh' : spec.command;
  if (code === 'ENOENT') return `${program} was not found`;
  if (code === 'EACCES') return `${program} is not executable`;
  return message;
}

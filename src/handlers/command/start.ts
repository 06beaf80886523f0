import type { ExternalCall } from '../handler.js';
import { parseObject } from '../output.js';
import { type Capture, capture } from './capture.js';
import { launch } from './launch.js';
import type { Printing } from './may-print.js';
import { adoptGroup, type ProcessGroup } from './process-group.js';
import type { CommandSpec } from './spec.js';

/** How long, in milliseconds, the pipes are read after the hook has ended while a child holds them open. */
const DRAIN = 100;
/** At most so long for a gate that has printed no answer, while a child computes through which it may print: a filter (`exec > >(python3 log.py)`). */
const DRAIN_BUSY = 800;
const POLL = 25;
/** So often in turn no child was seen to compute: a start waits for a moment too. */
const IDLE = 3;

/** The most bytes of each output stream that are kept, unless the spec says otherwise. */
export const OUTPUT_LIMIT = 1024 * 1024;

/** How a program ended. */
export interface Ending {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Whether a child that prints on its stdout, itself or through pipes, still computed when that was read no longer. */
  readonly isCut?: boolean;
}

/** A running hook. */
export interface RunningCommand {
  readonly group: ProcessGroup;
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** Settles when the program itself has ended and its output is read, even if its children live on. */
  readonly ended: Promise<Ending>;
}

/** What to start, where, and with which input. */
export interface StartOptions {
  readonly spec: CommandSpec;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The mark in `env` by which the hook's processes can be found. */
  readonly mark?: string | undefined;
  readonly stdin: string;
  /** The most bytes of each output stream that are kept. */
  readonly outputLimit: number;
  readonly progress: ExternalCall['progress'];
  /** Called with all of stdout so far whenever there is more, until it returns true. */
  readonly onStdout?: ((text: string) => boolean) | undefined;
  /** Whether an answer is waited for that a child still prints: on a gate, and behind other text for a guard, whose failure counts. */
  readonly waits: 'gate' | 'guard' | undefined;
}

/** Starts the program in its own process group, or returns the problem that prevented that. */
export async function startCommand(start: StartOptions): Promise<RunningCommand | { readonly problem: string }> {
  const { spec, cwd, env } = start;
  const launched = await launch({ file: spec.command, args: spec.args ?? [], shell: shellOf(spec), cwd, env });
  if ('error' in launched) return { problem: problemOf(launched.error, spec) };
  const { child } = launched;
  const { progress, outputLimit: limit } = start;
  const stdout = capture(child.stdout, {
    limit,
    onPiece: progress && ((piece) => progress({ stdout: piece })),
    onText: start.onStdout,
  });
  const stderr = capture(child.stderr, { limit, onPiece: progress && ((piece) => progress({ stderr: piece })) });
  // A hook need not read its input, so a broken pipe is no error.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(start.stdin);
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => {
      const ending = { exitCode: code ?? undefined, signal: signal ?? undefined };
      const mayAnswer = (): Printing | undefined =>
        start.waits && stdout.open && mayFollow(code, stdout.text().trim(), start.waits) ? group.mayPrint() : undefined;
      void drained(Promise.all([stdout.closed, stderr.closed]), mayAnswer).then((isCut) =>
        resolve({ ...ending, isCut }),
      );
    });
  });
  const group = adoptGroup(child.pid, { mark: start.mark, atExit: spec.keep ? 'group' : 'tree' });
  return { group, stdout, stderr, ended };
}

/** Settles when the pipes are closed, or have been read for long enough: whether a child still computes then that prints on stdout. */
async function drained(closed: Promise<unknown>, mayAnswer: () => Printing | undefined): Promise<boolean> {
  let isClosed = false;
  let idle = 0;
  let last: Printing | undefined;
  let wake: () => void = () => undefined;
  void closed.then(() => {
    isClosed = true;
    wake();
  });
  const latest = performance.now() + DRAIN_BUSY;
  for (let turns = 0; !isClosed && (turns * POLL < DRAIN || (idle < IDLE && performance.now() < latest)); turns++) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const now = isClosed ? undefined : mayAnswer();
    idle = now ? 0 : idle + 1;
    last = now ?? last;
  }
  // If the event loop was blocked, the timer fires before the pipes are read, so they get one more turn.
  if (!isClosed) await new Promise((resolve) => setImmediate(resolve));
  return !isClosed && idle < IDLE && last === 'prints';
}

/** Whether an answer may follow what is printed. After a signal none would count, and exit code 2 blocks without one. */
function mayFollow(exitCode: number | null, text: string, waits: 'gate' | 'guard'): boolean {
  if (exitCode === null || exitCode === 2) return false;
  if (text === '') return true;
  return text.startsWith('{') ? parseObject(text) === undefined : waits === 'guard';
}

/** `powershell` in Claude Code's files means `pwsh` on systems without Windows PowerShell. */
function shellOf({ args, shell = true }: CommandSpec): string | boolean {
  if (args) return false;
  return shell === 'powershell' && process.platform !== 'win32' ? 'pwsh' : shell;
}

function problemOf(error: unknown, spec: CommandSpec): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const shell = shellOf(spec);
  const program = typeof shell === 'string' ? shell : shell ? '/bin/sh' : spec.command;
  if (code === 'ENOENT') return `${program} was not found`;
  if (code === 'EACCES') return `${program} is not executable`;
  return message;
}

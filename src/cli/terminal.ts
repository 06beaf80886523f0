import { once } from 'node:events';
import { plain, plainLines } from '../plain.js';
import { describeError } from '../values/message.js';

/** A command's streams: standard output for the requested output, standard error for everything else. */
export interface Terminal {
  /** Whether to use colour on standard output: it is a terminal with colours, and NO_COLOR is not set. */
  readonly color: boolean;
  /** Standard output is a terminal, where a line can be overwritten. */
  readonly live: boolean;
  readonly columns: number;
  /** Fires when the user interrupts; for a hook also on an uncaught error, with an UncaughtError as its reason. */
  readonly signal: AbortSignal;
  /** The reader of standard output has gone (`| head`). */
  readonly gone: boolean;
  /** Writes one or more lines; waits while the reader is behind. Invisible characters are written as escapes. */
  print(text: string): Promise<void>;
  /** Writes as it is, without a line end. */
  write(text: string): void;
  /** Writes to standard error as it is, without a line end. */
  writeError(text: string): void;
  /** Resolves when all output so far is written out. */
  written(): Promise<void>;
  /** One line to standard error. */
  tell(text: string): void;
  /** Asks the user for a line. Absent if there is no user, because input or output is not a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** SIGHUP: the terminal was closed. */
const INTERRUPTS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/**
 * Other signals that end a process and that Node can handle: a hook still has to answer. Signals of a crash are left out, and SIGUSR1, with
 * which Node opens its debugger. The thin command has the same list.
 */
const ENDING = 'SIGQUIT SIGABRT SIGUSR2 SIGALRM SIGVTALRM SIGXCPU SIGIO SIGPWR SIGSTKFLT SIGSYS'.split(' ');
/** The options that start Node's own profiler, which sends SIGPROF all the time. */
const PROFILING = /--(?:cpu-)?prof\b/;
/** An agent continues after any other exit code, so an interrupted hook exits with this one, and so does a hook whose answer could not be written. */
const HOOK_UNANSWERED = 2;

/** An error that no code in this process has caught. */
export class UncaughtError extends Error {
  constructor(error: unknown) {
    super(describeError(error));
  }
}

export interface OwnTerminal extends Terminal {
  /** Like `tell`, for several lines. */
  tellLines(text: string): void;
  exit(code: number): Promise<never>;
}

/** The terminal of this process. `exit` first writes out all output; an interrupted command exits with the signal's code, a hook with its own. */
export function openTerminal(isHook = false): OwnTerminal {
  const { stdout, stderr } = process;
  // Bound now, because code of hooks and plugins in this process may replace them.
  const write = stdout.write.bind(stdout);
  const writeError = stderr.write.bind(stderr);
  const color = wantsColor();
  const stop = new AbortController();
  let interrupted: number | undefined;
  let gone = false;
  let failed = false;
  let isWritten = false;
  const interrupt = (code: number): void => {
    // A user who interrupts twice does not want to wait for hooks to end on their own.
    if (interrupted !== undefined) {
      // An agent may take an exit code without a reason for no answer.
      if (isHook && !isWritten) writeError('hookscope: it was ended before the hooks had answered\n');
      process.exit(code);
    }
    interrupted = code;
    stop.abort();
  };
  for (const [name, code] of Object.entries(INTERRUPTS))
    process.on(name, () => interrupt(isHook ? HOOK_UNANSWERED : code));
  if (isHook) {
    const isProfiled = PROFILING.test(`${process.execArgv.join(' ')} ${process.env['NODE_OPTIONS']}`);
    for (const name of [...ENDING, ...(isProfiled ? [] : ['SIGPROF'])])
      process.on(name, () => interrupt(HOOK_UNANSWERED));
    // An error in code of hooks and plugins here: Node would exit with 1, after which an agent continues.
    process.on('uncaughtException', (error) => stop.abort(new UncaughtError(error)));
  }
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    gone = true;
    // A reader that stops has seen enough, unless it is an agent; any other failed write means missing output.
    if (error.code === 'EPIPE' && !isHook) return;
    failed = true;
    writeError(`hookscope: standard output: ${error.message}\n`);
  });
  // Without standard error the failure cannot be reported.
  stderr.on('error', () => undefined);
  return {
    color,
    live: stdout.isTTY === true,
    // A pseudoterminal may report 0.
    columns: stdout.columns || 80,
    signal: stop.signal,
    get gone() {
      return gone;
    },
    async print(text) {
      if (gone || write(`${visible(text, color)}\n`)) return;
      await taken(stdout, stop.signal);
    },
    write(text) {
      if (!gone) write(text);
    },
    writeError: (text) => void writeError(text),
    async written() {
      await allWritten(write, writeError);
      isWritten = true;
    },
    tell: (text) => void writeError(`hookscope: ${plain(text)}\n`),
    tellLines: (text) => void writeError(`hookscope: ${plainLines(text)}\n`),
    ask: process.stdin.isTTY === true && stdout.isTTY === true ? (question) => ask(question, stop.signal) : undefined,
    async exit(code) {
      await allWritten(write, writeError);
      if (isHook) process.exit(gone ? HOOK_UNANSWERED : code);
      process.exit(interrupted ?? (failed && code === 0 ? 1 : code));
    },
  };
}

/** Waits until a stream takes more, has closed, or the user interrupts. It leaves no listener behind, since a slow reader is waited for often. */
async function taken(stream: NodeJS.WriteStream, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    await Promise.race(['drain', 'close'].map((event) => once(stream, event, { signal: over.signal })));
  } catch {
    // It was interrupted.
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Waits for work that needs no cleaning up, and rejects at once if the user interrupts. */
export async function unlessInterrupted<T>({ signal }: Pick<Terminal, 'signal'>, waiting: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('Interrupted.'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([waiting, interrupted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const ESCAPE = '\u001b';
const COLORS = new RegExp(`(${ESCAPE}\\[\\d+m)`);

/** Texts are escaped where they are built; in case one was missed, only our own colours pass here. */
function visible(text: string, color: boolean): string {
  if (!color) return plainLines(text);
  return text
    .split(COLORS)
    .map((part, i) => (i % 2 === 0 ? plainLines(part) : part))
    .join('');
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  // Loaded when a question is asked: most commands ask none.
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(plainLines(question), { signal });
  } finally {
    lines.close();
  }
}

/** Resolves when pipes have taken what was written to them. */
async function allWritten(...writes: readonly NodeJS.WriteStream['write'][]): Promise<void> {
  await Promise.all(writes.map((write) => new Promise<void>((resolve) => write('', () => resolve()))));
}

function wantsColor(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return process.stdout.isTTY === true && process.stdout.hasColors();
}

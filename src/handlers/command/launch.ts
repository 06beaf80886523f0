import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { execa } from 'execa';

/** What to start, and where. */
export interface LaunchSpec {
  readonly file: string;
  readonly args: readonly string[];
  /** A shell that reads the file as its command line. */
  readonly shell: string | boolean;
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A running program, which leads its own process group, with pipes to its standard streams. */
export type Child = ReturnType<typeof execute> & { readonly pid: number };

/** Starts a program, or returns the error that prevented that. */
export async function launch(program: LaunchSpec): Promise<{ readonly child: Child } | { readonly error: unknown }> {
  const errors: Error[] = [];
  const child = listenedTo(errors, () => execute(program));
  if (child instanceof Error) {
    // The child emits the actual error on the next turn.
    await nextTurn();
    return { error: errors[0] ?? child };
  }
  // Without a pid the child was never started, and its promise settles at once with the reason.
  return child.pid === undefined ? { error: (await child).cause } : { child: child as Child };
}

function execute({ file, args, shell, cwd, env }: LaunchSpec) {
  return execa(file, args, {
    shell,
    cwd,
    env,
    extendEnv: false,
    detached: process.platform !== 'win32',
    // ProcessGroup ends the program together with its children.
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
  });
}

function listenedTo<Started>(errors: Error[], start: () => Started): Started | Error {
  // Without free file descriptors execa throws before it listens to the child, whose `error` event would then end this process.
  const listen = (message: unknown): void => {
    const { process: child } = message as { process: NodeJS.EventEmitter };
    child.on('error', (error: Error) => errors.push(error));
  };
  subscribe('child_process', listen);
  try {
    return start();
  } catch (error) {
    return error as Error;
  } finally {
    unsubscribe('child_process', listen);
  }
}

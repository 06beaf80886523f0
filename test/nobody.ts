import { type Finished, start } from './cli/cli.js';

/** Runs a program as somebody who may write only what all may: as a user without rights where this one has all of them. */
export function asNobody(program: string, args: readonly string[], cwd: string, stdin = ''): Promise<Finished> {
  const isRoot = process.getuid?.() === 0;
  const env = { ...process.env, HOME: cwd, XDG_STATE_HOME: cwd, NO_COLOR: '1' };
  return start(program, args, { cwd, stdin, env, ...(isRoot ? { uid: 65534 } : {}) });
}

/** The same of what is done in this process, whose user is put back after it. Nothing else may go on in it meanwhile. */
export async function asNobodyHere<T>(work: () => Promise<T>): Promise<T> {
  const { getuid } = process;
  if (getuid?.() !== 0) return work();
  process.seteuid?.(65534);
  // Node changes only the effective one for a time; whose files are asked about is told by the real one.
  process.getuid = () => 65534;
  try {
    return await work();
  } finally {
    process.getuid = getuid;
    process.seteuid?.(0);
  }
}

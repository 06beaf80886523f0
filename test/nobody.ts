import { type Finished, start } from './cli/cli.js';

/** Runs a program as somebody who may write only what all may: as a user without rights where this one has all of them. */
export function asNobody(program: string, args: readonly string[], cwd: string, stdin = ''): Promise<Finished> {
  const isRoot = process.getuid?.() === 0;
  const env = { ...process.env, HOME: cwd, XDG_STATE_HOME: cwd, NO_COLOR: '1' };
  return start(program, args, { cwd, stdin, env, ...(isRoot ? { uid: 65534 } : {}) });
}

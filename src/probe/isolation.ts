import { execFile } from 'node:child_process';
import { findProgram } from '../files/find-program.js';
import { quoted } from '../server/client/thin.js';

/** The prefix that runs a command with no network but loopback. */
export interface Isolation {
  readonly words: readonly string[];
  /** A description for people. */
  readonly how: string;
}

/** How the network can be blocked here, or why it cannot. */
export async function findIsolation(env: NodeJS.ProcessEnv): Promise<Isolation | { readonly why: string }> {
  if (process.platform !== 'linux') return { why: `there are no network namespaces on ${process.platform}` };
  const [unshare, ip, sh] = ['unshare', 'ip', 'sh'].map((name) =>
    findProgram(name, env, ['/usr/sbin', '/sbin', '/bin']),
  );
  if (unshare === undefined || sh === undefined) return { why: 'unshare (util-linux) is not on the PATH' };
  if (ip === undefined) return { why: 'ip (iproute2), which brings loopback up, is not on the PATH' };
  const up = `${quoted(ip)} link set lo up && exec "$@"`;
  const within = (...flags: string[]): string[] => [unshare, ...flags, '--', sh, '-c', up, sh];
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const ways: readonly Isolation[] = [
    ...(user === 0 ? [{ words: within('--net'), how: 'unshare --net' }] : []),
    // A second unshare maps back to the real user, so that the agent does not run as root of the namespace.
    {
      words: [...within('--map-root-user', '--net'), unshare, `--map-user=${user}`, `--map-group=${group}`, '--'],
      how: 'unshare --map-root-user --net',
    },
    { words: within('--map-root-user', '--net'), how: 'unshare --map-root-user --net, as the root of the namespace' },
  ];
  let why = '';
  for (const way of ways) {
    const failure = await failureOf(way.words);
    if (failure === undefined) return way;
    why = failure;
  }
  return { why };
}

/** Why `true` does not run with this prefix; undefined if it does. */
function failureOf([program = '', ...args]: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args, 'true'],
      { timeout: 10_000, env: { PATH: process.env['PATH'] ?? '' } },
      (error, _, stderr) => resolve(error === null ? undefined : stderr.trim().split('\n')[0] || error.message),
    );
  });
}

import { linksOf, namesOf, type Process, runsOtherThread } from './process-table.js';

/** What a process that computes may do with the hook's stdout: print on it, itself or through pipes, or have been started by one that may print when it ends. */
export type Printing = 'prints' | 'is waited for';

/**
 * Whether a process of the tree computes, or waits for a disk, that may print on the hook's stdout. What cannot be known counts as
 * yes. `stdout`: what the first process had as its stdout, by the kernel's name for it. That is no socket if it had changed or
 * ended before it was looked at.
 */
export function mayPrint(tree: readonly Process[], stdout: string | undefined): Printing | undefined {
  const busy = tree.filter((one) => one.busy || (one.threads > 1 && runsOtherThread(one.pid)));
  if (busy.length === 0) return undefined;
  const all = new Map(tree.map(({ pid }) => [pid, linksOf(pid)]));
  const open = [...all.values()].flatMap((links) => links ?? []);
  const leading = new Set(stdout && isSocket(stdout) ? [stdout] : likely(open));
  const printing = new Set<number>();
  for (let before = -1; printing.size > before; ) {
    before = printing.size;
    for (const [pid, links] of all) {
      if (links?.some(({ link, writes }) => writes && leading.has(link)) === false) continue;
      printing.add(pid);
      all.delete(pid);
      for (const { link, isPipe, reads } of links ?? []) {
        if (!reads) continue;
        // What is printed on a terminal comes out at its other end. These ends all have the same name, also those of this process.
        if (isPipe && !isOurs(link)) leading.add(link);
        else if (link.endsWith('/ptmx')) for (const one of open) if (isTerminal(one.link)) leading.add(one.link);
      }
    }
  }
  if (busy.some(({ pid }) => printing.has(pid))) return 'prints';
  const byPid = new Map(tree.map((one) => [one.pid, one]));
  const isStarted = ({ pid, parent }: Process): boolean => {
    const starter = pid === parent ? undefined : byPid.get(parent);
    return starter !== undefined && (printing.has(parent) || isStarted(starter));
  };
  return busy.some(isStarted) ? 'is waited for' : undefined;
}

/** What may have been the first process's stdout: the sockets that others have as theirs, otherwise every socket. */
function likely(open: NonNullable<ReturnType<typeof linksOf>>): string[] {
  const sockets = open.filter(({ link }) => isSocket(link));
  const outs = sockets.filter(({ descriptor }) => descriptor === '1');
  return (outs.length > 0 ? outs : sockets).map(({ link }) => link);
}

const isTerminal = (link: string): boolean => link.startsWith('/dev/pts/') && !isOurs(link);

const isSocket = (link: string): boolean => link.startsWith('socket:');

/** How long, in milliseconds, what this process has open is taken to stay so. It may be thousands of connections. */
const OURS_FOR = 1_000;
let ours: { readonly until: number; readonly links: ReadonlySet<string> } | undefined;

/** A descriptor that this process has left open to all that it starts leads nowhere. */
function isOurs(link: string): boolean {
  const now = performance.now();
  if (ours === undefined || now > ours.until) ours = { until: now + OURS_FOR, links: new Set(namesOf(process.pid)) };
  return ours.links.has(link);
}

import { statSync } from 'node:fs';
import { linkOf, linksOf, type Process } from './process-table.js';

/**
 * Whether a process that computes, or waits for a disk, may print on the hook's stdout: it has it, or pipes lead from it to a
 * process that has it, or a process that started it may. What cannot be known counts as yes. `stdout`: what the first process had
 * as its stdout, by the kernel's name for it. That is no socket if it had changed or ended before it was looked at.
 */
export function mayPrint(tree: readonly Process[], stdout: string | undefined): boolean {
  const busy = tree.filter((one) => one.busy);
  if (busy.length === 0) return false;
  const leading = new Set(stdout && isSocket(stdout) ? [stdout] : likely(tree));
  // A descriptor that this process has left open to all that it starts leads nowhere.
  const ours = new Set(linksOf(process.pid));
  const reaching = new Set<number>();
  const others = new Map(tree.map(({ pid, parent }) => [pid, { parent, links: linksOf(pid) }]));
  for (let before = -1; reaching.size > before; ) {
    before = reaching.size;
    for (const [pid, { parent, links }] of others) {
      if (links?.some((link) => leading.has(link)) === false && !reaching.has(parent)) continue;
      reaching.add(pid);
      others.delete(pid);
      for (const link of links ?? []) if (!ours.has(link) && isPipe(link)) leading.add(link);
    }
  }
  return busy.some(({ pid }) => reaching.has(pid));
}

/** What may have been the first process's stdout: the sockets that others have as theirs, otherwise every socket. */
function likely(tree: readonly Process[]): string[] {
  const outs = tree.flatMap(({ pid }) => linkOf(pid, 1) ?? []).filter(isSocket);
  return outs.length > 0 ? outs : tree.flatMap(({ pid }) => linksOf(pid) ?? []).filter(isSocket);
}

const isSocket = (link: string): boolean => link.startsWith('socket:');

function isPipe(link: string): boolean {
  if (link.startsWith('pipe:')) return true;
  try {
    return link.startsWith('/') && statSync(link).isFIFO();
  } catch {
    return false;
  }
}

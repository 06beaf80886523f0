import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Change, changesSince, surroundings } from './surroundings.js';

/** A timer, socket, process, watcher and so on: all of them can be told not to keep the process running, and say so. */
type Handle = { hasRef(): boolean; readonly _repeat?: unknown; readonly _destroyed?: unknown };

const PROCESS = 'PROCESSWRAP';

/** An interval works on until it is cleared, and a child process until it ends, also where they do not keep this process running. */
const isLeft = (kind: string, handle: Handle): boolean =>
  handle._destroyed !== true && (handle.hasRef() || typeof handle._repeat === 'number' || kind === PROCESS);

interface Child {
  readonly pid?: number;
}

const isHandle = (resource: object): resource is Handle => typeof (resource as Partial<Handle>).hasRef === 'function';

/** The handles that were made in the async context of what ran: other code has handles too, which come and go at the same time. */
export class Handles {
  readonly #context = new AsyncLocalStorage<true>();
  readonly #made = new Map<number, [kind: string, Handle]>();
  readonly #watch = createHook({
    init: (id, kind, _trigger, resource) => {
      if (this.#context.getStore() && isHandle(resource)) this.#made.set(id, [kind, resource]);
    },
    destroy: (id) => void this.#made.delete(id),
  });

  async during(run: () => Promise<void>): Promise<void> {
    this.#watch.enable();
    try {
      await this.#context.run(true, run);
      // A server that is given a host has its handle a turn later.
      await nextTurn();
    } finally {
      this.#watch.disable();
    }
  }

  /** Child processes, intervals, and what else still keeps this process running: how many of each kind. */
  left(): string[] {
    const counts = new Map<string, number>();
    for (const [kind, handle] of this.#made.values())
      if (isLeft(kind, handle)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return [...counts].map(([kind, count]) => `${count} ${kind}`);
  }

  /** Ends the child processes that are left. */
  endProcesses(): void {
    for (const [kind, handle] of this.#made.values()) if (kind === PROCESS) endChild(handle as unknown as Child);
  }
}

/** Ends a child, and the group that it leads. */
function endChild(child: Child): void {
  if (typeof child.pid !== 'number') return;
  for (const id of [-child.pid, child.pid])
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It leads no group, or has ended.
    }
}

/**
 * What the cases of one contract have left. A plugin that leaves the same thing each time has left it in the first case, and changes nothing in a
 * later one. What is set between the cases is others'.
 */
export class LeftBehind {
  readonly handles = new Handles();
  readonly #changes: Change[] = [];
  #isTold = false;

  async during(run: () => Promise<void>): Promise<void> {
    const before = surroundings();
    try {
      await this.handles.during(run);
    } finally {
      if (this.#isTold) this.handles.endProcesses();
      this.#changes.push(...changesSince(before));
    }
  }

  /** What still runs is about to be told: from now on no case leaves a process on the machine. */
  told(): void {
    this.#isTold = true;
  }

  /** The places that are still as a case has left them. */
  changes(): Change[] {
    if (this.#changes.length === 0) return [];
    const now = surroundings();
    return this.#changes.filter((change) => isStanding(change, now.get(change.place)));
  }
}

/** Others may have changed or restored it since. Of a list, only what the case has added or removed counts. */
function isStanding({ before, after }: Change, now: unknown): boolean {
  if (isDeepStrictEqual(now, before)) return false;
  if (![before, after, now].every(isListOrNone)) return isDeepStrictEqual(now, after);
  const [had, has, left] = [before, now, after].map((one) => (one ?? []) as readonly unknown[]) as Lists;
  return (
    left.some((one) => !had.includes(one) && has.includes(one)) ||
    had.some((one) => !left.includes(one) && !has.includes(one))
  );
}

type Lists = [had: readonly unknown[], has: readonly unknown[], left: readonly unknown[]];

const isListOrNone = (value: unknown): boolean => value === undefined || Array.isArray(value);

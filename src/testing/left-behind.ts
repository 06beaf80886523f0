import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Change, changesSince, surroundings } from './surroundings.js';

/** A timer, socket, process, watcher and so on: all of them can be told not to keep the process running, and say so. */
type Handle = { hasRef(): boolean; readonly _repeat?: unknown; readonly _destroyed?: unknown };

/** What the kind of a child process is called, also by Node. */
const PROCESS = 'PROCESSWRAP';

/** An interval works on until it is cleared, also one that does not keep this process running. */
const isLeft = (handle: Handle): boolean =>
  handle._destroyed !== true && (handle.hasRef() || typeof handle._repeat === 'number');

/** One whose exit Node has not seen: until then its number is that of no other process. */
const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

const isHandle = (resource: object): resource is Handle => typeof (resource as Partial<Handle>).hasRef === 'function';

/** The handles that were made in the async context of what ran: other code has handles too, which come and go at the same time. */
export class Handles {
  readonly #context = new AsyncLocalStorage<true>();
  readonly #made = new Map<number, [kind: string, Handle]>();
  readonly #children = new Set<ChildProcess>();
  readonly #watch = createHook({
    init: (id, kind, _trigger, resource) => {
      if (this.#context.getStore() && kind !== PROCESS && isHandle(resource)) this.#made.set(id, [kind, resource]);
    },
    destroy: (id) => void this.#made.delete(id),
  });
  readonly #onChild = (message: unknown): void => {
    if (this.#context.getStore()) this.#children.add((message as { process: ChildProcess }).process);
  };

  async during(run: () => Promise<void>): Promise<void> {
    this.#watch.enable();
    subscribe('child_process', this.#onChild);
    try {
      await this.#context.run(true, run);
      // A server that is given a host has its handle a turn later.
      await nextTurn();
    } finally {
      unsubscribe('child_process', this.#onChild);
      this.#watch.disable();
      // While a context is on, each promise of the process is a little slower.
      this.#context.disable();
    }
  }

  /** Child processes, intervals, and what else still keeps this process running: how many of each kind. */
  left(): string[] {
    const counts = new Map<string, number>();
    const count = (kind: string): unknown => counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, handle] of this.#made.values()) if (isLeft(handle)) count(kind);
    for (const _ of this.#running()) count(PROCESS);
    return [...counts].map(([kind, number]) => `${number} ${kind}`);
  }

  /** Ends the child processes that are left. */
  async endProcesses(): Promise<void> {
    // Of those that end in the same turn Node tells one after another: a number is free before all have been told.
    await nextTurn();
    for (const child of this.#running()) endChild(child);
  }

  hasProcesses(): boolean {
    return this.#running().length > 0;
  }

  #running(): ChildProcess[] {
    return [...this.#children].filter(isRunning);
  }
}

/** Ends a running child, and first the group that it leads, if it leads one: no other group can have its number. */
function endChild(child: ChildProcess): void {
  for (const end of [() => process.kill(-(child.pid as number), 'SIGKILL'), () => child.kill('SIGKILL')])
    try {
      end();
    } catch {
      // It leads no group, or may not be ended.
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
      if (this.#isTold) await this.handles.endProcesses();
      this.#changes.push(...changesSince(before));
    }
  }

  /** What still runs is about to be told. If processes are among it, from now on no case leaves one on the machine. */
  told(): void {
    this.#isTold ||= this.handles.hasProcesses();
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

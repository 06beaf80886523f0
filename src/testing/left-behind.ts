import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { changesSince, type StateChange, surroundings } from './surroundings.js';

/** A timer, socket, file watcher and so on. `hasRef` says whether it keeps this process running. */
type Handle = { hasRef(): boolean; readonly _repeat?: unknown; readonly _destroyed?: unknown };

/** Node's name for the handle of a child process. */
const PROCESS = 'PROCESSWRAP';

/** An interval runs until it is cleared, so it counts even if it does not keep this process running. */
const isLeft = (handle: Handle): boolean =>
  handle._destroyed !== true && (handle.hasRef() || typeof handle._repeat === 'number');

/** Whether Node has not yet seen the child's exit. Until then its pid is not reused. */
const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

const isHandle = (resource: object): resource is Handle => typeof (resource as Partial<Handle>).hasRef === 'function';

/** The handles that were created in the async context of `during`. Other code may create and close handles at the same time. */
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
      // A server that listens on a host name creates its handle a turn later.
      await nextTurn();
    } finally {
      unsubscribe('child_process', this.#onChild);
      this.#watch.disable();
      // While a context is enabled, every promise in the process is slower.
      this.#context.disable();
    }
  }

  /** The number of child processes, intervals and other handles that keep this process running, by kind. */
  left(): string[] {
    const counts = new Map<string, number>();
    const count = (kind: string): unknown => counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, handle] of this.#made.values()) if (isLeft(handle)) count(kind);
    for (const _ of this.#running()) count(PROCESS);
    return [...counts].map(([kind, number]) => `${number} ${kind}`);
  }

  /** Kills the child processes that are left. */
  async endProcesses(): Promise<void> {
    // Node reports children that exit in the same turn one after another, and a pid may be reused before all are reported.
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

/** Kills a running child, and first its process group if it leads one. No other group can have this id while the child runs. */
function endChild(child: ChildProcess): void {
  for (const end of [() => process.kill(-(child.pid as number), 'SIGKILL'), () => child.kill('SIGKILL')])
    try {
      end();
    } catch {
      // The child leads no group, or we may not kill it.
    }
}

/**
 * What the cases of one contract have left behind. It is collected over all cases, because a plugin that leaves the same thing each
 * time changes nothing after the first one. Changes between the cases are not the plugin's.
 */
export class Leftovers {
  readonly handles = new Handles();
  readonly #changes: StateChange[] = [];
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

  /** Called before the remaining handles are reported. If there are child processes among them, every later case kills its own. */
  told(): void {
    this.#isTold ||= this.handles.hasProcesses();
  }

  /** The changes that are still in place. */
  changes(): StateChange[] {
    if (this.#changes.length === 0) return [];
    const now = surroundings();
    return this.#changes.filter((change) => isStanding(change, now.get(change.place)));
  }
}

/** Whether a change is still in place. In a list, only the items count that the case has added or removed. */
function isStanding({ before, after }: StateChange, now: unknown): boolean {
  if (isDeepStrictEqual(now, before)) return false;
  if (![before, after, now].every(isListOrNone)) return isDeepStrictEqual(now, after);
  const [had, has, left] = [before, now, after].map((one) => (one ?? []) as readonly unknown[]) as HandleLists;
  return (
    left.some((one) => !had.includes(one) && has.includes(one)) ||
    had.some((one) => !left.includes(one) && !has.includes(one))
  );
}

type HandleLists = [had: readonly unknown[], has: readonly unknown[], left: readonly unknown[]];

const isListOrNone = (value: unknown): boolean => value === undefined || Array.isArray(value);

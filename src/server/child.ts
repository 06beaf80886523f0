import cluster from 'node:cluster';
import { OPEN_IT } from '../files/regular-file.js';
import { BESIDE_SERVER } from './bound/binding.js';
import { type BoundFile, fateOf, isNamedGone, stateOf } from './bound/files.js';
import type { PrimaryMessage, WorkerMessage } from './primary.js';
import type { Handover, SessionHandover } from './warm.js';
import { startWorker, type Worker, type WorkerOptions } from './worker.js';

/** How often the files are checked for changes, in milliseconds. */
const LOOK = 300;
/** How long to wait before loading is tried again, in milliseconds. */
const AGAIN = 10_000;

/** Runs the process that serves one version of the hooks, which its parent names. Resolves when it is over. */
export async function runChild(
  options: Omit<WorkerOptions, 'serving' | 'bindings' | 'shown' | 'admin' | 'inherit'> & {
    /** Whether other code that the process has loaded has changed since the last call; if so, another process takes its place. */
    moved?(): boolean;
  },
): Promise<void> {
  const { tell, moved = () => false } = options;
  const send = (message: WorkerMessage): void => void process.send?.(message, undefined, undefined, () => undefined);
  const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  let ids = 0;
  const ask = (call: Extract<WorkerMessage, { type: 'asked' }>['call']): Promise<Readonly<Record<string, unknown>>> =>
    new Promise((resolve) => {
      const id = ++ids;
      waiting.set(id, resolve);
      send({ type: 'asked', call, id });
    });
  let inherited: (passed: Handover | undefined) => void = () => undefined;
  const inherit = (): Promise<Handover | undefined> =>
    new Promise((resolve) => {
      inherited = resolve;
      send({ type: 'loaded' });
    });
  let worker: Worker | undefined;
  /** Messages that came before there was a worker to take them. */
  const early: SessionHandover[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isReported = false;
  let tried = '';
  let nextLoad = 0;
  const load = async (): Promise<void> => {
    nextLoad = Number.POSITIVE_INFINITY;
    // Either another process replaces this one, or the parent reports why not.
    await ask('reload');
    nextLoad = Date.now() + AGAIN;
  };
  const look = (dev: boolean): void => {
    const changed = worker?.changes() ?? [];
    if (changed.length === 0) {
      isReported = false;
      // The files are as they were bound again, but the hooks were not loaded.
      if (worker?.isStandIn && Date.now() >= nextLoad) void load();
    } else if (dev) {
      const state = stateOf(changed);
      // A version that fails to load does not replace this one, and is not tried again.
      if (state === tried) return;
      tried = state;
      // The parent reports the result.
      tell(`changed: ${changed.join(', ')}`);
      void ask('changed');
    } else if (!isReported) {
      isReported = true;
      const bound = worker?.bindings.files ?? {};
      const lines = new Map<string, string[]>();
      for (const path of changed) {
        const line = `${fateOf(path, bound[path])}, so its hooks fail as untrusted until ${mendOf(path, bound[path])}`;
        lines.set(line, [...(lines.get(line) ?? []), path]);
      }
      for (const [line, paths] of lines) tell(`${line}: ${paths.join(', ')}`);
    }
  };
  const reload = async (): Promise<void> => {
    const { ok, error } = await ask('reload');
    if (ok === false) tell(`what has changed beside what is served does not count yet: ${error}`);
  };
  const watch = (dev: boolean): NodeJS.Timeout =>
    setInterval(() => {
      look(dev);
      if (moved()) void reload();
    }, LOOK).unref();
  const last = await new Promise<boolean>((resolve) => {
    // If the parent is gone, nothing else ends this process. Node would exit at once; this way calls under way are still answered and recorded.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    process.once('disconnect', () => resolve(true));
    process.on('message', (message: PrimaryMessage) => {
      if (message.type === 'stop') return resolve(message.last);
      if (message.type === 'done') {
        waiting.get(message.id)?.(message.result);
        waiting.delete(message.id);
        return;
      }
      if (message.type === 'inherit') return inherited(message.passed ?? undefined);
      if (message.type === 'later')
        return worker ? worker.hosts.takeOver(message.passed) : void early.push(message.passed);
      if (message.type === 'pass') {
        const passed = worker?.hosts.passOn((one) => send({ type: 'later', passed: one }));
        return send({ type: 'passed', passed: (passed && worker && { ...passed, hosts: worker.hostIds() }) ?? null });
      }
      const { serving, bindings, shown } = message;
      startWorker({ ...options, serving, bindings: bindings ?? undefined, shown, admin: ask, inherit }).then(
        (started) => {
          worker = started;
          for (const one of early.splice(0)) started.hosts.takeOver(one);
          send({ type: 'ready', bindings: started.bindings, port: started.port ?? null });
          timer = watch(serving.dev);
        },
        (error: Error) => {
          send({ type: 'failed', message: error.message });
        },
      );
    });
    send({ type: 'up' });
  });
  clearInterval(timer);
  await worker?.stop(last, () => send({ type: 'closed' }));
}

function mendOf(path: string, bound: BoundFile | undefined): string {
  if (fateOf(path, bound) === 'closed') return `you ${OPEN_IT}`;
  return isNamedGone(path, bound) ? `you ${BESIDE_SERVER.gone()}` : `somebody accepts it (${BESIDE_SERVER.accept()})`;
}

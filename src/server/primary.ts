import cluster, { type Worker as Child } from 'node:cluster';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { HookscopeError } from '../errors.js';
import type { ShownFiles } from './bound/accepted-changes.js';
import { whyChanged } from './bound/binding.js';
import { type Bindings, changedSince } from './bound/files.js';
import type { ServerPaths } from './places.js';
import { writeServed } from './served.js';
import { lockSocket, takeSocket } from './take-socket.js';
import type { Handover, SessionHandover } from './warm.js';
import type { ServerSettings } from './worker.js';

/** Messages from a child to its parent. */
export type WorkerMessage =
  /** The child receives messages from now on. */
  | { readonly type: 'up' }
  /** The child has loaded everything, and waits for the knowledge of its predecessor. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready'; readonly bindings: Bindings; readonly port: number | null }
  | { readonly type: 'failed'; readonly message: string }
  /** What the next process has to know, and later changes. */
  | { readonly type: 'passed'; readonly passed: Handover | null }
  | { readonly type: 'later'; readonly passed: SessionHandover }
  /** The child no longer listens; calls under way are still answered. */
  | { readonly type: 'closed' }
  | { readonly type: 'asked'; readonly call: 'reload' | 'stop' | 'accept' | 'changed'; readonly id: number };
/** Messages from the parent to a child. */
export type PrimaryMessage =
  | {
      readonly type: 'start';
      readonly serving: ServerSettings;
      readonly bindings: Bindings | null;
      readonly shown?: ShownFiles | undefined;
    }
  /** `last`: no other process takes connections that were not accepted yet. */
  | { readonly type: 'stop'; readonly last: boolean }
  /** Asks for what the next process has to know. */
  | { readonly type: 'pass' }
  | { readonly type: 'inherit'; readonly passed: Handover | null }
  | { readonly type: 'later'; readonly passed: SessionHandover }
  | { readonly type: 'done'; readonly id: number; readonly result: Readonly<Record<string, unknown>> };

export interface PrimaryOptions {
  readonly serving: ServerSettings;
  readonly places: ServerPaths;
  /** The program and its arguments. */
  readonly exec: string;
  readonly args: readonly string[];
  /** The first start fails if a file is not as it was shown. */
  readonly shown: ShownFiles | undefined;
  /** Fires when the server is to end. */
  readonly signal: AbortSignal;
  tell(text: string): void;
  /** Called once, when the hooks are loaded and the server listens, before it is written down what is served. */
  loaded(): void;
  ready(port: number | undefined): void;
}

/** How long a child may take to answer calls under way, in seconds. Hooks may take longer than a user waits for a server to stop. */
const GRACE = 30;
/** How long a child may take to pass on what it knows, in milliseconds; a busy one may take long. */
const PASSING = 5_000;
const STOPPING = { ok: false, error: 'the server is stopping' };
/** The delay in milliseconds before a dead child is replaced; doubled each time it dies soon. */
const AGAIN = 200;

/**
 * Holds the socket, but no hooks: each version of the hooks is loaded by a process of its own, because modules cannot be unloaded. The
 * next process listens on the same socket before the previous one stops, so that no call finds it closed. Resolves when it is over.
 */
export async function runPrimary(options: PrimaryOptions): Promise<void> {
  const { places, signal, tell, exec, args } = options;
  const release = await takeSocket(places);
  // Each child accepts connections itself.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec, args: [...args], serialization: 'advanced' });
  const server = new Primary(options);
  const over = new Promise<void>((resolve) => {
    server.over = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
  try {
    const started = server.start(null).finally(release);
    await Promise.race([started.then(() => options.ready(server.port)), over]);
    await over;
    await server.stop();
  } catch (error) {
    await server.stop();
    tell('it did not start');
    throw error;
  }
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

class Primary {
  over: () => void = () => undefined;
  #options: PrimaryOptions;
  #child: Child | undefined;
  /** The process that is starting and does not serve yet. */
  #starting: Child | undefined;
  #bindings: Bindings | null = null;
  #port: number | undefined;
  /** The inode of the socket. */
  #socket: number | undefined;
  #stopping = false;
  #wait = AGAIN;
  /** Reloads run one at a time. */
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: PrimaryOptions) {
    this.#options = options;
  }

  get port(): number | undefined {
    return this.#port;
  }

  /** Starts a child to replace the present one. It binds the files as before (`bindings`) or as they are now (null). */
  async start(bindings: Bindings | null): Promise<void> {
    const { serving, places } = this.#options;
    const shown = this.#bindings === null ? this.#options.shown : undefined;
    const child = cluster.fork();
    // Messages to a process that is just ending are lost; its end is noticed separately.
    child.on('error', () => undefined);
    const since = Date.now();
    const before = this.#child;
    this.#starting = child;
    const ready = await new Promise<Extract<WorkerMessage, { type: 'ready' }>>((resolve, reject) => {
      child.on('message', (message: WorkerMessage) => {
        if (message.type === 'up') tell(child, start);
        else if (message.type === 'loaded')
          void passedBy(before).then((passed) => tell(child, { type: 'inherit', passed } satisfies PrimaryMessage));
        else if (message.type === 'passed' || message.type === 'closed') return;
        // Forwarded from the process that is ending to its successor.
        else if (message.type === 'later') {
          const next = this.#starting ?? this.#child;
          if (next !== undefined && next !== child) tell(next, message);
        } else if (message.type === 'ready') resolve(message);
        else if (message.type === 'failed')
          reject(new HookscopeError('FILE', { file: 'hookscope serve', problem: message.message }));
        else void this.#asked(child, message);
      });
      child.once('exit', (code, by) => {
        reject(new HookscopeError('FILE', { file: 'hookscope serve', problem: `its process ended (${by ?? code})` }));
        this.#died(child, since);
      });
      // Each child gets the same port, even for port 0, because this process holds the socket.
      const start: PrimaryMessage = { type: 'start', serving, bindings, shown };
    }).catch((error: unknown) => {
      child.process.kill('SIGKILL');
      this.#starting = undefined;
      throw error;
    });
    this.#starting = undefined;
    try {
      if (this.#bindings === null) this.#options.loaded();
      writeServed(places, { ...serving, bindings: ready.bindings });
    } catch (error) {
      // Otherwise both would serve.
      void end(child, false);
      throw error;
    }
    this.#child = child;
    this.#bindings = ready.bindings;
    this.#port = ready.port ?? undefined;
    if (before) void end(before, false);
    else {
      chmodSync(places.socket, 0o600);
      this.#socket = inodeOf(places.socket);
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    // It serves nobody yet, and may load without end.
    this.#starting?.process.kill('SIGKILL');
    const { socket } = this.#options.places;
    const children = Object.values(cluster.workers ?? {}).filter((child) => child !== undefined);
    // Another server may start before all calls are answered here. Closing our socket would remove its socket, at the same path.
    const release = await lockSocket(socket).catch(() => undefined);
    // From now on clients find no socket, and fire by themselves. Connected clients are still answered.
    if (release && inodeOf(socket) === this.#socket) rmSync(socket, { force: true });
    const ended = Promise.all(children.map((child) => end(child, true)));
    await Promise.race([ended, Promise.all(children.map(listensNoMore))]);
    release?.();
    await ended;
  }

  async #asked(child: Child, { call, id }: Extract<WorkerMessage, { type: 'asked' }>): Promise<void> {
    const answer = (result: Readonly<Record<string, unknown>>): void => {
      tell(child, { type: 'done', id, result } satisfies PrimaryMessage);
    };
    if (call === 'stop') {
      answer({ ok: true });
      return this.over();
    }
    const { dev } = this.#options.serving;
    const { files = {} } = this.#bindings ?? {};
    const changed = call === 'reload' && !dev ? changedSince(files) : [];
    // The user has not accepted the present content, so it is not loaded.
    if (changed.length > 0)
      return answer({ ok: false, error: changed.map((path) => whyChanged(path, { bound: files[path] })).join('\n') });
    answer(await this.#reload(call === 'accept' || dev, call));
  }

  #reload(anew: boolean, call: string): Promise<Readonly<Record<string, unknown>>> {
    const reload = this.#reloading.then(async () => {
      if (this.#stopping) return STOPPING;
      try {
        await this.start(anew ? null : this.#bindings);
        if (call !== 'reload') this.#options.tell(call === 'accept' ? 'reloaded, as accepted' : 'reloaded, unasked');
        return { ok: true };
      } catch (error) {
        if (this.#stopping) return STOPPING;
        this.#options.tell(`not reloaded, and what was served before stays: ${(error as Error).message}`);
        return { ok: false, error: (error as Error).message };
      }
    });
    this.#reloading = reload;
    return reload;
  }

  /** Replaces the serving child after it has died, with the same bindings. */
  #died(child: Child, since: number): void {
    if (this.#stopping || child !== this.#child || child.exitedAfterDisconnect) return;
    this.#child = undefined;
    this.#wait = Date.now() - since > 10_000 ? AGAIN : Math.min(this.#wait * 2, 30_000);
    this.#options.tell('the process that serves has died; it is started again');
    setTimeout(() => {
      if (this.#stopping) return;
      this.start(this.#bindings).catch((error: Error) => {
        this.#options.tell(`it does not start again: ${error.message}`);
        this.over();
      });
    }, this.#wait);
  }
}

function tell(child: Child, message: PrimaryMessage): void {
  if (child.isConnected()) child.send(message, () => undefined);
}

/** What a process knows about open sessions; null if there is no process or it does not answer. */
function passedBy(child: Child | undefined): Promise<Handover | null> {
  if (child === undefined || child.isDead() || !child.isConnected()) return Promise.resolve(null);
  return new Promise((resolve) => {
    const done = (passed: Handover | null): void => {
      clearTimeout(timer);
      child.off('message', hear);
      child.off('exit', none);
      resolve(passed);
    };
    const hear = (message: WorkerMessage): void => {
      if (message.type === 'passed') done(message.passed);
    };
    const none = (): void => done(null);
    const timer = setTimeout(none, PASSING);
    child.on('message', hear);
    child.once('exit', none);
    tell(child, { type: 'pass' } satisfies PrimaryMessage);
  });
}

function listensNoMore(child: Child): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message: WorkerMessage) => message.type === 'closed' && resolve());
    child.once('exit', () => resolve());
  });
}

/** Ends a child: it takes no more connections, answers calls under way, and exits. */
function end(child: Child, last: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (child.isDead()) return resolve();
    child.exitedAfterDisconnect = true;
    const timer = setTimeout(() => child.process.kill('SIGKILL'), GRACE * 1000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    tell(child, { type: 'stop', last } satisfies PrimaryMessage);
  });
}

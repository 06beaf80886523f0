import type { IncomingMessage, Server } from 'node:http';
import type { Host } from '../create-host.js';
import type { HookRecord } from '../emit/record.js';
import { createRedactor, type Redactor } from '../emit/redact/redactor.js';
import type { HandlerDescription } from '../handlers/handler.js';
import { servicesOf } from '../host/internals.js';
import { wellFormedJson } from '../plain.js';
import type { Registration } from '../scopes/registration.js';
import { keepAcceptances } from '../trust/acceptances.js';
import { realOr } from '../trust/consent.js';
import type { CommandVariables } from '../trust/named/variables.js';
import { AcceptedFolders } from './accepted-folders.js';
import { type Batch, Batches } from './batches.js';
import { acceptedChanges, checkShown, type ShownFiles } from './bound/accepted-changes.js';
import { bindConfig, bindServed } from './bound/bind-set.js';
import { Binding } from './bound/binding.js';
import { type Bindings, changedSince } from './bound/files.js';
import { KeptTexts } from './bound/kept-texts.js';
import { changedScripts, readScripts, ScriptsLook, unboundScripts } from './bound/scripts.js';
import { type FollowRecords, RecordFeed } from './http/feed.js';
import type { AppParts } from './http/routes.js';
import type { HttpTimeouts } from './http/server.js';
import { keyOf, type NamedSet } from './named-set.js';
import type { ServerPaths } from './places.js';
import { createTokenCheck, proofOf, type Tokens } from './tokens.js';
import { type Handover, type Warm, WarmHosts } from './warm.js';

/** Makes a host of a set of hooks; the command line provides it. */
export type OpenSet = (
  set: NamedSet,
  how: {
    /** The folder from which names are resolved. */
    readonly directory: string;
    /** The project whose own configuration counts, if it is accepted. */
    readonly project: string | undefined;
    /** Called with the host before anything is registered in it. */
    prepare(host: Host): void;
    readonly checksOf:
      | ((file: string, variables?: CommandVariables) => (handler: HandlerDescription) => Registration['trustCheck'])
      | undefined;
  },
) => Promise<Host>;

/** What a server serves. */
export interface ServerSettings {
  readonly set: NamedSet;
  /** The folder in which the server was started; names are resolved from it. */
  readonly cwd: string;
  readonly projects: readonly string[];
  /** Absolute paths of files that commands name and that change by themselves, so that only their names are bound. */
  readonly data?: readonly string[];
  readonly port?: number;
  /** Changes are loaded without asking, so nothing is bound. */
  readonly dev: boolean;
}

export interface WorkerOptions {
  readonly serving: ServerSettings;
  readonly places: ServerPaths;
  readonly tokens: Tokens;
  readonly open: OpenSet;
  /** The bindings from before a restart; absent to bind the files as they are now. */
  readonly bindings?: Bindings | undefined;
  /** Loading fails if a file is not as it was shown. */
  readonly shown?: ShownFiles | undefined;
  readonly patience?: Partial<HttpTimeouts>;
  /** Stores the records that hosts emit. */
  keeper: {
    push(batch: Batch): void;
    caughtUp(): Promise<void> | undefined;
    flush(): Promise<void>;
    close(): Promise<void>;
  };
  records: AppParts['records'];
  /** Records that are stored from now on, including those of commands that answer themselves. */
  readonly beside?: FollowRecords;
  /** Called when everything is loaded, before any answer; returns what the previous process knows, undefined if there was none. */
  inherit?(): Promise<Handover | undefined>;
  /** Masks secrets. Default: the redactor with this machine's key. */
  readonly redactor?: Redactor;
  admin: AppParts['admin'];
  tell(text: string): void;
}

/** A running server of one process. */
export interface Worker {
  readonly bindings: Bindings;
  /** No hooks are loaded, because a bound file had changed, and all gates fail. */
  readonly isStandIn: boolean;
  readonly hosts: WarmHosts;
  readonly port: number | undefined;
  /** The ids of its own hosts and of those of earlier processes. */
  hostIds(): string[];
  /** Files that differ from what was bound; `afresh`: see `Binding.changed`. */
  changes(afresh?: boolean): string[];
  /**
   * Stops accepting connections and calls `closed`, answers calls under way, and ends the hosts. `last`: no other process accepts
   * the connections that are still waiting.
   */
  stop(last: boolean, closed: () => void): Promise<void>;
}

/** Loads the hooks, then listens. Rejects with the error if loading fails. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { serving, places, tokens, open } = options;
  const { set, cwd, projects, dev } = serving;
  const { files, scripts } = options.bindings ?? { files: await bindServed(set, cwd), scripts: {} };
  // A process of an older version may have passed on the bindings.
  const bindings = { files, scripts: readScripts(scripts) };
  checkShown(bindings, options.shown);
  const redactor = options.redactor ?? createRedactor();
  const text = (record: HookRecord): string => wellFormedJson(redactor.redact(record));
  const feed = new RecordFeed(text, options.beside);
  const batches = new Batches((batch) => {
    feed.push(batch);
    options.keeper.push(batch);
  }, options.tell);
  const opened: { close(): Promise<void> }[] = [];
  // After a restart, files may have changed since they were bound, and nobody has accepted the new content.
  const [changed] = options.bindings === undefined || dev ? [] : changedSince(bindings.files);
  const warm = async (root: string | undefined): Promise<Warm> => {
    const consented = root === undefined || dev ? {} : await bindConfig(root);
    const binding = new Binding(bindings, root ?? cwd, { data: serving.data, notLoaded: changed, consented });
    const host = await open(changed === undefined ? set : {}, {
      directory: cwd,
      project: root,
      prepare(made) {
        opened.push({ close: async () => void (await made.close()) });
        if (!dev) servicesOf(made).registrar.guardBy(binding.guard);
      },
      checksOf: dev ? undefined : (file, variables) => binding.commandsOf(file, { variables }),
    });
    if (changed !== undefined) standIn(host, changed);
    host.events$.subscribe((record) => batches.push(record));
    feed.own.add(servicesOf(host).bus.hostId);
    return { host, binding, ...(root === undefined ? {} : { root: realOr(root) }) };
  };
  const endAll = async (): Promise<void> => {
    // Hosts first, so that their last records are stored.
    for (const one of opened.splice(0)) await one.close();
    batches.pass();
    await options.keeper.close();
  };
  try {
    const user = await warm(undefined);
    const own: Warm[] = [];
    for (const root of projects) own.push(await warm(root));
    checkShown(bindings, options.shown);
    const hosts = new WarmHosts(user, own);
    const keys = new Set([keyOf(set, cwd)]);
    const accepted = new AcceptedFolders(set.config);
    const look = new ScriptsLook(bindings.scripts);
    const kept = new KeptTexts(bindings);
    const changes = (afresh = false): string[] => {
      const scripts = afresh ? changedScripts(bindings.scripts) : look.changed();
      // What consent covers is accepted with `hookscope trust`.
      const changed = hosts.all
        .flatMap(({ binding }) => binding.changed(afresh))
        .filter((path) => Object.hasOwn(bindings.files, path));
      return [...new Set([...changed, ...scripts])];
    };
    for (const why of dev ? [] : unboundScripts(bindings.scripts)) options.tell(why);
    const calls = { waiting: new Set<IncomingMessage>(), answered: 0 };
    const parts: AppParts = {
      calls,
      hosts: () => hosts,
      serves: (asked, from) => keys.has(keyOf(asked, from)),
      accepted: (folder) => accepted.has(folder),
      async *records(query, lost) {
        // Makes all records up to now readable.
        batches.pass();
        await options.keeper.flush();
        yield* options.records(query, lost);
      },
      kept() {
        batches.passOverdue();
        return options.keeper.caughtUp();
      },
      text,
      plain: (value) => redactor.text(value),
      events(after, signal) {
        batches.pass();
        return feed.read(after ?? feed.position, signal);
      },
      changes: () => changes(true),
      change: (path) => kept.change(path, (value) => redactor.text(value)),
      admin: options.admin,
      keepAccepted: (paths, how) => keepAcceptances(how, acceptedChanges(paths, bindings), places.state),
    };
    const check = createTokenCheck(tokens);
    const { httpServer } = await import('./http/server.js');
    const patience = options.patience ?? {};
    const proof = proofOf(tokens);
    const passed = await options.inherit?.();
    if (passed !== undefined) {
      hosts.memory.takeOver(passed.memory);
      for (const one of passed.all) hosts.takeOver(one);
      // Readers of the previous process get these hosts' records from it; here they are not sent again from the store.
      for (const id of passed.hosts ?? []) feed.own.add(id);
    }
    const socket = httpServer(parts, { hosts: new Set(['hookscope', 'localhost']), check, patience, proof });
    await listening(socket, { path: places.socket });
    const servers = [socket];
    let port: number | undefined;
    if (serving.port !== undefined) {
      const names = new Set<string>();
      const local = httpServer(parts, { hosts: names, check, patience });
      await listening(local, { port: serving.port, host: '127.0.0.1' });
      port = (local.address() as { port: number }).port;
      for (const name of ['127.0.0.1', 'localhost']) names.add(`${name}:${port}`);
      servers.push(local);
    }
    return {
      bindings,
      isStandIn: changed !== undefined,
      hosts,
      port,
      changes,
      hostIds: () => [...feed.own].slice(-HOST_IDS),
      async stop(last, closed) {
        feed.endFollowing();
        if (last) await takeWaiting(servers);
        const ended = servers.map((server) => new Promise((resolve) => server.close(resolve)));
        closed();
        await hosts.settled();
        let before = calls.answered;
        // Connections are kept while calls are answered, even slowly, because a client of HTTP hooks would continue after an error.
        const timer = setInterval(() => {
          const isMoving = calls.answered !== before || [...calls.waiting].some(({ complete }) => complete);
          before = calls.answered;
          if (!isMoving) for (const server of servers) server.closeAllConnections();
        }, DRAIN);
        await Promise.all(ended);
        clearInterval(timer);
        await endAll();
      },
    };
  } catch (error) {
    await endAll();
    throw error;
  }
}

/** The most host ids that a process passes on: those of the last processes, which may still write records. */
const HOST_IDS = 1_000;

/** After this many milliseconds without progress, clients are assumed to be gone. */
const DRAIN = 1_000;

/** For at most this many turns of the event loop, connections from before the end are still accepted. */
const TAKING = 50;

/** Accepts the waiting connections. Closing the socket would cut them, although their calls may have been sent. */
async function takeWaiting(servers: readonly Server[]): Promise<void> {
  let taken = 1;
  const take = (): void => void taken++;
  for (const server of servers) server.on('connection', take);
  for (let turn = 0; turn < TAKING && taken > 0; turn++) {
    taken = 0;
    // Two turns, because the first may end before connections are looked for.
    for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const server of servers) server.off('connection', take);
}

function listening(server: Server, at: { path: string } | { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Registers a guard that always fails on every event that can be blocked, because a changed file must not make its guards disappear. */
function standIn(host: Host, file: string): void {
  const { registrar, events } = servicesOf(host);
  const stands = Object.values(events).filter(
    ({ spec }) => spec.failure === 'policy' && ['gate', 'block'].includes(spec.fold),
  );
  const group = [{ hooks: [{ handler: () => undefined, name: file }], onFailure: 'block' }];
  const hooks = Object.fromEntries(stands.map(({ spec }) => [spec.name, group]));
  registrar.register(undefined, hooks, { source: { kind: 'hooks-file', file } });
}

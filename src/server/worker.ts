import type { IncomingMessage, Server } from 'node:http';
import type { Host } from '../create-host.js';
import type { HookRecord } from '../emit/record.js';
import { createRedactor, type Redactor } from '../emit/redact/redactor.js';
import type { HandlerDescription } from '../handlers/handler.js';
import { servicesOf } from '../host/internals.js';
import { wellFormedJson } from '../plain.js';
import type { Registration } from '../scopes/registration.js';
import { realOr } from '../trust/consent.js';
import type { Variables } from '../trust/named/variables.js';
import { AcceptedFolders } from './accepted-folders.js';
import { type Batch, Batches } from './batches.js';
import { bindSet } from './bound/bind-set.js';
import { Binding } from './bound/binding.js';
import { type Bindings, changedSince } from './bound/files.js';
import { changedScripts, readScripts, ScriptsLook, unboundScripts } from './bound/scripts.js';
import { type Follow, RecordFeed } from './http/feed.js';
import type { AppParts } from './http/routes.js';
import type { Patience } from './http/server.js';
import { keyOf, type NamedSet } from './named-set.js';
import type { Places } from './places.js';
import { createTokenCheck, proofOf, type Tokens } from './tokens.js';
import { type PassedOn, type Warm, WarmHosts } from './warm.js';

/** Turns a set of hooks into a host; only the command line knows how. */
export type OpenSet = (
  set: NamedSet,
  how: {
    /** The folder from which names are resolved. */
    readonly directory: string;
    /** The project whose own configuration counts, once it is accepted. */
    readonly project: string | undefined;
    /** Is handed the host before anything is registered in it. */
    prepare(host: Host): void;
    readonly checksOf:
      | ((file: string, variables?: Variables) => (handler: HandlerDescription) => Registration['trustCheck'])
      | undefined;
  },
) => Promise<Host>;

/** What a server serves. */
export interface Serving {
  readonly set: NamedSet;
  /** Where it was started; names are resolved from there. */
  readonly cwd: string;
  readonly projects: readonly string[];
  /** Files that commands name and that change by themselves, by absolute path: their names alone are bound. */
  readonly data?: readonly string[];
  readonly port?: number;
  /** Nothing is bound: changes are loaded without asking. */
  readonly dev: boolean;
}

export interface WorkerOptions {
  readonly serving: Serving;
  readonly places: Places;
  readonly tokens: Tokens;
  readonly open: OpenSet;
  /** The bindings from before a restart; absent: the files are bound as they are now. */
  readonly bindings?: Bindings | undefined;
  readonly patience?: Partial<Patience>;
  /** Keeps what hosts emit. */
  keeper: {
    push(batch: Batch): void;
    caughtUp(): Promise<void> | undefined;
    flush(): Promise<void>;
    close(): Promise<void>;
  };
  records: AppParts['records'];
  /** What is kept from now on, also by commands that answer themselves. */
  readonly beside?: Follow;
  /** Asked when all is loaded and nothing is answered yet: what the process before this one knows; undefined: there was none. */
  inherit?(): Promise<PassedOn | undefined>;
  /** Default: what masks secrets on this machine. */
  readonly redactor?: Redactor;
  admin: AppParts['admin'];
  tell(text: string): void;
}

/** A running server of one process. */
export interface Worker {
  readonly bindings: Bindings;
  /** Nothing is loaded, since a file had changed that was bound before: all gates fail. */
  readonly isStandIn: boolean;
  readonly hosts: WarmHosts;
  readonly port: number | undefined;
  /** Of its own hosts, and of those of the processes before it. */
  hostIds(): string[];
  /** Files that are not as they were bound; `afresh`: as `Binding.changed`. */
  changes(afresh?: boolean): string[];
  /**
   * Takes no more connections, which `closed` is told, answers what is under way, and ends the hosts. `last`: no other process takes
   * those that wait to be taken.
   */
  stop(last: boolean, closed: () => void): Promise<void>;
}

/** Loads what is served, then listens. Rejects with what is wrong with what it loads. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { serving, places, tokens, open } = options;
  const { set, cwd, projects, dev } = serving;
  const { files, scripts } = options.bindings ?? { files: await bindSet(set, cwd), scripts: {} };
  // A process of an older version may have handed them on.
  const bindings = { files, scripts: readScripts(scripts) };
  const redactor = options.redactor ?? createRedactor();
  const text = (record: HookRecord): string => wellFormedJson(redactor.redact(record));
  const feed = new RecordFeed(text, options.beside);
  const batches = new Batches((batch) => {
    feed.push(batch);
    options.keeper.push(batch);
  }, options.tell);
  const opened: { close(): Promise<void> }[] = [];
  // In a new process the files may have changed since they were bound, and nobody has accepted their new content.
  const [changed] = options.bindings === undefined || dev ? [] : changedSince(bindings.files);
  const warm = async (root: string | undefined): Promise<Warm> => {
    const binding = new Binding(bindings, root ?? cwd, serving.data, changed);
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
    // Hosts first: their last records are kept.
    for (const one of opened.splice(0)) await one.close();
    batches.pass();
    await options.keeper.close();
  };
  try {
    const user = await warm(undefined);
    const own: Warm[] = [];
    for (const root of projects) own.push(await warm(root));
    const hosts = new WarmHosts(user, own);
    const keys = new Set([keyOf(set, cwd)]);
    const accepted = new AcceptedFolders(set.config);
    const look = new ScriptsLook(bindings.scripts);
    const changes = (afresh = false): string[] => {
      const scripts = afresh ? changedScripts(bindings.scripts) : look.changed();
      return [...new Set([...hosts.all.flatMap(({ binding }) => binding.changed(afresh)), ...scripts])];
    };
    for (const why of dev ? [] : unboundScripts(bindings.scripts)) options.tell(why);
    const calls = { waiting: new Set<IncomingMessage>(), answered: 0 };
    const parts: AppParts = {
      calls,
      hosts: () => hosts,
      serves: (asked, from) => keys.has(keyOf(asked, from)),
      accepted: (folder) => accepted.has(folder),
      async *records(query) {
        // Makes everything up to now readable.
        batches.pass();
        await options.keeper.flush();
        yield* options.records(query);
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
      admin: options.admin,
    };
    const check = createTokenCheck(tokens);
    const { httpServer } = await import('./http/server.js');
    const patience = options.patience ?? {};
    const proof = proofOf(tokens);
    const passed = await options.inherit?.();
    if (passed !== undefined) {
      hosts.memory.takeOver(passed.memory);
      for (const one of passed.all) hosts.takeOver(one);
      // It tells its own readers of those, and may write the last of them when it has none any more.
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
        // If records or this process are slow, received calls are answered late: a client of HTTP hooks would continue after an error.
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

/** So many ids of hosts a process passes on: those of the last processes, which may still write. */
const HOST_IDS = 1_000;

/** After this many milliseconds without an answer, nobody is reading any more, or sending the rest of a request. */
const DRAIN = 1_000;

/** Turns of the event loop in which connections are taken that came before the end. */
const TAKING = 50;

/** Connections that were not accepted yet are cut when their socket is closed, although their calls may have been sent. */
async function takeWaiting(servers: readonly Server[]): Promise<void> {
  let taken = 1;
  const take = (): void => void taken++;
  for (const server of servers) server.on('connection', take);
  for (let turn = 0; turn < TAKING && taken > 0; turn++) {
    taken = 0;
    // Two, since the first may end before connections are looked for.
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

/** A guard that never runs (its binding says so), on every event that can be blocked: a broken file does not make its guards disappear. */
function standIn(host: Host, file: string): void {
  const { registrar, events } = servicesOf(host);
  const stands = Object.values(events).filter(
    ({ spec }) => spec.failure === 'policy' && ['gate', 'block'].includes(spec.fold),
  );
  const group = [{ hooks: [{ handler: () => undefined, name: file }], onFailure: 'block' }];
  const hooks = Object.fromEntries(stands.map(({ spec }) => [spec.name, group]));
  registrar.register(undefined, hooks, { source: { kind: 'hooks-file', file } });
}

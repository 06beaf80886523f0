import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { HookscopeError, isHookscopeError } from '../../errors.js';
import { parseJson, readBytes } from '../../files/json-file.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Stop } from '../engine.js';
import { loaded } from './load.js';
import { whyRefused } from './problems.js';

/** The files that a connection is made with. */
export interface NatsFiles {
  /** NATS credentials, an nkey's seed, or `{ "user", "password" }`. */
  readonly credentials?: string | undefined;
  /** The file of a certificate authority, and a client's own certificate and key. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

/** The addresses of a team's servers, and the credentials. */
export interface NatsOptions extends NatsFiles {
  readonly servers: readonly string[];
  readonly team: string;
  /** The connection's name in server listings and in its reply subjects. */
  readonly name: string;
  /** Called once with what the broker does not permit. */
  readonly tell?: ((text: string) => void) | undefined;
}

/** An nkey's seed. */
const SEED = /^S[A-Z2-7]{57}$/;
/** A file of NATS credentials has a token and a seed; other files of keys begin alike. */
const CREDENTIALS = /^-+BEGIN NATS USER JWT-+\s[\s\S]*\bSU[A-Z2-7]{56}\b/;
/** Milliseconds between two attempts, and for one. */
const AGAIN = 250;
const PATIENCE = 5_000;
/** Milliseconds to say goodbye to a server that may not respond. */
const LEAVING = 500;

/** One connection that is made again whenever it is lost, also when there was none at first. */
export class Connection {
  readonly place: string;
  readonly #listeners = new Set<() => void>();
  readonly #options: NatsOptions;
  readonly #over = new AbortController();
  readonly #told = new Set<string>();
  #nc: NatsConnection | undefined;
  #connected = false;
  #problem = 'it has not answered yet';

  constructor(options: NatsOptions) {
    this.#options = options;
    this.place = options.servers.map(withoutPassword).join(', ');
    void this.#keep();
  }

  /** The subject for replies. */
  get inbox(): string {
    return inboxOf(this.#options.name);
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Why there is no connection; undefined: there is one, or that was told already. */
  get problem(): string | undefined {
    const problem = whyRefused(this.#problem, this.#options) ?? this.#problem;
    return this.#connected || [...this.#told].some((message) => message.includes(problem)) ? undefined : problem;
  }

  onChange(call: () => void): Stop {
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  }

  /** The current connection. Rejects immediately if there is none. */
  get(): NatsConnection {
    if (this.#nc !== undefined && this.#connected) return this.#nc;
    throw this.failed(this.#problem);
  }

  failed(problem: unknown): HookscopeError {
    if (isHookscopeError(problem)) return problem;
    const text = whyRefused(problem, this.#options) ?? (typeof problem === 'string' ? problem : messageOf(problem));
    return new HookscopeError('FLEET_FAILED', { place: this.place, problem: text }, { cause: problem });
  }

  /** The broker has refused a message that no one waits for. */
  refused(problem: unknown): HookscopeError {
    const error = this.failed(problem);
    if (whyRefused(problem, this.#options) !== undefined) this.#tellOnce(error);
    return error;
  }

  #tellOnce({ message }: Error): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.tell?.(message);
  }

  /**
   * Runs `work` for as long as the connection holds, and again for each that follows. `work` is to end when its signal fires; where it ends or fails by
   * itself it is tried again.
   */
  each(work: (nc: NatsConnection, signal: AbortSignal) => Promise<void>): Stop {
    const stop = new AbortController();
    const over = AbortSignal.any([stop.signal, this.#over.signal]);
    const run = async (): Promise<void> => {
      while (!over.aborted) {
        const nc = this.#connected ? this.#nc : undefined;
        if (nc === undefined) {
          await this.#change(over);
          continue;
        }
        const lost = new AbortController();
        const forget = this.onChange(() => lost.abort());
        try {
          await work(nc, AbortSignal.any([over, lost.signal]));
        } catch (error) {
          this.#problem = messageOf(error);
          if (!lost.signal.aborted && !over.aborted) this.refused(error);
        } finally {
          forget();
        }
        if (!over.aborted && !lost.signal.aborted) await pause(AGAIN, over);
      }
    };
    void run();
    return () => stop.abort();
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#set(false);
    const nc = this.#nc;
    if (nc === undefined || nc.isClosed()) return;
    // The server must have noticed that there is no subscriber before this ends, so that later requests fail at once.
    const heard = new AbortController();
    await Promise.race([nc.drain(), pause(LEAVING, heard.signal)]).catch(() => undefined);
    heard.abort();
    await nc.close().catch(() => undefined);
  }

  async #keep(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        const nc = await connectTo(this.#options);
        if (signal.aborted) return void (await nc.close());
        this.#nc = nc;
        this.#set(true);
        for await (const { type } of nc.status()) {
          if (type === 'reconnect') this.#set(true);
          else if (type === 'disconnect' || type === 'staleConnection') this.#set(false);
        }
        await nc.closed();
        this.#problem = 'the connection is lost';
      } catch (error) {
        this.#problem = whyNot(error, this.#options);
        // A file or a package that is missing is nothing that time mends.
        if (isHookscopeError(error)) this.#tellOnce(error);
        else this.refused(error);
      }
      this.#set(false);
      await pause(AGAIN, signal);
    }
  }

  #set(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    if (!connected) this.#problem = 'the connection is lost';
    for (const listener of [...this.#listeners]) listener();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        forget();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const forget = this.onChange(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** Why there is no connection. If a server hangs up before its greeting, the client library says nothing more specific. */
function whyNot(error: unknown, { tls }: NatsOptions): string {
  const text = messageOf(error);
  if (!/^timeout$/i.test(text)) return text;
  const silent = `it does not answer within ${PATIENCE / 1000} seconds`;
  return tls !== undefined && tls.cert === undefined
    ? `${silent}; where it wants a certificate of this side, name one (tls.cert and tls.key, --tls-cert and --tls-key)`
    : silent;
}

async function connectTo({ servers, name, credentials, tls }: NatsOptions): Promise<NatsConnection> {
  const nats = await loaded(() => import('@nats-io/transport-node'), '@nats-io/transport-node');
  await checkFiles({ tls });
  const { username, password } = userIn(servers);
  const options: ConnectionOptions = {
    servers: servers.map(withoutPassword),
    name: `hookscope ${name}`,
    inboxPrefix: inboxOf(name),
    timeout: PATIENCE,
    // A broker that is away comes back some day.
    maxReconnectAttempts: -1,
    reconnectTimeWait: AGAIN,
    reconnectJitter: AGAIN,
    pingInterval: 10_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
    ...(username === '' && password === '' ? {} : { user: username, pass: password }),
    ...(tls === undefined ? {} : { tls: { caFile: tls.ca, certFile: tls.cert, keyFile: tls.key } as never }),
  };
  return nats.connect({ ...options, ...(credentials === undefined ? {} : await credentialsIn(credentials)) });
}

/** What a credentials file contains. Rejects with FILE if it cannot be read, or contains nothing of the kind. */
export async function credentialsIn(file: string): Promise<Pick<ConnectionOptions, 'user' | 'pass' | 'authenticator'>> {
  const bytes = readBytes(file);
  const text = bytes.toString('utf8').trim();
  if (text.startsWith('{')) {
    const { user, password } = (await parseJson(text, file)) as { user?: unknown; password?: unknown };
    if (typeof user === 'string' && typeof password === 'string') return { user, pass: password };
  }
  const nats = await loaded(() => import('@nats-io/transport-node'), '@nats-io/transport-node');
  if (CREDENTIALS.test(text)) return { authenticator: nats.credsAuthenticator(bytes) };
  if (SEED.test(text)) return { authenticator: nats.nkeyAuthenticator(new TextEncoder().encode(text)) };
  const problem = 'expected NATS credentials, the seed of an nkey, or { "user": "…", "password": "…" }';
  throw new HookscopeError('FILE', { file, problem });
}

/** Rejects with FILE if a file for the connection cannot be read, or is not a file. */
export async function checkFiles({ credentials, tls = {} }: NatsFiles): Promise<void> {
  if (credentials !== undefined) await credentialsIn(credentials);
  for (const file of [tls.ca, tls.cert, tls.key]) if (file !== undefined) readBytes(file);
}

/** A pair of keys as NATS knows users by them. */
export async function makeNkey(): Promise<{ readonly publicKey: string; readonly seed: string }> {
  const { nkeys } = await loaded(() => import('@nats-io/transport-node'), '@nats-io/transport-node');
  const pair = nkeys.createUser();
  return { publicKey: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}

/** The inbox for answers to a connection: no one else may subscribe to it. */
export const inboxOf = (name: string): string => `_INBOX_${name}`;

/** An address as it may be shown: without a user and a password, which it may also have without a scheme. */
export const withoutPassword = (server: string): string => server.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1');

function userIn(servers: readonly string[]): { username: string; password: string } {
  const urls = servers.map((one) => (one.includes('://') ? one : `nats://${one}`));
  const all = urls.flatMap((one) => (URL.canParse(one) ? [new URL(one)] : []));
  const { username = '', password = '' } = all.find((one) => one.username || one.password) ?? {};
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

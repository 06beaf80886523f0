import type { ConnectionOptions } from '@nats-io/transport-node';
import { HookscopeError } from '../../errors.js';
import { parseJson, readBytes } from '../../files/json-file.js';
import { loaded } from './load.js';

/** What a connection is made with. */
export interface NatsFiles {
  /** NATS credentials, an nkey's seed, or `{ "user", "password" }`. */
  readonly credentials?: string | undefined;
  /** Of a certificate authority, and a client's own certificate and key. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

const SEED = /^S[A-Z2-7]{57}$/;

/** What a file says to whoever connects with it. Rejects with FILE: it cannot be read, or holds nothing of the kind. */
export async function credentialsIn(file: string): Promise<Pick<ConnectionOptions, 'user' | 'pass' | 'authenticator'>> {
  const bytes = readBytes(file);
  const text = bytes.toString('utf8').trim();
  if (text.startsWith('{')) {
    const { user, password } = (await parseJson(text, file)) as { user?: unknown; password?: unknown };
    if (typeof user === 'string' && typeof password === 'string') return { user, pass: password };
  }
  const nats = await loaded(() => import('@nats-io/transport-node'), '@nats-io/transport-node');
  if (text.startsWith('-----')) return { authenticator: nats.credsAuthenticator(bytes) };
  if (SEED.test(text)) return { authenticator: nats.nkeyAuthenticator(new TextEncoder().encode(text)) };
  const problem = 'expected NATS credentials, the seed of an nkey, or { "user": "…", "password": "…" }';
  throw new HookscopeError('FILE', { file, problem });
}

/** Rejects with FILE where a file that a connection is made with cannot be read, or is none. */
export async function checkFiles({ credentials, tls = {} }: NatsFiles): Promise<void> {
  if (credentials !== undefined) await credentialsIn(credentials);
  for (const file of [tls.ca, tls.cert, tls.key]) if (file !== undefined) readBytes(file);
}

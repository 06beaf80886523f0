import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { HookscopeError, isHookscopeError } from '../errors.js';
import { readRegularFile } from '../files/regular-file.js';
import { clip } from '../plain.js';
import { PROOF_HEAD, proofFile } from '../values/server-proof.js';
import { stateFolder } from '../values/user-folders.js';

/** The address of a server, and how it proves who it is. */
export interface Address {
  /** The address as messages show it. */
  readonly name: string;
  readonly connect: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>;
  /** The proof that responses must carry in their header, as for `hookscope hook`; null: none is accepted. Absent: a TCP port has no proof. */
  readonly proof?: string | null;
}

/** The address of this user's server, by the path of its socket. */
export const socketAddress = (path: string): Address => ({
  name: path,
  connect: { socketPath: path },
  proof: readProof() ?? null,
});

/** Returns undefined if no server has ever been started. */
function readProof(): string | undefined {
  try {
    return readRegularFile(proofFile(stateFolder())).toString('utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

const LOCAL = ['127.0.0.1', 'localhost', '[::1]'];

/** Parses `http://127.0.0.1:PORT`. Throws FILE for anything else: another machine must not be sent the token. */
export function httpAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || !LOCAL.includes(url.hostname) || url.pathname !== '/')
    throw new HookscopeError('FILE', {
      file: text,
      problem: 'is not the address of a server on this machine, such as http://127.0.0.1:7007',
    });
  return { name: url.origin, connect: { host: url.hostname.replace(/[[\]]/g, ''), port: url.port || 80 } };
}

export interface AskOptions {
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The most milliseconds until the response's headers arrive; the body may take longer. Default 30 seconds. */
  readonly patience?: number;
}

/** Sends a GET; resolves when the response's headers arrive. Rejects with FILE if there is no answer, UNTRUSTED if another program answers. */
export function ask(address: Address, path: string, options: AskOptions = {}): Promise<IncomingMessage> {
  const { token, signal, headers, patience = 30_000 } = options;
  return new Promise((resolve, reject) => {
    const sent = request({
      ...address.connect,
      path,
      agent: false,
      ...(signal ? { signal } : {}),
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
    const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), patience);
    sent.on('response', (response) => {
      clearTimeout(timer);
      // Without a listener the error would end the process; whoever reads the body sees that it is incomplete.
      response.on('error', () => undefined);
      if (address.proof === undefined || response.headers[PROOF_HEAD] === address.proof) return resolve(response);
      response.destroy();
      const why = 'what answers there does not prove that it is the server of this user';
      const remedy = 'Look who has taken its place; --store names a file of records';
      reject(new HookscopeError('UNTRUSTED', { file: address.name, why, remedy }));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const text = PROBLEMS[error.code ?? ''] ?? error.message;
      reject(new HookscopeError('FILE', { file: address.name, problem: text }, { cause: error }));
    });
    sent.end();
  });
}

/** Whether `ask` found a program that is not the user's server. */
export const isStranger = (error: unknown): boolean => isHookscopeError(error) && error.code === 'UNTRUSTED';

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there; hookscope serve starts one',
  ENOENT: 'no server listens there; hookscope serve starts one',
  EACCES: 'the socket may not be used by you',
};

/** The problem that a response other than 200 reports. */
export async function statusProblem(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > 4096) break;
  }
  if (response.statusCode === 401)
    return 'the server refused (401), since it does not take the token of tokens.json, which is gone or another one; start it again (hookscope serve), or name a file of records with --store';
  const text = clip(Buffer.concat(parts).toString('utf8').trim(), 200);
  return `the server refused: ${response.statusCode}${text === '' ? '' : ` ${text}`}`;
}

import type { IncomingMessage } from 'node:http';
import { HookscopeError } from '../../errors.js';
import { isObject } from '../../values/shape.js';
import { timerUntil } from '../../values/waiting/timer.js';
import { type CommandAnswer, ENVIRONMENT, type FailurePolicy, HEAD, REASONS } from '../agent-protocol.js';
import { encoded, fitsHeader, headersOf, type NamedSet, utf8 } from '../named-set.js';
import { checkOwned, checkWay, readOwned } from '../owned.js';
import type { ServerPaths } from '../places.js';
import { CLAUDE, type Protocol } from '../protocol.js';

/** One event to ask a server about. */
export interface EventQuestion {
  readonly protocol: Protocol;
  /** The input as the agent sent it. */
  readonly body: string;
  readonly set: NamedSet;
  readonly cwd: string;
  readonly policy: FailurePolicy;
  /** When the answer is due, by `performance.now()`. */
  readonly deadline: number;
}

/** The most bytes of an answer that are read, because it may have no end. The thin command has the same limit. */
const MOST_ANSWER = 8 * 1024 * 1024;
/** The most bytes of an answer's head, which has messages. */
const MOST_HEAD = 64 * 1024;
const LARGE = 'the answer of the server is larger than 8 MiB';

/** Why the command must fire the event itself; the server has run nothing. */
export type UnaskedReason = 'not running' | 'not served' | 'cannot be asked';

/**
 * Asks this user's server. It is `UnaskedReason` only if nothing was sent, or the server says that it ran nothing. Otherwise a server that
 * dies, hangs or answers nonsense is a failure, so that no hook runs twice. Throws UNTRUSTED if the socket is not this user's.
 */
export async function askServer(question: EventQuestion, places: ServerPaths): Promise<CommandAnswer | UnaskedReason> {
  const headers = headOf(question, places);
  if (typeof headers === 'string') return headers;
  const proof = readOwned(places.proof)?.trim();
  if (!proof) return 'cannot be asked';
  // Loaded only here, because usually there is no server.
  const { request } = await import('node:http');
  const { protocol, body, policy, deadline } = question;
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = (reason: string): void => resolve(protocol.fail(reason, policy));
    const asked = request({
      socketPath: places.socket,
      path: `/hooks/${protocol.event}`,
      method: 'POST',
      agent: false,
      maxHeaderSize: MOST_HEAD,
      headers: { ...headers, host: 'hookscope', 'content-length': Buffer.byteLength(body) },
    });
    const timer = setTimeout(() => {
      fail(REASONS.late);
      asked.destroy();
    }, timerUntil(deadline));
    const end = (): void => clearTimeout(timer);
    asked.on('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    asked.on('error', () => {
      end();
      if (isConnected) fail(REASONS.died);
      else resolve('not running');
    });
    asked.on('response', (response) => {
      // The answer of another user's program is not read, because it may never end.
      if (response.headers[HEAD.proof] !== proof) {
        end();
        fail(REASONS.stranger);
        asked.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MOST_ANSWER) chunks.push(chunk);
        else if (response.statusCode !== HEAD.notServed) {
          end();
          fail(LARGE);
          asked.destroy();
        }
      });
      response.on('close', () => {
        end();
        const status = response.statusCode ?? 0;
        if (!response.complete) fail(REASONS.died);
        else if (status === HEAD.notServed) resolve('not served');
        else if (status !== 200 && response.headers[HEAD.exit] === undefined) fail(REASONS.refused(status));
        else {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve(answerIn(text, response, protocol) ?? protocol.fail(REASONS.died, policy));
        }
      });
    });
    // As bytes, because Node would send a string together with the head, in the string's encoding.
    asked.end(Buffer.from(body));
  });
}

/** The answer in a response; undefined if it does not have our format. The server has kept its record, also of an answer of its own. */
function answerIn(
  text: string,
  { statusCode, headers, rawHeaders }: IncomingMessage,
  { quiet }: Protocol,
): CommandAnswer | undefined {
  try {
    const output: unknown = JSON.parse(text);
    if (!isObject(output)) return undefined;
    const answer = { stderr: asideIn(rawHeaders), code: Number(headers[HEAD.exit] ?? 0) };
    // The body of an error is for clients of HTTP hooks.
    return { ...answer, stdout: statusCode !== 200 ? '' : text === '{}' ? quiet : `${text}\n` };
  } catch {
    return undefined;
  }
}

function asideIn(raw: readonly string[]): string {
  const lines = raw.filter((_, i) => i % 2 === 1 && (raw[i - 1] as string).toLowerCase() === HEAD.aside);
  return lines.map((line) => `${utf8(line)}\n`).join('');
}

/** Whether there is a socket of this user. Throws UNTRUSTED or FILE if what is there must not be used. */
export function isSocketThere({ run, socket }: Pick<ServerPaths, 'run' | 'socket'>): boolean {
  try {
    checkOwned(run, 'folder');
    checkOwned(socket, 'socket');
    return true;
  } catch (error) {
    checkWay(socket);
    if ((error as { code?: string }).code === 'FILE') return false;
    throw error;
  }
}

/** The headers of the request, or why the server is not asked. */
function headOf(question: EventQuestion, places: ServerPaths): Record<string, string | string[]> | UnaskedReason {
  const { protocol, set, cwd, policy } = question;
  if (!isSocketThere(places)) return 'not running';
  const token = readOwned(places.fireHeader);
  if (token === undefined) return 'cannot be asked';
  const named = headersOf(set, cwd);
  const env = ENVIRONMENT.flatMap((name) => (process.env[name] === undefined ? [] : [`${name}=${process.env[name]}`]));
  const isPlain = [cwd, ...env, ...named.map(([, value]) => value)].every(fitsHeader);
  const written = (value: string): string => latin1(isPlain ? value : encoded(value));
  const head: Record<string, string | string[]> = {
    authorization: token.replace(/^Authorization: /, '').trim(),
    'content-type': 'application/json',
    ...(isPlain ? {} : { [HEAD.encoded]: 'percent' }),
    [HEAD.cwd]: written(cwd),
    [HEAD.env]: env.map(written),
    [HEAD.policy]: policy,
    [HEAD.within]: Math.max(0, (question.deadline - performance.now()) / 1000).toFixed(1),
    ...(protocol.agent === CLAUDE ? {} : { [HEAD.as]: protocol.agent }),
    ...(protocol.attended ? { [HEAD.attended]: 'yes' } : {}),
  };
  for (const [name, value] of named) head[name] = [...((head[name] ?? []) as string[]), written(value)];
  return head;
}

/** UTF-8 as Latin-1 characters, because Node writes headers as Latin-1. */
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The time limit in milliseconds for requests of the user's own commands. */
const PATIENCE = 60_000;

/** Sends a request of the user's own commands; `patience` is in milliseconds. Rejects if no server answers, with UNTRUSTED if it is not this user's. */
export async function callServer(
  places: ServerPaths,
  {
    path,
    method = 'GET',
    token,
    body,
    patience = PATIENCE,
  }: { path: string; method?: string; token: string; body?: unknown; patience?: number },
): Promise<{ readonly status: number; readonly body: unknown }> {
  checkOwned(places.run, 'folder');
  checkOwned(places.socket, 'socket');
  const proof = readOwned(places.proof)?.trim();
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      host: 'hookscope',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const signal = AbortSignal.timeout(patience);
    const asked = request({ socketPath: places.socket, path, method, agent: false, headers, signal }, (response) => {
      if (!proof || response.headers[HEAD.proof] !== proof) {
        asked.destroy();
        const why = 'what answers there does not prove that it is the server of this user';
        reject(new HookscopeError('UNTRUSTED', { file: places.socket, why, remedy: 'Look who has taken its place' }));
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
        } catch (error) {
          reject(error);
        }
      });
    });
    asked.on('error', reject);
    asked.end(text);
  });
}

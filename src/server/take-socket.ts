import { lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { HookscopeError } from '../errors.js';
import { createLock, isHeld } from '../files/file-lock.js';
import { makeOwnFolder } from './owned.js';
import type { ServerPaths } from './places.js';

/** How long a server may take to accept a connection, in milliseconds. */
const ANSWER = 2_000;
/** The most bytes of a socket's path on Linux and macOS. */
const LONGEST = 103;
/** The number of attempts to get the lock. */
const TRIES = 50;

/** Whether a server listens on the socket. */
export function isAnswered(socket: string): Promise<boolean> {
  if (lstatSync(socket, { throwIfNoEntry: false }) === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const probe = connect(socket);
    const end = (answered: boolean): void => {
      probe.destroy();
      resolve(answered);
    };
    probe.setTimeout(ANSWER, () => end(true));
    probe.once('connect', () => end(true));
    probe.once('error', ({ code }: NodeJS.ErrnoException) => end(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

/**
 * Makes the folder, and removes a socket that a killed server left; it rejects if a server answers on it. No other server can start
 * until the returned function is called. Rejects with FILE, UNTRUSTED.
 */
export async function takeSocket({ run, socket }: ServerPaths): Promise<() => void> {
  if (Buffer.byteLength(socket) > LONGEST) {
    const problem = `is longer than the system allows for a socket (${LONGEST} bytes); set XDG_RUNTIME_DIR to a shorter folder`;
    throw new HookscopeError('FILE', { file: socket, problem });
  }
  makeOwnFolder(run);
  const release = await lockSocket(socket);
  try {
    await checkNotRunning(socket);
    rmSync(socket, { force: true });
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

/** Rejects with FILE if a server answers on the socket. */
export async function checkNotRunning(socket: string): Promise<void> {
  if (await isAnswered(socket))
    throw new HookscopeError('FILE', { file: socket, problem: 'a server is running there already' });
}

/** Locks the socket: no server starts on it until the returned function is called. Rejects with FILE. */
export async function lockSocket(socket: string): Promise<() => void> {
  const lock = `${socket}.lock`;
  await locked(lock);
  return () => rmSync(lock, { force: true });
}

async function locked(lock: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      if (createLock(lock)) return;
    } catch (error) {
      throw new HookscopeError('FILE', { file: lock, problem: (error as Error).message }, { cause: error });
    }
    if (!isHeld(lock)) rmSync(lock, { force: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new HookscopeError('FILE', {
    file: lock,
    problem: 'another server is starting or ending there; if none is, remove it',
  });
}

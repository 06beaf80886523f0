import fs from 'node:fs';
import { join } from 'node:path';
import threads, { type Worker } from 'node:worker_threads';
import { ownFolder } from '../plugins/own-folder.js';
import { keepDescriptor } from './keep-descriptor.js';

/** The originals from before `keepStdout`, for hookscope's own output and threads. */
export const { writeSync, writeFileSync } = { ...fs };
export const OwnWorker = threads.Worker;

/** Loaded into each thread that foreign code starts, before its code: calls `keepDescriptor` there. */
const PRELOAD = 'dist/cli/thread-stdout.cjs';

let isKept = false;

/**
 * Redirects what foreign code prints to standard error: standard output is only for what the command prints. This covers loggers that write
 * to the descriptor itself or from a thread, but not programs that such code starts, nor native add-ons.
 */
export function keepStdout(): void {
  Object.defineProperty(process, 'stdout', { value: process.stderr, configurable: true });
  if (isKept) return;
  isKept = true;
  threads.Worker = new Proxy(threads.Worker, { construct: startThread });
  keepDescriptor();
}

function startThread(
  worker: typeof Worker,
  [file, options]: ConstructorParameters<typeof Worker>,
  as: typeof Worker,
): Worker {
  const execArgv = [...(options?.execArgv ?? process.execArgv), '--require', join(ownFolder(), PRELOAD)];
  try {
    return Reflect.construct(worker, [file, { ...options, execArgv }], as) as Worker;
  } catch {
    // Some options of this process are not allowed in a thread.
    return Reflect.construct(worker, [file, options], as) as Worker;
  }
}

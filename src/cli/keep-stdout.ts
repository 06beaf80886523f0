import fs from 'node:fs';
import { join } from 'node:path';
import threads, { type Worker } from 'node:worker_threads';
import { ownFolder } from '../plugins/own-folder.js';
import { keepDescriptor } from './keep-descriptor.js';

/** As they were before `keepStdout`, for what hookscope itself writes and starts. */
export const { writeSync, writeFileSync } = { ...fs };
export const OwnWorker = threads.Worker;

/** Loaded into each thread of other people's code before that: `keepDescriptor`. */
const PRELOAD = 'dist/cli/thread-stdout.cjs';

let isKept = false;

/**
 * Redirects what other people's code prints to standard error: standard output is only for what the command prints. A logger may write to the
 * descriptor itself, or from a thread. What programs print that such code starts is not redirected, nor what add-ons print.
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
    // Not each option that this process was started with is for a thread, too.
    return Reflect.construct(worker, [file, options], as) as Worker;
  }
}

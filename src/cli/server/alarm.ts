import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownFolder } from '../../plugins/own-folder.js';
import type { CommandAnswer } from '../../server/agent-protocol.js';

/** What the thread is told. */
export interface AlarmData {
  /** 1: somebody has spoken. */
  readonly state: Int32Array;
  /** Milliseconds. */
  readonly wait: number;
  readonly answer: CommandAnswer;
}

/**
 * Gives this answer in `wait` milliseconds, and ends the process, whatever that does meanwhile; but for a call of the system that blocks it,
 * which nothing interrupts. The result is asked before anything else is said: false, it is too late for that.
 */
export function setAlarm(wait: number, answer: CommandAnswer): () => boolean {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const workerData: AlarmData = { state, wait: Math.max(0, wait), answer };
  const thread = new Worker(join(ownFolder(), 'dist/cli/alarm-thread.js'), { workerData, execArgv: [], env: {} });
  thread.unref();
  // Without it the answer comes as before.
  thread.on('error', () => undefined);
  return () => Atomics.compareExchange(state, 0, 0, 1) === 0;
}

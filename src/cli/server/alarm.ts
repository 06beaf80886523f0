import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownFolder } from '../../plugins/own-folder.js';
import type { CommandAnswer } from '../../server/agent-protocol.js';
import { sayAtOnce } from './last-word.js';

/** The data that the thread gets. */
export interface AlarmData {
  /** 1: an answer was given. */
  readonly state: Int32Array;
  /** Milliseconds. */
  readonly wait: number;
  readonly answer: CommandAnswer;
}

export interface Alarm {
  /** Called before anything else is printed; false: it is too late. */
  mayStillSpeak(): boolean;
  /**
   * From now on a thread keeps the time as well, whatever this one does meanwhile, but for a call of the system that blocks it, which nothing
   * interrupts. It takes longer to start than most hooks need: only for code that is not ours.
   */
  watchFromThread(): void;
}

/** Prints the answer `late` after `wait` milliseconds and ends the process; prints `exited` if the process ends before that in another way. */
export function setAlarm(
  wait: number,
  { late: answer, exited }: Readonly<Record<'late' | 'exited', () => CommandAnswer>>,
): Alarm {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const isFirst = (): boolean => Atomics.compareExchange(state, 0, 0, 1) === 0;
  const due = performance.now() + wait;
  const timer = setTimeout(
    () => {
      if (!isFirst()) return;
      const last = answer();
      sayAtOnce(last);
      process.exit(last.code);
    },
    Math.max(0, wait),
  );
  const atExit = (): void => {
    if (!isFirst()) return;
    const last = exited();
    sayAtOnce(last);
    process.exitCode = last.code;
  };
  process.once('exit', atExit);
  let isWatched = false;
  return {
    mayStillSpeak() {
      clearTimeout(timer);
      process.off('exit', atExit);
      return isFirst();
    },
    watchFromThread() {
      if (isWatched) return;
      isWatched = true;
      const workerData: AlarmData = { state, wait: Math.max(0, due - performance.now()), answer: answer() };
      const thread = new Worker(join(ownFolder(), 'dist/cli/alarm-thread.js'), { workerData, execArgv: [], env: {} });
      thread.unref();
      // Without the thread, the answer comes as before.
      thread.on('error', () => undefined);
    },
  };
}

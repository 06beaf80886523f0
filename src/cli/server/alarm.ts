import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ownFolder } from '../../plugins/own-folder.js';
import type { CommandAnswer } from '../../server/agent-protocol.js';
import { LONGEST_TIMER } from '../../values/waiting/timer.js';
import { OwnWorker } from '../keep-stdout.js';
import { AT, PHASE, sayAtOnce } from './last-word.js';

/** An agent continues after any other exit code, so a hook whose answer could not be written exits with this one. */
export const UNANSWERED = 2;
/** Milliseconds that a process lives that has answered, and does only what nobody needs: a little longer than that is given. */
const HURRY = 1_000;
/** Milliseconds between two signs of a process that waits until its answer is read: it has not been stopped by what runs there. */
const BEAT = 50;

/** The data that the thread gets. */
export interface AlarmData {
  readonly state: Int32Array;
  /** Milliseconds until the process has to end, and those that it gets where it hurries. */
  readonly wait: number;
  readonly hurry: number;
  readonly answer: CommandAnswer;
}

export interface Alarm {
  /** Called before anything else is printed; false: it is too late. From then on nothing else is said, and the reader has all the time it needs. */
  mayStillSpeak(): boolean;
  /** All was written out, and the time that is left goes on. However the process ends from now on, it is with this code. */
  said(code: number): void;
  /** The process ends within a second. */
  hurry(): void;
  /** It has the time again that it was given. */
  calm(): void;
  /** Nothing is left to do. What was said with `said` remains the exit code. */
  off(): void;
  /**
   * From now on a thread keeps the time as well, whatever this one does meanwhile, but for a call of the system that blocks it, which nothing
   * interrupts. It takes longer to start than most hooks need: only for code that is not ours.
   */
  watchFromThread(): void;
}

/**
 * Prints the answer `late` after `wait` milliseconds and ends the process; prints `exited` if the process ends before that in another way.
 * `undefined` is no limit, and keeps no process alive that has nothing left to do.
 */
export function setAlarm(
  wait: number | undefined,
  { late: answer, exited }: Readonly<Record<'late' | 'exited', () => CommandAnswer>>,
): Alarm {
  const state = new Int32Array(new SharedArrayBuffer(8));
  state[AT.code] = UNANSWERED;
  const isFirst = (phase: number): boolean =>
    Atomics.compareExchange(state, AT.phase, PHASE.unanswered, phase) === PHASE.unanswered;
  let due = performance.now() + (wait ?? LONGEST_TIMER);
  const left = (): number => Math.max(0, due - performance.now());
  /** Says the answer unless one was given; the code to exit with. */
  const codeOf = (last: () => CommandAnswer): number => {
    if (!isFirst(PHASE.answered)) return Atomics.load(state, AT.code);
    const said = last();
    sayAtOnce(said);
    // The process ends now, and `exit` asks once more.
    Atomics.store(state, AT.code, said.code);
    return said.code;
  };
  const end = (): void => process.exit(codeOf(answer));
  let timer = setTimeout(end, left());
  if (wait === undefined) timer.unref();
  const wake = (): void => void Atomics.notify(state, AT.phase);
  const enter = (phase: number, ms: number): void => {
    Atomics.store(state, AT.phase, phase);
    wake();
    clearTimeout(timer);
    timer = setTimeout(end, ms);
  };
  const atExit = (): void => {
    process.exitCode = codeOf(exited);
  };
  process.once('exit', atExit);
  let thread: Worker | undefined;
  let isSaid = false;
  let spokeFrom = 0;
  return {
    mayStillSpeak() {
      if (!isFirst(PHASE.speaking)) return false;
      spokeFrom = performance.now();
      clearTimeout(timer);
      timer = setInterval(wake, BEAT);
      wake();
      return true;
    },
    said(code) {
      isSaid = true;
      Atomics.store(state, AT.code, code);
      due += performance.now() - spokeFrom;
      enter(PHASE.answered, left());
    },
    hurry: () => enter(PHASE.hurried, HURRY),
    calm: () => enter(PHASE.answered, left()),
    off() {
      if (!isSaid) {
        enter(PHASE.answered, 0);
        process.off('exit', atExit);
      }
      clearTimeout(timer);
      // It would end a process that goes on, too.
      void thread?.terminate();
    },
    watchFromThread() {
      if (thread) return;
      const workerData: AlarmData = { state, wait: left(), hurry: HURRY, answer: answer() };
      thread = new OwnWorker(join(ownFolder(), 'dist/cli/alarm-thread.js'), { workerData, execArgv: [], env: {} });
      thread.unref();
      // Without the thread, the answer comes as before.
      thread.on('error', () => undefined);
    },
  };
}

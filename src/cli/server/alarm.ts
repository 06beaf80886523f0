import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ownFolder } from '../../plugins/own-folder.js';
import type { CommandAnswer } from '../../server/agent-protocol.js';
import { LONGEST_TIMER } from '../../values/waiting/timer.js';
import { OwnWorker } from '../keep-stdout.js';
import { AT, PARENT, PHASE, sayAtOnce } from './last-word.js';

/** An agent continues after any other exit code, so a hook whose answer could not be written exits with this one. */
export const UNANSWERED = 2;
/** Milliseconds until a process that has answered is ended while it runs hooks nobody waits for: a little more than these hooks get. */
const HURRY = 1_000;
/** Milliseconds between two signs of life while the answer is being read: they show that the main thread is not blocked. */
const BEAT = 50;

/** How Node ends this process, once the listeners on `exit` have been called. */
const ending = process as unknown as { reallyExit(code: number): void };

/** The data that the thread gets. */
export interface AlarmData {
  readonly state: Int32Array;
  /** Milliseconds until the process has to end, and the milliseconds that it gets once `hurry` was called. */
  readonly wait: number;
  readonly hurry: number;
  readonly answer: CommandAnswer;
}

export interface Alarm {
  /** Call it before the answer is printed; false: it is too late. After it the alarm prints nothing, and the reader has all the time it needs. */
  mayStillSpeak(): boolean;
  /** The answer was written out, and the remaining time runs on. However the process ends from now on, this is its exit code. */
  said(code: number): void;
  /** The process ends within a second, if it has that long. */
  hurry(): void;
  /** Undoes `hurry`: the process has its remaining time again. */
  calm(): void;
  /** Ends the alarm. A code given to `said` remains the exit code. */
  off(): void;
  /**
   * From now on a thread keeps the time as well, whatever blocks this one. Only a blocking system call cannot be interrupted. The thread takes
   * longer to start than most hooks need, so it is only for foreign code.
   */
  watchFromThread(): void;
}

/**
 * Prints the answer `late` after `wait` milliseconds and ends the process; prints `exited` if the process ends before that in another way.
 * `undefined` is no limit, and does not keep the process alive.
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
  /** Prints the answer unless one was given. Returns the exit code. */
  const codeOf = (last: () => CommandAnswer): number => {
    if (!isFirst(PHASE.answered)) return Atomics.load(state, AT.code);
    const said = last();
    sayAtOnce(said);
    // The process ends now, and the `exit` handler asks for the code again.
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
    const code = codeOf(exited);
    process.exitCode = code;
    // Listeners that are called after this one may set another.
    const { reallyExit } = ending;
    ending.reallyExit = () => reallyExit.call(process, code);
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
    hurry: () => enter(PHASE.hurried, Math.min(HURRY, left())),
    calm: () => enter(PHASE.answered, left()),
    off() {
      if (!isSaid) {
        enter(PHASE.answered, 0);
        process.off('exit', atExit);
      }
      clearTimeout(timer);
      // Otherwise the thread would end the process although it goes on.
      void thread?.terminate();
    },
    watchFromThread() {
      if (thread) return;
      const workerData: AlarmData = { state, wait: left(), hurry: HURRY, answer: answer() };
      thread = new OwnWorker(join(ownFolder(), 'dist/cli/alarm-thread.js'), {
        workerData,
        execArgv: [],
        env: { HOOKSCOPE_PARENT: PARENT },
      });
      thread.unref();
      // Without the thread, the timer of this one still answers.
      thread.on('error', () => undefined);
    },
  };
}

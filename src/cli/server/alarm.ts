import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownFolder } from '../../plugins/own-folder.js';
import type { CommandAnswer } from '../../server/agent-protocol.js';
import { AT, PHASE, sayAtOnce } from './last-word.js';

/** An agent continues after any other exit code, so a hook whose answer could not be written exits with this one. */
export const UNANSWERED = 2;
/** Milliseconds that a process lives that has answered, and does only what nobody needs: a little longer than that is given. */
const HURRY = 1_000;

/** The data that the thread gets. */
export interface AlarmData {
  readonly state: Int32Array;
  /** Milliseconds until the process has to end, and those that it gets where it hurries. */
  readonly wait: number;
  readonly hurry: number;
  readonly answer: CommandAnswer;
}

export interface Alarm {
  /** Called before anything else is printed; false: it is too late. From then on nothing else is said. */
  mayStillSpeak(): boolean;
  /** All was written out. However the process ends from now on, it is with this code. */
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

/** Prints the answer `late` after `wait` milliseconds and ends the process; prints `exited` if the process ends before that in another way. */
export function setAlarm(
  wait: number,
  { late: answer, exited }: Readonly<Record<'late' | 'exited', () => CommandAnswer>>,
): Alarm {
  const state = new Int32Array(new SharedArrayBuffer(8));
  state[AT.code] = UNANSWERED;
  const isFirst = (): boolean =>
    Atomics.compareExchange(state, AT.phase, PHASE.unanswered, PHASE.answered) === PHASE.unanswered;
  const due = performance.now() + wait;
  const left = (): number => Math.max(0, due - performance.now());
  /** Says the answer unless one was given; the code to exit with. */
  const codeOf = (last: () => CommandAnswer): number => {
    if (!isFirst()) return Atomics.load(state, AT.code);
    const said = last();
    sayAtOnce(said);
    return said.code;
  };
  const end = (): void => process.exit(codeOf(answer));
  let timer = setTimeout(end, Math.max(0, wait));
  const enter = (phase: number, ms: number): void => {
    Atomics.store(state, AT.phase, phase);
    Atomics.notify(state, AT.phase);
    clearTimeout(timer);
    timer = setTimeout(end, ms);
  };
  const atExit = (): void => {
    process.exitCode = codeOf(exited);
  };
  process.once('exit', atExit);
  let isWatched = false;
  let isSaid = false;
  return {
    mayStillSpeak: isFirst,
    said(code) {
      isSaid = true;
      Atomics.store(state, AT.code, code);
    },
    hurry: () => enter(PHASE.hurried, HURRY),
    calm: () => enter(PHASE.answered, left()),
    off() {
      clearTimeout(timer);
      if (!isSaid) process.off('exit', atExit);
    },
    watchFromThread() {
      if (isWatched) return;
      isWatched = true;
      const workerData: AlarmData = { state, wait: left(), hurry: HURRY, answer: answer() };
      const thread = new Worker(join(ownFolder(), 'dist/cli/alarm-thread.js'), { workerData, execArgv: [], env: {} });
      thread.unref();
      // Without the thread, the answer comes as before.
      thread.on('error', () => undefined);
    },
  };
}

import { Session } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { AlarmData } from './alarm.js';
import { sayAtOnce } from './last-word.js';

// A thread that answers for a command whose own never gets to it: a loop, or a module that never ends.
const { state, wait, answer } = workerData as AlarmData;
await sleep(wait);
// The first to answer wins, and no other answers after that.
if (Atomics.compareExchange(state, 0, 0, 1) === 0) {
  sayAtOnce(answer);
  const session = new Session();
  session.connectToMainThread();
  // A thread cannot end its process. The debugger interrupts whatever JavaScript runs there; `exit` is what ends hooks that are under way.
  const expression = `try { process.emit('exit', ${answer.code}) } finally { process.reallyExit(${answer.code}) }`;
  session.post('Runtime.evaluate', { expression });
}

import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import type { AlarmData } from './alarm.js';
import { AT, PHASE, sayAtOnce } from './last-word.js';

// A thread that answers if the command's main thread cannot, in an endless loop or a module that never loads. If the command has answered, it only ends the process.
const { state, wait, hurry, answer } = workerData as AlarmData;
let due = performance.now() + wait;
for (;;) {
  const phase = Atomics.load(state, AT.phase);
  const now = performance.now();
  const left = Math.max(0, due - now);
  // While the answer is being written, the main thread keeps waking this one, unless something blocks it.
  const most = { [PHASE.hurried]: Math.min(left, hurry), [PHASE.speaking]: Math.max(left, hurry) }[phase] ?? left;
  if (Atomics.wait(state, AT.phase, phase, most) === 'timed-out') break;
  // Time that the reader takes does not count.
  if (phase === PHASE.speaking) due += performance.now() - now;
}
// The first to answer wins, and no other answers after that.
const isFirst = Atomics.compareExchange(state, AT.phase, PHASE.unanswered, PHASE.answered) === PHASE.unanswered;
if (isFirst) {
  sayAtOnce(answer);
  Atomics.store(state, AT.code, answer.code);
}
const code = Atomics.load(state, AT.code);
const session = new Session();
session.connectToMainThread();
// A thread cannot end its process, but the debugger interrupts any JavaScript of the main thread. The `exit` event ends hooks that still run.
const expression = `try { process.emit('exit', ${code}) } finally { process.reallyExit(${code}) }`;
session.post('Runtime.evaluate', { expression });

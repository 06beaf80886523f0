import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import type { AlarmData } from './alarm.js';
import { AT, PHASE, sayAtOnce } from './last-word.js';

// A thread that answers for a command whose own never gets to it: a loop, or a module that never ends. One that has answered, it only ends.
const { state, wait, hurry, answer } = workerData as AlarmData;
let due = performance.now() + wait;
for (;;) {
  const phase = Atomics.load(state, AT.phase);
  const now = performance.now();
  const left = Math.max(0, due - now);
  // While the answer is written, the command's own thread wakes this one again and again, unless something stops it.
  const most = { [PHASE.hurried]: hurry, [PHASE.speaking]: Math.max(left, hurry) }[phase] ?? left;
  if (Atomics.wait(state, AT.phase, phase, most) === 'timed-out') break;
  // Only the reader can make that shorter.
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
// A thread cannot end its process. The debugger interrupts whatever JavaScript runs there; `exit` is what ends hooks that are under way.
const expression = `try { process.emit('exit', ${code}) } finally { process.reallyExit(${code}) }`;
session.post('Runtime.evaluate', { expression });

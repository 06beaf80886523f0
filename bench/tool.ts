import { tmpdir } from 'node:os';
import { createHost } from 'hookscope';
import { type Figure, spread } from './harness.js';

const CALLS = 5_000;
const ROUNDS = 30;
/** Until the engine has compiled it for good. */
const WARM_UP = 6;

/** CPU of a call of a tool that does nothing, in a session without hooks and without subscribers. */
export async function figures(): Promise<Figure[]> {
  const session = await createHost().openSession({ cwd: tmpdir() });
  const times: number[] = [];
  let calls = 0;
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const from = process.cpuUsage();
    for (let i = 0; i < CALLS; i++)
      await session.tool({
        id: `toolu_${calls++}`,
        name: 'Bash',
        input: { command: 'ls' },
        effect: 'read',
        execute: async () => 'done',
      });
    const { user, system } = process.cpuUsage(from);
    if (round >= 0) times.push((user + system) / 1000 / CALLS);
  }
  const { median, low, high } = spread(times);
  return [{ name: 'session.tool() without hooks', value: median, half: { low, high }, unit: 'ms', below: 0.005 }];
}

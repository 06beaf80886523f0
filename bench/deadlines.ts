import { createHost } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { callbacks, preToolUse as input } from './recorded.js';

function withTimeout(name: string, timeout: number | undefined): Candidate {
  const host = createHost();
  const hooks = callbacks(10, 'async () => undefined');
  host.register({ PreToolUse: [timeout === undefined ? { hooks } : { hooks, timeout }] });
  return { name, run: () => host.fire('PreToolUse', input) };
}

export const cases: Case[] = [
  {
    name: 'the default timeout on each of 10 callbacks',
    goal: 1.5,
    candidates: () => [withTimeout('no timeout', 0), withTimeout('default timeout', undefined)],
    floor: 'no timeout',
    subject: 'default timeout',
  },
];

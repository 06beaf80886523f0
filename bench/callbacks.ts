import type { Case } from './harness.js';
import { everybody } from './peers.js';

const SILENT = 'async () => undefined';
const SILENT_SYNC = '() => undefined';

/** Callbacks that read nothing and say nothing: what a host costs by itself. */
export const cases: Case[] = [
  against('1 async callback', 1.7, () => everybody(1, SILENT)),
  against('10 async callbacks', 1.25, () => everybody(10, SILENT)),
  against('100 async callbacks', 1.1, () => everybody(100, SILENT)),
  against('10 sync callbacks', 0.5, () => everybody(10, SILENT_SYNC)),
  {
    ...against('nothing registered', 1, async () => [
      { name: 'empty async call', run: async () => undefined },
      ...(await everybody(0, SILENT)).filter((c) => !c.name.startsWith('loop')),
    ]),
    floor: 'empty async call',
  },
];

function against(name: string, goal: number, candidates: Case['candidates']): Case {
  return { name, goal, candidates, subject: 'hookscope', floor: 'loop' };
}

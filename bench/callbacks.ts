import type { Case } from './harness.js';
import { everybody } from './peers.js';
import { type Callback, repeat } from './recorded.js';

const silent = (): Callback => async () => undefined;
const silentSync = (): Callback => () => undefined;

/** Callbacks that read nothing and say nothing: what a host costs by itself. */
export const cases: Case[] = [
  against('1 async callback', 2, () => everybody(repeat(1, silent), 'async')),
  against('10 async callbacks', 1.25, () => everybody(repeat(10, silent), 'async')),
  against('100 async callbacks', 1.1, () => everybody(repeat(100, silent), 'async')),
  against('10 sync callbacks', 0.5, () => everybody(repeat(10, silentSync), 'sync')),
  {
    ...against('nothing registered', 1, () => [
      { name: 'empty async call', run: async () => undefined },
      ...everybody([], 'async').filter((c) => c.name !== 'loop'),
    ]),
    floor: 'empty async call',
  },
];

function against(name: string, goal: number, candidates: Case['candidates']): Case {
  return { name, goal, candidates, subject: 'hookscope', floor: 'loop' };
}

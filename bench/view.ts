import type { Case } from './harness.js';
import { everybody } from './peers.js';

/** What was read is kept where the engine cannot leave the reading out. */
const LOOK = '(input) => { globalThis.read = input.tool_input.command.length; }';

/** Callbacks that read one nested field: ours through the read-only view, everybody else from the agent's own object. */
export const cases: Case[] = [
  {
    name: '10 async callbacks that read one nested field',
    goal: 1.8,
    candidates: () => everybody(10, `async ${LOOK}`),
    subject: 'hookscope',
    floor: 'loop',
  },
  {
    name: '10 sync callbacks that read one nested field',
    goal: 1.3,
    candidates: () => everybody(10, LOOK),
    subject: 'hookscope',
    floor: 'loop',
  },
];

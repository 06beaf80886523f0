import type { HookInput } from 'hookscope';
import type { Case } from './harness.js';
import { everybody } from './peers.js';
import { repeat } from './recorded.js';

let read = 0;
const look = ({ tool_input }: HookInput<'PreToolUse'>): undefined => {
  read += (tool_input as { command: string }).command.length;
};

/** Callbacks that read one nested field: ours through the read-only view, everybody else from the agent's own object. */
export const cases: Case[] = [
  {
    name: '10 async callbacks that read one nested field',
    goal: 1.6,
    candidates: () =>
      everybody(
        repeat(10, () => async (input) => look(input)),
        'async',
      ),
    subject: 'hookscope',
    floor: 'loop',
  },
  {
    name: '10 sync callbacks that read one nested field',
    goal: 1.2,
    candidates: () =>
      everybody(
        repeat(10, () => (input) => look(input)),
        'sync',
      ),
    subject: 'hookscope',
    floor: 'loop',
  },
];

/** Keeps the reading from being optimised away. */
export const total = (): number => read;

import { expect, test } from 'vitest';
import { loadPeer } from '../../src/adapters/peer.js';
import { HookscopeError } from '../../src/errors.js';

const PEER = { entry: 'hookscope/adapters/openai-agents', peer: '@openai/agents', range: '^0.20.0' };
const missing = Object.assign(new Error("Cannot find package '@openai/agents'"), { code: 'ERR_MODULE_NOT_FOUND' });

const inside = Object.assign(new Error("Cannot find package 'openai' imported from it"), {
  code: 'ERR_MODULE_NOT_FOUND',
});

test.each<[string, () => Promise<{ run?: unknown }>, string]>([
  [
    'is not installed',
    () => Promise.reject(missing),
    'it is not installed. Install it: npm install "@openai/agents@^0.20.0"',
  ],
  [
    'cannot be loaded',
    () => Promise.reject(new Error('needs Node 22')),
    'it could not be loaded: needs Node 22. Install it:',
  ],
  ['lacks what it needs itself', () => Promise.reject(inside), "it could not be loaded: Cannot find package 'openai'"],
  ['is too old or too new', async () => ({}), 'what is installed is of another version. Install it:'],
])('a framework that %s is an error that says what to install', async (_, load, words) => {
  const error = await loadPeer(PEER, load, ({ run }) => run !== undefined).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(HookscopeError);
  expect(error).toMatchObject({ code: 'PEER', details: PEER });
  expect((error as Error).message).toContain(`${PEER.entry} needs @openai/agents ^0.20.0: ${words}`);
});

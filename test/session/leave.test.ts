import { expect, test } from 'vitest';
import type { Core } from '../../src/session/core.js';
import { leave } from '../../src/session/steps/close.js';

test('who leaves waits for what is cleaned up, one after the other; its scope ends after that, and then its id is free', async () => {
  const done: string[] = [];
  const cleanup = (name: string) => async () => {
    await new Promise(setImmediate);
    done.push(name);
  };
  const registrar = { end: () => done.push('scope') };
  const core = {
    who: { session_id: 's' },
    cleanups: [cleanup('a'), cleanup('b')],
    deps: { byHand: { ends: () => undefined }, registrar },
    shut: () => undefined,
    free: () => done.push('id'),
  };
  await leave(core as unknown as Core);
  expect(done).toEqual(['a', 'b', 'scope', 'id']);
  expect(core.cleanups).toEqual([]);
});

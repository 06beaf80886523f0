/** `hookscope/testing/vitest`: importing it adds the expectations of `expectFired` to vitest's `expect`. A snapshot of a fire is its text. */
import { loadPeer } from '../values/waiting/peer.js';
import { FiredEvent } from './fired.js';
import { type FiredExpectations, matchers } from './matchers.js';

const { expect } = await loadPeer(
  { entry: 'hookscope/testing/vitest', peer: 'vitest', range: '>=3' },
  () => import('vitest'),
  (loaded) => typeof loaded.expect?.extend === 'function',
);
expect.extend(matchers);
expect.addSnapshotSerializer({ test: (value) => value instanceof FiredEvent, serialize: String });

declare module 'vitest' {
  interface Matchers<T> extends FiredExpectations {}
}

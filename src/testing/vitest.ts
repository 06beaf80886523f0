/** `hookscope/testing/vitest`: importing it teaches vitest's `expect` what `expectFired` knows, its types too; a snapshot of a fire is its text. */
import { expect } from 'vitest';
import { FiredEvent } from './fired.js';
import { type FiredExpectations, matchers } from './matchers.js';

expect.extend(matchers);
expect.addSnapshotSerializer({ test: (value) => value instanceof FiredEvent, serialize: String });

declare module 'vitest' {
  interface Matchers<T> extends FiredExpectations {}
}

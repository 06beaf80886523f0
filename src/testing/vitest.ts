/** `hookscope/testing/vitest`: importing it teaches vitest's `expect` what `expectFired` knows, its types too. */
import { expect } from 'vitest';
import { type FiredExpectations, matchers } from './matchers.js';

expect.extend(matchers);

declare module 'vitest' {
  interface Matchers<T> extends FiredExpectations {}
}

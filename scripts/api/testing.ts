/**
 * Tests of hooks and plugins, from `hookscope/testing`: hosts, sessions and clocks for them, and what they expect.
 *
 * @module testing
 */

export { type FakeClock, fakeClock } from '../../src/testing/clock.js';
export { type ContractCase, type ContractOptions, contract } from '../../src/testing/contract.js';
export type { ContractInput } from '../../src/testing/contract-run.js';
export { expectFired, type FiredExpect } from '../../src/testing/expect.js';
export { type FireFileOptions, fireFile } from '../../src/testing/fire-file.js';
export { type FireHookOptions, fireHook } from '../../src/testing/fire-hook.js';
export type { Fired } from '../../src/testing/fired.js';
export { type Expected, type FiredExpectations, type MatcherResult, matchers } from '../../src/testing/matchers.js';
export {
  type Fields,
  type PayloadBuilder,
  type Payloads,
  payload,
  type ToolPayloads,
} from '../../src/testing/payload.js';
export type { ToolEvent } from '../../src/testing/samples.js';
export { type TestSession, type TestSessionOptions, testSession } from '../../src/testing/session.js';
export type { Tested } from '../../src/testing/tested.js';

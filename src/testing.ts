/** `hookscope/testing`: hooks, plugins and files of hooks, fired and looked at in tests. */
export { type FakeClock, fakeClock } from './testing/clock.js';
export { type ContractCase, type ContractOptions, contract } from './testing/contract.js';
export type { ContractInput } from './testing/contract-run.js';
export { expectFired, type FiredExpect } from './testing/expect.js';
export { type FireFileOptions, fireFile } from './testing/fire-file.js';
export { type FireHookOptions, fireHook } from './testing/fire-hook.js';
export type { Fired } from './testing/fired.js';
export { type Expected, type FiredExpectations, type MatcherResult, matchers } from './testing/matchers.js';
export { type Fields, type PayloadBuilder, type Payloads, payload, type ToolPayloads } from './testing/payload.js';
export type { ToolEvent } from './testing/samples.js';
export { type TestSession, type TestSessionOptions, testSession } from './testing/session.js';
export type { Tested } from './testing/tested.js';

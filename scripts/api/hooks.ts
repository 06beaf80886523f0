/**
 * What a hook is, what it is called with, and what it may answer.
 *
 * @module hooks
 */

export type {
  CallbackSpec,
  HelperOutput,
  HookCallback,
  HookContext,
  HookGroup,
  HookHandler,
  HookResult,
  Hooks,
  Mode,
  OnFailure,
  Phase,
} from '../../src/index.js';
export {
  addContext,
  allow,
  ask,
  block,
  combine,
  defer,
  deny,
  filesOf,
  rewrite,
  snapshot,
  stop,
} from '../../src/index.js';

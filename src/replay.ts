/** `hookscope/replay`: what was recorded, decided again. */
export type { ReplayedHook } from './replay/changes/behind.js';
export type { DecisionWord, Difference } from './replay/changes/canonical.js';
export type {
  KnownAnswer,
  RecordedFire,
  RecordedFires,
  RecordedHook,
  RecordedHow,
} from './replay/recorded.js';
export {
  type ReplayChange,
  type Replayed,
  type ReplayedDecision,
  type ReplayOptions,
  type ReplaySource,
  replay,
} from './replay/replay.js';

/** `hookscope/replay`: what was recorded, decided again. */
export type { DecisionWord, Difference } from './replay/canonical.js';
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
  type ReplayedHook,
  type ReplayOptions,
  type ReplaySource,
  replay,
} from './replay/replay.js';

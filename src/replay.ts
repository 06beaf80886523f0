/** `hookscope/replay`: what was recorded, decided again. */
export type { Difference, Word } from './replay/canonical.js';
export type {
  RecordedAnswer,
  RecordedFire,
  RecordedFires,
  RecordedHook,
  RecordedHow,
} from './replay/recorded.js';
export {
  type Change,
  type Replayed,
  type ReplayedDecision,
  type ReplayedHook,
  type ReplayOptions,
  type ReplaySource,
  replay,
} from './replay/replay.js';

export type { Difference, Word } from '../../src/replay/canonical.js';
export type {
  RecordedAnswer,
  RecordedFire,
  RecordedFires,
  RecordedHook,
  RecordedHow,
} from '../../src/replay/recorded.js';
export {
  type Change,
  type Replayed,
  type ReplayedDecision,
  type ReplayedHook,
  type ReplayOptions,
  type ReplaySource,
  replay,
} from '../../src/replay/replay.js';

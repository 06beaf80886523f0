export type {
  Change,
  Difference,
  RecordedAnswer,
  RecordedFire,
  RecordedFires,
  RecordedHook,
  RecordedHow,
  Replayed,
  ReplayedDecision,
  ReplayedHook,
  ReplayOptions,
  ReplaySource,
  Word,
} from '../../src/replay.js';
export { replay } from '../../src/replay.js';

/**
 * Recorded fires, decided again under the hooks of today, from `hookscope/replay`.
 *
 * @module replay
 */

export type {
  DecisionWord,
  Difference,
  KnownAnswer,
  RecordedFire,
  RecordedFires,
  RecordedHook,
  RecordedHow,
  ReplayChange,
  Replayed,
  ReplayedDecision,
  ReplayedHook,
  ReplayOptions,
  ReplaySource,
} from '../../src/replay.js';
export { replay } from '../../src/replay.js';

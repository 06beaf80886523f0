/**
 * What a fire resolves to.
 *
 * @module decisions
 */
export type {
  BaseDecision,
  Cause,
  Clash,
  Decision,
  DecisionFailure,
  EndedBy,
  FoldFields,
  HandlerOutcome,
} from '../../src/index.js';

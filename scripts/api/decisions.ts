/**
 * What a fire resolves to.
 *
 * @module decisions
 */
export type {
  BaseDecision,
  Cause,
  Conflict,
  Decision,
  DecisionFailure,
  EndedBy,
  FoldFields,
  HandlerOutcome,
} from '../../src/index.js';

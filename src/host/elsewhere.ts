import type { FireRecord } from '../emit/record.js';
import type { Json } from '../values/shape.js';
import type { AnyDecision } from './decide/decision.js';

/** Who answered an ask, as in the fire's record. */
export type AskAnswer = NonNullable<FireRecord['answered']>;

/** The answer to an ask, and the decision that the agent gets. */
export interface SettledAsk {
  readonly answered: AskAnswer;
  readonly decision: AnyDecision;
}

/** An ask that the fold resulted in, about the final input. */
export interface OpenAsk {
  readonly fireId: string;
  readonly event: string;
  readonly input: Json;
  /** Hooks have rewritten the agent's input. */
  readonly rewritten: boolean;
  readonly reason: string | undefined;
  /** The names of the hooks that ask. */
  readonly hooks: readonly string[];
  /** A user is at the agent and can be asked there. */
  readonly attended: boolean;
  /** Milliseconds until the agent gives up; undefined: unknown. */
  readonly within: number | undefined;
}

/** Puts asks to approvers outside the process (the team of a fleet). */
export interface AskTeam {
  /** Undefined: this ask is not put to the team. The signal withdraws the question. Never rejects. */
  ask(open: OpenAsk, signal: AbortSignal): Promise<AskAnswer> | undefined;
}

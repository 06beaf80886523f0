import type { FireRecord } from '../emit/record.js';
import type { Json } from '../values/shape.js';
import type { AnyDecision } from './decide/decision.js';

/** Who answered an ask, as in the fire's record. */
export type AskAnswer = NonNullable<FireRecord['answered']>;

/** The result, and what the agent is told. */
export interface SettledAsk {
  readonly answered: AskAnswer;
  readonly decision: AnyDecision;
}

/** An ask, as the fold left it: about the final input. */
export interface OpenAsk {
  readonly fireId: string;
  readonly event: string;
  readonly input: Json;
  /** The approver's answer has another input than the agent's. */
  readonly rewritten: boolean;
  readonly reason: string | undefined;
  /** The hooks that ask, by their names. */
  readonly hooks: readonly string[];
  /** A person sits at the agent. */
  readonly attended: boolean;
  /** Milliseconds until the agent gives up; undefined: unknown. */
  readonly within: number | undefined;
}

/** The result of asking the team. */
export interface AskTeam {
  /** Undefined: it is not asked there. The signal ends the question. Never rejects. */
  ask(open: OpenAsk, signal: AbortSignal): Promise<AskAnswer> | undefined;
}

import type { RecordedLoss } from '../emit/record.js';
import type { Traced } from '../emit/tracing.js';
import type { ScopeRef } from '../scopes/tree.js';
import type { TraceCarrier } from '../values/trace-carrier.js';
import type { EndSignal } from '../values/waiting/lazy-signal.js';
import type { AnyDecision, EndedBy } from './decide/decision.js';

/** The options of one fire. */
export interface FireOptions {
  /** The scope to fire in: an agent's id, or `{ session, agent }`. Default: the input's `agent_id`, else its session. Its session is the `session_id` of an input without one. */
  readonly scope?: ScopeRef | undefined;
  /** Aborting it rejects the fire with `ABORTED` and ends every handler still running. */
  readonly signal?: AbortSignal | undefined;
  /** false: no user can be asked, so an untrusted guard denies where it would ask. Default true. */
  readonly canAsk?: boolean | undefined;
}

/** Further options, for session drivers. */
export interface FireSettings extends Omit<FireOptions, 'signal'> {
  readonly signal?: EndSignal | undefined;
  /** On a stop event: the loop ends for this reason, whatever the hooks say. */
  readonly endedBy?: EndedBy | undefined;
  /** Ids of `once` hooks that ran for the same tool call in an earlier fire: they may run again, as within one fire. The fire adds to it. */
  readonly ranBefore?: string[] | undefined;
  /** The tool call, for events whose input does not name it. */
  readonly toolUseID?: string | undefined;
  /** Fired by the closing host itself, so it runs although the host is closing. */
  readonly last?: boolean | undefined;
  /** What carries out the decision: Claude Code (`client`), or hookscope's own session, which supports everything. Default: what each hook was written for. */
  readonly doneBy?: 'client' | 'session' | undefined;
  /** This agent's PreToolUse is asked about every tool, and its ids are not reused. */
  readonly everyTool?: boolean | undefined;
  /** The agent merges a rewritten input over the old one, so keys that the rewrite leaves out stay. The merged input is judged and recorded. */
  readonly keepsKeys?: boolean | undefined;
  /** Keys that rewrites left out and the agent keeps. The fire adds to it. */
  readonly keptKeys?: Set<string> | undefined;
  /** The failure policy of guards without one; default: the host's. */
  readonly guards?: 'block' | undefined;
  /** Parts of the input or of this decision that the agent cannot express. */
  readonly losses?: ((decision: AnyDecision) => readonly RecordedLoss[]) | undefined;
  /** Environment variables for commands, in addition to the host's own: those of the agent, if it is another process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * For asks that may be answered outside the process. `attended`: a user is at the agent (default: `canAsk`). `within`: seconds after which the agent
   * gives up. `unanswered`: the verdict without an answer (default: `deny` if the host's `onFailure` is `block`, else `ask`).
   */
  readonly asked?:
    | { readonly attended?: boolean; readonly within?: number; readonly unanswered?: 'deny' | 'ask' }
    | undefined;
  /** Called with the milliseconds that an ask has waited for the team, whatever the result, so that they are not counted as time of the hooks. */
  readonly waited?: ((ms: number) => void) | undefined;
  /** The fire's id, so that the caller can find its record. Default: a new one. */
  readonly id?: string | undefined;
  /** For a shadow (the fire of a hook that is not enforced): the id of the real fire. The result goes into records only. */
  readonly shadowOf?: string | undefined;
  /** The trace parent: the session's agent, or its call. */
  readonly traced?: Traced | undefined;
  /** The trace parent, if it is in another process. */
  readonly incoming?: TraceCarrier | undefined;
}

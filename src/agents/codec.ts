import type { Json } from '../values/shape.js';
import type { AgentFiles, AgentLimits, EventRow, Field } from './table.js';

/** A part that the translation lost, and why. */
export interface Loss {
  /** The lost part: an entry of `SAYABLE`, `reason`, `event`, or a field of the input. */
  readonly what: string;
  readonly why: string;
}

/** An agent's event, translated to ours. */
export interface Decoded {
  /** Our event, or the name of a custom event (`agentEvents`). */
  readonly event: string;
  /** The agent's own name of the event; pass it to `encode`. */
  readonly as: string;
  /** True if we have no such event, so that it is a custom one. */
  readonly own: boolean;
  /** The input for `fire`. Its `via` names the agent, and keeps what our fields cannot hold. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly losses: readonly Loss[];
}

/** The answer to an agent: the output and exit code of the hook process that the agent started. */
export interface Encoded {
  /** Empty, or one line. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly losses: readonly Loss[];
}

/** The part of a decision that `encode` reads; a `Decision` of any event has it. */
export interface Answer {
  readonly verdict?: 'none' | 'allow' | 'ask' | 'defer' | 'deny';
  readonly blocked?: boolean;
  readonly continues?: boolean;
  readonly continue?: boolean;
  readonly reason?: string;
  readonly stopReason?: string;
  readonly updatedInput?: unknown;
  readonly updatedOutput?: unknown;
  readonly value?: unknown;
  readonly additionalContext?: readonly string[];
  readonly systemMessages?: readonly string[];
  readonly suppressOutput?: boolean;
  readonly interrupt?: boolean;
  readonly updatedPermissions?: readonly unknown[];
  readonly retry?: boolean;
  readonly sessionTitle?: string;
  readonly initialUserMessage?: string;
  readonly watchPaths?: readonly string[];
  readonly suppressOriginalPrompt?: boolean;
  readonly reloadSkills?: boolean;
  readonly classifierContext?: string;
  readonly terminalSequence?: string;
}

/** Arguments of `encode` besides the decision. */
export interface EncodeOptions {
  /** A user at the agent's terminal can be asked. Default: false. */
  readonly attended?: boolean;
  /** The decoded input; needed to give a rewrite the agent's own key names. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** An agent's hook protocol: `decode` reads its payloads, `encode` writes the answers. */
export interface Codec {
  readonly name: string;
  readonly title: string;
  readonly source: 'seen' | 'documents';
  readonly version: string;
  readonly events: readonly EventRow[];
  readonly fields: readonly Field[];
  readonly files: AgentFiles;
  readonly limits: AgentLimits;
  /**
   * Translates the payload that a hook of this agent got on standard input to one of our events. `argv`: the arguments after `hook`; the first is the
   * event, which is required if the agent's payload does not name it. Throws INVALID_INPUT, UNKNOWN_EVENT.
   */
  decode(stdin: string, env?: Readonly<Record<string, string | undefined>>, argv?: readonly string[]): Decoded;
  /** The payload that this agent's own hook would receive: the inverse of `decode`. */
  payload(decoded: Pick<Decoded, 'as' | 'input'>): Json;
  /** Translates a decision to the answer that this agent honours. `event`: its own name, or ours. Throws UNKNOWN_EVENT. */
  encode(decision: Answer, event: string, options?: EncodeOptions): Encoded;
  /** A refusal in this agent's format, for when no hook could be asked. On an event that cannot be stopped, `losses` says so. */
  refuse(reason: string, event: string, options?: EncodeOptions): Encoded;
  /** The time limit in seconds that this agent gives a hook on the event. `configured`: the hook's own timeout in its file, in seconds. */
  timeout(event: string, configured?: number): number;
}

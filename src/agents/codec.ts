import type { Json } from '../values/shape.js';
import type { AgentFiles, AgentLimits, EventRow, Field } from './table.js';

/** Something that was not carried, and why. */
export interface Loss {
  /** What: an entry of `SAYABLE`, `reason`, `event`, or a field of the input. */
  readonly what: string;
  readonly why: string;
}

/** An event of an agent, in our words. */
export interface Decoded {
  /** Our event, or the name of a custom event (`agentEvents`). */
  readonly event: string;
  /** The agent's own name of it, by which `encode` answers. */
  readonly as: string;
  /** We have no such event. */
  readonly own: boolean;
  /** The input for `fire`. `via` names the agent it came from, and keeps what would be lost. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly losses: readonly Loss[];
}

/** The answer to an agent: the output and exit code for the process that the agent has started. */
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
  /** A person sits at the agent's terminal, and can be asked. Default: false. */
  readonly attended?: boolean;
  /** The input that was decoded, so that a rewrite gets the agent's names of its keys. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** An agent's protocol, both ways. */
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
   * What a hook of this agent got on standard input, as an event of ours. `argv`: what stands after `hook`, its first word being the event, which an agent
   * that does not name it in the payload needs. Throws INVALID_INPUT, UNKNOWN_EVENT.
   */
  decode(stdin: string, env?: Readonly<Record<string, string | undefined>>, argv?: readonly string[]): Decoded;
  /** The payload that this agent's own hook would have received: the inverse of `decode`. */
  payload(decoded: Pick<Decoded, 'as' | 'input'>): Json;
  /** A decision in words that this agent was seen to honour. `event`: its own name, or ours. Throws UNKNOWN_EVENT. */
  encode(decision: Answer, event: string, options?: EncodeOptions): Encoded;
  /** No, in this agent's words, for when hooks could not be asked; where nothing can be stopped a loss says so. */
  refuse(reason: string, event: string, options?: EncodeOptions): Encoded;
  /** Seconds that this agent gives a hook of the event, where `configured` (seconds) is what its file says. */
  timeout(event: string, configured?: number): number;
}

import type { EventEntry, Verdict } from './define.js';

/** What one handler said, read from its output by the event's schema. Plain data; nothing about time, scope or failure policy. */
export interface Outcome {
  /** The output as the handler gave it, a plain copy. */
  readonly output: Readonly<Record<string, unknown>>;
  /** gate: its verdict, legacy spellings read; absent: no opinion. */
  readonly verdict?: Exclude<Verdict, 'none'>;
  /** block and stop events: it said block (on stop: go on). */
  readonly block?: true;
  /** What it said itself (`preventContinuation: true` read as false); absent when it did not say. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** permissionDecisionReason, else decision.message, else reason, else stopReason. */
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly suppressOutput?: boolean;
  readonly additionalContext?: string;
  /** The new value of `entry.rewrites.field`; present (even null) only if said. */
  readonly rewrite?: { readonly value: unknown };
  /** replace events. */
  readonly value?: unknown;
  /** The other event-specific keys it set: interrupt, updatedPermissions, retry, sessionTitle, initialUserMessage, watchPaths … */
  readonly specific?: Readonly<Record<string, unknown>>;
  /** It answered `{ async: true, asyncTimeout? }`. Nothing else is read then. */
  readonly async?: { readonly timeout?: number };
}

export type ReadOutput =
  | { readonly outcome: Outcome; readonly warnings: readonly string[] }
  | { readonly bad: string };

export interface ReadHow {
  /** The name `hookSpecificOutput.hookEventName` must carry (a scope's own Stop: SubagentStop). */
  readonly eventName: string;
  /** Shell, http and the like must say the name; callbacks may leave it out. */
  readonly nameRequired: boolean;
  /** The tool is an MCP tool (`updatedMCPToolOutput` counts). */
  readonly mcpTool?: boolean;
}

/** Checks one handler's output by type and reads what it means for this event. Never throws. */
export declare function readOutput(entry: EventEntry, output: unknown, how: ReadHow): ReadOutput;

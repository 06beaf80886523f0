import { z } from 'zod';
import { once } from './once.js';

/**
 * A string with well-known values: editors complete them, every other string is accepted too, since tomorrow's harness
 * has more of them.
 */
export function openString<const Known extends string>(...known: Known[]): z.ZodType<Known | (string & {}), string> {
  return z.string().meta({ examples: known }) as unknown as z.ZodType<Known | (string & {}), string>;
}

/** JSON of any shape under string keys. */
export const jsonObject = () => z.record(z.string(), z.unknown());

/** Fields every input has. Wire names, as a hook gets them on stdin. */
export const baseInput = once(() =>
  z.looseObject({
    session_id: z.string(),
    transcript_path: z.string(),
    cwd: z.string(),
    prompt_id: z.string().optional(),
    permission_mode: openString('default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto').optional(),
    /** Only inside a subagent. A main thread that runs as an agent has a type and no id. */
    agent_id: z.string().optional(),
    agent_type: z.string().optional(),
    effort: z.looseObject({ level: openString('low', 'medium', 'high', 'xhigh', 'max') }).optional(),
    hook_event_name: z.string(),
  }),
);

/** Fields every output may have, beside `hookSpecificOutput`. */
export const baseOutput = once(() =>
  z.object({
    continue: z.boolean().optional(),
    stopReason: z.string().optional(),
    suppressOutput: z.boolean().optional(),
    /** For the user. What the model should read is `additionalContext`. */
    systemMessage: z.string().optional(),
    /** `approve` and `deny` are older words for `allow` and `block`. */
    decision: z.enum(['block', 'allow', 'approve', 'deny']).optional(),
    reason: z.string().optional(),
    terminalSequence: z.string().optional(),
    /** The older spelling of `continue: false`. */
    preventContinuation: z.boolean().optional(),
  }),
);

/** Said instead of all that: go on without me. Seconds. */
export const asyncOutput = once(() =>
  z.object({
    async: z.literal(true),
    asyncTimeout: z.number().nonnegative().optional(),
  }),
);

const additionalContext = () => z.string().optional();

/** The event's own keys of `hookSpecificOutput`, by fold kind: what an event has that declares none itself. */
export const FOLD_OUTPUT = {
  /** A verdict, its reason, another input, context. */
  gate: once(() =>
    z.object({
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.unknown().optional(),
      additionalContext: additionalContext(),
    }),
  ),
  /** Context. */
  block: once(() => z.object({ additionalContext: additionalContext() })),
  /** Context. */
  stop: once(() => z.object({ additionalContext: additionalContext() })),
  /** Context. */
  context: once(() => z.object({ additionalContext: additionalContext() })),
  /** Another value. */
  replace: once(() => z.object({ value: z.unknown().optional() })),
  /** Nothing. */
  observe: once(() => z.object({})),
} as const;

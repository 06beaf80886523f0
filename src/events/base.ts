import type { z } from 'zod';
import { zod } from '../values/zod.js';
import { once } from './once.js';

/**
 * A string with well-known values, which editors complete. Every other string is accepted too, since later harnesses may
 * have more values.
 */
export function openString<const Known extends string>(...known: Known[]): z.ZodType<Known | (string & {}), string> {
  return zod().string().meta({ examples: known }) as unknown as z.ZodType<Known | (string & {}), string>;
}

/** An object with any JSON values. */
export const jsonObject = () => zod().record(zod().string(), zod().unknown());

/** Fields that every input has, with the names that a hook gets on stdin. */
export const baseInput = once(() =>
  zod().looseObject({
    session_id: zod().string(),
    transcript_path: zod().string(),
    cwd: zod().string(),
    prompt_id: zod().string().optional(),
    permission_mode: openString('default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto').optional(),
    /** Set only inside a subagent. A main thread that runs as an agent has a type but no id. */
    agent_id: zod().string().optional(),
    agent_type: zod().string().optional(),
    effort: zod()
      .looseObject({ level: openString('low', 'medium', 'high', 'xhigh', 'max') })
      .optional(),
    hook_event_name: zod().string(),
  }),
);

/** Fields that every output may have besides `hookSpecificOutput`. */
export const baseOutput = once(() =>
  zod().object({
    continue: zod().boolean().optional(),
    stopReason: zod().string().optional(),
    suppressOutput: zod().boolean().optional(),
    /** A message for the user. Text for the model is `additionalContext`. */
    systemMessage: zod().string().optional(),
    /** `approve` and `deny` are older spellings of `allow` and `block`. */
    decision: zod().enum(['block', 'allow', 'approve', 'deny']).optional(),
    reason: zod().string().optional(),
    terminalSequence: zod().string().optional(),
    /** The older spelling of `continue: false`. */
    preventContinuation: zod().boolean().optional(),
  }),
);

/** The form that replaces all other output: the harness continues without waiting for the hook. The timeout is in seconds. */
export const asyncOutput = once(() =>
  zod().object({
    async: zod().literal(true),
    asyncTimeout: zod().number().nonnegative().optional(),
  }),
);

const additionalContext = () => zod().string().optional();

/** The default keys of `hookSpecificOutput`, by fold kind, for events that declare none. */
export const FOLD_OUTPUT = {
  /** A verdict, its reason, a changed input, and context. */
  gate: once(() =>
    zod().object({
      permissionDecision: zod().enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: zod().string().optional(),
      updatedInput: zod().unknown().optional(),
      additionalContext: additionalContext(),
    }),
  ),
  /** Context. */
  block: once(() => zod().object({ additionalContext: additionalContext() })),
  /** Context. */
  stop: once(() => zod().object({ additionalContext: additionalContext() })),
  /** Context. */
  context: once(() => zod().object({ additionalContext: additionalContext() })),
  /** The value that replaces the event's own. */
  replace: once(() => zod().object({ value: zod().unknown().optional() })),
  /** No keys. */
  observe: once(() => zod().object({})),
} as const;

import type { z } from 'zod';
import { zod } from '../values/zod.js';
import { once } from './once.js';

/**
 * A string with well-known values: editors complete them, every other string is accepted too, since tomorrow's harness
 * has more of them.
 */
export function openString<const Known extends string>(...known: Known[]): z.ZodType<Known | (string & {}), string> {
  return zod().string().meta({ examples: known }) as unknown as z.ZodType<Known | (string & {}), string>;
}

/** JSON of any shape under string keys. */
export const jsonObject = () => zod().record(zod().string(), zod().unknown());

/** Fields every input has. Wire names, as a hook gets them on stdin. */
export const baseInput = once(() =>
  zod().looseObject({
    session_id: zod().string(),
    transcript_path: zod().string(),
    cwd: zod().string(),
    prompt_id: zod().string().optional(),
    permission_mode: openString('default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto').optional(),
    /** Only inside a subagent. A main thread that runs as an agent has a type and no id. */
    agent_id: zod().string().optional(),
    agent_type: zod().string().optional(),
    effort: zod()
      .looseObject({ level: openString('low', 'medium', 'high', 'xhigh', 'max') })
      .optional(),
    hook_event_name: zod().string(),
  }),
);

/** Fields every output may have, beside `hookSpecificOutput`. */
export const baseOutput = once(() =>
  zod().object({
    continue: zod().boolean().optional(),
    stopReason: zod().string().optional(),
    suppressOutput: zod().boolean().optional(),
    /** A message for the user. Text for the model is `additionalContext`. */
    systemMessage: zod().string().optional(),
    /** `approve` and `deny` are older words for `allow` and `block`. */
    decision: zod().enum(['block', 'allow', 'approve', 'deny']).optional(),
    reason: zod().string().optional(),
    terminalSequence: zod().string().optional(),
    /** The older spelling of `continue: false`. */
    preventContinuation: zod().boolean().optional(),
  }),
);

/** Said instead of all that: continue without me. Seconds. */
export const asyncOutput = once(() =>
  zod().object({
    async: zod().literal(true),
    asyncTimeout: zod().number().nonnegative().optional(),
  }),
);

const additionalContext = () => zod().string().optional();

/** The event's own keys of `hookSpecificOutput`, by fold kind: what an event has that declares none itself. */
export const FOLD_OUTPUT = {
  /** A verdict, its reason, another input, context. */
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
  /** Another value. */
  replace: once(() => zod().object({ value: zod().unknown().optional() })),
  /** Nothing. */
  observe: once(() => zod().object({})),
} as const;

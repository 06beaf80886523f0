import { z } from 'zod';

/**
 * The records as zod schemas: `hookRecord` reads what we emit, `clientMessage` what the Claude Code client prints. Both are made
 * of the same wire fields. Loose: a field a later version adds passes through.
 */
const wire = {
  type: z.literal('system'),
  hook_id: z.string().min(1),
  hook_name: z.string().min(1),
  hook_event: z.string().min(1),
  uuid: z.uuid(),
  session_id: z.string(),
};
const started = { ...wire, subtype: z.literal('hook_started') };
const texts = { stdout: z.string(), stderr: z.string(), output: z.string() };
const progress = { ...wire, subtype: z.literal('hook_progress'), ...texts };
const response = {
  ...wire,
  subtype: z.literal('hook_response'),
  ...texts,
  exit_code: z.int().optional(),
  outcome: z.enum(['success', 'error', 'cancelled']),
};

export const clientMessage = z.discriminatedUnion('subtype', [
  z.looseObject(started),
  z.looseObject(progress),
  z.looseObject(response),
]);

const stamp = { seq: z.int().positive(), time: z.iso.datetime() };
const kind = z.enum(['callback', 'command', 'http', 'mcp_tool', 'prompt', 'agent', 'tap', 'unknown']);
const source = z.looseObject({ kind: z.string(), name: z.string().optional(), file: z.string().optional() });
const failure = z.looseObject({ cause: z.string(), message: z.string(), blocks: z.literal(true).optional() });
const verdict = z.enum(['none', 'allow', 'ask', 'defer', 'deny']);
const handlerVerdict = z.enum(['none', 'allow', 'ask', 'defer', 'deny', 'block']);
const duration = z.number().nonnegative();
const where = {
  fire_id: z.string().min(1),
  scope: z.string(),
  agent_id: z.string().optional(),
  tool_use_id: z.string().optional(),
};
const ours = {
  ...stamp,
  ...where,
  plugin: z.string().optional(),
  handler: kind,
  handler_id: z.string(),
  name: z.string(),
  source,
  origin: z.string().optional(),
};

const conflict = z.looseObject({ winner: z.string(), loser: z.string() });
const handler = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  handler: kind,
  plugin: z.string().optional(),
  source,
  scope: z.string(),
  stage: z.number(),
  wave: z.int().nonnegative().nullable(),
  status: z.enum(['ran', 'failed', 'skipped', 'background']),
  reason: z
    .enum(['matcher', 'if', 'scope', 'policy', 'disabled', 'trust', 'duplicate', 'once', 'bailed', 'invalid'])
    .optional(),
  failure: failure.optional(),
  output: z.unknown().optional(),
  verdict: handlerVerdict.optional(),
  exit_code: z.int().optional(),
  duration_ms: duration.optional(),
  reasked: z.int().nonnegative().optional(),
  why: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  phase: z.enum(['rewrite', 'decide', 'observe']).optional(),
  dialect: z.enum(['code', 'claude']).optional(),
  on_failure: z.enum(['continue', 'block', 'ask']).optional(),
});
const decision = z.looseObject({
  event: z.string().min(1),
  fold: z.enum(['gate', 'block', 'stop', 'context', 'replace', 'observe']),
  continue: z.boolean(),
  verdict: verdict.optional(),
  blocked: z.boolean().optional(),
  continues: z.boolean().optional(),
  endedBy: z.enum(['cap', 'close']).optional(),
  reason: z.string().optional(),
  stopReason: z.string().optional(),
  decidedBy: z.string().optional(),
  overruled: z.array(z.string()),
  failures: z.array(failure.extend({ id: z.string(), name: z.string(), blocked: z.boolean() })),
  conflicts: z.array(conflict),
});
const json = z.record(z.string(), z.unknown());

export const fireSchema = z.looseObject({
  type: z.literal('hook_fire'),
  ...stamp,
  ...where,
  event: z.string().min(1),
  scope_known: z.boolean(),
  session_id: z.string(),
  input: json,
  final_input: json.optional(),
  decision,
  handlers: z.array(handler),
  conflicts: z.array(conflict),
  decisions: z.enum(['strictest', 'first', 'last']).optional(),
  out_of_scope: z.int().nonnegative(),
  truncated: z.array(z.string()).optional(),
  error: z.string().optional(),
});

const alarm = z.looseObject({
  type: z.literal('hook_alarm'),
  ...stamp,
  alarm: z.enum(['not_honoured', 'other_input', 'unasked']),
  message: z.string().min(1),
  session_id: z.string(),
  scope: z.string(),
  agent_id: z.string().optional(),
  tool_name: z.string(),
  tool_use_id: z.string().min(1),
  evidence: z.string().min(1),
  denied_by: z.string().optional(),
  reason: z.string().optional(),
  judged_input: z.string().optional(),
  judged_sha256: z.string().length(64).optional(),
  ran_input: z.string().optional(),
  ran_sha256: z.string().length(64).optional(),
});

export const hookRecord = z.discriminatedUnion('type', [
  z.discriminatedUnion('subtype', [
    z.looseObject({ ...started, ...ours, status_message: z.string().optional() }),
    z.looseObject({ ...progress, ...ours }),
    z.looseObject({
      ...response,
      ...ours,
      duration_ms: duration,
      decision: handlerVerdict.optional(),
      failure: failure.optional(),
    }),
    z.looseObject({
      type: z.literal('system'),
      subtype: z.literal('control_problem'),
      ...stamp,
      peer: z.string(),
      problem: z.string().min(1),
      message: z.string(),
      request_id: z.string().optional(),
    }),
  ]),
  fireSchema,
  alarm,
]);

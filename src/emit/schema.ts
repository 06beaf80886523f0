import type { z } from 'zod';
import { HANDLER_KINDS } from '../events/handler-kinds.js';
import { VERDICTS } from '../events/spec.js';
import { zod } from '../values/zod.js';

/**
 * The messages of a handler's call, and the parts that records share, as zod schemas: the only source of the records' types
 * (`record.ts`). Field names are the wire's. Parsing is loose, so that a field of a later version passes through.
 */
export type OpenObject<Shape extends z.core.$ZodShape> = z.ZodObject<Shape, z.core.$strip>;
export const open = <Shape extends z.core.$ZodShape>(shape: Shape): OpenObject<Shape> =>
  zod().looseObject(shape) as unknown as OpenObject<Shape>;

const text = zod().string();
const optionalText = zod().string().exactOptional();

export const stamp = {
  /** Counts from 1, without gaps: a gap in a sink's records means that the sink dropped some. */
  seq: zod().int().positive(),
  /** ISO 8601 in UTC with milliseconds, `2025-01-31T09:15:00.123Z`. */
  time: zod().iso.datetime(),
  /**
   * A random id of the host that made the record, so that (host_id, seq) is unique in a file that several hosts write. Absent in
   * records of older versions.
   */
  host_id: optionalText,
  /** If secrets in the record are masked: how many, and with which key. */
  redacted: zod()
    .looseObject({ key: zod().string(), count: zod().int().nonnegative() })
    .exactOptional() as unknown as z.ZodExactOptional<OpenObject<{ key: z.ZodString; count: z.ZodNumber }>>,
};
export const stampSchema: OpenObject<typeof stamp> = open(stamp);

export const kindSchema = zod().enum([...HANDLER_KINDS, 'tap', 'unknown']);
export const runOutcomeSchema = zod().enum(['success', 'error', 'cancelled']);
/** A gate's verdict, or `block` on block and stop events (on stop events it means: continue). */
export const handlerVerdictSchema = zod().enum([...VERDICTS, 'block']);

export const sourceSchema = open({ kind: text, name: optionalText, file: optionalText });
const failureShape = {
  cause: text,
  message: text,
  /** The failure blocks whatever the handler's `onFailure` says: a remote guard did not answer in time. */
  blocks: zod().literal(true).exactOptional(),
};
export const failureSchema: OpenObject<typeof failureShape> = open(failureShape);
export const lossSchema = open({ what: text, why: text });
export const conflictSchema = open({ winner: text, loser: text });

export const durationSchema = zod().number().nonnegative();
export const where = {
  fire_id: zod().string().min(1),
  scope: text,
  agent_id: optionalText,
  tool_use_id: optionalText,
};

/** The messages that the Claude Code client also prints about a hook. */
const wire = {
  type: zod().literal('system'),
  /** One per call; a handler that is called again gets a new one. */
  hook_id: zod().string().min(1),
  /** `PreToolUse:Bash`, or the event's bare name if it has no subject. */
  hook_name: zod().string().min(1),
  hook_event: zod().string().min(1),
  uuid: zod().uuid(),
  session_id: text,
};
const started = { ...wire, subtype: zod().literal('hook_started') };
const progress = {
  ...wire,
  subtype: zod().literal('hook_progress'),
  stdout: text,
  stderr: text,
  /** Both streams in the order of arrival; text from a callback's `context.progress(text)` is only here. */
  output: text,
};
const response = {
  ...wire,
  subtype: zod().literal('hook_response'),
  stdout: text,
  stderr: text,
  output: text,
  /** The exit code of a process, or the status of an HTTP answer; absent if there was neither. */
  exit_code: zod().int().exactOptional(),
  outcome: runOutcomeSchema,
};

/** The messages that the client prints. */
export const clientMessage = zod().discriminatedUnion('subtype', [open(started), open(progress), open(response)]);

/** Our own additional fields. */
const ours = {
  ...stamp,
  ...where,
  plugin: optionalText,
  /** The kind of handler. */
  handler: kindSchema,
  /** The handler's id and name in the fire record. */
  handler_id: text,
  name: text,
  source: sourceSchema,
  /**
   * The program that the hook belongs to (`claude`, over the control protocol); absent: this host. With it, `fire_id` and
   * `handler_id` are that program's `hook_id`, `handler` is `unknown`, and no fire record follows.
   */
  origin: optionalText,
  /** The hook is not enforced: its answer has no effect. */
  shadow: zod().literal(true).exactOptional(),
};

export const runMessageSchema = open({ ...wire, ...ours });
const startedShape = {
  ...started,
  ...ours,
  /** The hook's own text for a harness to show while the hook runs. */
  status_message: optionalText,
};
export const startedSchema: OpenObject<typeof startedShape> = open(startedShape);
export const progressSchema = open({ ...progress, ...ours });
const responseShape = {
  ...response,
  ...ours,
  duration_ms: durationSchema,
  /** This handler's verdict; absent: no opinion. */
  decision: handlerVerdictSchema.exactOptional(),
  /** For a hook that is not enforced: the verdict that it would have given; `none`: no opinion. */
  would: handlerVerdictSchema.exactOptional(),
  failure: failureSchema.exactOptional(),
};
export const responseSchema: OpenObject<typeof responseShape> = open(responseShape);

const controlProblemShape = {
  type: zod().literal('system'),
  subtype: zod().literal('control_problem'),
  ...stamp,
  /** The other end: `claude`, or the peer that `serveControl` serves. */
  peer: text,
  /** The problem's name: `bad_json`, `cut_off`, `duplicate_request` … */
  problem: zod().string().min(1),
  message: text,
  request_id: optionalText,
};
export const controlProblemSchema: OpenObject<typeof controlProblemShape> = open(controlProblemShape);

export const toolCallSchema = open({
  type: zod().literal('tool_call'),
  ...stamp,
  session_id: text,
  scope: text,
  agent_id: optionalText,
  agent_type: optionalText,
  tool_name: text,
  tool_use_id: zod().string().min(1),
  /** The status that the session's `tool()` returned. */
  status: zod().enum(['ran', 'failed', 'denied', 'deferred', 'interrupted']),
  /** Whether the tool was started. */
  ran: zod().boolean(),
  /**
   * Who denied a call that is `denied` or `interrupted`; absent if it was interrupted for another reason, such as waiting for the user.
   * `classifier` and `failure` (a question was not answered properly) come from the session driver.
   */
  denied_by: zod().enum(['hook', 'rule', 'mode', 'classifier', 'user', 'nobody', 'failure', 'abort']).exactOptional(),
  /** Who let the call run. `mode`: in this permission mode the user is not asked about such calls. */
  approver: zod().enum(['hook', 'rule', 'mode', 'classifier', 'user']).exactOptional(),
  /** If a hook denied or allowed the call: the handler's id. */
  decided_by: optionalText,
  /** The reason of the denial, the failure or the deferral, or the reason that the allowing hook gave. */
  reason: optionalText,
  /** SHA-256 of the final input's JSON with sorted keys; absent if there is no final input. */
  input_sha256: zod().string().length(64).exactOptional(),
  /** How long the tool itself ran. */
  duration_ms: durationSchema.exactOptional(),
  /** How long the hooks of each event took. The time that a remote approver took is in the fire's `answered.waited_ms`. */
  hooks_ms: zod().record(zod().string(), durationSchema),
});

export const alarmSchema = open({
  type: zod().literal('hook_alarm'),
  ...stamp,
  /**
   * `not_honoured`: the call was denied and ran. `other_input`: it ran with an input that was neither judged nor given by the user
   * or approver. `unasked`: it ran without a PreToolUse fire, though this agent fires one for every tool.
   * `reopened`: its agent had ended, or was never seen to start, so that agent's scope was opened again.
   */
  alarm: zod().enum(['not_honoured', 'other_input', 'unasked', 'reopened']),
  /** A sentence for people. */
  message: zod().string().min(1),
  session_id: text,
  scope: text,
  agent_id: optionalText,
  agent_type: optionalText,
  tool_name: text,
  tool_use_id: zod().string().min(1),
  /** The evidence that the call ran: an event's name, or `result`. */
  evidence: zod().string().min(1),
  /** `hook`, or another source of the denial: `rules`, `person`, `nobody` … */
  denied_by: optionalText,
  /** The reason of the denial. */
  reason: optionalText,
  /** The beginning of the input that was decided on, as JSON with sorted keys, and the SHA-256 of the whole JSON. */
  judged_input: optionalText,
  judged_sha256: zod().string().length(64).exactOptional(),
  /** The beginning and the SHA-256 of the input that the call ran with. */
  ran_input: optionalText,
  ran_sha256: zod().string().length(64).exactOptional(),
});

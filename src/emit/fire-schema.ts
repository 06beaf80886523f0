import { ON_FAILURE } from '../events/failure.js';
import { SKIP_REASONS, type SkipReason } from '../scopes/skip.js';
import { zod } from '../values/zod.js';
import {
  alarmSchema,
  conflictSchema,
  controlProblemSchema,
  durationSchema,
  failureSchema,
  handlerVerdictSchema,
  kindSchema,
  lossSchema,
  type OpenObject,
  open,
  progressSchema,
  responseSchema,
  sourceSchema,
  stamp,
  startedSchema,
  toolCallSchema,
  where,
} from './schema.js';

/** A version of the input: 0 is `input`, and each rewrite that was applied adds one. */
const judgedSchema = zod().int().nonnegative();
const answerShape = {
  judged: judgedSchema,
  /** `unjudged`: the hook announced that it would answer later, and no answer came. */
  status: zod().enum(['ran', 'failed', 'background', 'unjudged']),
  output: zod().unknown().optional(),
  failure: failureSchema.exactOptional(),
};

const statusSchema = zod().enum(['ran', 'failed', 'skipped', 'background']);
const reasonSchema = zod().enum(Object.keys(SKIP_REASONS) as SkipReason[]);

/** One registration in a fire record. */
const handlerShape = {
  id: zod().string().min(1),
  /** An unnamed shell hook's command line, an http hook's URL, the file and line that registered a function. */
  name: zod().string(),
  handler: kindSchema,
  plugin: zod().string().exactOptional(),
  source: sourceSchema,
  scope: zod().string(),
  stage: zod().number(),
  /** Handlers of one wave ran at the same time; null: the handler was not in the plan. */
  wave: zod().int().nonnegative().nullable(),
  status: statusSchema,
  /** Why it was skipped, if it was. */
  reason: reasonSchema.exactOptional(),
  failure: failureSchema.exactOptional(),
  /** The handler's answer, unchanged. */
  output: zod().unknown().optional(),
  /** The verdict that counted in the end: an allow that did not survive a rewrite is `none`. */
  verdict: handlerVerdictSchema.exactOptional(),
  /** For a hook that is not enforced: the verdict that it would have given; `none`: no opinion. */
  would: handlerVerdictSchema.exactOptional(),
  exit_code: zod().int().exactOptional(),
  duration_ms: durationSchema.exactOptional(),
  /** How often it was called again because the input was rewritten. */
  reasked: zod().int().nonnegative().exactOptional(),
  /** If it was skipped: the matcher or the `if` rule that did not match. Beside a matcher, `rule` is one that was not looked at. */
  matcher: zod().string().exactOptional(),
  rule: zod().string().exactOptional(),
  /** If it was skipped because of policy, trust or the like: the file or setting that decided so. */
  why: zod().string().exactOptional(),
  warnings: zod().array(zod().string()).exactOptional(),
  /** Needed to compute the decision again: `rewrite` and `observe` hooks have no verdict; `continue: false` denies only in the dialect `code`. */
  phase: zod().enum(['rewrite', 'decide', 'observe']).exactOptional(),
  dialect: zod().enum(['code', 'claude']).exactOptional(),
  on_failure: zod().enum(ON_FAILURE).exactOptional(),
  /**
   * A hash of what the hook runs: the function's text, or its configuration and the bytes of the files that its command names. It does not cover
   * when the hook is called (matcher, `if`) or what its failure does. Absent in records of older versions.
   */
  definition: zod().string().exactOptional(),
  /** A hash of the matcher's text, if the matcher is a function. */
  predicate: zod().string().exactOptional(),
  /** The version of the input that its answer is about; absent: `input` itself. */
  judged: judgedSchema.exactOptional(),
  /** If it was called again, or announced a later answer that did not come: all of its answers in order. */
  answers: zod().array(open(answerShape)).exactOptional(),
  /** If the last rewrite to finish wins in its wave: this hook's place in the order of finishing. */
  finished: zod().int().nonnegative().exactOptional(),
};
export const handlerSchema: OpenObject<typeof handlerShape> = open(handlerShape);

const decisionShape = {
  event: zod().string().min(1),
  fold: zod().enum(['gate', 'block', 'stop', 'context', 'replace', 'observe']),
  continue: zod().boolean(),
  verdict: handlerVerdictSchema.exclude(['block']).optional(),
  blocked: zod().boolean().optional(),
  continues: zod().boolean().optional(),
  /** The agent stopped although hooks (listed in `overruled`) wanted it to continue: too many continuations in a row, or the host closed. */
  endedBy: zod().enum(['cap', 'close']).optional(),
  reason: zod().string().optional(),
  stopReason: zod().string().optional(),
  /** A handler's id, or `hookscope`. */
  decidedBy: zod().string().optional(),
  /** Ids of handlers whose opinion lost. */
  overruled: zod().array(zod().string()),
  failures: zod().array(failureSchema.extend({ id: zod().string(), name: zod().string(), blocked: zod().boolean() })),
  conflicts: zod().array(conflictSchema),
};
export const decisionSchema: OpenObject<typeof decisionShape> = open(decisionShape);

const firedShape = {
  /** Who carried the decision out: Claude Code (`client`) or a session. */
  done_by: zod().enum(['client', 'session']).exactOptional(),
  /** The agent kept the fields that a rewrite left out. */
  keeps_keys: zod().literal(true).exactOptional(),
  /** Failures of guards without an `onFailure` block. */
  guards: zod().literal('block').exactOptional(),
  /** false: the user could not be asked. */
  can_ask: zod().literal(false).exactOptional(),
};

const answeredShape = {
  /** `none`: nobody answered; `reason` says why. */
  answer: zod().enum(['allow', 'deny', 'none']),
  reason: zod().string().exactOptional(),
  /** The name of the approver, and the public key that the answer is signed with. */
  by: zod().string().exactOptional(),
  signed_with: zod().string().exactOptional(),
  /** The name of the machine that signed the answer, as that machine reports it. */
  from: zod().string().exactOptional(),
  /** When the answer arrived, ISO 8601 in UTC. */
  at: zod().iso.datetime(),
  /** Milliseconds from question to answer. */
  waited_ms: durationSchema,
  question: zod().string(),
  /** An HMAC of the final input, with the key that this machine masks values with. */
  input_hmac: zod().string(),
};
export const answeredSchema: OpenObject<typeof answeredShape> = open(answeredShape);

const json = zod().record(zod().string(), zod().unknown());

const policyShape = {
  channel: zod().string(),
  /** The author's name for the revision, and a number that grows with every bundle of the channel. */
  revision: zod().string().exactOptional(),
  sequence: zod().int().positive().exactOptional(),
};
export const policySchema: OpenObject<typeof policyShape> = open(policyShape);

const aboveShape = {
  /** Absent: the agent's scope had ended. Then only a policy's hooks for its type apply. */
  agent_id: zod().string().exactOptional(),
  agent_type: zod().string().exactOptional(),
};
export const aboveSchema: OpenObject<typeof aboveShape> = open(aboveShape);

const fireShape = {
  type: zod().literal('hook_fire'),
  ...stamp,
  ...where,
  event: zod().string().min(1),
  /** false: the named scope had not been opened; the session's ancestors were used. */
  scope_known: zod().boolean(),
  session_id: zod().string(),
  /** In an agent's scope: its ancestor agents, outermost first, whose hooks apply too. Absent in records of older versions. */
  agents_above: zod().array(aboveSchema).exactOptional(),
  input: json,
  /** The input after rewrites, if there were any. */
  final_input: json.exactOptional(),
  /**
   * If the input was rewritten more than once: the rewritten field after each rewrite but the last, which is in `final_input`.
   */
  versions: zod().array(zod().unknown()).exactOptional(),
  decision: decisionSchema,
  handlers: zod().array(handlerSchema),
  conflicts: zod().array(conflictSchema),
  /** How several verdicts are merged into one; absent in older records, which means the strictest. */
  decisions: zod().enum(['strictest', 'first', 'last']).exactOptional(),
  /** How many registrations for this event are in scopes that are not ancestors of this one. */
  out_of_scope: zod().int().nonnegative(),
  /** Paths of values that were left out because no record can hold them: `input.tool_input.data`. */
  truncated: zod().array(zod().string()).exactOptional(),
  /**
   * The record of one hook that is not enforced. It was called after the fire with this id was decided, with the input that was decided
   * on. This record's decision is the one without an opinion; the hook's own verdict is in `would`.
   */
  shadow_of: zod().string().exactOptional(),
  would: handlerVerdictSchema.exactOptional(),
  /** The whole decision that the hook alone would have led to. Absent in records of older versions. */
  would_decide: decisionSchema.exactOptional(),
  /** A hash of the configuration: it differs when hooks of the host or of an agent's type have changed. Absent in records of older versions. */
  revision: zod().string().exactOptional(),
  /** On a host in a fleet: the policies in force for the whole fire, one per channel. Without a revision: the channel had no policy in force. */
  policies: zod().array(policySchema).exactOptional(),
  /** Unusual options of the fire, so that it can be decided again. */
  fired: open(firedShape).exactOptional(),
  /** Fired without a server, by a command that ended with the fire: no scope, `once` or pending context was carried over. */
  stateless: zod().literal(true).exactOptional(),
  /** Parts of the input and of the decision that another agent's protocol cannot express, and why. */
  losses: zod().array(lossSchema).exactOptional(),
  /** If remote approvers were asked: their answer. The decision in this record is still `ask`. */
  answered: answeredSchema.exactOptional(),
  /**
   * Why hookscope itself answered: the hooks could not be called or did not answer. If that blocked the call, the decision says so, with
   * `decidedBy: 'hookscope'`. Such a record lists no hooks, and has as much of the input as could be read.
   */
  unanswered: zod().string().exactOptional(),
  /** If `fire()` rejected instead of deciding: the error's code, `ABORTED`, `CLOSED` or `INVALID_INPUT`. */
  error: zod().string().exactOptional(),
};
export const fireSchema: OpenObject<typeof fireShape> = open(fireShape);

/** Any record. */
export const hookRecord = zod().discriminatedUnion('type', [
  zod().discriminatedUnion('subtype', [startedSchema, progressSchema, responseSchema, controlProblemSchema]),
  fireSchema,
  toolCallSchema,
  alarmSchema,
]);

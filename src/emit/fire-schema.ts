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
  type Open,
  open,
  progressSchema,
  responseSchema,
  sourceSchema,
  stamp,
  startedSchema,
  toolCallSchema,
  where,
} from './schema.js';

/** Which form of the input: 0 is `input`, each rewrite that became the input counts on. */
const judgedSchema = zod().int().nonnegative();
const answerShape = {
  judged: judgedSchema,
  /** `unjudged`: it announced a later answer, and none came. */
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
  /** Handlers of one wave ran at the same time; null: it was not in the plan. */
  wave: zod().int().nonnegative().nullable(),
  status: statusSchema,
  /** Why it was skipped, if it was. */
  reason: reasonSchema.exactOptional(),
  failure: failureSchema.exactOptional(),
  /** Its answer, unchanged. */
  output: zod().unknown().optional(),
  /** The verdict that counted in the end: an allow that did not survive a rewrite is `none`. */
  verdict: handlerVerdictSchema.exactOptional(),
  /** If it is not enforced: what it would have decided; `none`: no opinion. */
  would: handlerVerdictSchema.exactOptional(),
  exit_code: zod().int().exactOptional(),
  duration_ms: durationSchema.exactOptional(),
  /** How often it was asked again. */
  reasked: zod().int().nonnegative().exactOptional(),
  /** If it was skipped: the matcher or the `if` rule that did not match. */
  matcher: zod().string().exactOptional(),
  rule: zod().string().exactOptional(),
  /** If it was skipped by policy, trust and the like: the file or setting that decided it. */
  why: zod().string().exactOptional(),
  warnings: zod().array(zod().string()).exactOptional(),
  /** Used to compute the decision: `rewrite` and `observe` have no verdict; `continue: false` denies only from `code`. */
  phase: zod().enum(['rewrite', 'decide', 'observe']).exactOptional(),
  dialect: zod().enum(['code', 'claude']).exactOptional(),
  on_failure: zod().enum(ON_FAILURE).exactOptional(),
  /**
   * A hash of what it runs: the function's text, or the description, and the bytes of the files that its command names. It does not cover when the
   * hook is asked and what its failure does. Absent in records of older versions.
   */
  definition: zod().string().exactOptional(),
  /** A hash of the function that its matcher is, where it is one. */
  predicate: zod().string().exactOptional(),
  /** Which form of the input its answer is about; absent: `input` itself. */
  judged: judgedSchema.exactOptional(),
  /** All of its answers in order, of one that was asked again. */
  answers: zod().array(open(answerShape)).exactOptional(),
  /** If the last rewrite to finish wins in its wave: when this hook finished. */
  finished: zod().int().nonnegative().exactOptional(),
};
export const handlerSchema: Open<typeof handlerShape> = open(handlerShape);

const decisionShape = {
  event: zod().string().min(1),
  fold: zod().enum(['gate', 'block', 'stop', 'context', 'replace', 'observe']),
  continue: zod().boolean(),
  verdict: handlerVerdictSchema.exclude(['block']).optional(),
  blocked: zod().boolean().optional(),
  continues: zod().boolean().optional(),
  /** A stop that ended although hooks (`overruled`) would have gone on: too many continuations in a row, or a close. */
  endedBy: zod().enum(['cap', 'close']).optional(),
  reason: zod().string().optional(),
  stopReason: zod().string().optional(),
  /** A handler's id. */
  decidedBy: zod().string().optional(),
  /** Ids of handlers whose opinion lost. */
  overruled: zod().array(zod().string()),
  failures: zod().array(failureSchema.extend({ id: zod().string(), name: zod().string(), blocked: zod().boolean() })),
  conflicts: zod().array(conflictSchema),
};
export const decisionSchema: Open<typeof decisionShape> = open(decisionShape);

const firedShape = {
  /** Claude Code carried the decision out, or a session. */
  done_by: zod().enum(['client', 'session']).exactOptional(),
  /** The agent kept what a rewrite left out. */
  keeps_keys: zod().literal(true).exactOptional(),
  /** Failures denied where no policy was set for them. */
  guards: zod().literal('block').exactOptional(),
  /** false: the user could not be asked. */
  can_ask: zod().literal(false).exactOptional(),
};

const answeredShape = {
  /** `none`: there was no answer; `reason` says why. */
  answer: zod().enum(['allow', 'deny', 'none']),
  reason: zod().string().exactOptional(),
  /** The name of the approver, and the public key that the answer is signed with. */
  by: zod().string().exactOptional(),
  signed_with: zod().string().exactOptional(),
  /** The machine that it was signed on, as it calls itself. */
  from: zod().string().exactOptional(),
  /** When it came, ISO 8601 in UTC. */
  at: zod().iso.datetime(),
  /** Milliseconds that it took. */
  waited_ms: durationSchema,
  question: zod().string(),
  /** A keyed hash of the final input, by this machine's key of masked values. */
  input_hmac: zod().string(),
};
export const answeredSchema: Open<typeof answeredShape> = open(answeredShape);

const json = zod().record(zod().string(), zod().unknown());

const policyShape = {
  channel: zod().string(),
  /** The author's word for it, and the number that grows with every bundle of the channel. */
  revision: zod().string().exactOptional(),
  sequence: zod().int().positive().exactOptional(),
};
export const policySchema: Open<typeof policyShape> = open(policyShape);

const aboveShape = {
  /** Absent: its scope had ended. Then only a policy's hooks for its type count. */
  agent_id: zod().string().exactOptional(),
  agent_type: zod().string().exactOptional(),
};
export const aboveSchema: Open<typeof aboveShape> = open(aboveShape);

const fireShape = {
  type: zod().literal('hook_fire'),
  ...stamp,
  ...where,
  event: zod().string().min(1),
  /** false: the named scope had not been opened; the session's ancestors were used. */
  scope_known: zod().boolean(),
  session_id: zod().string(),
  /** In an agent's scope: the agents that it is below, outermost first, whose hooks count too. Absent in records of older versions. */
  agents_above: zod().array(aboveSchema).exactOptional(),
  input: json,
  /** The input after rewrites, where there were any. */
  final_input: json.exactOptional(),
  /**
   * If the input was rewritten more than once: the rewritten field after each rewrite except the last, which is in `final_input`.
   */
  versions: zod().array(zod().unknown()).exactOptional(),
  decision: decisionSchema,
  handlers: zod().array(handlerSchema),
  conflicts: zod().array(conflictSchema),
  /** How several verdicts became one; absent in older records, which means the strictest. */
  decisions: zod().enum(['strictest', 'first', 'last']).exactOptional(),
  /** How many registrations for this event are in scopes that are not ancestors of this one. */
  out_of_scope: zod().int().nonnegative(),
  /** Parts of it that no record can hold and that were left out, by path: `input.tool_input.data`. */
  truncated: zod().array(zod().string()).exactOptional(),
  /**
   * One hook that is not enforced was asked, after the fire of this id was decided and about what was decided. The decision of this
   * record is silence; what the hook would have decided is in `would`.
   */
  shadow_of: zod().string().exactOptional(),
  would: handlerVerdictSchema.exactOptional(),
  /** The whole decision that it would have been. Absent in records of older versions. */
  would_decide: decisionSchema.exactOptional(),
  /** The configuration as one hash: another one means that hooks of the host or of an agent's type have changed. Absent in records of older versions. */
  revision: zod().string().exactOptional(),
  /** On a host in a fleet: the policies in force for the whole fire, by channel. One without a revision: no policy was in force. */
  policies: zod().array(policySchema).exactOptional(),
  /** Unusual options of the fire, so that it can be decided again. */
  fired: open(firedShape).exactOptional(),
  /** Fired by a command that ended with it, without a server: no scope, no `once` and no pending context was carried over. */
  stateless: zod().literal(true).exactOptional(),
  /** Parts of the input and of the decision that another agent's protocol cannot express, and why. */
  losses: zod().array(lossSchema).exactOptional(),
  /** If the team was asked about this ask: the result. The decision in this record is still the ask. */
  answered: answeredSchema.exactOptional(),
  /**
   * Hookscope itself answered, since hooks could not be asked or have not answered: why. If that stopped it, the decision says so, with
   * `decidedBy: 'hookscope'`. It lists no hooks, and has as much of the input as could be read.
   */
  unanswered: zod().string().exactOptional(),
  /** The fire was not decided but rejected: the error's code, `ABORTED`, `CLOSED` or `INVALID_INPUT`. */
  error: zod().string().exactOptional(),
};
export const fireSchema: Open<typeof fireShape> = open(fireShape);

/** Any record. */
export const hookRecord = zod().discriminatedUnion('type', [
  zod().discriminatedUnion('subtype', [startedSchema, progressSchema, responseSchema, controlProblemSchema]),
  fireSchema,
  toolCallSchema,
  alarmSchema,
]);

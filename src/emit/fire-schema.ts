import { z } from 'zod';
import { ON_FAILURE } from '../events/failure.js';
import { SKIP_REASONS, type SkipReason } from '../events/skip.js';
import {
  alarmSchema,
  conflictSchema,
  controlProblemSchema,
  durationSchema,
  failureSchema,
  handlerVerdictSchema,
  kindSchema,
  type Open,
  open,
  progressSchema,
  responseSchema,
  sourceSchema,
  stamp,
  startedSchema,
  where,
} from './schema.js';

const statusSchema = z.enum(['ran', 'failed', 'skipped', 'background']);
const reasonSchema = z.enum(Object.keys(SKIP_REASONS) as SkipReason[]);

/** One registration in a fire record. */
const handlerShape = {
  id: z.string().min(1),
  /** An unnamed shell hook's command line, an http hook's URL, the file and line that registered a function. */
  name: z.string(),
  handler: kindSchema,
  plugin: z.string().exactOptional(),
  source: sourceSchema,
  scope: z.string(),
  stage: z.number(),
  /** Handlers of one wave ran at the same time; null: it was not in the plan. */
  wave: z.int().nonnegative().nullable(),
  status: statusSchema,
  /** Of a skip. */
  reason: reasonSchema.exactOptional(),
  failure: failureSchema.exactOptional(),
  /** What it answered, as it answered. */
  output: z.unknown().optional(),
  /** As it counted in the end: an allow that did not survive a rewrite is `none`. */
  verdict: handlerVerdictSchema.exactOptional(),
  exit_code: z.int().exactOptional(),
  duration_ms: durationSchema.exactOptional(),
  /** How often it was asked again. */
  reasked: z.int().nonnegative().exactOptional(),
  /** Of a skip by policy, trust and the like: the file or setting that decided it. */
  why: z.string().exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
  /** What the decision is computed by: `rewrite` and `observe` have no verdict; `continue: false` denies only from `code`. */
  phase: z.enum(['rewrite', 'decide', 'observe']).exactOptional(),
  dialect: z.enum(['code', 'claude']).exactOptional(),
  on_failure: z.enum(ON_FAILURE).exactOptional(),
};
export const handlerSchema: Open<typeof handlerShape> = open(handlerShape);

const decisionShape = {
  event: z.string().min(1),
  fold: z.enum(['gate', 'block', 'stop', 'context', 'replace', 'observe']),
  continue: z.boolean(),
  verdict: handlerVerdictSchema.exclude(['block']).optional(),
  blocked: z.boolean().optional(),
  continues: z.boolean().optional(),
  /** A stop that ended although hooks (`overruled`) would have gone on: too many continuations in a row, or a close. */
  endedBy: z.enum(['cap', 'close']).optional(),
  reason: z.string().optional(),
  stopReason: z.string().optional(),
  /** A handler's id. */
  decidedBy: z.string().optional(),
  /** Ids of handlers whose opinion lost. */
  overruled: z.array(z.string()),
  failures: z.array(failureSchema.extend({ id: z.string(), name: z.string(), blocked: z.boolean() })),
  conflicts: z.array(conflictSchema),
};
export const decisionSchema: Open<typeof decisionShape> = open(decisionShape);

const json = z.record(z.string(), z.unknown());

const fireShape = {
  type: z.literal('hook_fire'),
  ...stamp,
  ...where,
  event: z.string().min(1),
  /** false: nobody had opened the scope that was named; the session's ancestors were used. */
  scope_known: z.boolean(),
  session_id: z.string(),
  input: json,
  /** The input after rewrites, where there were any. */
  final_input: json.exactOptional(),
  decision: decisionSchema,
  handlers: z.array(handlerSchema),
  conflicts: z.array(conflictSchema),
  /** How the verdicts became one; absent in records of older versions: the strictest. */
  decisions: z.enum(['strictest', 'first', 'last']).exactOptional(),
  /** How many registrations for this event are in scopes that are not ancestors of this one. */
  out_of_scope: z.int().nonnegative(),
  /** What of it no record can hold and was left out, by its place: `input.tool_input.data`. */
  truncated: z.array(z.string()).exactOptional(),
  /** The fire was not decided but rejected: the error's code, `ABORTED`, `CLOSED` or `INVALID_INPUT`. */
  error: z.string().exactOptional(),
};
export const fireSchema: Open<typeof fireShape> = open(fireShape);

/** Any record. */
export const hookRecord = z.discriminatedUnion('type', [
  z.discriminatedUnion('subtype', [startedSchema, progressSchema, responseSchema, controlProblemSchema]),
  fireSchema,
  alarmSchema,
]);

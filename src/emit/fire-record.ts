import { deepFreeze } from '../values/copies/freeze.js';
import type { answeredSchema, decisionSchema, fireSchema, handlerSchema, policySchema } from './fire-schema.js';
import { RecordCopy } from './record-copy.js';
import type { RecordOf, UnstampedRecord } from './recorded.js';
import { isoNow, type Numbers, unstamped } from './stamp.js';

/** One registration in a fire record, whether it ran or not. */
export interface HandlerRecord extends RecordOf<typeof handlerSchema> {}

/** A remote approver's answer to an `ask`: by whom, when, from where, and for which input. */
export interface RecordedAnswer extends RecordOf<typeof answeredSchema> {}

/** A policy of a fleet, as fire records name it. */
export interface RecordedPolicy extends RecordOf<typeof policySchema> {}

/** The own fields of the decision that `fire()` returned. Which ones are present depends on the event's fold. */
export interface RecordedDecision extends RecordOf<typeof decisionSchema> {}

/**
 * One per fire, emitted when it ends. It lists every registration for the event in the fire's scope and its ancestors, in plan order, so that
 * "why did my hook not run?" and "who blocked this?" are answered by this record alone.
 */
export interface FireRecord extends RecordOf<typeof fireSchema> {}

/** The fields of a fire's record; `undefined` ones are omitted. */
type Optional<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };
type FireDraft = Optional<Omit<UnstampedRecord<FireRecord>, 'type' | 'handlers'>> & {
  /** Lists the handlers, frozen. Values that do not belong to the host go through `copy`. */
  readonly handlers: (copy: RecordCopy) => readonly HandlerRecord[];
};

/**
 * A record never changes after it was sent, and no subscriber can change what the agent will run, so shared values are copied. The decision may be the
 * object that `fire()` returned, whose `toJSON` gives the wire form; its own fields are copied, so that JSON shows those.
 */
export function stampedFireRecord(fire: FireDraft, most: number | undefined, numbers: Numbers): FireRecord {
  const copy = new RecordCopy(most === undefined ? undefined : { left: most });
  // Fields copied first survive in a record that is too large.
  const decision = decisionOf(fire.decision, copy);
  const would = fire.would_decide && decisionOf(fire.would_decide, copy);
  const handlers = fire.handlers(copy);
  const input = copy.object(fire.input, 'input');
  const final = fire.final_input && copy.object(fire.final_input, 'final_input');
  const versions = fire.versions?.length ? copy.whole(fire.versions, 'versions') : undefined;
  const record: { -readonly [K in keyof FireRecord]: FireRecord[K] } = {
    seq: numbers.next(),
    time: isoNow(),
    host_id: numbers.hostId,
    type: 'hook_fire',
    fire_id: fire.fire_id,
    event: fire.event,
    scope: fire.scope,
    scope_known: fire.scope_known,
    session_id: fire.session_id,
    input,
    decision,
    handlers,
    conflicts: deepFreeze(fire.conflicts.map((conflict) => ({ ...conflict }))),
    out_of_scope: fire.out_of_scope,
  };
  if (fire.agent_id !== undefined) record.agent_id = fire.agent_id;
  if (fire.agents_above !== undefined) record.agents_above = fire.agents_above;
  if (fire.tool_use_id !== undefined) record.tool_use_id = fire.tool_use_id;
  if (final !== undefined) record.final_input = final;
  if (versions !== undefined) record.versions = versions;
  if (fire.revision !== undefined) record.revision = fire.revision;
  if (fire.policies !== undefined) record.policies = fire.policies;
  if (fire.fired !== undefined) record.fired = fire.fired;
  if (fire.decisions !== undefined) record.decisions = fire.decisions;
  const losses = fire.losses?.length ? copy.whole(fire.losses, 'losses') : undefined;
  if (losses !== undefined) record.losses = losses;
  if (copy.truncated.length > 0) record.truncated = deepFreeze(copy.truncated);
  if (fire.shadow_of !== undefined) record.shadow_of = fire.shadow_of;
  if (fire.would !== undefined) record.would = fire.would;
  if (would !== undefined) record.would_decide = would;
  if (fire.stateless) record.stateless = true;
  if (fire.answered !== undefined) record.answered = fire.answered;
  if (fire.unanswered !== undefined) record.unanswered = fire.unanswered;
  if (fire.error !== undefined) record.error = fire.error;
  return record;
}

/** Copies of frozen decisions: many fires share such a decision, and so can share its copy. */
const SHARED = new WeakMap<RecordedDecision, RecordedDecision>();

function decisionOf(decision: RecordedDecision, copy: RecordCopy): RecordedDecision {
  const frozen = Object.isFrozen(decision);
  const shared = frozen ? SHARED.get(decision) : undefined;
  if (shared !== undefined) return shared;
  const copied = copy.object({ ...decision }, 'decision');
  if (copy.truncated.length > 0) return decided(decision, copied, copy.truncated);
  if (frozen) SHARED.set(decision, copied);
  return copied;
}

/** Short fields that say what was decided. */
const SHORT = ['event', 'fold', 'continue', 'verdict', 'blocked', 'continues', 'endedBy'] as const;
const LISTS = ['overruled', 'failures', 'conflicts'] as const;

/** The decision for a record without room: its short fields are always kept, and a list that does not fit becomes empty. */
function decided(decision: RecordedDecision, copied: RecordedDecision, truncated: string[]): RecordedDecision {
  const whole: Record<string, unknown> = { ...copied };
  for (const key of SHORT) if (decision[key] !== undefined) whole[key] = decision[key];
  for (const key of LISTS) {
    const place = `decision.${key}`;
    const parts = truncated.filter((name) => name === place || name.startsWith(`${place}.`));
    if (parts.length > 0 || !Array.isArray(whole[key])) whole[key] = [];
    for (const part of parts) truncated.splice(truncated.indexOf(part), 1);
    if (parts.length > 0 || (decision[key].length > 0 && copied[key] === undefined)) truncated.push(place);
  }
  return deepFreeze(whole) as RecordedDecision;
}

/** Builds the record from plain data, for callers without a bus. */
export function fireRecord(
  { handlers, ...fire }: Optional<Omit<UnstampedRecord<FireRecord>, 'type'>>,
  most?: number,
): UnstampedRecord<FireRecord> {
  const draft: FireDraft = { ...fire, handlers: (copy) => copy.object(handlers, 'handlers') };
  return unstamped(stampedFireRecord(draft, most, { hostId: '', next: () => 0 }));
}

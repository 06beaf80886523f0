import type { decisionSchema, fireSchema, handlerSchema } from './fire-schema.js';
import { freeze, RecordCopy } from './record-copy.js';
import type { Recorded, Unstamped } from './recorded.js';
import { unstamped } from './stamp.js';

/** One registration in a fire record, whether it ran or not. */
export interface HandlerRecord extends Recorded<typeof handlerSchema> {}

/** The decision as `fire()` returned it, its own fields alone. Which are there depends on the event's fold. */
export interface RecordedDecision extends Recorded<typeof decisionSchema> {}

/**
 * One per fire, emitted when it ends. It lists every registration for the event in the fire's scope and its ancestors, in plan order, so that
 * "why did my hook not run?" and "who blocked this?" are answered by this record alone.
 */
export interface FireRecord extends Recorded<typeof fireSchema> {}

/** What is told of a fire; `undefined` is left out. */
type Optional<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };
type FireDraft = Optional<Omit<Unstamped<FireRecord>, 'type'>>;

/**
 * A record never changes after it was sent, and no subscriber can change what the agent will run, so what they share is copied. Of the decision, which may
 * be the object `fire()` returns, its own fields are kept, so that JSON shows them and not its wire form.
 */
export function stampedFireRecord(fire: FireDraft, seq: number, time: string, most?: number): FireRecord {
  const copy = new RecordCopy(most === undefined ? undefined : { left: most });
  // What decides first: of a record that is too large, the rest is left out.
  const decision = copy.object({ ...fire.decision }, 'decision');
  const handlers = copy.object(fire.handlers, 'handlers');
  const input = copy.object(fire.input, 'input');
  const final = fire.final_input && copy.object(fire.final_input, 'final_input');
  const record: { -readonly [K in keyof FireRecord]: FireRecord[K] } = {
    seq,
    time,
    type: 'hook_fire',
    fire_id: fire.fire_id,
    event: fire.event,
    scope: fire.scope,
    scope_known: fire.scope_known,
    session_id: fire.session_id,
    input,
    decision,
    handlers,
    conflicts: freeze(fire.conflicts.map((conflict) => ({ ...conflict }))),
    out_of_scope: fire.out_of_scope,
  };
  if (fire.agent_id !== undefined) record.agent_id = fire.agent_id;
  if (fire.tool_use_id !== undefined) record.tool_use_id = fire.tool_use_id;
  if (final !== undefined) record.final_input = final;
  if (fire.decisions !== undefined) record.decisions = fire.decisions;
  if (copy.truncated.length > 0) record.truncated = freeze(copy.truncated);
  if (fire.error !== undefined) record.error = fire.error;
  return record;
}

export function fireRecord(fire: FireDraft, most?: number): Unstamped<FireRecord> {
  return unstamped(stampedFireRecord(fire, 0, '', most));
}

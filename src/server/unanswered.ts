import { fireRecord } from '../emit/fire-record.js';
import type { FireRecord } from '../emit/record.js';
import type { UnstampedRecord } from '../emit/recorded.js';
import { nextId } from '../emit/stamp.js';
import type { Fold } from '../events/spec.js';
import type { Json } from '../values/shape.js';

/** The value of `decidedBy` in a record without hooks. */
const ITSELF = 'hookscope';

export interface UnansweredEvent {
  /** Our name of the event; `fold` says what an answer can do. */
  readonly event: string;
  readonly fold: Fold;
  /** The part of the input that could be read. */
  readonly input: Json;
  readonly reason: string;
  /** Whether the answer stops the action. */
  readonly stops: boolean;
  /** Claude Code or another agent asked. */
  readonly isClient: boolean;
}

/** The record of an event that hookscope itself answered, because hooks could not be asked or did not answer. */
export function unansweredRecord(told: UnansweredEvent): UnstampedRecord<FireRecord> {
  const { event, fold, input, reason, stops, isClient } = told;
  const agent = textAt(input, 'agent_id');
  return fireRecord({
    fire_id: nextId(),
    event,
    scope: agent ?? 'session',
    scope_known: true,
    session_id: textAt(input, 'session_id') ?? '',
    agent_id: agent,
    tool_use_id: textAt(input, 'tool_use_id'),
    input,
    decision: {
      event,
      fold,
      continue: true,
      ...(stops ? { ...stopOf(fold), reason, decidedBy: ITSELF } : { ...(fold === 'gate' && { verdict: 'none' }) }),
      overruled: [],
      failures: [],
      conflicts: [],
    },
    handlers: [],
    conflicts: [],
    out_of_scope: 0,
    fired: { done_by: isClient ? 'client' : 'session' },
    unanswered: reason,
  });
}

function stopOf(fold: Fold): Pick<FireRecord['decision'], 'verdict' | 'blocked' | 'continues'> {
  if (fold === 'gate') return { verdict: 'deny' };
  return fold === 'stop' ? { continues: true } : { blocked: true };
}

function textAt(input: Json, key: string): string | undefined {
  const found = input[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

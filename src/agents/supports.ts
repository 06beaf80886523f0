import { HookscopeError } from '../errors.js';
import { nearest } from '../values/nearest.js';
import { show } from '../values/shape.js';
import { agentCodec } from './agents.js';
import { foldOf, inPlaceOfDefer } from './rows.js';
import { type EventRow, type Instead, SAYABLE, type Sayable, type Says } from './table.js';

/** Whether an agent understands an answer on an event, and in which form. */
export interface AgentSupport {
  /** `yes`; `as`: it is sent as another answer; `silent`: the agent does this if the answer says nothing; `no`. */
  readonly carried: 'yes' | 'as' | 'silent' | 'no';
  /** The answer that is sent instead. */
  readonly as?: Sayable;
  /** What is lost; for `no`, why it is not possible. */
  readonly why?: string;
  /** The agent takes this answer directly, without replacing it, if a user at the terminal can be asked. */
  readonly attended?: true;
  /** `seen`: recorded from the agent itself; `documents`: only documented. */
  readonly source: 'seen' | 'documents';
}

/** Whether and how an agent understands an answer on an event; `no` if it does not have the event. Throws INVALID_OPTIONS for an unknown agent. */
export function supports(agent: string, event: string, what: Sayable): AgentSupport {
  const codec = agentCodec(agent);
  if (!SAYABLE.includes(what)) {
    const expected = `expected one of ${SAYABLE.join(', ')}, got ${show(what)}`;
    throw new HookscopeError('INVALID_OPTIONS', {
      where: 'supports: what',
      expected,
      nearest: nearest(what, [...SAYABLE]),
    });
  }
  const rows = codec.events.filter((row) => row.name === event);
  const row = rows[0] ?? codec.events.find((one) => one.ours === event);
  if (row === undefined) return { carried: 'no', why: `${codec.title} has no such event`, source: codec.source };
  return supportOf(row, what, row.source ?? codec.source, codec.title);
}

/** Like `supports`, for one row of an agent's table. */
export function supportOf(row: EventRow, what: Sayable, source: AgentSupport['source'], title: string): AgentSupport {
  const entry: Says | undefined =
    row.says[what] ?? (what === 'defer' && foldOf(row) === 'gate' ? inPlaceOfDefer(row, title) : undefined);
  if (entry === undefined) return { carried: 'no', why: `${title} has no word for it on ${row.name}`, source };
  if ('none' in entry) return { carried: 'no', why: entry.none, source };
  if ('silent' in entry) return { carried: 'silent', ...(entry.silent === true ? {} : { why: entry.silent }), source };
  if ('as' in entry) return instead(row, entry, source);
  return { carried: 'yes', ...('loses' in entry && entry.loses !== undefined ? { why: entry.loses } : {}), source };
}

function instead(row: EventRow, { as, why, attended }: Instead, source: AgentSupport['source']): AgentSupport {
  if (row.says[as] === undefined) return { carried: 'no', why, source };
  return { carried: 'as', as, why, ...(attended ? { attended: true as const } : {}), source };
}

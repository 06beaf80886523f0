import { HookscopeError } from '../errors.js';
import { nearest } from '../values/nearest.js';
import { agentCodec } from './agents.js';
import { foldOf, inPlaceOfDefer } from './rows.js';
import { type EventRow, type Instead, SAYABLE, type Sayable, type Says } from './table.js';

/** Whether an agent understands an answer on an event, and in which form. */
export interface AgentSupport {
  /** `yes`; `as`: it is sent as another answer; `silent`: the agent's silence means it; `no`. */
  readonly carried: 'yes' | 'as' | 'silent' | 'no';
  /** The answer that is sent instead. */
  readonly as?: Sayable;
  /** What is lost; with `no`, why it is not possible. */
  readonly why?: string;
  /** Its own word is there where a person sits at the terminal. */
  readonly attended?: true;
  /** `seen`: an answer of this agent that was recorded. */
  readonly source: 'seen' | 'documents';
}

/** The answers that an agent understands on an event. Throws INVALID_OPTIONS for an unknown agent. An event that the agent does not have is `no`. */
export function supports(agent: string, event: string, what: Sayable): AgentSupport {
  const codec = agentCodec(agent);
  if (!SAYABLE.includes(what)) {
    const expected = `expected one of ${SAYABLE.join(', ')}, got ${JSON.stringify(what)}`;
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

/** The same for one row of an agent's table. */
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

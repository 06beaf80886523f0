import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import type { Json } from '../values/shape.js';
import { MASKS } from './look.js';
import type { KnownAnswer, RecordedFire, RecordedHook, RecordedHow } from './recorded.js';

/** A fire from one of our records. Older versions recorded less: then hooks have no hash, and are recognised by name. */
export function fireOfRecord(record: FireRecord, place: string): RecordedFire {
  const { fire_id, time, host_id, event, session_id, scope, agent_id, tool_use_id, input, decision } = record;
  return {
    place,
    id: fire_id,
    time,
    host: host_id,
    event,
    session: session_id,
    agent: agent_id,
    agentType: textAt(input, 'agent_type'),
    above: aboveOf(record),
    toolUse: tool_use_id,
    scope,
    input,
    versions: versionsOf(record),
    hooks: record.handlers.map((row, i) => hookOf(row, isCut(record, `handlers.${i}.`))),
    decision: decision as unknown as Json,
    fired: howOf(record),
    // No hook has decided it.
    error: record.error ?? (record.unanswered === undefined ? undefined : 'UNANSWERED'),
    revision: record.revision,
    masked: masksOf(record),
    truncated: record.truncated ?? [],
    inferred: [],
  };
}

/** The last of them is what the final input has. */
function versionsOf({ event, input, final_input: final, versions = [] }: FireRecord): readonly unknown[] {
  if (final === undefined) return [];
  const field = specOf(event)?.rewrites?.field ?? Object.keys(final).find((key) => !isSame(final[key], input[key]));
  return field === undefined ? versions : [...versions, final[field]];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Agents of another program are below their session as far as a host knows. */
function aboveOf({ agents_above: above, scope, scope_known: known, fired }: FireRecord): RecordedFire['above'] {
  if (above === undefined) return known && scope !== 'session' && fired?.done_by !== 'client' ? 'unknown' : undefined;
  return above.map(({ agent_id: agent, agent_type: agentType }) => ({ agent, agentType }));
}

function howOf({ fired }: FireRecord): RecordedHow | undefined {
  if (fired === undefined) return undefined;
  return { doneBy: fired.done_by, keepsKeys: fired.keeps_keys, guards: fired.guards, canAsk: fired.can_ask };
}

/** Something of what is there was left out. */
const isCut = ({ truncated = [] }: FireRecord, place: string): boolean =>
  truncated.some((gone) => gone.startsWith(place));

/** If there are fewer masks than were counted, some come from a user's function, and cannot be told from other text. */
function masksOf(record: FireRecord): RecordedFire['masked'] {
  if (record.redacted === undefined) return false;
  const marks = JSON.stringify(record).match(MASKS)?.length ?? 0;
  return marks < record.redacted.count ? 'anywhere' : true;
}

function hookOf(row: HandlerRecord, isCut: boolean): RecordedHook {
  const { id, name, handler: kind, source, plugin, scope, definition, predicate, status, reason } = row;
  const skipped = status === 'skipped' ? (reason ?? 'skipped') : undefined;
  return {
    id,
    name,
    kind,
    source,
    plugin,
    scope,
    definition,
    predicate,
    skipped,
    observes: row.phase === 'observe' ? true : undefined,
    answers: skipped || isCut ? [] : answersOf(row),
  };
}

/** The row of a hook that is not enforced holds no answer: it was asked separately, after the decision. */
function answersOf({ answers, ...row }: HandlerRecord): readonly KnownAnswer[] {
  const { duration_ms: duration, finished } = row;
  // Only what decides has one. An event where nothing is allowed or denied has `block` or nothing.
  const decides = answers === undefined && (row.phase ?? 'decide') === 'decide';
  const verdict = decides ? (row.verdict ?? row.would ?? 'none') : undefined;
  return (answers ?? [{ ...row, judged: row.judged ?? 0 }])
    .filter(isWhole)
    .map(({ judged, status, output, failure }) => ({
      judged,
      output,
      failure,
      ...(verdict === undefined ? {} : { verdict }),
      background: status === 'background' ? true : undefined,
      unjudged: status === 'unjudged' ? true : undefined,
      duration,
      finished,
    }));
}

const STATUSES: readonly string[] = ['ran', 'failed', 'background', 'unjudged'];

/** A damaged answer counts neither as an answer nor as silence. */
const isWhole = ({ status, failure }: { readonly status: string; readonly failure?: unknown }): boolean =>
  STATUSES.includes(status) && (status !== 'failed' || failure !== undefined);

function textAt(input: Json, key: string): string | undefined {
  const found = input[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

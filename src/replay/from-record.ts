import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import type { Json } from '../values/shape.js';
import { MASKS } from './look.js';
import type { KnownAnswer, RecordedFire, RecordedHook, RecordedHow } from './recorded.js';

/** Makes a fire of one of our records. Records of older versions have no hashes of hooks, which are then recognised by name. */
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
    // An unanswered fire was not decided by hooks, so it counts as rejected.
    error: record.error ?? (record.unanswered === undefined ? undefined : 'UNANSWERED'),
    revision: record.revision,
    masked: masksOf(record),
    truncated: record.truncated ?? [],
    inferred: [],
  };
}

/** The rewritten versions of the field that hooks rewrite; the last is that of the final input. */
function versionsOf({ event, input, final_input: final, versions = [] }: FireRecord): readonly unknown[] {
  if (final === undefined) return versions;
  const field = specOf(event)?.rewrites?.field ?? Object.keys(final).find((key) => !isSame(final[key], input[key]));
  return field === undefined ? versions : [...versions, final[field]];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The agents above the fire's own. A host knows of none for the agents of another program. */
function aboveOf({ agents_above: above, scope, scope_known: known, fired }: FireRecord): RecordedFire['above'] {
  if (above === undefined) return known && scope !== 'session' && fired?.done_by !== 'client' ? 'unknown' : undefined;
  return above.map(({ agent_id: agent, agent_type: agentType }) => ({ agent, agentType }));
}

function howOf({ fired }: FireRecord): RecordedHow | undefined {
  if (fired === undefined) return undefined;
  return { doneBy: fired.done_by, keepsKeys: fired.keeps_keys, guards: fired.guards, canAsk: fired.can_ask };
}

/** Whether a part under this path was left out of the record. */
const isCut = ({ truncated = [] }: FireRecord, place: string): boolean =>
  truncated.some((gone) => gone.startsWith(place));

/** If there are fewer masks than were counted, a user's function made some, which look like any other text. */
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

/** The answers of a record's row. A hook that is not enforced has none here: it was asked separately, after the decision. */
function answersOf({ answers, ...row }: HandlerRecord): readonly KnownAnswer[] {
  const { duration_ms: duration, finished } = row;
  // Only deciding hooks have a verdict. On events that are not gates it is `block`, or absent.
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

import { ON_FAILURE } from '../../events/failure.js';
import { HANDLER_KINDS } from '../../events/handler-kinds.js';
import { VERDICTS } from '../../events/spec.js';
import { SKIP_REASONS } from '../../scopes/skip.js';
import type { HookRecord } from '../record.js';

const words = (text: string): readonly string[] => text.split(' ');

/** Fields that the host makes and programs read; they never hold free text and are not masked. */
export const OURS: ReadonlySet<string> = new Set(
  words(
    'seq time host_id type subtype uuid hook_id fire_id hook_event event handler outcome duration_ms exit_code decision_ms input_sha256 judged_sha256 ran_sha256',
  ),
);

const WITHHELD = '[redacted: it could not be read]';

/** The objects and lists of a record that have fields of the schema; all others hold data. */
const PARTS: ReadonlySet<string> = new Set(
  words(
    'decision would_decide handlers failures conflicts failure answers answered fired policies agents_above losses source',
  ),
);

/** Fields with a number, a boolean or null. */
const NUMBERS: ReadonlySet<string> = new Set(
  words(
    'scope_known out_of_scope continue blocked continues suppressOutput blocks stage wave exit_code duration_ms reasked judged finished sequence waited_ms ran shadow stateless keeps_keys can_ask',
  ),
);

/** Fields with a word of a list. */
const SAYS: ReadonlySet<string> = new Set(
  words(
    'decision would verdict fold endedBy handler status reason phase dialect on_failure cause answer decisions done_by guards alarm denied_by approver kind',
  ),
);

/** The words of those lists. */
const WORDS: ReadonlySet<string> = new Set([
  ...[...VERDICTS, ...HANDLER_KINDS, ...Object.keys(SKIP_REASONS), ...ON_FAILURE],
  ...words('tap unknown gate block stop context replace observe cap close rewrite decide code claude'),
  ...words('ran failed skipped background unjudged denied deferred interrupted strictest first last client session'),
  ...words('hook rule mode classifier user nobody failure abort not_honoured other_input unasked reopened'),
  ...words('threw timeout spawn_failed exit_code signal bad_json bad_schema too_large http_status connection aborted'),
  ...words('worker_died untrusted'),
]);

/**
 * A record that could not be read, with only what is known to hold no text of others: the host's ids, times, numbers and the words of the
 * record's schema. It still has all of its fields.
 */
export function withheld(record: HookRecord): HookRecord {
  const event = orWithheld(() => ('event' in record ? String(record.event) : undefined));
  const kept = fieldsIn(record).map(([key, value]) => [
    key,
    OURS.has(key) && typeof value !== 'object' ? value : orWithheld(() => without(key, value, event)),
  ]);
  return Object.fromEntries(kept) as HookRecord;
}

/** What a part of the record may be read by throws as well, such as a getter. */
function orWithheld<T>(read: () => T): T | string {
  try {
    return read();
  } catch {
    return WITHHELD;
  }
}

const fieldsIn = (part: object): readonly (readonly [string, unknown])[] =>
  Object.keys(part).map((key) => [key, orWithheld(() => (part as Record<string, unknown>)[key])]);

function without(key: string, value: unknown, event: string | undefined): unknown {
  if (typeof value === 'string') return isSafe(key, value, event) ? value : WITHHELD;
  if (typeof value !== 'object' || value === null) return NUMBERS.has(key) ? value : WITHHELD;
  const isPart = PARTS.has(key);
  if (!Array.isArray(value)) return isPart ? fieldsOf(value, event) : {};
  const all = isPart ? Array.from({ length: value.length }, (_, i) => i) : [];
  return all.map((i) => orWithheld(() => fieldsOf(value[i], event)));
}

function fieldsOf(part: unknown, event: string | undefined): unknown {
  if (typeof part !== 'object' || part === null) return WITHHELD;
  // Names of fields that the schema does not have may be data too.
  const fields = fieldsIn(part).filter(([key]) => NAMES.has(key));
  return Object.fromEntries(fields.map(([key, value]) => [key, orWithheld(() => without(key, value, event))]));
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function isSafe(key: string, value: string, event: string | undefined): boolean {
  if (key === 'event') return value === event;
  return key === 'at' ? ISO.test(value) : SAYS.has(key) && WORDS.has(value);
}

/** The names of the fields of those objects. */
const NAMES: ReadonlySet<string> = new Set([
  ...[...PARTS, ...NUMBERS, ...SAYS],
  ...words('event reason stopReason decidedBy overruled additionalContext systemMessages updatedInput'),
  ...words('id name plugin source scope output matcher rule why warnings definition predicate file message'),
  ...words('winner loser what by signed_with from at question input_hmac channel revision agent_id agent_type'),
]);

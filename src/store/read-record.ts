import type { HookRecord } from '../emit/record.js';
import { isObject } from '../values/shape.js';

/** Reads a value; undefined: it has another type. */
type FieldParser = (value: unknown) => unknown;
type FieldParsers = Readonly<Record<string, FieldParser>>;

/** The fields of a record type: required ones, ones with a replacement for a wrong value, and ones that are omitted if they are wrong. */
interface RecordShape {
  readonly needs: FieldParsers;
  readonly fills?: FieldParsers;
  readonly takes?: FieldParsers;
}

const text: FieldParser = (value) => (typeof value === 'string' ? value : undefined);
const named: FieldParser = (value) => (typeof value === 'string' && value !== '' ? value : undefined);
/** A word of hookscope's vocabulary, of any version; it is printed unchanged. */
const word: FieldParser = (value) => (typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined);
const number: FieldParser = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const flag: FieldParser = (value) => (typeof value === 'boolean' ? value : undefined);
const object: FieldParser = (value) => (isObject(value) ? value : undefined);
const list =
  (item: FieldParser): FieldParser =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const read = value.map(item);
    return read.every((one, i) => one !== undefined && one === value[i])
      ? value
      : read.filter((one) => one !== undefined);
  };
const or =
  (read: FieldParser, instead: unknown): FieldParser =>
  (value) =>
    read(value) ?? instead;
const orText = or(text, '');
const time: FieldParser = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/**
 * Reads an object of a shape; undefined: a required field is wrong. Fields that the shape does not name pass unchanged. An object that needs no
 * change is returned itself, not a copy: nearly all records of a large file are such.
 */
function shaped({ needs, fills = {}, takes = {} }: RecordShape): FieldParser {
  const fields = Object.entries({ ...needs, ...fills, ...takes });
  const needed = new Set(Object.keys(needs));
  return (value) => {
    if (!isObject(value)) return undefined;
    let read: Record<string, unknown> = value as Record<string, unknown>;
    for (const [key, field] of fields) {
      // Inherited properties are not fields of a record.
      const is = Object.hasOwn(value, key) ? value[key] : undefined;
      const found = field(is);
      if (found === undefined && needed.has(key)) return undefined;
      if (found === is && (found !== undefined || !Object.hasOwn(value, key))) continue;
      if (read === value) read = { ...value };
      if (found === undefined) delete read[key];
      else read[key] = found;
    }
    return read;
  };
}

const STAMP: FieldParsers = { time };
const ABOUT: FieldParsers = { agent_id: text, tool_use_id: text, host_id: text, redacted: object };

const failure = shaped({ needs: {}, fills: { cause: or(word, 'unknown'), message: orText }, takes: { blocks: flag } });
const conflict = shaped({ needs: { winner: text, loser: text } });
const loss = shaped({ needs: { what: text, why: text } });
const source = shaped({ needs: {}, fills: { kind: or(named, 'unknown') }, takes: { name: text, file: text } });

const policy = shaped({ needs: { channel: text }, takes: { revision: text, sequence: number } });

/** The answer of a remote approver. */
const settled = shaped({ needs: { answer: word, at: time }, takes: { reason: text, by: text, from: text } });

const answer = shaped({ needs: { judged: number, status: word }, takes: { failure } });

const handler = shaped({
  needs: { id: named, name: text, status: word },
  fills: {
    handler: or(word, 'unknown'),
    source: or(source, { kind: 'unknown' }),
    scope: orText,
    stage: or(number, 0),
    wave: or(number, null),
  },
  takes: {
    plugin: text,
    reason: word,
    failure,
    verdict: word,
    would: word,
    exit_code: number,
    duration_ms: number,
    reasked: number,
    why: text,
    matcher: text,
    rule: text,
    warnings: list(text),
    phase: word,
    dialect: word,
    on_failure: word,
    definition: word,
    predicate: word,
    judged: number,
    answers: list(answer),
    finished: number,
  },
});

const decision = shaped({
  needs: {},
  fills: {
    event: orText,
    fold: or(word, 'observe'),
    continue: or(flag, true),
    overruled: or(list(text), []),
    failures: or(
      list(
        shaped({
          needs: { id: text },
          fills: { name: orText, cause: or(word, 'unknown'), message: orText, blocked: or(flag, false) },
        }),
      ),
      [],
    ),
    conflicts: or(list(conflict), []),
  },
  takes: {
    verdict: word,
    blocked: flag,
    continues: flag,
    endedBy: word,
    reason: text,
    stopReason: text,
    decidedBy: text,
  },
});

const above = shaped({ needs: {}, fills: {}, takes: { agent_id: text, agent_type: text } });

const fire = shaped({
  needs: { ...STAMP, fire_id: named, event: named, decision, handlers: list(handler) },
  fills: {
    seq: or(number, 0),
    scope: orText,
    scope_known: or(flag, true),
    session_id: orText,
    input: or(object, {}),
    conflicts: or(list(conflict), []),
    out_of_scope: or(number, 0),
  },
  takes: {
    ...ABOUT,
    final_input: object,
    truncated: list(text),
    error: word,
    decisions: word,
    stateless: flag,
    unanswered: text,
    losses: list(loss),
    answered: settled,
    shadow_of: named,
    would: word,
    would_decide: decision,
    versions: list((value) => value),
    revision: word,
    policies: list(policy),
    agents_above: list(above),
    fired: object,
  },
});

const run: RecordShape = {
  needs: { ...STAMP, fire_id: named, hook_id: named, hook_event: named },
  fills: {
    seq: or(number, 0),
    scope: orText,
    session_id: orText,
    hook_name: orText,
    name: orText,
    handler: or(word, 'unknown'),
    handler_id: orText,
    source: or(source, { kind: 'unknown' }),
  },
  takes: {
    ...ABOUT,
    plugin: text,
    origin: text,
    exit_code: number,
    decision: word,
    failure,
    would: word,
    shadow: flag,
  },
};
const alsoFills = (fills: FieldParsers): RecordShape => ({ ...run, fills: { ...run.fills, ...fills } });

/** By type, or by subtype for records of the type `system`. */
const TYPES: Readonly<Record<string, FieldParser>> = {
  hook_started: shaped(run),
  hook_progress: shaped(alsoFills({ output: orText })),
  hook_response: shaped(
    alsoFills({
      stdout: orText,
      stderr: orText,
      output: orText,
      outcome: or(word, 'unknown'),
      duration_ms: or(number, 0),
    }),
  ),
  control_problem: shaped({
    needs: STAMP,
    fills: { seq: or(number, 0), peer: orText, problem: orText, message: orText },
    takes: { host_id: text, redacted: object },
  }),
  hook_fire: fire,
  tool_call: shaped({
    needs: { ...STAMP, tool_use_id: named, tool_name: text, status: word },
    fills: {
      seq: or(number, 0),
      session_id: orText,
      scope: orText,
      ran: or(flag, false),
      hooks_ms: or(object, {}),
    },
    takes: {
      agent_id: text,
      host_id: text,
      redacted: object,
      agent_type: text,
      denied_by: word,
      approver: word,
      decided_by: text,
      reason: text,
      duration_ms: number,
    },
  }),
  hook_alarm: shaped({
    needs: { ...STAMP, alarm: word, tool_use_id: named, tool_name: text },
    fills: { seq: or(number, 0), message: orText, session_id: orText, scope: orText, evidence: orText },
    takes: {
      agent_id: text,
      host_id: text,
      redacted: object,
      agent_type: text,
      denied_by: word,
      reason: text,
      judged_input: text,
      ran_input: text,
    },
  }),
};

/** The result of reading: a record, the type of a record that this version does not know, or neither. */
export type RecordReading =
  | { readonly record: HookRecord }
  | { readonly record?: undefined; readonly unknown: string | undefined };

/**
 * Reads a record of any version. Unknown fields pass; a field of the wrong type is omitted or replaced by an empty value, so that code that prints
 * records need not check types. An object without the required fields (the time; a fire's id, event and hooks) is not a record.
 */
export function readRecord(found: unknown): RecordReading {
  if (!isObject(found)) return { unknown: undefined };
  const own = (key: string): unknown => (Object.hasOwn(found, key) ? found[key] : undefined);
  const type = own('type') === 'system' ? own('subtype') : own('type');
  if (typeof type !== 'string') return { unknown: undefined };
  if (!Object.hasOwn(TYPES, type)) return { unknown: type };
  const record = TYPES[type]?.(found);
  return record === undefined ? { unknown: undefined } : { record: record as HookRecord };
}

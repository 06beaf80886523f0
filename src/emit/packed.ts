import type { FireRecord, HandlerRecord, HookRecord, HookResponse, HookStarted } from './record.js';

/** Records, and the text of JSON that they were parsed from (`packed`, if there are several). */
export interface PackedLine {
  readonly records: readonly HookRecord[];
  readonly text: string;
}

/**
 * The records of a fire as one object, about three fifths as long in JSON: fields that hook records share with the fire's record are kept once.
 * Lossless: `unpacked` returns records equal to the originals.
 */
export interface PackedFire {
  /** The `hook_name` of all its hook records: `PreToolUse:Bash`. */
  readonly hook_name: string;
  /** Ordered by `seq`, without gaps; the fire's own record has the next number. */
  readonly runs: readonly PackedRun[];
  readonly fire: FireRecord;
}

/** `handler`: its index in the fire's list. `time`: 0 if it equals the fire's. `rest`: fields that neither the tuple nor the fire's record has. */
type PackedStart = readonly [handler: number, time: string | 0, hook_id: string, uuid: string, rest?: Rest];
type PackedEnd = readonly [
  ...run: readonly [handler: number, time: string | 0, hook_id: string, uuid: string],
  outcome: HookResponse['outcome'],
  /** null: equal to `duration_ms` in the fire's list. */
  duration: number | null,
  stdout: string,
  stderr: string,
  output: string,
  rest?: Rest,
];
type PackedRun = PackedStart | PackedEnd;
type Rest = Readonly<Record<string, unknown>>;
type RunRecord = HookStarted | HookResponse;

/** Ids from one process share their first `COMMON` characters; the last `OWN` differ. */
const COMMON = 24;
const OWN = 12;
const SAID =
  'seq time host_id type subtype hook_id hook_name hook_event uuid session_id fire_id scope handler handler_id name source tool_use_id agent_id plugin';
/** Fields that the fire's record has, or that are elements of the tuple. */
const STARTED: ReadonlySet<string> = new Set(SAID.split(' '));
const RESPONSE: ReadonlySet<string> = new Set([...STARTED, 'stdout', 'stderr', 'output', 'outcome', 'duration_ms']);

/** The records in order; hook records directly before their fire's record are packed with it into one item. */
export function packed(records: readonly HookRecord[]): readonly (HookRecord | PackedFire)[] {
  const items: (HookRecord | PackedFire)[] = [];
  for (const record of records) {
    if (record.type !== 'hook_fire') {
      items.push(record);
      continue;
    }
    const runs: PackedRun[] = [];
    let name: string | undefined;
    let place = 0;
    for (let seq = record.seq - 1; ; seq--) {
      const before = items.at(-1);
      if (before === undefined || !isRunOf(before, record, seq) || (name ?? before.hook_name) !== before.hook_name)
        break;
      place = placeOf(before, record.handlers, place);
      const run = runIn(before, record, place);
      if (run === undefined) break;
      name = before.hook_name;
      runs.push(run);
      items.pop();
    }
    items.push(name === undefined ? record : { hook_name: name, runs: runs.reverse(), fire: record });
  }
  return items;
}

/** The records of an item: those that were packed, or the record itself. Throws if it is neither. */
export function unpacked(item: HookRecord | PackedFire): readonly HookRecord[] {
  if ('type' in item || !('runs' in item)) return [item];
  const { hook_name, runs, fire } = item;
  const first = fire.seq - runs.length;
  return [...runs.map((run, i) => recordOf(run, fire, hook_name, first + i)), fire];
}

/** Whether this is a hook's record whose shared fields equal those of the fire's record, so that they can be left out. */
function isRunOf(record: HookRecord | PackedFire, fire: FireRecord, seq: number): record is RunRecord {
  return (
    'type' in record &&
    record.seq === seq &&
    record.type === 'system' &&
    (record.subtype === 'hook_started' || record.subtype === 'hook_response') &&
    typeof record.time === 'string' &&
    typeof record.hook_name === 'string' &&
    record.fire_id === fire.fire_id &&
    record.host_id === fire.host_id &&
    record.hook_event === fire.event &&
    record.session_id === fire.session_id &&
    record.scope === fire.scope &&
    record.tool_use_id === fire.tool_use_id &&
    record.agent_id === fire.agent_id &&
    isId(record.hook_id) &&
    isId(record.uuid)
  );
}

/** An id of the length `OWN` would be read back as a shortened one. */
const isId = (value: unknown): boolean => typeof value === 'string' && value.length !== OWN;

/** The index of the record's handler in the fire's list. Looks first at `near`, the index for the record after it, and the one before. */
function placeOf({ handler_id: id }: RunRecord, handlers: readonly HandlerRecord[], near: number): number {
  if (handlers[near]?.id === id) return near;
  if (handlers[near - 1]?.id === id) return near - 1;
  return handlers.findLastIndex((one) => one.id === id);
}

function runIn(record: RunRecord, fire: FireRecord, place: number): PackedRun | undefined {
  const handler = fire.handlers[place];
  if (
    handler === undefined ||
    record.name !== handler.name ||
    record.handler !== handler.handler ||
    record.plugin !== handler.plugin ||
    !(record.source === handler.source || JSON.stringify(record.source) === JSON.stringify(handler.source))
  )
    return undefined;
  const time = record.time === fire.time ? 0 : record.time;
  const hookId = short(record.hook_id, fire.fire_id);
  const uuid = short(record.uuid, fire.fire_id);
  const rest = restOf(record);
  if (record.subtype === 'hook_started')
    return rest === undefined ? [place, time, hookId, uuid] : [place, time, hookId, uuid, rest];
  const { outcome, duration_ms, stdout, stderr, output } = record;
  // If one were missing, the tuple would hold another field's value in its place.
  for (const one of [outcome, stdout, stderr, output]) if (typeof one !== 'string') return undefined;
  if (typeof duration_ms !== 'number') return undefined;
  const duration = duration_ms === handler.duration_ms ? null : duration_ms;
  return rest === undefined
    ? [place, time, hookId, uuid, outcome, duration, stdout, stderr, output]
    : [place, time, hookId, uuid, outcome, duration, stdout, stderr, output, rest];
}

/** Fields that are not in the tuple or in the fire's record. */
function restOf(record: RunRecord): Rest | undefined {
  const said = record.subtype === 'hook_started' ? STARTED : RESPONSE;
  for (const key in record)
    if (!said.has(key)) return Object.fromEntries(Object.entries(record).filter(([other]) => !said.has(other)));
  return undefined;
}

function short(id: string, fireId: string): string {
  return id.length === COMMON + OWN && fireId.length === COMMON + OWN && id.startsWith(fireId.slice(0, COMMON))
    ? id.slice(COMMON)
    : id;
}

function recordOf(run: PackedRun, fire: FireRecord, hookName: string, seq: number): HookRecord {
  const [place, time, hookId, uuid] = run;
  const of = fire.handlers[place] as HandlerRecord;
  const long = (own: string): string => (own.length === OWN ? fire.fire_id.slice(0, COMMON) + own : own);
  const isEnd = run.length > 5;
  const record: Record<string, unknown> = {
    seq,
    time: time === 0 ? fire.time : time,
    host_id: fire.host_id,
    type: 'system',
    subtype: isEnd ? 'hook_response' : 'hook_started',
    hook_id: long(hookId),
    hook_name: hookName,
    hook_event: fire.event,
    uuid: long(uuid),
    session_id: fire.session_id,
    fire_id: fire.fire_id,
    scope: fire.scope,
    handler: of.handler,
    handler_id: of.id,
    name: of.name,
    source: of.source,
  };
  if (fire.host_id === undefined) delete record['host_id'];
  if (isEnd) {
    const [, , , , outcome, duration, stdout, stderr, output] = run as PackedEnd;
    record['stdout'] = stdout;
    record['stderr'] = stderr;
    record['output'] = output;
    record['outcome'] = outcome;
    record['duration_ms'] = duration ?? of.duration_ms;
  }
  if (fire.tool_use_id !== undefined) record['tool_use_id'] = fire.tool_use_id;
  if (fire.agent_id !== undefined) record['agent_id'] = fire.agent_id;
  if (of.plugin !== undefined) record['plugin'] = of.plugin;
  const rest = (isEnd ? run[9] : run[4]) as Rest | undefined;
  return (rest === undefined ? record : { ...record, ...rest }) as unknown as HookRecord;
}

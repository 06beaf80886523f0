import type { FireRecord, HookRecord, HookResponse } from '../../emit/record.js';
import { HookscopeError } from '../../errors.js';
import { plainJson } from '../../plain.js';
import type { RecordStore } from '../../store/store.js';
import { wrongOption } from '../../values/options.js';
import { answerFor, answerText } from '../../why/answer.js';
import { type CallFound, callOf } from '../../why/calls.js';
import { hasRun, isMeant, isShadow, strength } from '../../why/meaning.js';
import { findForEach, type OtherFires } from '../../why/other-fires.js';
import { callRecords, whatBecame } from '../../why/ran.js';
import type { Flags } from '../options.js';
import type { Terminal } from '../terminal.js';
import { sameStore } from './again.js';
import { DeciderNames } from './deciders.js';
import { type FilterFlags, type RecordFilter, readFilter } from './filter.js';
import { isIdLike, recordLine, shortId } from './line.js';
import { type MaskFlags, maskedName, maskOf, type RecordMask } from './masked.js';
import { type StoreFlags, withStore } from './open.js';

type WhyFlags = StoreFlags & FilterFlags & MaskFlags & Flags<'json'>;

/** The fires that are asked about, and what is kept of their call. */
interface SelectedFires {
  readonly fires: readonly FireRecord[];
  readonly found: CallFound;
}

export async function whyCommand(args: readonly string[], flags: WhyFlags, terminal: Terminal): Promise<number> {
  const what = args[0] as string;
  if (what.trim() === '') throw wrongOption('why', 'expected the id of a fire or a call, or last, got nothing');
  const { hook, ...rest } = flags;
  const mask = maskOf(flags);
  const filter = readFilter(rest);
  const isChosen = CHOOSING.some((key) => flags[key] !== undefined);
  return withStore(flags, terminal, async (store) => {
    await filter.checkEvent(store);
    const isLast = what === 'last';
    if (!isLast) await filter.learnFrom(store, terminal.signal);
    const chosen = isChosen ? filter : undefined;
    const ids = isLast ? await lastOf(store, filter, hook) : await idsLike(store, what, chosen);
    const [id] = ids;
    if (id === undefined) {
      const isThere = !isLast && isChosen && (await idsLike(store, what, undefined)).length > 0;
      const options = { isThere, isChosen: isChosen || hook !== undefined, records: sameStore(flags) };
      throw notFound(what, store, options);
    }
    if (ids.length > 1) return listCandidates(what, ids, { mask, terminal });
    const { fires, found } = await recordsOf(store, id, { hook, mask, chosen, shadow: flags.shadow });
    const all = [...found.before, ...found.records, ...found.after];
    if (found.others > 0 && id.fire === undefined)
      terminal.tell(otherCalls(mask.text(id.toolUse ?? what), found, isChosen));
    for (const record of all) filter.match(record);
    const outcome = all.some(({ type }) => type !== 'hook_fire') || isCall(fires) ? whatBecame(found) : [];
    const elsewhere = await findForEach(store, fires, hook, mask.text);
    const ends = await endsOf(store, fires, mask);
    for (const [i, fire] of fires.entries()) {
      const otherFires = elsewhere.get(fire) as OtherFires;
      const last = i === fires.length - 1;
      const facts = {
        agent: mask.text(filter.agentOf(fire)),
        hook,
        otherFires,
        outcome: last ? outcome : [],
        calls: found.records.includes(fire) ? callRecords(found.records).calls : [],
        ends: ends.filter(({ fire_id }) => fire_id === fire.fire_id),
        records: mask.text(sameStore(flags)),
      };
      const answer = answerFor(fire, facts);
      if (flags.json) await terminal.print(plainJson(answer));
      else await terminal.print(`${i === 0 ? '' : '\n'}${answerText(answer, { hook })}`);
    }
    if (fires.length > 0) return 0;
    if (flags.json) await terminal.print(plainJson({ tool_use_id: mask.text(id.toolUse ?? what), outcome }));
    else
      for (const line of [...all.map((record) => mask.text(lineOf(record, filter, terminal))), ...outcome])
        await terminal.print(line);
    return 0;
  });
}

const isCall = (fires: readonly FireRecord[]): boolean => fires.some((fire) => fire.tool_use_id !== undefined);

/** The options that choose among fires; `--hook` says instead which hook the answer is about. */
const CHOOSING = ['since', 'until', 'event', 'agent', 'slow', 'blocked', 'unanswered', 'alarms', 'shadow'] as const;

/** How the fires that were asked about are identified. */
interface FireIds {
  readonly fire?: string;
  readonly toolUse?: string;
  /** The newest record with that id. */
  readonly newest: HookRecord;
  /** The name of the hook that decided about that call, where it is known. */
  readonly decider?: string | undefined;
}

/** The newest fire, call or alarm that the options let through. */
async function lastOf(store: RecordStore, filter: RecordFilter, hook: string | undefined): Promise<FireIds[]> {
  const open: HookRecord[] = [];
  for await (const record of store.records({ ...filter.query, newest: true })) {
    const match = filter.match(record);
    if (match === 'no' || !concerns(record, hook)) continue;
    if (match === 'maybe') open.push(record);
    else return [idOf(open.find((earlier) => filter.match(earlier) === 'yes') ?? record)];
  }
  return [];
}

/** Whether the record lists the hook, even if the hook did not run. */
function concerns(record: HookRecord, hook: string | undefined): boolean {
  if (hook === undefined) return true;
  return record.type === 'hook_fire' && record.handlers.some((handler) => isMeant(handler, hook));
}

function idOf(record: HookRecord): FireIds {
  if (record.type === 'hook_fire') return { fire: record.fire_id, newest: record };
  return { toolUse: (record as { tool_use_id?: string }).tool_use_id ?? '', newest: record };
}

/** At most this many candidates are listed. */
const MOST = 20;

/** The fire or call with exactly this id, else all whose ids match it as a shortened one. `chosen`: only those that this filter lets through. */
async function idsLike(store: RecordStore, what: string, chosen: RecordFilter | undefined): Promise<FireIds[]> {
  const query = { ...chosen?.query, types: ABOUT, newest: true };
  const first = chosen === undefined ? { limit: 1 } : {};
  const isWanted = (record: HookRecord): boolean => chosen === undefined || chosen.match(record) === 'yes';
  let isExact = false;
  // A shortened id cannot match exactly.
  for (const exact of /\.\.|…/.test(what) ? [] : [{ fire: what }, { toolUse: what }]) {
    for await (const record of store.records({ ...query, ...exact, ...first })) {
      isExact = true;
      if (isWanted(record)) return [{ ...exact, newest: record }];
    }
  }
  if (isExact) return [];
  const found = new Map<string, FireIds>();
  const deciders = new DeciderNames();
  for await (const record of store.records(query)) {
    deciders.learn(record, true);
    if (!isWanted(record)) continue;
    const { fire_id: fire, tool_use_id: toolUse } = record as { fire_id?: string; tool_use_id?: string };
    if (toolUse !== undefined && isIdLike(toolUse, what)) put(`call ${toolUse}`, { toolUse, newest: record });
    else if (record.type === 'hook_fire' && fire !== undefined && isIdLike(fire, what))
      put(`fire ${fire}`, { fire, newest: record });
    if (found.size >= MOST) break;
  }
  return [...found.values()].map((ids) => ({ ...ids, decider: deciders.nameFor(ids.newest) }));

  function put(key: string, id: FireIds): void {
    if (!found.has(key)) found.set(key, id);
  }
}

const ABOUT: readonly HookRecord['type'][] = ['hook_fire', 'tool_call', 'hook_alarm'];

async function listCandidates(
  what: string,
  ids: readonly FireIds[],
  { mask, terminal }: { readonly mask: RecordMask; readonly terminal: Terminal },
): Promise<number> {
  const filter = readFilter({});
  terminal.tell(`${what} may be ${ids.length >= MOST ? `${MOST} or more` : ids.length}:`);
  for (const { fire, toolUse, newest, decider } of ids) {
    const line = lineOf(mask.record(newest), filter, terminal, maskedName(decider, mask));
    await terminal.print(`${fire === undefined ? mask.text(toolUse ?? '') : shortId(fire)}  ${line}`);
  }
  return 1;
}

function lineOf(record: HookRecord, filter: RecordFilter, { color }: Terminal, decider?: string): string {
  return recordLine(record, { color, agent: filter.agentOf(record), decider });
}

interface Choice {
  readonly hook: string | undefined;
  readonly mask: RecordMask;
  readonly chosen: RecordFilter | undefined;
  readonly shadow: true | undefined;
}

/** One fire, or all fires of a call, with every record under its id in the same session. */
async function recordsOf(
  store: RecordStore,
  { fire, toolUse, newest }: FireIds,
  { hook, mask, chosen, shadow }: Choice,
): Promise<SelectedFires> {
  const call = toolUse ?? (newest as { tool_use_id?: string }).tool_use_id;
  const { session_id: session } = newest as { session_id?: string };
  const kept: HookRecord[] = [];
  if (call !== undefined)
    for await (const record of store.records({ types: ABOUT, toolUse: call, session })) kept.push(record);
  const isNewest = ({ host_id, seq, time }: HookRecord): boolean =>
    host_id === newest.host_id && seq === newest.seq && time === newest.time;
  const own = kept.find(isNewest) ?? newest;
  if (own === newest) kept.push(newest);
  const of = callOf(kept, own);
  const masked = (records: readonly HookRecord[]) => records.map((record) => mask.record(record));
  const found = { ...of, before: masked(of.before), records: masked(of.records), after: masked(of.after) };
  // Real and hypothetical decisions are never shown in one list.
  const isHypothetical = shadow === true || (fire !== undefined && isShadow(newest));
  const fires = [...found.before, ...found.records, ...found.after]
    .filter((record) => record.type === 'hook_fire')
    .filter((record) => isShadow(record) === isHypothetical);
  if (fire !== undefined) return { found, fires: fires.filter((one) => one.fire_id === fire) };
  // If the options chose a denied call or an alarm, all fires of that call explain it.
  const isOfFires = chosen !== undefined && newest.type === 'hook_fire';
  const meant = isOfFires ? fires.filter((one) => chosen.match(one) === 'yes') : fires;
  return { found, fires: strictestFirst(telling(meant, hook)) };
}

/**
 * In the order of time, but of several fires of one event the strictest first: the agent obeys that one. A fire that was rejected comes before
 * hookscope's own answer for it.
 */
function strictestFirst(fires: readonly FireRecord[]): FireRecord[] {
  const first = (fire: FireRecord): number => fires.findIndex(({ event }) => event === fire.event);
  const rank = (fire: FireRecord): number => (fire.error === undefined ? -strength(fire) : Number.NEGATIVE_INFINITY);
  return fires.toSorted((a, b) => first(a) - first(b) || Math.sign(rank(a) - rank(b)) || 0);
}

/** How the fires' background hooks ended. The store is read once for all fires. */
async function endsOf(store: RecordStore, fires: readonly FireRecord[], mask: RecordMask): Promise<HookResponse[]> {
  const ends: HookResponse[] = [];
  const ids = new Set(
    fires.flatMap(({ handlers, fire_id: id }) => (handlers.some(({ status }) => status === 'background') ? [id] : [])),
  );
  if (ids.size === 0) return ends;
  const [fire] = ids.size === 1 ? ids : [];
  for await (const record of store.records({ types: ['system'], ...(fire === undefined ? {} : { fire }) }))
    if (record.type === 'system' && record.subtype === 'hook_response' && ids.has(record.fire_id))
      ends.push(mask.record(record));
  return ends;
}

/** The most denials that are named. */
const NAMED = 3;

/** Says that other calls have the id too, and which of them were denied, since a denial is what is mostly asked about. */
function otherCalls(what: string, { others, denials = [] }: CallFound, isChosen: boolean): string {
  const latest = isChosen ? 'latest record that the options choose' : 'latest record';
  const ids = denials.slice(-NAMED).map(({ fire_id: fire }) => shortId(fire));
  const denied = ids.length === 0 ? '' : `; denied: ${ids.join(', ')}${denials.length > ids.length ? ' …' : ''}`;
  return `${others} more ${others === 1 ? 'call has' : 'calls have'} the id ${what}; this is the one that the ${latest} is about. For another, give the id of one of its fires${denied}`;
}

/** A call's fires in which hooks were asked, or in which the given hook could have been. */
function telling(fires: readonly FireRecord[], hook: string | undefined): readonly FireRecord[] {
  // If hookscope itself answered, the fire that failed before that belongs to the answer.
  const isOwn = fires.some(({ unanswered }) => unanswered !== undefined);
  const some = fires.filter(({ handlers, unanswered, error }) =>
    hook === undefined
      ? handlers.some(hasRun) || unanswered !== undefined || (isOwn && error !== undefined)
      : handlers.some((handler) => isMeant(handler, hook)),
  );
  if (some.length > 0) return some;
  // The fire that hookscope itself answered says why no hook was asked.
  const own = fires.filter(({ unanswered }) => unanswered !== undefined);
  return (own.length > 0 ? own : fires).slice(0, 1);
}

function notFound(
  what: string,
  store: RecordStore,
  { isThere, isChosen, records }: { readonly isThere: boolean; readonly isChosen: boolean; readonly records: string },
): HookscopeError {
  const other = isThere
    ? `holds ${what}, but nothing of it matches the options`
    : `holds no fire and no call with the id ${what}; hookscope history${records} lists them`;
  return new HookscopeError('FILE', {
    file: store.place,
    problem: what === 'last' ? `holds no fire, call or alarm${isChosen ? ' that matches the options' : ''}` : other,
  });
}

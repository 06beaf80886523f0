import { isDeepStrictEqual } from 'node:util';
import { builtInOf } from '../agents/rows.js';
import { subjectOf } from '../agents/subjects.js';
import type { AgentTable } from '../agents/table.js';
import { clip } from '../plain.js';
import { isObject, type Json } from '../values/shape.js';
import { isOurs, nameOf } from './ours.js';
import { handlersIn, type SettingsHandler } from './settings-text.js';

/** A hook as connect has written it for an event. */
export interface WrittenHook {
  readonly event: string;
  /** Absent: it is only known that the event has one. */
  readonly handler?: SettingsHandler;
}

/** What became of a hook. The text is `before`, the hook with its event, and `after` for one hook or for several. */
interface Change {
  readonly event: string;
  readonly before: string;
  readonly after: string;
  readonly afterAll?: string;
}

/** A handler in the list of an event, with the other keys of its group. */
interface SettingsHook {
  readonly handler: SettingsHandler;
  readonly group: Json;
}

/** Keys that only describe a hook or are shown while it runs, in a handler and in a group. */
const SHOWN = ['statusMessage', 'description'];
/** The most characters of a value that are shown. */
const LONGEST = 160;
/** The most events that are named one by one. */
const NAMED = 3;

/** What of the written hooks is no longer in the settings, or no longer so. Each text follows the file's name. */
export function changesOf(table: AgentTable, settings: Json, written: readonly WrittenHook[]): string[] {
  const names = new Set(written.flatMap(({ handler }) => (handler === undefined ? [] : [nameOf(handler)])));
  const changes = written.flatMap((hook) => changesIn(table, settings, hook, names));
  const alike = new Map<string, Change[]>();
  for (const change of changes) {
    const key = JSON.stringify([change.before, change.after]);
    alike.set(key, [...(alike.get(key) ?? []), change]);
  }
  return [...alike.values()].map(sentence);
}

function sentence(changes: readonly Change[]): string {
  const [{ before, after, afterAll = after }] = changes as [Change];
  const events = [...new Set(changes.map(({ event }) => event))];
  const more = events.length - NAMED;
  const named = more > 1 ? [...events.slice(0, NAMED), `${more} more events`] : events;
  const last = named.at(-1) as string;
  const list = named.length === 1 ? last : `${named.slice(0, -1).join(', ')} and ${last}`;
  return `${before} hookscope's ${events.length === 1 ? `hook on ${list}${after}` : `hooks on ${list}${afterAll}`}`;
}

function changesIn(
  table: AgentTable,
  settings: Json,
  { event, handler: hook }: WrittenHook,
  names: ReadonlySet<string>,
): Change[] {
  const list = listed(table, settings, event);
  if (hook === undefined)
    return list.some(({ handler }) => isOurs(handler)) ? [] : [{ event, before: 'lacks', after: '' }];
  const exact = list.filter(({ handler }) => nameOf(handler) === nameOf(hook));
  const [best] = exact
    .map((one) => changesOfOne(table, event, hook, one))
    .sort((one, other) => one.length - other.length);
  if (best !== undefined) return best;
  const altered = list.find(({ handler }) => !names.has(nameOf(handler)) && resembles(hook, handler));
  if (altered !== undefined)
    return [alteration(event, nameOf(hook), nameOf(altered.handler)), ...changesOfOne(table, event, hook, altered)];
  return [missing(table, event, placeOf(settings, nameOf(hook)))];
}

/** The handlers that the agent runs on an event: in its groups, or in its list. */
function listed({ files }: AgentTable, { hooks }: Json, event: string): SettingsHook[] {
  const list = isObject(hooks) ? hooks[event] : undefined;
  return (Array.isArray(list) ? list : []).filter(isObject).flatMap((entry): SettingsHook[] => {
    if (files.shape === 'flat') return [{ handler: entry, group: {} }];
    if (!Array.isArray(entry['hooks'])) return [];
    const { hooks: _, ...group } = entry;
    return handlersIn(entry).map((handler) => ({ handler, group }));
  });
}

function changesOfOne(
  table: AgentTable,
  event: string,
  hook: SettingsHandler,
  { handler, group }: SettingsHook,
): Change[] {
  const around = Object.entries(group).flatMap(([key, value]): Change[] => {
    if (SHOWN.includes(key) || key === 'sequential' || (key === 'matcher' && isForAll(table, event, value))) return [];
    const after = key === 'matcher' ? ', which is no longer asked about everything' : NOT_WRITTEN;
    const afterAll = key === 'matcher' ? ', which are no longer asked about everything' : NOT_WRITTEN;
    return [{ event, before: `has ${shown(key, value)} around`, after, afterAll }];
  });
  const keys = new Set([...Object.keys(hook), ...Object.keys(handler)]);
  for (const key of ['command', 'url', table.files.timeout.key, ...SHOWN]) keys.delete(key);
  const own = [...keys].flatMap((key): Change[] => {
    const [was, is] = [hook[key], handler[key]];
    if (isDeepStrictEqual(was, is) || (key === 'matcher' && is !== undefined && isForAll(table, event, is))) return [];
    if (is === undefined) return [{ event, before: `lacks ${shown(key, was)} in`, after: '' }];
    // Headers hold a token.
    if (key === 'headers') return [{ event, before: 'has other "headers" in', after: ' than connect wrote' }];
    const before = `has ${shown(key, is)} in`;
    return [{ event, before, after: was === undefined ? NOT_WRITTEN : `, where connect wrote ${clipped(was)}` }];
  });
  return [...around, ...own, ...impatience(table, event, hook, handler)];
}
/** Whether a matcher narrows nothing: it matches all, or the event has nothing that a matcher is compared with. */
function isForAll(table: AgentTable, event: string, matcher: unknown): boolean {
  if (typeof matcher === 'string' && FOR_ALL.test(matcher)) return true;
  const row = table.events.find(({ name }) => name === event);
  if (row === undefined) return false;
  return table.runs === undefined ? builtInOf(row)?.subject === undefined : subjectOf(table, event) === undefined;
}

/** What fits in every name, as it may stand alone, in parentheses, or as one alternative of several: `.*`, `^`, `\S+`. */
const EVERY = String.raw`(?:\^?(?:\.|\\S)[*+]\$?|\^)`;
const FOR_ALL = new RegExp(String.raw`^(?:\*?|(?:[\w|]+\|)?(?:${EVERY}|\((?:\?:)?${EVERY}\))(?:\|[\w|]+)?)$`);
const NOT_WRITTEN = ', which connect did not write';

/** A time limit that is shorter than what was written. */
function impatience(table: AgentTable, event: string, hook: SettingsHandler, handler: SettingsHandler): Change[] {
  const { title, files } = table;
  const { key } = files.timeout;
  const [given, needed] = [secondsIn(table, handler), secondsIn(table, hook)];
  if (key in handler && typeof handler[key] !== 'number')
    return [{ event, before: `has ${shown(key, handler[key])} in`, after: `, where connect wrote ${hook[key]}` }];
  if (given >= needed) return [];
  const after = (whose: string): string =>
    `, but ${whose} written for ${needed}: ${title} would go on without ${whose === 'it was' ? 'its answer' : 'their answers'}`;
  return [{ event, before: `gives ${given} s to`, after: after('it was'), afterAll: after('they were') }];
}

function secondsIn({ files }: AgentTable, handler: SettingsHandler): number {
  const { key, unit, usual } = files.timeout;
  const given = handler[key];
  const number = typeof given === 'number' ? given : usual;
  return unit === 'ms' ? number / 1000 : number;
}

/** Whether a handler is a written one with another command or address. */
function resembles(hook: SettingsHandler, handler: SettingsHandler): boolean {
  if (isOurs(handler)) return true;
  if (isObject(hook['headers']) && isDeepStrictEqual(hook['headers'], handler['headers'])) return true;
  const words = new Set(nameOf(hook).split(' '));
  const shared = new Set(
    nameOf(handler)
      .split(' ')
      .filter((word) => words.has(word)),
  );
  return shared.size > words.size / 2;
}

function alteration(event: string, was: string, is: string): Change {
  const change = { event, before: 'has an altered command in' };
  if (is.startsWith(was)) {
    const said = cut(is.slice(was.length).trim());
    return {
      ...change,
      after: `: behind what connect wrote it says ${said}`,
      afterAll: `: behind what connect wrote they say ${said}`,
    };
  }
  const [from, to] = [was.split(' '), is.split(' ')];
  while (from.length > 0 && from[0] === to[0]) for (const words of [from, to]) words.shift();
  while (from.length > 0 && from.at(-1) === to.at(-1)) for (const words of [from, to]) words.pop();
  const [gone, instead] = [cut(from.join(' ')), cut(to.join(' '))];
  if (to.length === 0) return { ...change, after: `: it leaves out ${gone}`, afterAll: `: they leave out ${gone}` };
  const place = from.length === 0 ? ', which connect did not write' : ` instead of ${gone}`;
  return { ...change, after: `: it says ${instead}${place}`, afterAll: `: they say ${instead}${place}` };
}

/** `place`: the keys under which it is now. */
function missing({ title }: AgentTable, event: string, place: readonly string[] | undefined): Change {
  const change = { event, before: 'no longer has' };
  if (place === undefined) return { ...change, after: ': it was taken out', afterAll: ': they were taken out' };
  const [top, now, ...deeper] = place;
  const isEvent = top === 'hooks' && now !== undefined && deeper.length === 0;
  const where =
    isEvent && now !== event
      ? `under ${cut(now)}`
      : `${isEvent ? `inside something else under ${event}` : `under ${cut((place.at(-1) === event ? place.slice(0, -1) : place).join('.'))}`}, where ${title} reads no hooks`;
  return { ...change, after: `: it stands ${where}`, afterAll: `: they stand ${where}` };
}

/** The keys down to the first list on the way to a handler. */
function placeOf(value: unknown, name: string): string[] | undefined {
  if (Array.isArray(value)) return value.some((one) => placeOf(one, name) !== undefined) ? [] : undefined;
  if (!isObject(value)) return undefined;
  if (value['command'] === name || value['url'] === name) return [];
  for (const [key, inner] of Object.entries(value)) {
    const place = placeOf(inner, name);
    if (place !== undefined) return [key, ...place];
  }
  return undefined;
}

const cut = (text: string): string => clip(text, LONGEST);
const clipped = (value: unknown): string => cut(JSON.stringify(value));
const shown = (key: string, value: unknown): string => `${JSON.stringify(key)}: ${clipped(value)}`;

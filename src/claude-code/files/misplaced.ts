import type { Path } from '../../files/json-file.js';
import { nearest, nearestSpelling } from '../../values/nearest.js';
import { isObject, isText, type Json } from '../../values/shape.js';
import type { Finding } from './findings.js';
import { HANDLER_KEYS } from './schema.js';
import {
  holdsGroups,
  isGroups,
  isHandlers,
  isLostGroups,
  isOfEvent,
  isWholeGroups,
  visibleName,
} from './unread-hooks.js';

/**
 * The parts of hooks in a frontmatter that stand where they are not read: at another depth, mostly because a line is indented by mistake, or below
 * a misspelt key. Claude Code passes over them, so a guard would be missing, or run for every tool. Hooks that stand as a whole below a key of the
 * author's own are data, and only a warning says that they do not run.
 */
export function misplacedIn(frontmatter: unknown, events: readonly string[]): Finding[] {
  const found: Finding[] = [];
  const hooks = isObject(frontmatter) ? frontmatter['hooks'] : undefined;
  const known = new Map<string | undefined, ReadonlySet<unknown>>();
  const usedBelow = (key: string): ReadonlySet<unknown> => {
    const event = events.includes(key) ? key : nearest(key, events);
    const used = known.get(event) ?? objectsIn(event === undefined || !isObject(hooks) ? hooks : hooks[event]);
    known.set(event, used);
    return used;
  };
  const look = (value: unknown, path: Path): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) look(item, [...path, i]);
    if (!isObject(value)) return;
    for (const [key, below] of Object.entries(value)) {
      if ((path[0] ?? key) !== 'hooks' && isUsed(below, usedBelow(key))) continue;
      const place: KeyPlace = { path, key, below, around: value, events };
      const finding = invisible(place) ?? (path[0] === 'hooks' ? withinHooks(place) : besideHooks(place));
      if (finding !== undefined) found.push(finding);
      else look(below, [...path, key]);
    }
  };
  look(frontmatter, []);
  return found;
}

/** The objects and lists in a value. Those that it has by an alias are the ones that stand behind the anchor. */
function objectsIn(value: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const below of Object.values(value)) objectsIn(below, found);
  return found;
}

/** Whether a value of another key, or all that is in it, is a part of the hooks by an alias, so that it runs: below a key that is an event, or nearly one, of the hooks of that event. */
const isUsed = (value: unknown, used: ReadonlySet<unknown>): boolean =>
  used.has(value) || (Array.isArray(value) && value.length > 0 && value.every((item) => used.has(item)));

/** A key of a frontmatter. */
interface KeyPlace {
  /** Of the object that has the key. */
  readonly path: Path;
  readonly key: string;
  readonly below: unknown;
  readonly around: Json;
  readonly events: readonly string[];
}

/** The lengths of the paths to a group (`hooks`, event, index) and to a handler (and `hooks`, index). */
const GROUP = 3;
const HANDLER = 5;

const OF_HANDLERS = new Set(Object.values(HANDLER_KEYS).flatMap((keys) => Object.keys(keys)));
const PARTS = new Set(['hooks', 'matcher', ...OF_HANDLERS]);
/** The keys of handlers that may be missing, and that no frontmatter has. */
const OPTIONAL = new Set(['if', 'timeout', 'onFailure', 'once', 'statusMessage', 'async', 'asyncRewake', 'headers']);

/** A key that looks like a part of hooks, and is another because of characters that cannot be seen, such as a no-break space before it. */
function invisible({ path, key, events }: KeyPlace): Finding | undefined {
  const name = visibleName(key);
  const isApart = path.length > 0 && path[0] !== 'hooks';
  if (name === key || isApart || isData(path) || !(PARTS.has(name) || events.includes(name))) return undefined;
  const message = 'has spaces, or characters that look like one or cannot be seen, so it is another key';
  return { rule: 'misplaced', level: 'error', path: [...path, key], message, nearest: name };
}

function withinHooks({ path, key, below, around, events }: KeyPlace): Finding | undefined {
  const at = [...path, key];
  if (path.length === 1) {
    if (events.includes(key) || !PARTS.has(key)) return undefined;
    if (isOption(key, below)) return lostOption(at);
    return misplaced(at, 'is a key of a group or a handler where an event was expected');
  }
  if (events.includes(key) && (isData(path) ? isLost(below) : path.length >= GROUP || isGroups(below)))
    return misplaced(at, OUTSIDE);
  if (path.length === GROUP && OF_HANDLERS.has(key) && isBehindHooks(key, around))
    return isOption(key, below) ? lostOption(at) : misplaced(at, 'is a key of a handler, and does nothing in a group');
  if (path.length !== HANDLER) return undefined;
  if (key === 'matcher') return misplaced(at, 'is a matcher outside of a group, so it does nothing');
  return key === 'hooks' ? misplaced(at, 'is a list of handlers within a handler, and none of them runs') : undefined;
}

const OUTSIDE = 'is an event outside of "hooks", so its hooks never run';

/** Data of a handler, such as the input of an MCP tool, may have the names of events; but there an event has no groups that are whole, or that have lost their hooks. */
const isData = (path: Path): boolean => path[0] === 'hooks' && path.length > HANDLER;
const isLost = (value: unknown): boolean => value === null || isLostGroups(value) || isWholeGroups(value);

/** A line of a handler that is indented too little comes behind the hooks of the group, and not before them. */
const isBehindHooks = (key: string, group: Json): boolean => {
  const keys = Object.keys(group);
  return keys.includes('hooks') && keys.indexOf('hooks') < keys.indexOf(key);
};

function besideHooks({ path, key, below, around, events }: KeyPlace): Finding | undefined {
  const at = [...path, key];
  const isTop = path.length === 0;
  if (isTop && key === 'hooks') return undefined;
  if (isOwnHooks(at, below, events)) return ownHooks(at);
  if (isTop && nearestSpelling(key, ['hooks']) !== undefined && holdsGroups(below, events))
    return misspelt(at, 'hooks');
  if (events.includes(key)) return isOfEvent(below) && !isServer(path, below) ? misplaced(at, OUTSIDE) : undefined;
  if (isTop && isBehind(key, around)) {
    if (key === 'matcher' && lacksMatcher(around['hooks']))
      return misplaced(at, 'is a matcher outside of a group, so it does nothing');
    if (OPTIONAL.has(key) && lacksOption(around['hooks'], key))
      return isOption(key, below) ? lostOption(at) : misplaced(at, 'is a key of a handler outside of it');
  }
  const names = ['hooks', ...events];
  const isNear = (one: unknown): boolean => isText(one) && nearest(one, names) !== undefined;
  if (!isWholeGroups(below) && !(isHandlers(below) && at.some(isNear))) return undefined;
  const near = isTop ? nearest(key, names) : undefined;
  if (near !== undefined) return misspelt(at, near);
  return isTop ? { ...ownHooks(at), message: 'holds hooks and is not "hooks", so none of them runs' } : ownHooks(at);
}

/** An MCP server, which looks like a handler of type `http`, may have the name of an event. */
const isServer = ([top]: Path, value: unknown): boolean =>
  top === 'mcpServers' && isObject(value) && value['type'] === 'http';

const isOwnHooks = ([top, ...path]: Path, value: unknown, events: readonly string[]): boolean =>
  path.length > 0 && !TEXTS.includes(top as string) && path.at(-1) === 'hooks' && holdsGroups(value, events);

/** The keys of a frontmatter that hold a text or a list, so that hooks below them are there by mistake. */
const TEXTS: readonly string[] = [
  ...['name', 'description', 'tools', 'disallowedTools', 'model', 'permissionMode', 'skills', 'memory', 'color'],
  ...['allowed-tools', 'disallowed-tools', 'argument-hint', 'arguments', 'context', 'agent', 'effort', 'when_to_use'],
];

const ownHooks = (path: Path): Finding => ({
  ...{ rule: 'unknown-key', level: 'warning', path },
  message: `stands below "${path[0]}", where hooks are not read; hooks that are to run stand at the top level`,
});

const misspelt = (path: Path, near: string): Finding => ({
  ...{ rule: 'misplaced', level: 'error', path, nearest: near },
  message: 'is not a known key, and none of what is under it runs',
});

const misplaced = (path: Path, what: string): Finding => ({
  ...{ rule: 'misplaced', level: 'error', path },
  message: `${what}; correct its indentation`,
});

/** An option of a handler that stands elsewhere, and nothing of the hooks with it: every hook runs as without the line. */
const isOption = (key: string, value: unknown): boolean => OPTIONAL.has(key) && ![...objectsIn(value)].some(isPart);
const isPart = (value: unknown): boolean =>
  Array.isArray(value) || (isObject(value) && Object.keys(value).some((key) => PARTS.has(key)));

const lostOption = (path: Path): Finding => ({
  ...{ rule: 'unknown-key', level: 'warning', path },
  message: 'is a key of a handler, and does nothing outside of it; if it belongs to one, correct its indentation',
});

/** Whether a key stands right behind the hooks. */
function isBehind(key: string, around: Json): boolean {
  const keys = Object.keys(around);
  return keys[keys.indexOf(key) - 1] === 'hooks';
}

const groupsOf = (hooks: unknown): Json[] =>
  Object.values(isObject(hooks) ? hooks : {})
    .flat()
    .filter(isObject);

const lacksMatcher = (hooks: unknown): boolean => groupsOf(hooks).some((group) => !Object.hasOwn(group, 'matcher'));

/** Whether the last handler, the only one that can have lost it, has no such key. */
function lacksOption(hooks: unknown, key: string): boolean {
  const handlers = groupsOf(hooks).at(-1)?.['hooks'];
  const last: unknown = Array.isArray(handlers) ? handlers.at(-1) : undefined;
  return isObject(last) && !Object.hasOwn(last, key);
}

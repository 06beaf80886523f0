import { CLAUDE_KINDS, keysOfKind } from '../../events/handler-kinds.js';
import { isObject, isText } from '../../values/shape.js';

const KINDS: readonly string[] = CLAUDE_KINDS;
const KEYS = CLAUDE_KINDS.flatMap(keysOfKind);

/** Whether a value is a list in which something may be a group. */
export const isGroups = (value: unknown): boolean =>
  Array.isArray(value) && value.some((group) => isObject(group) && Array.isArray(group['hooks']));

/** Whether a value is a list with a group that has lost its hooks: nothing is behind their key. */
export const isLostGroups = (value: unknown): boolean =>
  Array.isArray(value) && value.some((group) => isObject(group) && group['hooks'] === null);

/** Whether a value is a list with a group in which there is a handler. */
export const isWholeGroups = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.some((group) => isObject(group) && Array.isArray(group['hooks']) && group['hooks'].some(isHandler));

/** Whether a value is a list with a handler. Entries of type `http` are left out, because MCP servers have it too. */
export const isHandlers = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => isHandler(one) && one['type'] !== 'http');

/** Whether the value of an event, wherever it stands, is meant as its hooks, perhaps without the list or the groups around them. */
export const isOfEvent = (value: unknown): boolean =>
  isGroups(value) || [value].flat().some(isHandler) || isGroups([value]);

/** Whether a value is an object with groups by event. */
export const holdsGroups = (value: unknown, events: readonly string[]): boolean =>
  isObject(value) &&
  Object.entries(value).some(([key, below]) => events.includes(visibleName(key)) && isOfEvent(below));

const isHandler = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && KINDS.includes(value['type'] as string) && KEYS.some((key) => isText(value[key]));

/** A key without spaces, characters that look like one or cannot be seen, and a second colon. */
export const visibleName = (key: string): string => key.normalize('NFKC').replace(/[\p{Z}\p{Cf}\s]|:$/gu, '');

import type { Path } from '../../files/json-file.js';
import { nearestSpelling } from '../../values/nearest.js';
import { isObject, type Json } from '../../values/shape.js';
import type { Finding } from './findings.js';

/**
 * The events and matchers of a frontmatter that stand at another depth than those of its hooks, mostly because a line is indented by mistake.
 * Claude Code passes over them, so a guard would be missing, or run for every tool. Hooks that stand as a whole below a key of the author's own are
 * data, and only a warning says that they do not run.
 */
export function misplacedIn(frontmatter: unknown, events: readonly string[]): Finding[] {
  const found: Finding[] = [];
  const look = (value: unknown, path: Path): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) look(item, [...path, i]);
    if (!isObject(value)) return;
    for (const [key, below] of Object.entries(value)) {
      const at = [...path, key];
      if (isOwnHooks(at, below)) found.push(ownHooks(at));
      else if (at.length === 1 && isMisspelt(key, frontmatter, below)) found.push(misspelt(at));
      else if (isEventElsewhere(path, key, below))
        found.push(misplaced(at, 'is an event outside of "hooks", so its hooks never run'));
      else if (key === 'matcher' && isMatcherElsewhere(path, value))
        found.push(misplaced(at, 'is a matcher outside of a group, so it does nothing'));
      else look(below, at);
    }
  };
  // Data of a handler, such as the input of an MCP tool, may have such names; but only an event that has lost its groups has no value.
  const isEventElsewhere = (path: Path, key: string, below: unknown): boolean => {
    if (!events.includes(key) || (path.length === 1 && path[0] === 'hooks')) return false;
    return below === null ? path[0] === 'hooks' && path.length > 2 : isGroups(below) && !isData(path);
  };
  const holdsGroups = (value: unknown): boolean =>
    isObject(value) && Object.entries(value).some(([key, below]) => events.includes(key) && isGroups(below));
  const isOwnHooks = ([top, ...path]: Path, value: unknown): boolean =>
    path.length > 0 &&
    top !== 'hooks' &&
    !TEXTS.includes(top as string) &&
    path.at(-1) === 'hooks' &&
    holdsGroups(value);
  const isMisspelt = (key: string, around: unknown, value: unknown): boolean =>
    key !== 'hooks' &&
    isObject(around) &&
    !Object.hasOwn(around, 'hooks') &&
    nearestSpelling(key, ['hooks']) !== undefined &&
    holdsGroups(value);
  look(frontmatter, []);
  return found;
}

/** The keys of a frontmatter that hold a text or a list, so that hooks below them are there by mistake. */
const TEXTS: readonly string[] = [
  ...['name', 'description', 'tools', 'disallowedTools', 'model', 'permissionMode', 'skills', 'memory', 'color'],
  ...['allowed-tools', 'disallowed-tools', 'argument-hint', 'arguments', 'context', 'agent', 'effort', 'when_to_use'],
];

const ownHooks = (path: Path): Finding => ({
  ...{ rule: 'unknown-key', level: 'warning', path },
  message: `stands below "${path[0]}", where hooks are not read; hooks that are to run stand at the top level`,
});

const misspelt = (path: Path): Finding => ({
  ...{ rule: 'wrong-value', level: 'error', path, nearest: 'hooks' },
  message: 'is not a known key, and none of what is under it runs',
});

const misplaced = (path: Path, what: string): Finding => ({
  ...{ rule: 'wrong-value', level: 'error', path },
  message: `${what}; correct its indentation`,
});

const isGroups = (value: unknown): boolean =>
  Array.isArray(value) && value.some((group) => isObject(group) && Array.isArray(group['hooks']));

/** The length of a path to a handler: `hooks`, event, index, `hooks`, index. */
const HANDLER = 5;
const isData = (path: Path): boolean => path[0] === 'hooks' && path.length > HANDLER;

/** Whether a matcher here may be that of a group: it stands right behind hooks in which a group has none, or in `hooks`, but not in a group. */
function isMatcherElsewhere(path: Path, around: Json): boolean {
  if (path.length > 0) return path[0] === 'hooks' && (path.length === 1 || path.length === HANDLER);
  const keys = Object.keys(around);
  return keys[keys.indexOf('matcher') - 1] === 'hooks' && lacksMatcher(around['hooks']);
}

const lacksMatcher = (hooks: unknown): boolean =>
  Object.values(isObject(hooks) ? hooks : {})
    .flat()
    .some((group) => isObject(group) && !Object.hasOwn(group, 'matcher'));

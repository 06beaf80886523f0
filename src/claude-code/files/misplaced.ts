import type { Path } from '../../files/json-file.js';
import { isObject } from '../../values/shape.js';
import type { Finding } from './findings.js';

/**
 * The events and matchers of a frontmatter that stand at another depth than those of its hooks, mostly because a line is indented by mistake.
 * Claude Code passes over them, so a guard would be missing, or run for every tool.
 */
export function misplacedIn(frontmatter: unknown, events: readonly string[]): Finding[] {
  const found: Finding[] = [];
  const look = (value: unknown, path: Path): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) look(item, [...path, i]);
    if (!isObject(value)) return;
    for (const [key, below] of Object.entries(value)) {
      const at = [...path, key];
      const isEvent = events.includes(key) && !(path.length === 1 && path[0] === 'hooks');
      if (isEvent && (isGroups(below) || (below === null && isAbove(path))))
        found.push(misplaced(at, 'is an event outside of "hooks", so its hooks never run'));
      else if (key === 'matcher' && isAbove(path) && path.length !== 3)
        found.push(misplaced(at, 'is a matcher outside of a group, so it does nothing'));
      else look(below, at);
    }
  };
  look(frontmatter, []);
  return found;
}

const misplaced = (path: Path, what: string): Finding => ({
  ...{ rule: 'wrong-value', level: 'error', path },
  message: `${what}; correct its indentation`,
});

const isGroups = (value: unknown): boolean =>
  Array.isArray(value) && value.some((group) => isObject(group) && Array.isArray(group['hooks']));

/** Whether a path leads to the frontmatter itself, to its `hooks`, or to a group or a handler in them. */
const isAbove = (path: Path): boolean =>
  path.length === 0 || (path[0] === 'hooks' && path.length <= 5 && path.length % 2 === 1);

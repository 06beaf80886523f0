import { resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { otherName } from '../events/other-names.js';
import { parseOwnJson, readNamedText } from '../files/json-file.js';
import { ENFORCE } from '../host/options.js';
import { enforcedShare } from '../host/register/enforce.js';
import type { Hooks } from '../host/types.js';
import { nearest, nearestSpelling } from '../values/nearest.js';
import { checkOption } from '../values/options.js';
import { FILLED, isObject } from '../values/shape.js';

/** The keys that a file with `hooks` may have. */
const BESIDE = ['hooks', '$schema', 'description', 'enforce'];

/**
 * Reads hooks from a JSON file: `{ "hooks": { "PreToolUse": [ … ] } }`, or the events at the top level. Handlers are objects such as
 * `{ "type": "command", "command": "./guard.sh" }`. The hooks have the same meaning as in code (globs as matchers, series). Wrong
 * events and handlers are reported when the hooks are registered.
 *
 * ```ts
 * host.register(await loadHooksFile('hooks.json'), { source: { kind: 'hooks-file', file: 'hooks.json' } });
 * ```
 * @throws HookscopeError INVALID_OPTIONS, FILE (with line and column if it is not valid JSON), INVALID_CONFIG
 */
export async function loadHooksFile(path: string): Promise<Hooks> {
  checkOption('loadHooksFile(path)', path, FILLED);
  const file = resolve(path);
  const content = await parseOwnJson(await readNamedText(file), file);
  return checkHooksFile(content, file);
}

/** Checks what is around the hooks in the content of a hooks file, and returns them. Throws INVALID_CONFIG with file and key. */
export function checkHooksFile(content: unknown, file: string): Hooks {
  if (!isObject(content)) throw wrong(file, '', 'expected an object of events, or { "hooks": { … } }');
  if (!('hooks' in content)) {
    const meant = misspeltHooks(content);
    if (meant !== undefined) throw wrong(file, meant, 'is not a known key', 'hooks');
    return content as Hooks;
  }
  for (const key of Object.keys(content)) {
    if (BESIDE.includes(key)) continue;
    const theirs = isObject(content['hooks'])
      ? Object.keys(content['hooks']).find((event) => otherName(event) !== undefined)
      : undefined;
    if (theirs !== undefined) throw wrong(file, `hooks.${theirs}`, `${otherName(theirs)}`);
    throw wrong(file, key, `is not a known key beside "hooks"${otherFile(key)}`, nearest(key, BESIDE));
  }
  if (!isObject(content['hooks'])) throw wrong(file, 'hooks', 'expected an object of events, { "PreToolUse": [ … ] }');
  return withEnforce(content['hooks'] as Hooks, content['enforce'], file);
}

/** The option for a file of another program, which has such a key. */
function otherFile(key: string): string {
  if (key === 'version') return "; for Cursor's or Copilot's own file use --from AGENT FILE";
  return SETTINGS.test(key) ? "; for Claude Code's settings use --settings" : '';
}

const SETTINGS = /^(permissions|env|model|enabledPlugins|statusLine|includeCoAuthoredBy)$/;

/** The key of a file that is meant to be `hooks`, if it has none. Events hold lists, so an object is not one of an event that has yet to be defined. */
const misspeltHooks = (content: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(content).find((key) => isObject(content[key]) && nearestSpelling(key, ['hooks']) !== undefined);

/** Applies the file's `enforce` to all its groups. */
function withEnforce(hooks: Hooks, enforce: unknown, file: string): Hooks {
  if (enforce === undefined) return hooks;
  if (!ENFORCE.accepts(enforce)) throw wrong(file, 'enforce', `expected ${ENFORCE.expected}`);
  const groups = Object.entries(hooks).map(([event, list]) => {
    if (!Array.isArray(list)) return [event, list];
    const lessOf = (group: unknown): unknown =>
      isObject(group)
        ? { ...group, enforce: enforcedShare([enforce as boolean | number, group['enforce'] as boolean | number]) }
        : group;
    return [event, list.map(lessOf)];
  });
  return Object.fromEntries(groups) as Hooks;
}

function wrong(file: string, where: string, expected: string, near?: string): HookscopeError {
  return new HookscopeError('INVALID_CONFIG', { file, where, expected, nearest: near });
}

import { expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { isHookscopeError } from '../../src/errors.js';
import { validateHooks } from '../../src/plugins/validate.js';
import { anyHooks, testHost } from './kit.js';

/** Hooks with every list and every object that registering takes. */
const whole = () => ({
  PreToolUse: [
    {
      matcher: 'Bash',
      before: ['one', 'two'],
      after: ['zero'],
      hooks: [
        () => undefined,
        { handler: () => undefined, name: 'mine' },
        { type: 'command', command: 'true', args: ['a', 'b'], env: { A: '1' } },
        { type: 'command', command: 'true', env: ['PATH', 'HOME'] },
        { type: 'http', url: 'https://example.org/', headers: { X: '$X' }, allowedEnvVars: ['X', 'Y'] },
        { type: 'mcp_tool', server: 's', tool: 't', input: { list: [1, { deep: ['x', null] }] } },
        { type: 'prompt', prompt: 'May it?' },
        { type: 'agent', prompt: 'May it?' },
        { type: 'rule', decision: 'deny', reason: 'no' },
      ],
    },
    { hooks: [() => undefined] },
  ],
  Stop: [{ hooks: [() => undefined] }],
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): [path: Path, value: object][] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, one]) =>
    pathsOf(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [[path, value], ...below];
}

/** The hooks, with the part at a path replaced. */
function withPart(path: Path, change: (part: never) => unknown, value: unknown = whole()): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value as never);
  const holder = value as Record<string | number, unknown>;
  holder[key] = withPart(rest, change, holder[key]);
  return holder;
}

const LISTS = pathsOf(whole()).filter(([, value]) => Array.isArray(value));
const OBJECTS = pathsOf(whole()).filter(([, value]) => !Array.isArray(value));

type Scope = ReturnType<Host['describe']>;
const hooksIn = ({ hooks, children }: Scope): number => children.reduce((sum, one) => sum + hooksIn(one), hooks.length);

const count = (hooks: unknown): number => {
  const { host } = testHost();
  host.register(anyHooks(hooks as never));
  return hooksIn(host.describe());
};

function refused(hooks: unknown): boolean {
  const { host } = testHost();
  try {
    host.register(anyHooks(hooks as never));
    return false;
  } catch (error) {
    const problems = validateHooks(hooks);
    return isHookscopeError(error) && hooksIn(host.describe()) === 0 && problems.length > 0;
  }
}

test('the hooks themselves are right', () => {
  expect(count(whole())).toBe(11);
  expect(validateHooks(whole())).toEqual([]);
});

test.each(LISTS.map(([path, list]) => [path.join('.'), path, (list as unknown[]).length] as const))(
  'a hole anywhere in the list %s is refused',
  (_, path, length) => {
    for (let at = 0; at <= length; at++) {
      const hole = (list: unknown[]): unknown[] => {
        const copy = list.slice(0, at);
        copy.length = at + 1;
        for (const one of list.slice(at)) copy.push(one);
        return copy;
      };
      expect([at, refused(withPart(path, hole as never))]).toEqual([at, true]);
    }
  },
);

test.each(OBJECTS.map(([path]) => [path.join('.') || 'hooks', path] as const))(
  'a symbol as a key of %s is refused',
  (_, path) => {
    expect(refused(withPart(path, (part: object) => Object.assign(part, { [Symbol('key')]: 1 })))).toBe(true);
  },
);

class OwnList extends Array {}

const ODD: Readonly<Record<string, (list: unknown[]) => unknown>> = {
  'an iterator that gives nothing': (list) => Object.assign(list, { *[Symbol.iterator]() {} }),
  'an iterator that is no function': (list) => Object.assign(list, { [Symbol.iterator]: undefined }),
  'an iterator that throws': (list) =>
    Object.assign(list, {
      [Symbol.iterator]() {
        throw new Error('no');
      },
    }),
  'methods of its own': (list) =>
    Object.assign(list, { map: () => [], flatMap: () => [], every: () => true, entries: () => [], slice: () => [] }),
  'a class of its own': (list) => Object.assign(new OwnList(), { ...list, length: list.length }),
  'a proxy': (list) => new Proxy(list, {}),
};

test.each(
  Object.entries(ODD).flatMap(([what, odd]) => LISTS.map(([path]) => [what, path.join('.'), path, odd] as const)),
)('a list with %s is read by its numbers: %s', (_what, _where, path, odd) => {
  expect(validateHooks(withPart(path, odd as never))).toEqual([]);
  expect(count(withPart(path, odd as never))).toBe(11);
});

test('what is read of such lists is what they hold', () => {
  const { host } = testHost();
  const list = (...items: string[]): string[] => Object.assign(items, { *[Symbol.iterator]() {} });
  host.on('Stop', function one() {});
  host.on('Stop', function two() {}, { before: list('one') });
  const { hooks } = host.explain('Stop', { stop_hook_active: false, last_assistant_message: '' });
  expect(hooks.map(({ name }) => name)).toEqual(['two', 'one']);
});

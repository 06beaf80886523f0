import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'hookscope-anonymous-'));

/** Each registers on the line that its name says. */
const LINES = [
  'exports.line1 = (host) => host.register({ Stop: [{ hooks: [() => undefined] }] });',
  'exports.line2 = (host) => host.register({ Stop: [{ hooks: [() => 1, async () => 2] }], PreToolUse: [{ hooks: [() => 3] }] });',
  'exports.line3 = (host) => host.register({ Stop: [{ hooks: [{ handler: () => undefined }] }] });',
  'exports.line4 = (host) => host.scope("a").register({ Stop: [{ hooks: [() => undefined] }] });',
  'exports.line5 = (host) => host.registerScoped("b", { Stop: [{ hooks: [() => undefined] }] });',
  'exports.line6 = (host) => host.spawnHooks("c", { Stop: [{ hooks: [() => undefined] }] });',
  'exports.line7 = (host) => host.register({ Stop: [{ hooks: [function check() {}, () => undefined] }] });',
  'exports.line8 = (host) => host.register({ Stop: [{ name: "mine", hooks: [() => undefined] }] });',
];
writeFileSync(join(folder, 'guards.cjs'), LINES.join('\n'));
/** By Node itself: what vitest imports has other lines. */
const guards = createRequire(import.meta.url)(join(folder, 'guards.cjs')) as Record<string, (host: Host) => unknown>;

function namesIn(host: Host): string[] {
  const all = (scope: ReturnType<Host['describe']>): string[] => [
    ...scope.hooks.map(({ name }) => name),
    ...scope.children.flatMap(all),
  ];
  return all(host.describe());
}

test.each([
  ['line1', ['guards.cjs:1']],
  ['line2', ['guards.cjs:2', 'guards.cjs:2#2', 'guards.cjs:2#3']],
  ['line3', ['guards.cjs:3']],
  ['line4', ['guards.cjs:4']],
  ['line5', ['guards.cjs:5']],
  ['line6', ['guards.cjs:6']],
  ['line7', ['check', 'guards.cjs:7']],
  ['line8', ['mine']],
])('a function without a name is named by where it was registered, and its number there: %s', (line, names) => {
  const host = createHost();
  guards[line]?.(host);
  expect(namesIn(host).sort()).toEqual([...names].sort());
});

test('separate calls on one line are numbered in each scope, and a number that was taken back is given again', () => {
  const host = createHost();
  const undos = [1, 2, 3].map(() => guards['line1']?.(host) as () => void);
  for (const _ of [1, 2]) guards['line2']?.(host);
  const second = ['guards.cjs:1', 'guards.cjs:1#2', 'guards.cjs:1#3'];
  const of2 = [
    'guards.cjs:2',
    'guards.cjs:2#2',
    'guards.cjs:2#3',
    'guards.cjs:2#4',
    'guards.cjs:2#5',
    'guards.cjs:2#6',
  ];
  expect(namesIn(host).sort()).toEqual([...second, ...of2].sort());
  undos[1]?.();
  guards['line1']?.(host);
  expect(namesIn(host).sort()).toEqual([...second, ...of2].sort());
  // Another scope, and another plugin, count for themselves.
  for (const _ of [1, 2]) guards['line4']?.(host);
  expect(namesIn(host)).toEqual(expect.arrayContaining(['guards.cjs:4', 'guards.cjs:4#2']));
  for (let i = 0; i < 100; i++) (guards['line3'] as (host: Host) => () => void)(host)();
  guards['line3']?.(host);
  expect(namesIn(host)).toContain('guards.cjs:3');
});

test('every number is a name for `before`', async () => {
  const warnings: string[] = [];
  const host = createHost({ logger: (message) => void warnings.push(message) });
  for (const _ of [1, 2]) guards['line1']?.(host);
  host.on('Stop', function first() {}, { before: 'guards.cjs:1#2' });
  const { hooks } = host.explain('Stop', { stop_hook_active: false, last_assistant_message: '' });
  expect(hooks.map(({ name }) => name)).toEqual(['guards.cjs:1', 'first', 'guards.cjs:1#2']);
  expect(warnings).toEqual([]);
});

test('a call that fails uses no number', () => {
  const host = createHost();
  const hooks = { Stop: [{ hooks: [() => undefined, 7] }] };
  const attempt = (given: object) => host.register(given as never);
  expect(() => attempt(hooks)).toThrow();
  const [name] = ((): string[] => {
    for (const stop of [hooks, { Stop: [{ hooks: [() => undefined] }] }])
      try {
        attempt(stop);
      } catch {}
    return namesIn(host);
  })();
  expect(name).toMatch(/^anonymous\.test\.ts:\d+$/);
});

test('its record, its failure and explain say that name', async () => {
  const host = createHost({ logger: () => undefined });
  const told: string[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') told.push(...record.handlers.map(({ name }) => name));
  });
  guards['line1']?.(host);
  const decision = await host.fire('Stop', { stop_hook_active: false, last_assistant_message: '' });
  expect(decision.outcomes).toMatchObject([{ name: 'guards.cjs:1', id: 'guards.cjs:1#1' }]);
  expect(told).toEqual(['guards.cjs:1']);
  const { hooks } = host.explain('Stop', { stop_hook_active: false, last_assistant_message: '' });
  expect(hooks).toMatchObject([{ name: 'guards.cjs:1' }]);
});

/** Gone from what runs, so that its lines are others. */
interface Removed {
  readonly one: string;

  readonly two: string;
}

test('a hook in a file that vitest has transformed has the line that stands in the source', () => {
  const none: Removed | undefined = undefined;
  const host = createHost();
  host.register({ Stop: [{ hooks: [() => none] }] }); // here
  const line =
    readFileSync(import.meta.filename, 'utf8')
      .split('\n')
      .findIndex((text) => text.endsWith('// here')) + 1;
  expect(namesIn(host)).toEqual([`anonymous.test.ts:${line}`]);
});

test('a printer of stacks that says something else, or throws, names nothing', () => {
  const throwing = (): never => {
    throw new Error('no');
  };
  const { prepareStackTrace } = Error;
  const names: string[] = [];
  try {
    for (const prepare of [() => ({}), () => 'at nowhere', throwing]) {
      const host = createHost();
      Error.prepareStackTrace = prepare as never;
      guards['line1']?.(host);
      names.push(...namesIn(host));
    }
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
  expect(names).toEqual(['guards.cjs:1', 'guards.cjs:1', 'guards.cjs:1']);
});

test('Error is left as it was, also where somebody has put a function of their own there', () => {
  const before = Error.prepareStackTrace;
  const limit = Error.stackTraceLimit;
  guards['line1']?.(createHost());
  expect([Error.prepareStackTrace, Error.stackTraceLimit]).toEqual([before, limit]);
  const stack = (): never => {
    throw new Error('my own');
  };
  Error.prepareStackTrace = stack;
  try {
    const host = createHost();
    guards['line1']?.(host);
    expect(namesIn(host)).toEqual(['guards.cjs:1']);
    expect(Error.prepareStackTrace).toBe(stack);
  } finally {
    Reflect.set(Error, 'prepareStackTrace', before);
  }
});

test('where nothing outside this package registers, or a file is what hooks are from, the place in the object is the name', () => {
  const host = createHost();
  host.register({ Stop: [{ hooks: [() => undefined] }] }, { source: { kind: 'config', file: 'x.config.js' } });
  expect(namesIn(host)).toEqual(['Stop[0].hooks[0]']);
});

import { expect, test } from 'vitest';
import { command, createHost, deny } from '../../src/index.js';
import { testHost } from './kit.js';

const bash = { tool_name: 'Bash', tool_input: { command: 'git push' } };
type Host = ReturnType<typeof testHost>['host'];
type Door = Pick<Host, 'on' | 'register'>;

/** Everything that has `register`. */
const DOORS: Readonly<Record<string, (host: Host) => Door | Promise<Door>>> = {
  host: (host) => host,
  'a scope': (host) => host.scope({ session: 's' }),
  'a session': (host) => host.openSession(),
  'a plugin': (host) =>
    new Promise((resolve) => {
      void host.use({ name: 'p', apply: (scope) => resolve(scope as never) });
    }),
};

test.each(Object.entries(DOORS))('%s.on is register of one hook', async (_, open) => {
  const { host } = testHost();
  const door = await open(host);
  const fired = async (input = bash) => (await host.fire('PreToolUse', { session_id: 's', ...input })).verdict;
  const guard = function guard() {
    return deny('no');
  };
  const undo = door.on('PreToolUse', guard, { matcher: 'Bash', if: 'Bash(git *)', onFailure: 'block', timeout: 7 });
  expect(await fired()).toBe('deny');
  expect(await fired({ tool_name: 'Bash', tool_input: { command: 'ls' } })).toBe('none');
  expect(await fired({ tool_name: 'Read', tool_input: { command: 'git x' } })).toBe('none');
  const shown = String(host.describe());
  undo();
  undo();
  expect(await fired()).toBe('none');
  // Of two ways to say one thing neither says more.
  door.register({
    PreToolUse: [{ matcher: 'Bash', if: 'Bash(git *)', onFailure: 'block', timeout: 7, hooks: [guard] }],
  });
  expect(String(host.describe())).toBe(shown);
  await host.close();
});

test.each([
  ['PreToolUs', () => undefined, {}, 'INVALID_HOOKS', /PreToolUs.*PreToolUse/],
  ['PreToolUse', undefined, {}, 'INVALID_HOOKS', /a function/],
  ['PreToolUse', () => undefined, { matchr: 'x' }, 'INVALID_OPTIONS', /on: matchr.*"matcher"/],
  ['PreToolUse', () => undefined, { hooks: [] }, 'INVALID_OPTIONS', /on: hooks/],
  ['PreToolUse', () => undefined, { timeout: -1 }, 'INVALID_HOOKS', /timeout.*seconds/],
  ['PreToolUse', () => undefined, 'Bash', 'INVALID_OPTIONS', /object of options/],
])('on(%s, %s, %j) is refused', (event, hook, options, code, message) => {
  const { host } = testHost();
  const call = () => host.on(event as 'Stop', hook as never, options as never);
  expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  expect(host.describe().children[0]?.hooks).toEqual([]);
});

test('its name is that of the options, of the function, or where it stands', () => {
  const host = createHost();
  host.on('Stop', () => undefined, { name: 'mine' });
  host.on('Stop', function own() {});
  host.on('Stop', () => undefined);
  host.on('Stop', command('true'));
  const names = host.describe().children[0]?.hooks.map(({ name }) => name);
  expect(names).toEqual(['mine', 'own', expect.stringMatching(/^on\.test\.ts:\d+$/), 'true']);
});

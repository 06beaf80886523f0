import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveArguments, serviceFile } from '../../src/server/client/service.js';
import { thinCommand } from '../../src/server/client/thin.js';
import { placesOf } from '../../src/server/places.js';
import { BIN } from '../cli/cli.js';
import { createUser, hooksFile, type User } from './kit.js';

let user: User;
beforeEach(() => {
  user = createUser();
});
afterEach(() => user.remove());

test('serve --install writes a unit for systemd, shows it, and starts nothing', async () => {
  user.write('a b/hooks.json', hooksFile('true'));
  // A link stays one: it may lead elsewhere when the server is started.
  symlinkSync(join(user.path, 'project/a b'), join(user.path, 'project/a link'));
  const args = ['serve', '--hooks', 'a b/hooks.json', '--project', 'a link', '--port', '7007', '--dev', '--install'];
  const { code, stdout } = await user.spawn(args);
  const file = join(user.path, 'config/systemd/user/hookscope.service');
  const text = readFileSync(file, 'utf8');
  expect(code).toBe(0);
  expect(stdout).toContain(text.trim());
  expect(stdout).toMatch(/nothing is started/);
  const project = join(user.path, 'project');
  expect(text).toContain(
    `ExecStart="${process.execPath}" "${BIN}" "serve" "--hooks" "${project}/a b/hooks.json" "--project" "${project}/a link" "--port" "7007" "--dev"\n`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await user.spawn(args)).toMatchObject({ code: 0 });
  const other = await user.spawn(['serve', '--install']);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/says something else; it is left as it is/) });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each([undefined, '', 'run/time', '/run/1000', '/run/%t'])(
  'the server of a unit and the commands that connect writes have one socket (XDG_RUNTIME_DIR %j)',
  (runtime) => {
    const shell = { HOME: '/h', PATH: '/bin', ...(runtime === undefined ? {} : { XDG_RUNTIME_DIR: runtime }) };
    // What systemd gives to every unit of a user.
    const given = { HOME: '/h', XDG_RUNTIME_DIR: '/run/user/7' };
    const unit = serviceFile({ platform: 'linux', env: shell, argv: ['/node'], cwd: '/' })?.text ?? '';
    const ofServer = Object.fromEntries(wordsOf(unit, 'Environment').map((word) => word.split(/=(.*)/s)));
    const command = thinCommand('PreToolUse', { env: shell, cwd: '/' });
    const ofCommand = Object.fromEntries(
      [...command.matchAll(/(XDG_\w+)=(\S*)/g)].map(([, name, value]) => [name, value?.replaceAll("'", '')]),
    );
    expect(Object.keys(ofCommand)).toHaveLength(3);
    const places = placesOf({ ...given, XDG_STATE_HOME: '/h/.local/state', ...ofServer });
    expect(places.socket).toBe(placesOf({ ...given, ...ofCommand }).socket);
  },
);

test.each([
  [['--hooks', 'none.json'], /none\.json: there is no such file/],
  [['--hooks', 'broken.json'], /broken\.json: /],
  [['--config', 'none.config.mjs'], /none\.config\.mjs: there is no such file/],
  [['--plugin', './none.mjs'], /none\.mjs/],
  [['--settings', 'none.json'], /none\.json: there is no such file/],
  [['--from', 'codex', '--from', 'none.json'], /none\.json: there is no such file/],
])('serve --install %j writes nothing for a server that could not start', async (named, why) => {
  user.write('broken.json', '{ broken');
  const { code, stdout, stderr } = await user.run(['serve', ...named, '--install']);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(why)]);
  expect(existsSync(join(user.path, 'config/systemd/user/hookscope.service'))).toBe(false);
});

/** The words of a line of a unit, as systemd.syntax(7) has them read. */
const wordsOf = (text: string, name: string): string[] => {
  const lines = text.split(/[\r\n]/).filter((one) => one.startsWith(`${name}=`));
  return [...lines.join('\n').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word
      .replaceAll('%%', '%')
      .replace(/\\(u[0-9a-f]{4}|.)/g, (_, one: string) =>
        one.length > 1 ? String.fromCharCode(Number.parseInt(one.slice(1), 16)) : one,
      ),
  );
};

test('no name puts a line of its own into a unit', () => {
  const names = ['/a\nExecStartPre=touch x', '/a\rb', '/a\t', '/a\u0085b', '/a\u0001"\\', '/$HOME %h\n'];
  const unit = (cwd: string, argv: readonly string[], env = {}) =>
    serviceFile({ platform: 'linux', env: { HOME: '/h', ...env }, argv, cwd })?.text ?? '';
  const plain = unit('/a', ['/node', 'x'], { PATH: '/b' }).split(/[\r\n\u0085]/).length;
  for (const name of names) {
    const text = unit('/a', ['/node', name], { PATH: name });
    expect(text.split(/[\r\n\u0085]/)).toHaveLength(plain);
    expect(wordsOf(text, 'ExecStart').map((word) => word.replaceAll('$$', '$'))).toEqual(['/node', name]);
    expect(wordsOf(text, 'Environment')).toEqual(['XDG_RUNTIME_DIR=', `PATH=${name}`]);
  }
  for (const folder of ['/a\nExecStartPre=x', '/a\rb', '/a\\', '/a ', '/a\u0001b', '/a\u0085b'])
    expect(() => unit(folder, ['/node'])).toThrow(/--install: a unit of systemd cannot name the folder "\/a/);
  for (const folder of ['/a b', '/a\\b', '/日本', '/"a"'])
    expect(unit(folder, ['/node'])).toContain(`\nWorkingDirectory=${folder}\n`);
});

test('what no property list can hold is refused', () => {
  const list = (cwd: string) => serviceFile({ platform: 'darwin', env: { HOME: '/h' }, argv: ['/node'], cwd })?.text;
  expect(list('/a\n<b>\r')).toContain('<string>/a\n&lt;b&gt;&#13;</string>');
  expect(() => list('/a\u0001')).toThrow(/cannot name the folder/);
});

test('for launchd it is a property list, and nothing in a path is taken for more than a path', () => {
  const strange = '/x/"%h" $HOME <&>\\';
  const argv = [
    '/node',
    '/main.js',
    ...serveArguments({ set: { hooks: [strange] }, cwd: '/', projects: [], dev: false }),
  ];
  const mac = serviceFile({ platform: 'darwin', env: { HOME: '/h', PATH: '/bin' }, argv, cwd: '/' });
  expect(mac?.path).toBe('/h/Library/LaunchAgents/dev.hookscope.serve.plist');
  expect(mac?.text).toContain('<string>/x/&quot;%h&quot; $HOME &lt;&amp;&gt;\\</string>');
  const linux = serviceFile({ platform: 'linux', env: { HOME: '/h' }, argv, cwd: '/' });
  expect(linux?.text).toContain('"/x/\\"%%h\\" $$HOME <&>\\\\"');
  expect(serviceFile({ platform: 'win32', env: {}, argv, cwd: '/' })).toBeUndefined();
});

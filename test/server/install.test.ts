import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveArguments, serviceFile } from '../../src/server/client/service.js';
import { BIN } from '../cli/cli.js';
import { createUser, hooksFile, type User } from './kit.js';

let user: User;
beforeEach(() => {
  user = createUser();
});
afterEach(() => user.remove());

test('serve --install writes a unit for systemd, shows it, and starts nothing', async () => {
  user.write('a b/hooks.json', hooksFile('true'));
  const args = ['serve', '--hooks', 'a b/hooks.json', '--project', 'a b', '--port', '7007', '--dev', '--install'];
  const { code, stdout } = await user.spawn(args);
  const file = join(user.path, 'config/systemd/user/hookscope.service');
  const text = readFileSync(file, 'utf8');
  expect(code).toBe(0);
  expect(stdout).toContain(text.trim());
  expect(stdout).toMatch(/nothing is started/);
  const project = join(user.path, 'project');
  expect(text).toContain(
    `ExecStart="${process.execPath}" "${BIN}" "serve" "--hooks" "${project}/a b/hooks.json" "--project" "${project}/a b" "--port" "7007" "--dev"\n`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await user.spawn(args)).toMatchObject({ code: 0 });
  const other = await user.spawn(['serve', '--install']);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/says something else; it is left as it is/) });
  expect(readFileSync(file, 'utf8')).toBe(text);
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

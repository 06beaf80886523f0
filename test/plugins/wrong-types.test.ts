import { afterEach, beforeEach, expect, test } from 'vitest';
import { cli, isOneMessage } from '../cli/cli.js';
import { createFolder, type Folder } from './folder.js';

let folder: Folder;
let home: Folder;
beforeEach(() => {
  folder = createFolder();
  home = createFolder();
});
afterEach(() => {
  folder.remove();
  home.remove();
});

const FILE = 'hookscope.config.json';
const COMMAND = { type: 'command', command: 'bash' };
const WRONG = [null, 1, [1], [null], [[]], { a: null }];

test.each([
  ...['type', 'command', 'args', 'env', 'cwd', 'shell', 'if', 'timeout', 'name', 'once', 'async', 'asyncRewake'],
  ...['asyncTimeout', 'keep', 'onFailure', 'statusMessage', 'outputLimit'],
])('a wrong type of %s in a configuration that is found is a finding, and no command breaks off at it', async (key) => {
  const wrong = WRONG.filter((value) => !(typeof value === 'number' && /imeout|Limit/.test(key)));
  folder.write(FILE, { hooks: { Stop: [{ hooks: wrong.map((value) => ({ ...COMMAND, [key]: value })) }] } });
  const at = { cwd: folder.path, env: { HOME: home.path } };
  const checked = await cli(['check', '--json'], at);
  const { findings } = JSON.parse(checked.stdout) as { findings: { file: string; where: string }[] };
  for (const i of wrong.keys())
    expect(findings).toContainEqual(
      expect.objectContaining({ file: FILE, where: expect.stringContaining(`hooks.Stop[0].hooks[${i}]`) }),
    );
  const held = expect.stringContaining(`${FILE} is not accepted`);
  expect(await cli(['trust', '.'], at)).toMatchObject({ stdout: held });
  expect(await cli(['list'], at)).toMatchObject({ stderr: held });
  const named = await cli(['list', '--config', FILE], at);
  expect(isOneMessage(named.stderr)).toBe(true);
  expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining(`${FILE}: hooks.Stop[0].hooks[0]`) });
});

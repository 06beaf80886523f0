import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { applyConfig, checkConfig } from '../../src/plugins/config.js';
import { definePlugin } from '../../src/plugins/define.js';
import { loadPlugin } from '../../src/plugins/load.js';
import { cli } from '../cli/cli.js';
import { createFolder, type Folder } from './folder.js';

let folder: Folder;
beforeEach(() => {
  folder = createFolder();
});
afterEach(() => folder.remove());

const registering = (handler: object) => (): unknown =>
  createHost().register({ PreToolUse: [{ hooks: [handler as never] }] });

describe('an unknown key', () => {
  // What each kind of hook needs, under names that are like those of other options.
  test.each([
    ['command', 'cmd', 'command'],
    ['command', 'script', 'command'],
    ['http', 'address', 'url'],
    ['prompt', 'message', 'prompt'],
  ])('of a %s, %s with a text, is the one that is needed and missing', (type, key, needed) => {
    expect(registering({ type, [key]: 'x' })).toThrow(`Did you mean "${needed}"?`);
    expect(registering({ type, [key]: 7 })).not.toThrow(`Did you mean "${needed}"?`);
  });

  test('is the nearest one where nothing is missing', () => {
    expect(registering({ type: 'command', command: 'ls', cmd: 'x' })).toThrow('Did you mean "cwd"?');
    expect(registering({ type: 'command', timeoutt: 5 })).toThrow('Did you mean "timeout"?');
  });

  test.each(['type', 'agentType', 'kind'])('of spawn, %s, is the agent’s type', async (key) => {
    const host = createHost();
    const session = await host.openSession();
    await expect(session.spawn({ [key]: 'reviewer' } as never)).rejects.toThrow('Did you mean "agent_type"?');
    await host.close();
  });
});

describe('an input', () => {
  const fire = (input: unknown) => {
    const host = createHost();
    host.on('PreToolUse', () => undefined);
    return host.fire('PreToolUse', input as never);
  };
  test('without a field says that it is missing, and names what is written in its place', async () => {
    await expect(fire({ tool_name: 'Bash' })).rejects.toThrow('"tool_input" is missing.');
    await expect(fire({ tool_input: {} })).rejects.toThrow('"tool_name" is missing: it must be string.');
    await expect(fire({ toolName: 'Bash', toolInput: {} })).rejects.toThrow(/"tool_name" .*the input has "toolName"/);
    await expect(fire([])).rejects.toThrow('PreToolUse: (the input) must be an object');
  });
});

describe('what is wrong in a file names the file', () => {
  test.each(HOOK_EVENTS)('%s at the top of a configuration: it is a hooks file', (event) => {
    expect(() => checkConfig({ [event]: [] }, 'new.json')).toThrow(
      `new.json: ${event}: is an event: pass a hooks file with --hooks, or put its events into "hooks".`,
    );
  });

  test('options of a plugin', async () => {
    const plugin = definePlugin({ name: 'p', apply: () => undefined });
    const config = { plugins: [plugin, [plugin, { paths: 1 }]] };
    await expect(applyConfig(createHost(), config as never, { file: 'c.json' })).rejects.toThrow(
      /^Invalid configuration c\.json: plugins\[1\]: Plugin "p": .*/,
    );
  });

  test.each([
    ['--hooks', (hooks: object) => hooks],
    ['--config', (hooks: object) => ({ hooks })],
  ])('a warning about its hooks: %s', async (option, content) => {
    const hooks = { PreToolUse: [{ timeout: 5_000, hooks: [{ type: 'command', command: 'true' }] }] };
    folder.write('f.json', content(hooks));
    const { stderr } = await cli(['list', option, 'f.json'], { cwd: folder.path });
    expect(stderr).toMatch(/f\.json: .*PreToolUse\[0\]\.timeout is 5000 seconds/);
  });
});

test('a plugin whose full name is installed is not to be installed by its short one', async () => {
  folder.install('hookscope-plugin-no-prod', "export default { name: 'p', apply() {} };");
  const error = await loadPlugin('no-prod', { from: folder.path }).catch((e: Error) => e.message);
  expect(error).toContain('Did you mean "hookscope-plugin-no-prod"?');
  expect(error).not.toContain('npm install');
});

test('a plugin without a name is refused where it is defined', () => {
  expect(() => definePlugin({ apply: () => undefined } as never)).toThrow('definePlugin: name: expected');
});

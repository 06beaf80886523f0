import { chmodSync, chownSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHost, type Host } from '../../src/create-host.js';
import { HookscopeError } from '../../src/errors.js';
import type { Description } from '../../src/host/types.js';
import { applyConfig, defineConfig, type HookscopeConfig } from '../../src/plugins/config.js';
import { checkOwner, loadConfig } from '../../src/plugins/config-file.js';
import { definePlugin } from '../../src/plugins/define.js';
import { createFolder, denying, type Folder, LS } from './folder.js';

let folder: Folder;
beforeEach(() => {
  folder = createFolder();
});
afterEach(() => folder.remove());

describe('a configuration that is named', () => {
  test.each([
    ['c.json', '\uFEFF{ "timeout": 7 }', false],
    ['c.js', 'export default { timeout: 7 };', true],
    ['c.mjs', 'export default { timeout: 7 };', true],
    [
      'c.ts',
      "import { seconds } from './seconds.js';\nenum E { A = 7 }\nexport default { timeout: seconds(E.A) };",
      true,
    ],
  ])('%s is read', async (name, text, isCode) => {
    folder.write('package.json', { type: 'module' });
    folder.write('seconds.ts', 'export const seconds = (n: number): number => n;');
    const file = folder.write(name, text);
    expect(await loadConfig(file)).toMatchObject({ file, isCode, hostOptions: { timeout: 7 } });
  });

  test('it is read anew each time', async () => {
    const file = folder.write('c.ts', 'export default { timeout: 1 };');
    await loadConfig(file);
    folder.write('c.ts', 'export default { timeout: 2 };');
    expect((await loadConfig(file)).hostOptions.timeout).toBe(2);
  });

  test('it may be writable by others: whoever names it knows it', async () => {
    const file = folder.write('c.json', '{}');
    chmodSync(file, 0o666);
    expect((await loadConfig(file)).config).toEqual({});
  });

  test('a syntax error in a file that it imports is told with its place there', async () => {
    const inner = folder.write('inner.ts', 'export const a =\n  1 +;');
    await expect(
      loadConfig(folder.write('c.ts', "import { a } from './inner.js'; export default { timeout: a };")),
    ).rejects.toThrow(`it could not be run: Unexpected token, at line 2, column 6 of ${inner}.`);
  });

  const wrong = async (name: string, text: string): Promise<HookscopeError> => {
    const file = folder.write(name, text);
    const error = await loadConfig(file).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(HookscopeError);
    expect((error as HookscopeError).message).toContain(file);
    return error as HookscopeError;
  };

  test.each([
    ['an unknown key', { hoks: {} }, 'hoks: is not a known key', 'Did you mean "hooks"?'],
    ['a host option', { timeout: '5' }, 'timeout: expected seconds', '"5"'],
    [
      'a part of a host option',
      { session: { cwdd: '/' } },
      'session.cwdd: is not a known option',
      'Did you mean "cwd"?',
    ],
    ['plugins that are no list', { plugins: 'a' }, 'plugins: expected an array', 'names'],
    ['a plugin without a name', { plugins: ['a', ['', {}]] }, 'plugins[1]: expected a name', '[name, options]'],
    ['too much behind a plugin', { plugins: [['a', {}, {}]] }, 'plugins[0]: expected a name', '[name, options]'],
    ['hooks that are a list', { hooks: [] }, 'hooks: expected an object', ''],
    ['spawnHooks that are none', { spawnHooks: 1 }, 'spawnHooks: expected an object', ''],
    ['a list', [], 'expected an object, { hooks, plugins, … }', ''],
  ])('%s is an error with file, key and what was expected', async (_, content, message, more) => {
    const error = await wrong('c.json', JSON.stringify(content));
    expect(error.code).toBe('INVALID_CONFIG');
    expect(error.message).toContain(message);
    expect(error.message).toContain(more);
  });

  test.each([
    ['an empty file', 'c.json', ' \n', 'expected an object'],
    ['broken JSON', 'c.json', '{\n  "timeout": 5,\n}', 'is not JSON: line 3, column 1: remove the comma before this }'],
    ['no default export', 'c.mjs', 'export const timeout = 1;', 'as the default export'],
    ['code that throws', 'c.mjs', "throw new Error('no such team');", 'it could not be run: no such team'],
    [
      'TypeScript that cannot be read',
      'c.ts',
      'export default {\n  timeout: 1,,\n}',
      'it could not be run: Unexpected token, at line 2, column 14.',
    ],
    ['an import that is not there', 'c.ts', "import './guard.js'; export default {};", './guard.js'],
    ['another kind of file', 'c.yaml', 'a: 1', 'expected one of .json, .ts, .js, .mjs'],
  ])('%s is an error that names the file', async (_, name, text, message) => {
    expect((await wrong(name, text)).message).toContain(message);
  });

  test('a file that is not there', async () => {
    await expect(loadConfig(join(folder.path, 'c.ts'))).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringMatching(/c\.ts: there is no such file/),
    });
  });
});

describe('a configuration that is found and accepted', () => {
  const refused = (file: string, words: RegExp): void => {
    expect(() => checkOwner(file)).toThrow(
      expect.objectContaining({ code: 'UNTRUSTED', message: expect.stringMatching(words) }),
    );
  };

  test.each([
    ['the file', 'hookscope.config.mjs', 0o646],
    ['its group, the file', 'hookscope.config.mjs', 0o664],
    ['the directory', '.', 0o777],
  ])('is not used if others may write %s', async (_, path, mode) => {
    const file = folder.write('hookscope.config.mjs', 'export default {};');
    checkOwner(file);
    chmodSync(join(folder.path, path), mode);
    refused(file, /may be written by other users.*--config/);
    // Whoever names it knows it.
    await loadConfig(file);
  });

  test('is not used if it belongs to somebody else, behind a link too', () => {
    // The superuser owns no file of another user unless it makes one; others find one that is the superuser's.
    let foreign = '/etc/passwd';
    if (process.getuid?.() === 0) {
      foreign = folder.write('elsewhere/c.json', '{}');
      chownSync(foreign, 65534, 65534);
    }
    symlinkSync(foreign, join(folder.path, 'hookscope.config.json'));
    refused(join(folder.path, 'hookscope.config.json'), /belongs to another user/);
  });

  test('is not used if a link leads to a directory that others may write', () => {
    const file = folder.write('open/c.mjs', 'export default {};');
    chmodSync(join(folder.path, 'open'), 0o777);
    symlinkSync(file, join(folder.path, 'hookscope.config.mjs'));
    refused(join(folder.path, 'hookscope.config.mjs'), /may be written by other users/);
  });
});

describe('what a configuration holds is registered', () => {
  let host: Host;
  beforeEach(() => {
    host = createHost();
  });
  afterEach(async () => {
    await host.close();
  });
  const file = (): string => join(folder.path, 'hookscope.config.ts');
  const apply = (config: HookscopeConfig) => applyConfig(host, config, { file: file(), warn: () => undefined });
  const everyHook = (d: Description): Description['hooks'] => [...d.hooks, ...d.children.flatMap(everyHook)];
  const registered = () => everyHook(host.describe());

  test('plugins first, in their order, then hooks, each with its source', async () => {
    folder.install('a', denying('a'));
    folder.write('own.mjs', denying('own'));
    const inline = definePlugin({
      name: 'inline',
      options: z.object({ x: z.number() }),
      apply: (scope) => void scope.register({ Stop: [{ hooks: [() => undefined] }] }),
    });
    await apply({
      plugins: ['a', './own.mjs', [inline, { x: 1 }]],
      hooks: { PreToolUse: [{ hooks: [function mine() {}] }] },
    });
    expect(registered().map((h) => [h.event, h.name, h.source])).toEqual([
      ['PreToolUse', 'denying/index.js:1', { kind: 'plugin', name: 'denying' }],
      ['PreToolUse', 'denying/own.mjs:1', { kind: 'plugin', name: 'denying' }],
      ['PreToolUse', 'mine', { kind: 'config', file: file() }],
      ['Stop', expect.stringMatching(/^inline\/config\.test\.ts:\d+$/), { kind: 'plugin', name: 'inline' }],
    ]);
    expect((await host.fire('PreToolUse', LS)).reason).toBe('a');
  });

  test('spawnHooks belong to the agents of their type alone', async () => {
    await apply(
      defineConfig({
        spawnHooks: {
          reviewer: {
            PreToolUse: [{ name: 'look', hooks: [() => ({ decision: 'block', reason: 'reviewers look' })] }],
          },
        },
      }),
    );
    const call = (agent_type: string) => host.fire('PreToolUse', { ...LS, agent_id: `${agent_type}-1`, agent_type });
    expect((await call('reviewer')).reason).toBe('reviewers look');
    expect((await call('writer')).verdict).toBe('none');
    // The one agent's, and what the next one will get.
    const look = { name: 'look', source: { kind: 'spawn', name: 'reviewer', file: file() } };
    expect(registered()).toMatchObject([look, look]);
  });

  test('the undo takes all of it back', async () => {
    folder.install('a', denying('a'));
    const hooks = { PreToolUse: [{ hooks: [() => undefined] }] };
    const undo = await apply({ plugins: ['a'], hooks, spawnHooks: { x: hooks } });
    undo();
    undo();
    expect(registered()).toEqual([]);
    expect((await host.fire('PreToolUse', { ...LS, agent_id: 'x-1', agent_type: 'x' })).verdict).toBe('none');
  });

  test.each([
    ['hooks.PreToolUse[0].matcher', { hooks: { PreToolUse: [{ matcher: '^x', hooks: [] }] } }],
    ['hooks.PreTolUse', { hooks: { PreTolUse: [] } }],
    ['spawnHooks.reviewer.Stop[0].timout', { spawnHooks: { reviewer: { Stop: [{ timout: 1, hooks: [] }] } } }],
  ])('nothing of it, when %s is wrong', async (where, wrong) => {
    folder.install('a', denying('a'));
    const error = await apply({ plugins: ['a'], ...(wrong as object) }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', details: { file: file(), where } });
    expect(registered()).toEqual([]);
  });

  test.each([
    ['hoks', { hoks: { PreToolUse: [{ hooks: [() => undefined] }] } }],
    ['plugins', { plugins: 'a' }],
    ['plugins[0]', { plugins: [7] }],
    ['hooks', { hooks: [] }],
    ['spawnHooks', { spawnHooks: 'reviewer' }],
    ['enforce', { enforce: 2 }],
    ['timeout', { timeout: 'long' }],
    ['', 'hooks'],
  ])('nothing of it, when %s is not what a file may hold', async (where, wrong) => {
    const error = await apply(wrong as never).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', details: { file: file(), where } });
    expect(registered()).toEqual([]);
  });

  test('nothing without the name of its file', async () => {
    for (const options of [{}, { file: '' }, { file: 7 }])
      await expect(applyConfig(host, {}, options as never)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  test('nothing of it, when a plugin is wrong; the error is the plugin’s', async () => {
    folder.install('a', denying('a'));
    folder.install('b', "export default { name: 'b', apply() { throw new Error('no team'); } };");
    await expect(apply({ plugins: ['a', 'b'] })).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      message: expect.stringMatching(/"b".*no team/),
    });
    expect(registered()).toEqual([]);
  });
});

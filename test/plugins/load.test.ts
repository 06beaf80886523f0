import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { loadPlugin } from '../../src/plugins/load.js';
import { ownVersion } from '../../src/plugins/manifest.js';
import { createFolder, denying, type Folder, LS } from './folder.js';

let folder: Folder;
let warnings: string[];
beforeEach(() => {
  folder = createFolder();
  warnings = [];
});
afterEach(() => folder.remove());

const load = (name: string) => loadPlugin(name, { from: folder.path, warn: (message) => warnings.push(message) });

/** The reason a host with that plugin gives for its deny. */
async function reasonWith(name: string): Promise<string | undefined> {
  await using host = createHost();
  await host.use(await load(name));
  return (await host.fire('PreToolUse', LS)).reason;
}

describe('a plugin is found', () => {
  test('by the name of its package, from the given directory', async () => {
    folder.install('hookscope-plugin-a', denying('package'));
    expect(await reasonWith('hookscope-plugin-a')).toBe('package');
    expect(warnings).toEqual([]);
  });

  test('in a scope of the registry, and where the package exports only imports', async () => {
    folder.install('@me/plugin', denying('scoped'), { exports: { '.': { import: './index.js' } } });
    expect(await reasonWith('@me/plugin')).toBe('scoped');
  });

  test('in node_modules of a directory above', async () => {
    folder.install('hookscope-plugin-a', denying('above'));
    folder.write('deep/er/file', '');
    const plugin = await loadPlugin('hookscope-plugin-a', { from: `${folder.path}/deep/er` });
    expect(plugin.name).toBe('denying');
  });

  test.each([
    ['./own.js', { 'own.js': denying('js') }, 'js'],
    ['./own.mjs', { 'own.mjs': denying('mjs') }, 'mjs'],
    ['./own.ts', { 'own.ts': `type A = 1;\nenum B { C }\n${denying('ts')}` }, 'ts'],
    [
      './dir',
      {
        'dir/package.json':
          '{"name":"d","type":"module","exports":"./x.js","keywords":["hookscope-plugin"],"peerDependencies":{"hookscope":"*"}}',
        'dir/x.js': denying('exports'),
      },
      'exports',
    ],
    [
      './dir',
      { 'dir/package.json': '{"name":"d","type":"module","main":"./y.js"}', 'dir/y.js': denying('main') },
      'main',
    ],
  ])('by the path %s', async (name, files, reason) => {
    folder.write('package.json', { type: 'module' });
    for (const [file, text] of Object.entries(files)) folder.write(file, text);
    expect(await reasonWith(name)).toBe(reason);
    expect(await reasonWith(`${folder.path}/${name}`)).toBe(reason);
  });

  test('with another copy of hookscope: its deny is a deny, its schema is heard', async () => {
    folder.installHookscope();
    folder.install(
      'other',
      `import { definePlugin, deny } from 'hookscope';
       import { z } from 'zod';
       export default definePlugin({ name: 'other', options: z.object({ why: z.string() }), apply(scope, { why }) {
         scope.register({ PreToolUse: [{ hooks: [() => deny(why)] }] });
       } });`,
    );
    await using host = createHost();
    const plugin = await load('other');
    await host.use(plugin, { why: 'from the other copy' });
    expect(await host.fire('PreToolUse', LS)).toMatchObject({ verdict: 'deny', reason: 'from the other copy' });
    await expect(host.use(plugin, { why: 1 })).rejects.toMatchObject({
      code: 'INVALID_PLUGIN',
      message: expect.stringMatching(/"other": options: why/),
    });
  });
});

describe('a package says what it is', () => {
  test('a missing keyword is a warning, and it is loaded', async () => {
    folder.install('plain', denying('plain'), { keywords: undefined });
    expect(await reasonWith('plain')).toBe('plain');
    expect(warnings).toEqual([expect.stringMatching(/^Plugin "plain": .*keyword "hookscope-plugin"/)]);
  });

  test('a missing peer dependency is a warning, and it is loaded', async () => {
    folder.install('plain', denying('plain'), { peerDependencies: {} });
    expect(await reasonWith('plain')).toBe('plain');
    expect(warnings).toEqual([expect.stringMatching(/^Plugin "plain": .*peerDependencies/)]);
  });

  test.each(['^99.0.0', '<0.0.1'])('made for hookscope %s it is refused with both versions', async (range) => {
    folder.install('old', denying('old'), { version: '3.2.1', peerDependencies: { hookscope: range } });
    await expect(load('old')).rejects.toMatchObject({
      code: 'INVALID_PLUGIN',
      message: `Plugin "old": its version 3.2.1 needs hookscope ${range}, and this is hookscope ${await ownVersion()}; install versions that fit.`,
    });
  });

  test.each(['*', '>=0.0.1', 'workspace:^', 'file:../..'])('%s fits', async (range) => {
    folder.install('fits', denying('fits'), { peerDependencies: { hookscope: range } });
    await load('fits');
    expect(warnings).toEqual([]);
  });

  test('a range that is none is named', async () => {
    folder.install('odd', denying('odd'), { peerDependencies: { hookscope: 'new' } });
    await expect(load('odd')).rejects.toThrow(
      'Plugin "odd": peerDependencies.hookscope: "new" is not a version range.',
    );
  });
});

describe('what is wrong is said of the plugin', () => {
  test('it is not installed: what to run', async () => {
    await expect(load('hookscope-plugin-none')).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
      message: `Plugin "hookscope-plugin-none" was not found from ${folder.path}. Install it there: npm install hookscope-plugin-none.`,
    });
  });

  test('the short name of one that is installed: its full name', async () => {
    folder.install('hookscope-plugin-a', denying('a'));
    await expect(load('a')).rejects.toThrow('Did you mean "hookscope-plugin-a"?');
  });

  test('a misspelt name: the installed one, and not to install what has that name', async () => {
    for (const name of ['hookscope-plugin-secrets', 'guards']) folder.install(name, denying('a'));
    for (const [name, meant] of [
      ['hookscope-plugin-secerts', 'hookscope-plugin-secrets'],
      ['secret', 'hookscope-plugin-secrets'],
      ['gaurds', 'guards'],
    ] as const)
      await expect(load(name)).rejects.toThrow(new RegExp(`Did you mean "${meant}"\\?$`));
    await expect(load('hookscope-plugin-budget')).rejects.toThrow('npm install hookscope-plugin-budget');
  });

  test('a path without a file', async () => {
    await expect(load('./none.js')).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
      message: expect.stringMatching(/There is no such file\.$/),
    });
  });

  test.each([
    ['no default export', 'export const plugin = 1;', /has no default export/],
    [
      'a function',
      'export default () => ({});',
      /its default export is a function; expected export default definePlugin/,
    ],
    ['no apply', "export default { name: 'x' };", /its default export is something else/],
    ['an error of its own', "throw new Error('no database');", /could not be loaded: no database\.$/],
    ['a syntax error', 'export default {', /could not be loaded: /],
    ['a package it needs is missing', "import 'not-there';", /could not be loaded: Cannot find package 'not-there'/],
  ])('%s', async (_, code, message) => {
    folder.install('bad', code);
    await expect(load('bad')).rejects.toMatchObject({
      code: 'INVALID_PLUGIN',
      message: expect.stringMatching(message),
    });
    await expect(load('bad')).rejects.toThrow(/^Plugin "bad": /);
  });

  test.each([
    [
      'its file was not built',
      'unbuilt',
      { exports: './dist/index.js' },
      /dist\/index\.js does not exist; was it built\?/,
    ],
    ['it exports nothing of that name', 'closed/inner', {}, /could not be found in its package/],
    ['it is a module of Node', 'fs', {}, /expected a package or a path, got node:fs/],
  ])('%s', async (_, name, manifest, message) => {
    folder.install(name.split('/')[0] as string, denying('x'), manifest);
    await expect(load(name)).rejects.toMatchObject({ code: 'INVALID_PLUGIN', message: expect.stringMatching(message) });
  });

  test.each(['a.mjs', 'a.ts'])('a named pipe, which is not waited for: %s', async (name) => {
    const pipe = `${folder.path}/${name}`;
    execFileSync('mkfifo', [pipe]);
    await expect(load(`./${name}`)).rejects.toThrow(/could not be loaded: It is not a regular file\.$/);
  });

  test('a folder that is no package', async () => {
    folder.write('empty/a.js', '');
    await expect(load('./empty')).rejects.toThrow('without a package.json that names a package');
  });

  test('a package.json that is not JSON', async () => {
    folder.write('broken/package.json', '{');
    await expect(load('./broken')).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringMatching(/package\.json: is not JSON: line 1, column 2/),
    });
  });
});

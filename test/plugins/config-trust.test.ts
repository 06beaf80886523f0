import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgeConfigs } from '../../src/plugins/config-trust.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore, type TrustStore } from '../../src/trust/store.js';
import { createFolder, type Folder } from './folder.js';

let folder: Folder;
let home: Folder;
let store: TrustStore;
beforeEach(() => {
  folder = createFolder();
  home = createFolder();
  store = createTrustStore(join(home.path, 'trust.json'));
});
afterEach(() => {
  expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  folder.remove();
  home.remove();
});

/** Code that says by a file that it ran. */
const marking = (): string =>
  `import { writeFileSync as mark } from 'node:fs'; mark(${JSON.stringify(join(folder.path, 'ran'))}, '');`;

/** What is found, by place, and the state of each. */
async function states(directory = folder.path): Promise<Record<string, string>> {
  const found = await judgeConfigs(directory, store);
  return Object.fromEntries(
    found.map(({ file, held }) => [file.slice(file.lastIndexOf('/') + 1), held?.state ?? 'accepted']),
  );
}

async function accept(): Promise<void> {
  for (const { held } of await judgeConfigs(folder.path, store)) if (held) acceptTrust(held.request, store);
}

test.each(['ts', 'mjs', 'js', 'json'])(
  'hookscope.config.%s waits for consent, in the directory itself',
  async (end) => {
    const name = `hookscope.config.${end}`;
    folder.write(name, end === 'json' ? '{}' : `${marking()} export default {};`);
    mkdirSync(join(folder.path, 'below'));
    expect(await states(join(folder.path, 'below'))).toEqual({});
    expect(await states()).toEqual({ [name]: 'never' });
    await accept();
    expect(await states()).toEqual({ [name]: 'accepted' });
  },
);

test.each([
  'hookscope.config.mts',
  'hookscope.config.cts',
  'hookscope.config.cjs',
  '.hookscoperc',
  '.hookscoperc.json',
  '.config/hookscope.js',
  'package.json',
])('%s is no configuration', async (name) => {
  folder.write(name, '{ "hookscope": {} }');
  expect(await states()).toEqual({});
});

/** A tree that is accepted: each of its files can lead to other code. */
function writeTree(): void {
  folder.write('package.json', { name: 'project', type: 'module', imports: { '#guard': './lib/guard-a.js' } });
  folder.write(
    'hookscope.config.ts',
    `${marking()}
import type { Never } from './types.js';
import { a } from './lib/a.js';
import '#guard';
import plugin from 'a-plugin';
export * from './again.js';
const { createRequire } = await import('node:module');
const other = createRequire(import.meta.url);
other('./lib/required.cjs');
await import('./lib/' + 'added.mjs');
await import(\`./lib/template.mjs\`);
await import(process.env.NOWHERE);
new Worker('./lib/worker.mjs');
export default { plugins: [['named-plugin', {}], './lib/own-plugin.mjs'], hooks: { PreToolUse: [{ hooks: [command('sh ./guard.sh'), a, plugin] }] } };`,
  );
  folder.write('types.ts', 'export type Never = never;');
  folder.write('lib/a.ts', "import { b } from '../b/index.js';\nexport const a = b as number;");
  folder.write('b/index.js', "import data from './data.json' with { type: 'json' };\nexport const b = data;");
  folder.write('b/data.json', '{}');
  folder.write('lib/guard-a.js', '');
  folder.write('lib/guard-b.js', '');
  folder.write('again.js', "export { default as c } from './lib/c.js';");
  folder.write('lib/c.js', 'export default 1;');
  folder.write('lib/required.cjs', "require('./deep');");
  folder.write('lib/deep/index.js', '');
  for (const name of ['added', 'template', 'worker', 'own-plugin']) folder.write(`lib/${name}.mjs`, '');
  folder.write('guard.sh', 'exit 0');
  folder.write('hooks.log', 'it changes by itself');
  for (const name of ['a-plugin', 'named-plugin']) {
    folder.install(name, "export { default } from './lib/in.js';", { dependencies: { 'left-pad': '1' } });
    folder.write(`node_modules/${name}/lib/in.js`, 'export default 1;');
    folder.write(`node_modules/${name}/node_modules/left-pad/index.js`, '');
  }
}

const append = (name: string) => (): void => void folder.write(name, `${name} now`);

describe('consent binds what a configuration would run', () => {
  test('and says by name what it cannot bind', async () => {
    writeTree();
    const [found] = await judgeConfigs(folder.path, store);
    expect(Object.keys(found?.request.files ?? {}).sort()).toEqual([
      'again.js',
      'b/data.json',
      'b/index.js',
      'guard.sh',
      'hookscope.config.ts',
      'lib/a.ts',
      'lib/added.mjs',
      'lib/c.js',
      'lib/deep/index.js',
      'lib/guard-a.js',
      'lib/own-plugin.mjs',
      'lib/required.cjs',
      'lib/template.mjs',
      'lib/worker.mjs',
      'node_modules/a-plugin/**',
      'node_modules/named-plugin/**',
    ]);
    expect(found?.request.unresolved).toEqual([
      'import(process.env.NOWHERE) in hookscope.config.ts',
      'left-pad, which a-plugin loads',
      'left-pad, which named-plugin loads',
    ]);
  });

  test.each<[string, () => void]>([
    ['the configuration', append('hookscope.config.ts')],
    ['an import', append('lib/a.ts')],
    ['an import of an import', append('b/index.js')],
    ['imported data', append('b/data.json')],
    ['what is exported again', append('lib/c.js')],
    ['what is required', append('lib/required.cjs')],
    ['a folder that is required', append('lib/deep/index.js')],
    ['an import put together from strings', append('lib/added.mjs')],
    ['a template', append('lib/template.mjs')],
    ['a program named in a string', append('lib/worker.mjs')],
    ['a plugin named by path', append('lib/own-plugin.mjs')],
    ['a script that a command names', append('guard.sh')],
    ['a package that is imported', append('node_modules/a-plugin/lib/in.js')],
    ['a package that is named in a list', append('node_modules/named-plugin/index.js')],
    ['another file in the package', append('node_modules/a-plugin/new.js')],
    ['what the package exports', () => folder.install('a-plugin', '', { exports: './lib/in.js' })],
    [
      'where an import leads',
      () =>
        void folder.write('package.json', {
          name: 'project',
          type: 'module',
          imports: { '#guard': './lib/guard-b.js' },
        }),
    ],
    [
      'how files are read',
      () => void folder.write('package.json', { name: 'project', imports: { '#guard': './lib/guard-a.js' } }),
    ],
    ['a package.json nearer by', () => void folder.write('lib/package.json', { type: 'commonjs' })],
    ['a file that goes before another', append('lib/a.js')],
    [
      'a link in place of a file',
      () => {
        renameSync(join(folder.path, 'lib/c.js'), join(folder.path, 'lib/old.js'));
        folder.write('lib/evil.js', '');
        symlinkSync('evil.js', join(folder.path, 'lib/c.js'));
      },
    ],
    ['a file that is gone', () => rmSync(join(folder.path, 'guard.sh'))],
  ])('%s: changed, it is no longer accepted', async (_, change) => {
    writeTree();
    await accept();
    expect(await states()).toEqual({ 'hookscope.config.ts': 'accepted' });
    change();
    expect(await states()).toEqual({ 'hookscope.config.ts': 'changed' });
    await accept();
    expect(await states()).toEqual({ 'hookscope.config.ts': 'accepted' });
  });

  test.each<[string, () => void]>([
    ['a type', append('types.ts')],
    ['a log', append('hooks.log')],
    ['another file', append('lib/guard-b.js')],
    [
      'another version in package.json',
      () =>
        void folder.write('package.json', {
          name: 'project',
          version: '2',
          type: 'module',
          imports: { '#guard': './lib/guard-a.js' },
        }),
    ],
    ['what a package brings with it', append('node_modules/a-plugin/node_modules/left-pad/index.js')],
  ])('%s may change', async (_, change) => {
    writeTree();
    await accept();
    change();
    expect(await states()).toEqual({ 'hookscope.config.ts': 'accepted' });
  });

  test.each<[string, string, () => void]>([
    ['its own text', '{"timeout":1}', append('hookscope.config.json')],
    ['a plugin by path', '{"plugins":["./p.mjs"]}', append('p.mjs')],
    ['an import of it', '{"plugins":[["./p.mjs",{}]]}', append('q.mjs')],
    ['a package', '{"plugins":["a-plugin"]}', append('node_modules/a-plugin/index.js')],
    [
      'a script',
      '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./guard.sh"}]}]}}',
      append('guard.sh'),
    ],
    [
      "an agent's script",
      '{"spawnHooks":{"a":{"Stop":[{"hooks":[{"type":"command","command":"sh ./guard.sh"}]}]}}}',
      append('guard.sh'),
    ],
  ])('of JSON: %s', async (_, text, change) => {
    folder.write('hookscope.config.json', text);
    folder.write('p.mjs', "import './q.mjs';");
    folder.write('q.mjs', marking());
    folder.write('guard.sh', '');
    folder.install('a-plugin', marking());
    await accept();
    expect(await states()).toEqual({ 'hookscope.config.json': 'accepted' });
    change();
    expect(await states()).toEqual({ 'hookscope.config.json': 'changed' });
  });

  test('says of a change of the configuration itself only that it has changed', async () => {
    const file = folder.write('hookscope.config.json', '{}');
    await accept();
    folder.write('hookscope.config.json', '{ "timeout": 5 }');
    const [found] = await judgeConfigs(folder.path, store);
    expect(found?.held?.why).toBe(`${file} has changed since it was accepted; see hookscope trust`);
  });

  test('a link: where it leads, and what is there', async () => {
    folder.write('elsewhere/c.mjs', "import './d.mjs';");
    folder.write('elsewhere/d.mjs', '');
    folder.write('elsewhere/e.mjs', "import './d.mjs';");
    const link = join(folder.path, 'hookscope.config.mjs');
    symlinkSync('elsewhere/c.mjs', link);
    await accept();
    expect(await states()).toEqual({ 'hookscope.config.mjs': 'accepted' });
    rmSync(link);
    symlinkSync('elsewhere/e.mjs', link);
    expect(await states()).toEqual({ 'hookscope.config.mjs': 'changed' });
    rmSync(link);
    symlinkSync('elsewhere/c.mjs', link);
    folder.write('elsewhere/d.mjs', '// new');
    expect(await states()).toEqual({ 'hookscope.config.mjs': 'changed' });
  });
});

test('one that was accepted and is gone is remembered; one in its place is new', async () => {
  folder.write('hookscope.config.json', '{}');
  await accept();
  renameSync(join(folder.path, 'hookscope.config.json'), join(folder.path, 'hookscope.config.ts'));
  expect(await states()).toEqual({ 'hookscope.config.ts': 'never', 'hookscope.config.json': 'gone' });
});

test('what lies in a project at another place is new', async () => {
  folder.write('hookscope.config.json', '{}');
  await accept();
  const other = createFolder();
  other.write('hookscope.config.json', '{}');
  expect(await states(other.path)).toEqual({ 'hookscope.config.json': 'never' });
  other.remove();
});

test.each<[string, () => void]>([
  ['what is no JSON', () => void folder.write('hookscope.config.json', '{')],
  ['what is no program', () => void folder.write('hookscope.config.ts', '{{{')],
  ['a folder', () => void mkdirSync(join(folder.path, 'hookscope.config.mjs'))],
  ['a link to nowhere', () => symlinkSync('nowhere', join(folder.path, 'hookscope.config.mjs'))],
  ['a device', () => symlinkSync('/dev/zero', join(folder.path, 'hookscope.config.json'))],
  ['a device as code', () => symlinkSync('/dev/zero', join(folder.path, 'hookscope.config.mjs'))],
  ['what may not be read', () => chmodSync(folder.write('hookscope.config.mjs', ''), 0)],
])('%s waits as well', async (_, make) => {
  make();
  expect(Object.values(await states())).toEqual(['never']);
});

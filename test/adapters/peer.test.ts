import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../package/run.js';
import { ROOT } from '../package/sources.js';

interface Adapter {
  readonly entry: string;
  readonly peer: string;
  readonly range: string;
  /** What needs the framework, where the import alone does not. */
  readonly use?: string;
}

const ADAPTERS: readonly Adapter[] = [
  { entry: 'hookscope/adapters/ai', peer: 'ai', range: '^6.0.200 || ^7.0.0' },
  { entry: 'hookscope/adapters/langchain', peer: 'langchain', range: '^1.5.0' },
  {
    entry: 'hookscope/adapters/openai-agents',
    peer: '@openai/agents',
    range: '^0.20.0',
    use: `await adapter.drive(await (await import('hookscope')).createHost().openSession(), {}, 'Go');`,
  },
  {
    entry: 'hookscope/models/anthropic',
    peer: '@anthropic-ai/sdk',
    range: '^1.0.0',
    use: `await adapter.anthropicModel()({ kind: 'prompt', prompt: 'Go', schema: {} });`,
  },
];

const ENTRIES: readonly Adapter[] = [
  ...ADAPTERS,
  { entry: 'hookscope/sinks/otel', peer: '@opentelemetry/api', range: '^1.9.0' },
  { entry: 'hookscope/testing/vitest', peer: 'vitest', range: '>=3' },
];

const root = mkdtempSync(join(tmpdir(), 'hookscope-framework-'));
const modules = join(root, 'node_modules');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** hookscope as it is installed. */
beforeAll(() => {
  const own = join(modules, 'hookscope');
  mkdirSync(own, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(own, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(own, 'package.json'));
  for (const one of Object.keys(manifest.dependencies))
    symlinkSync(join(ROOT, 'node_modules', one), join(modules, one));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What each adapter comes to where its framework has these files. */
async function errors(files: Readonly<Record<string, string>>): Promise<readonly { code: string; message: string }[]> {
  for (const { peer } of ENTRIES) {
    rmSync(join(modules, peer), { recursive: true, force: true });
    const names = Object.entries(files);
    if (names.length > 0) mkdirSync(join(modules, peer), { recursive: true });
    for (const [name, text] of names) writeFileSync(join(modules, peer, name), text);
  }
  const tried = ENTRIES.map(
    ({ entry, use = '' }) => `
    await (async () => { const adapter = await import('${entry}'); ${use} })()
      .catch(({ code, message }) => told.push({ code, message }));`,
  );
  const program = `const told = []; ${tried.join('')} console.log(JSON.stringify(told));`;
  const options = { cwd: root, bin: root, home: root };
  const { output } = await run(process.execPath, ['--input-type=module', '-e', program], options);
  return JSON.parse(output);
}

const OLD = { 'package.json': JSON.stringify({ version: '0.0.1', type: 'module', exports: './index.js' }) };

test('every entry of the package can be imported without any optional package, or says which one it needs', async () => {
  for (const peer of Object.keys(manifest.peerDependencies))
    rmSync(join(modules, peer), { recursive: true, force: true });
  const sinks = ['ndjson', 'sqlite', 'otel', 'contract'].map((one) => `./sinks/${one}`);
  const entries = Object.keys(manifest.exports)
    .filter((key) => !/json$|schemas/.test(key))
    .flatMap((key) => (key === './sinks/*' ? sinks : key))
    .map((key) => key.replace(/^\./, 'hookscope'));
  const program = `const told = {};
    for (const entry of ${JSON.stringify(entries)})
      await import(entry).then(() => (told[entry] = 'ok'), ({ code }) => (told[entry] = code));
    console.log(JSON.stringify(told));`;
  const { output } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    bin: root,
    home: root,
  });
  const needs = ['adapters/ai', 'adapters/langchain', 'sinks/otel', 'testing/vitest'].map((one) => `hookscope/${one}`);
  expect(JSON.parse(output)).toEqual(
    Object.fromEntries(entries.map((entry) => [entry, needs.includes(entry) ? 'PEER' : 'ok'])),
  );
});

test.each([
  ['is not installed', {}, 'it is not installed.'],
  ['is another version', { ...OLD, 'index.js': 'export const other = 1;' }, 'what is installed is of another version.'],
  [
    'throws as it is loaded',
    { ...OLD, 'index.js': "throw 'needs a newer Node';" },
    'it could not be loaded: needs a newer Node.',
  ],
  ['is no JavaScript', { ...OLD, 'index.js': 'export default {' }, 'it could not be loaded: Unexpected'],
  [
    'lacks what it needs',
    { ...OLD, 'index.js': "import 'gone';" },
    "it could not be loaded: Cannot find package 'gone'",
  ],
  ['lacks its files', OLD, 'it could not be loaded: Cannot find '],
])('an entry whose package %s says what to install', async (_, files, words) => {
  const told = await errors(files);
  for (const [i, { entry, peer, range }] of ENTRIES.entries()) {
    expect(told[i]).toMatchObject({ code: 'PEER' });
    expect(told[i]?.message).toContain(`${entry} needs ${peer} ${range}: ${words}`);
    expect(told[i]?.message).toContain(`npm install "${peer}@${range}"`);
  }
});

test('the versions that an adapter asks for are those of the package', () => {
  expect(manifest.peerDependencies).toMatchObject(Object.fromEntries(ENTRIES.map(({ peer, range }) => [peer, range])));
});

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { framework } from '../../src/adapters/framework.js';
import { run } from '../package/run.js';
import { ROOT } from '../package/sources.js';

const root = mkdtempSync(join(tmpdir(), 'hookscope-framework-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A project with hookscope as it is installed, and with a framework of this version, or none. */
async function use(adapter: string, name: string, version: string | undefined): Promise<string> {
  const modules = join(root, 'node_modules');
  const own = join(modules, 'hookscope');
  mkdirSync(own, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(own, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(own, 'package.json'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  for (const one of Object.keys(dependencies)) symlinkSync(join(ROOT, 'node_modules', one), join(modules, one));
  if (version !== undefined) {
    const folder = join(modules, name);
    mkdirSync(join(dirname(folder), name.split('/').pop() as string), { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
    writeFileSync(join(folder, 'index.js'), '');
  }
  const { output } = await run(process.execPath, ['--input-type=module', '-e', `await import('${adapter}')`], {
    cwd: root,
    bin: root,
    home: root,
  });
  return output;
}

test.each([
  ['hookscope/adapters/langchain', 'langchain', undefined, '1.5 or later, and there is none'],
  ['hookscope/adapters/langchain', 'langchain', '0.3.37', '1.5 or later, and there is 0.3.37'],
  ['hookscope/adapters/langchain', 'langchain', '1.4.6', '1.5 or later, and there is 1.4.6'],
])('%s says what it needs of %s, where there is %s', async (adapter, name, version, words) => {
  const output = await use(adapter, name, version);
  expect(output).toContain(`${adapter}: needs the package ${name}, ${words}: npm install ${name}`);
});

test('a package that is there and fails says so itself', async () => {
  const broken = () =>
    Promise.reject(Object.assign(new Error("Cannot find package 'other'"), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(framework('a', 'langchain', '1.5', broken)).rejects.toThrow("Cannot find package 'other'");
  await expect(framework('a', 'langchain', '1.5', async () => 'loaded')).resolves.toBe('loaded');
});

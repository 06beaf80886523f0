import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
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
  [undefined, 'it is not installed'],
  ['1.4.6', 'what is installed is of another version'],
])('LangChain that is needed, where there is %s', async (version, words) => {
  const output = await use('hookscope/adapters/langchain', 'langchain', version);
  expect(output).toContain("code: 'PEER'");
  expect(output).toContain('hookscope/adapters/langchain');
  expect(output).toContain('^1.5.0');
  expect(output).toContain(words);
});

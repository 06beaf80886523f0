import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { minimatch } from 'minimatch';
import { expect, test } from 'vitest';
import { ALONE, LONG, SYSTEM } from '../../vitest.config.js';
import { ROOT } from './sources.js';

/** Every file of test/, relative to it. */
const all = readdirSync(join(ROOT, 'test'), { recursive: true }).map((name) => String(name).replaceAll('\\', '/'));
const files = all.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);

test.each([...SYSTEM, ...ALONE, ...LONG.map((name) => `test/${name}.test.ts`)])('there are files of %s', (pattern) => {
  // A set in braces is as many patterns.
  for (const one of minimatch.braceExpand(pattern))
    expect(files.filter((file) => minimatch(file, one)).length, one).toBeGreaterThan(0);
});

/** The files without tests, and which files import each. What is in `fixtures/` and `types/` is read, run or compiled by itself. */
function usersOfHelpers(): Map<string, Set<string>> {
  const helpers = all.filter(
    (name) => /(?<!\.test|\.fleet)\.(?:tsx?|mjs)$/.test(name) && !/^(?:fixtures|types)\//.test(name),
  );
  const users = new Map(helpers.map((name) => [name, new Set<string>()]));
  for (const file of all.filter((name) => /\.tsx?$/.test(name))) {
    const text = readFileSync(join(ROOT, 'test', file), 'utf8');
    for (const [, from] of text.matchAll(/(?:\bfrom |\bimport\(|^import )'(\.[^']+)'/gm))
      users.get(join(dirname(file), from as string).replace(/\.js$/, '.ts'))?.add(file);
  }
  return users;
}

/** The files in the first column of the table of test/README.md; the second name of a row may be one beside the first. */
function listedHelpers(): string[] {
  const rows = readFileSync(join(ROOT, 'test/README.md'), 'utf8').matchAll(/^\| (`[^|]+`) \|/gm);
  return [...rows].flatMap(([, cell]) => {
    const names = [...(cell as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
    const beside = dirname(names[0] as string);
    return names.map((name) => (existsSync(join(ROOT, 'test', name)) ? name : join(beside, name)));
  });
}

test('test/README.md lists every helper that several files import, and no file that there is not', () => {
  const listed = listedHelpers();
  const shared = [...usersOfHelpers()].flatMap(([name, users]) => (users.size > 1 ? [name] : []));
  expect(shared.length).toBeGreaterThan(50);
  expect(shared.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => !existsSync(join(ROOT, 'test', name)))).toEqual([]);
});

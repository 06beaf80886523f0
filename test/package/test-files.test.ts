import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { minimatch } from 'minimatch';
import { expect, test } from 'vitest';
import { ALONE, LONG, SYSTEM } from '../../vitest.config.js';
import { ROOT } from './sources.js';

const files = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((name) => `test/${String(name).replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'));

test.each([...SYSTEM, ...ALONE, ...LONG.map((name) => `test/${name}.test.ts`)])('there are files of %s', (pattern) => {
  // A set in braces is as many patterns.
  for (const one of minimatch.braceExpand(pattern))
    expect(files.filter((file) => minimatch(file, one)).length, one).toBeGreaterThan(0);
});

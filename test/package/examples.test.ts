import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { printed } from './doc-blocks.js';
import { createRunner } from './run.js';
import { ROOT } from './sources.js';

const MAX_LINES = 60;
const folder = join(ROOT, 'examples');
const home = mkdtempSync(join(tmpdir(), 'hookscope-examples-'));
const runner = createRunner({ bin: join(ROOT, 'node_modules/.bin'), home }, ['--import', 'tsx']);
afterAll(() => {
  runner.remove();
  rmSync(home, { recursive: true, force: true });
});

/** `01-name.ts` or `.js`; what it prints stands beside it in `01-name.txt`. */
const examples = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => /^\d\d-[a-z0-9-]+\.(?:ts|js)$/.test(name))
      .sort()
  : [];

describe('the numbered examples', () => {
  test(`are numbered from 01 without a gap, and end at ${String(examples.length).padStart(2, '0')}`, () => {
    expect(examples.map((name) => Number(name.slice(0, 2)))).toEqual(examples.map((_, i) => i + 1));
  });

  test.each(examples)(`%s has at most ${MAX_LINES} lines and prints what is in its .txt`, async (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    const { output, code } = await runner.run(join(folder, name), folder);
    const expected = readFileSync(join(folder, name.replace(/\.\w+$/, '.txt')), 'utf8');
    expect(code, output).toBe(0);
    if (!printed(expected, output)) expect(output).toBe(expected);
  });
});

describe('the examples over the control protocol', () => {
  const claude = join(folder, 'claude');
  const numbered = readdirSync(claude).filter((name) => /^\d\d-.*\.ts$/.test(name));

  // What they print stands in the README beside them, whose blocks the test of the documents runs.
  test.each(numbered)(
    `%s has at most ${MAX_LINES} lines, a scenario, and a block of the README that runs it`,
    (name) => {
      const text = readFileSync(join(claude, name), 'utf8');
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
      expect(text).toContain(`program('${name.replace(/\.ts$/, '.json')}')`);
      expect(readFileSync(join(claude, 'README.md'), 'utf8')).toContain(
        `$ node --import tsx examples/claude/${name}\n`,
      );
    },
  );

  test('are the four of the design', () => {
    expect(numbered).toHaveLength(4);
  });
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../package/sources.js';
import { cli } from './cli.js';

// Where Node finds what the package would install.
const HERE = join(ROOT, 'node_modules/.cache/hookscope');
let folder = '';
beforeEach(() => {
  mkdirSync(HERE, { recursive: true });
  folder = mkdtempSync(join(HERE, 'new-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('hookscope new plugin', () => {
  // That it builds, that its tests pass and that it can be used: packed.test.ts.
  test('makes a package, and says what to do with it', async () => {
    const { stdout, code } = await cli(['new', 'plugin', '@me/no-force'], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('cd no-force && npm install && npm test')]);
    const made = join(folder, 'no-force');
    const { scripts, exports, name } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8'));
    expect([name, scripts.build, scripts.test]).toEqual(['@me/no-force', 'tsc', 'node --test dist/index.test.js']);
    expect(exports['.'].default).toBe('./dist/index.js');
  });

  test('writes nothing over, and says what is wrong', async () => {
    writeFileSync(join(folder, 'there.txt'), 'mine');
    const failing = async (...args: string[]) => {
      const { stderr, code } = await cli(['new', ...args], { cwd: folder });
      expect(code).toBe(1);
      return stderr;
    };
    expect(await failing('plugin', 'x', '--dir', '.')).toContain('is not empty');
    expect(await failing('plugin', 'x', '--dir', 'there.txt')).toContain('there.txt');
    expect(await failing('plugin', 'No Such Name')).toContain("a package's name");
    expect(await failing('plugin', '../up')).toContain("a package's name");
    expect(await failing('plugin', '--', '-x')).toContain("a package's name");
    expect(await failing('plugin', '@me/-x')).toContain("a package's name");
    for (const name of ['node_modules', '@me/node_modules', 'favicon.ico', 'http'])
      expect(await failing('plugin', name)).toContain(`npm gives no package the name ${name}`);
    expect(await failing('hook', 'x')).toContain('expected plugin');
    expect(readdirSync(folder)).toEqual(['there.txt']);
  });
});

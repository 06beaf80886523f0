import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const run = (args: readonly string[], cwd: string) => promisify(execFile)(process.execPath, args, { cwd });

describe('hookscope new plugin', () => {
  test('makes a package that builds, whose tests pass, and that can be used', async () => {
    const { stdout, code } = await cli(['new', 'plugin', '@me/no-force'], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('cd no-force && npm install && npm test')]);
    const made = join(folder, 'no-force');
    const { scripts, exports, name } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8'));
    expect([name, scripts.build, scripts.test]).toEqual(['@me/no-force', 'tsc', 'node --test dist/index.test.js']);
    await run([join(ROOT, 'node_modules/@typescript/native/bin/tsc')], made);
    expect((await run(['--test', 'dist/index.test.js'], made)).stdout).toMatch(/^# fail 0$/m);
    expect(exports['.'].default).toBe('./dist/index.js');
    const list = await cli(['list', '--no-config', '--plugin', made], { cwd: folder });
    expect(list.stdout).toContain('@me/no-force');
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
    expect(await failing('hook', 'x')).toContain('expected plugin');
    expect(readdirSync(folder)).toEqual(['there.txt']);
  });
});

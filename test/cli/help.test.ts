import { describe, expect, test } from 'vitest';
import { ownVersion } from '../../src/plugins/manifest.js';
import { ROOT } from '../package/sources.js';
import { cli } from './cli.js';

const hookscope = (...args: string[]) => cli(args, { cwd: ROOT });

describe('--help', () => {
  test('lists every command', async () => {
    const { stdout, stderr, code } = await hookscope('--help');
    for (const command of ['fire', 'list', 'run'])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} \\[options\\]`, 'm'));
    expect([stderr, code]).toEqual(['', 0]);
  });

  test.each([
    ['fire', ['--input', '--config', '--no-config', '--plugin', '--hooks', '--scope', '--json', '--exit-code']],
    ['list', ['--config', '--no-config', '--plugin', '--hooks', '--json']],
    ['run', ['--config', '--no-config', '--plugin', '--hooks', '--speed', '--json']],
  ])('of %s says what each option does', async (command, options) => {
    const { stdout, code } = await hookscope(command, '--help');
    const shown = [...stdout.matchAll(/^ {2}(--[\w-]+).* {2,}\S/gm)].map(([, option]) => option);
    expect(shown).toEqual(expect.arrayContaining(options));
    expect(code).toBe(0);
  });
});

test('without a command the help is shown, and it is an error', async () => {
  const { stdout, stderr, code } = await hookscope();
  expect([stdout, code]).toEqual(['', 1]);
  expect(stderr).toMatch(/^Usage: hookscope/);
});

test('--version is the version of the package', async () => {
  expect((await hookscope('--version')).stdout).toBe(`${await ownVersion()}\n`);
});

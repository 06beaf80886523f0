import { describe, expect, test } from 'vitest';
import { optionsOf } from '../../src/cli/command-row.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { OPTIONS } from '../../src/cli/options.js';
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

describe('the table of options', () => {
  const taken = COMMANDS.flatMap(({ options }) => options.map((one) => (typeof one === 'string' ? one : one[0])));

  test('has none that no command takes', () => {
    expect(Object.keys(OPTIONS).filter((name) => !taken.includes(name as keyof typeof OPTIONS))).toEqual([]);
  });

  test('has the words of an option that a command means as they are there', () => {
    const again = COMMANDS.flatMap(({ options }) =>
      options.flatMap((one) => (typeof one !== 'string' && one[1] === OPTIONS[one[0]][1] && !one[2] ? [one[0]] : [])),
    );
    expect(again).toEqual([]);
  });

  test('gives no command one flag twice', () => {
    for (const row of COMMANDS) {
      const flags = optionsOf(row).map(([written]) => /--[\w-]+/.exec(written)?.[0]);
      expect(flags).toEqual([...new Set(flags)]);
    }
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

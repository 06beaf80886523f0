import { describe, expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';

function matches(pattern: string, command: string): boolean {
  const { rule } = compileRule(`PowerShell(${pattern})`, { dialect: 'code', where: 'if' });
  return rule?.matches({ tool_name: 'PowerShell', tool_input: { command }, cwd: '/' }) ?? true;
}

const COMMANDS = [
  '.\\deploy.ps1',
  '.\\scripts\\wipe.ps1 -Force',
  'git.exe push origin',
  'C:\\tools\\x.exe /y',
  'build.bat',
  './a.cmd b.ps1',
  'rm -Recurse x.exe',
  'C:\\bin\\curl.com "a b"',
  'node a.ps1>b',
];

describe('a PowerShell pattern', () => {
  it.each(COMMANDS)('matches %s with a wildcard in the place of any part of it', (command) => {
    const missed: string[] = [];
    for (let from = 0; from < command.length; from++)
      for (let to = from + 1; to <= command.length; to++) {
        const pattern = `${command.slice(0, from)}*${command.slice(to)}`;
        // That is a space and a wildcard.
        if (!pattern.endsWith(':*') && !matches(pattern, command)) missed.push(pattern);
      }
    expect(missed).toEqual([]);
  });

  it.each([
    ['*.ps1', 'deploy.bat'],
    ['*.exe *', 'git push'],
    ['.\\scripts\\*.ps1', '.\\other\\x.ps1'],
    ['deploy.*', 'build.ps1'],
    ['*deploy.ps*', 'npm run deploy'],
  ])('%s is not about %s', (pattern, command) => {
    expect(matches(pattern, command)).toBe(false);
  });

  it.each([
    ['deploy.*', '.\\deploy.ps1'],
    ['*.exe push *', 'sudo git.exe push'],
    ['*item *', 'rm x'],
    ['r* x', 'rm x'],
  ])('%s sees %s in each of its spellings', (pattern, command) => {
    expect(matches(pattern, command)).toBe(true);
  });
});

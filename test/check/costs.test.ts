import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkHookFiles, type HookReport } from '../../src/check/check.js';
import { rolesOf } from '../../src/check/scripts/start.js';
import { growth } from '../growth.js';
import { NO_FILES } from '../no-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-costs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function at(path: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}
const check = (home = 'home'): Promise<HookReport> =>
  checkHookFiles({ paths: ['.'], cwd: folder, home: join(folder, home), managedDir: join(folder, 'managed') });
const settings = (command: string, matcher = ''): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command }] }] } });

const NONE: typeof NO_FILES = {
  ...NO_FILES,
  'a link to nowhere': (path) => symlinkSync('/nowhere/at/all', path),
  'a link to itself': (path) => symlinkSync(path, path),
};
const FOUND = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/agents/a.md',
  '.claude/commands/c.md',
  '.claude/skills/s/SKILL.md',
  'managed-settings.d/10.json',
  'plugin/.claude-plugin/plugin.json',
  'plugin/hooks/hooks.json',
  'hookscope.config.json',
];

/** A link that leads nowhere among these, such as an editor's lock, hides no hooks. */
const MARKDOWN = /\.md$/;

describe.each(Object.entries(NONE))('%s', (kind, make) => {
  test('in place of any file is a finding, and the others are looked at all the same', async () => {
    for (const path of FOUND) make(at(path));
    writeFileSync(at('zz/.claude/settings.json'), settings('echo ok', '('));
    const { findings } = await check();
    expect(findings.map(({ rule, file }) => `${rule} ${file}`)).toEqual([
      ...FOUND.filter((path) => !(/nowhere|itself/.test(kind) && MARKDOWN.test(path)))
        .map((path) => `unreadable ${path}`)
        .sort(),
      'matcher-invalid zz/.claude/settings.json',
    ]);
    for (const { rule, message } of findings)
      if (rule === 'unreadable') expect(message).toMatch(/^It cannot be read: /);
  });

  test('in place of the settings of the user says nothing', async () => {
    make(at('.claude/settings.json'));
    writeFileSync(at('zz/.claude/settings.json'), settings('echo ok', '('));
    // The home is the folder itself.
    expect((await check('.')).findings.map(({ rule }) => rule)).toContain('matcher-invalid');
  });
});

test('of one rule in one file no more is told than people read', async () => {
  const keys = Array.from({ length: 500 }, () => '"a": 1').join(', ');
  writeFileSync(at('.claude/settings.json'), `{${keys}, "hooks": {}}`);
  const found = (await check()).findings.filter(({ rule }) => rule === 'duplicate-key');
  expect(found).toHaveLength(101);
  expect(found.at(-1)?.message).toMatch(/ So it is 398 times more behind this\.$/);
});

const INTERPRETERS: Readonly<Record<string, string>> = { '.py': 'python3', '.js': 'node', '.sh': 'bash' };

/** Looks at a script in which a line stands so many times. */
async function look(line: string, count: number, name: string): Promise<void> {
  writeFileSync(at('.claude/settings.json'), settings(`"$CLAUDE_PROJECT_DIR"/${name}`));
  writeFileSync(at(name), `#!/usr/bin/env ${INTERPRETERS[extname(name)]}\n${line.repeat(count)}`, {
    mode: 0o755,
  });
  await check();
}

test.each([
  ['grep -q foo "$1" && exit 2\n', 'g.sh'],
  ['echo blocked && exit 1\n', 'g.sh'],
  ['exit 1 || ', 'g.sh'],
  ['sys.exit(1)\n', 'g.py'],
  ['sys.exit(1);', 'g.py'],
  ['print(', 'g.py'],
  ['x=json.loads(', 'g.py'],
  ['console.log(', 'g.js'],
  ['console.log({a:', 'g.js'],
])('what %j costs grows with how often it stands there, and not faster', async (line, name) => {
  const many = 6400 / Math.max(1, line.length / 14);
  // At most eight times as much; sixty-four if every one looked at all the others.
  expect(await growth((count) => look(line, count, name), { few: 800, many, most: 24 })).toBeLessThan(24);
});

test('an option of many letters is read in one pass, whatever it means', async () => {
  const words = (count: number): void => {
    const option = `-${'c'.repeat(count)}!`;
    for (const name of ['bash', 'fish', 'perl', 'python3']) for (let i = 0; i < 20; i++) rolesOf([name, option, 'x']);
  };
  expect(await growth(words, { few: 2000, many: 16_000, most: 24 })).toBeLessThan(24);
});

test.each([
  ['print([', '])', 'g.py'],
  ['console.log(JSON.stringify({a:', '}))', 'g.js'],
  ['console.log([', '])', 'g.js'],
])('%j may be nested as deep as it likes', async (open, close, name) => {
  const bracket = open.slice(open.search(/[[{]/));
  await look(`${open}${bracket.repeat(20_000)}${close.charAt(0).repeat(20_000)}${close}\n`, 1, name);
});

test('a matcher of many names is not compared with all that are known', async () => {
  writeFileSync(at('.claude/settings.json'), settings('echo ok', 'Baash|'.repeat(100_000)));
  expect((await check()).findings).toEqual([]);
});

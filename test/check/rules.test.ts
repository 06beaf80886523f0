import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkHookFiles, type HookFinding } from '../../src/check/check.js';
import { RULE_IDS, RULES } from '../../src/check/rules/rules.js';
import { ROOT } from '../package/sources.js';

const CASES = join(ROOT, 'test/fixtures/check');

async function findings(rule: string, which: 'bad' | 'good'): Promise<readonly HookFinding[]> {
  const cwd = join(CASES, rule, which);
  const report = await checkHookFiles({ paths: ['.'], cwd, home: join(cwd, 'home'), managedDir: join(cwd, 'managed') });
  expect(report.files).not.toEqual([]);
  return report.findings;
}

const shown = ({ rule, file, line, column, message }: HookFinding): string =>
  `${file}:${line}:${column} ${rule} ${message}`;

describe.each(RULE_IDS.map((rule) => [rule]))('%s', (rule) => {
  test('finds the bad case, and nothing else in it', async () => {
    const found = await findings(rule, 'bad');
    expect(found.map(shown)).not.toEqual([]);
    expect(found.filter((one) => one.rule !== rule).map(shown)).toEqual([]);
    for (const { level, why, fix, line, column, message } of found) {
      expect({ level, why }).toEqual({ level: RULES[rule].level, why: RULES[rule].why });
      expect(message).toMatch(/^\S.*[.?]$/s);
      expect(fix).toMatch(/\.$/);
      expect(Math.min(line, column)).toBeGreaterThan(0);
    }
    expect(found.map((one) => `${shown(one)}\n  fix: ${one.fix}`).join('\n')).toMatchSnapshot();
  });

  test('has nothing against the good case', async () => {
    expect((await findings(rule, 'good')).map(shown)).toEqual([]);
  });
});

test('every case belongs to a rule', () => {
  const ids: readonly string[] = RULE_IDS;
  expect(readdirSync(CASES).filter((name) => !ids.includes(name) || !existsSync(join(CASES, name, 'good')))).toEqual(
    [],
  );
});

test('docs/rules.md says in their words what each rule finds, why, and what mends it', () => {
  const page = readFileSync(join(ROOT, 'docs/rules.md'), 'utf8').replaceAll(/\\(?=[|`*_<>])/g, '');
  for (const id of RULE_IDS) {
    const { level, about, why, fix } = RULES[id];
    expect(page).toContain(`| [${id}](#${id}) | ${level} | ${about} |`);
    expect(page).toContain(why);
    expect(page).toContain(fix);
  }
});

test('a rule that says of a command that fails that it blocks nothing says with what policy it does', () => {
  const whys = RULE_IDS.map((id) => RULES[id].why).filter((why) => /ends with 12[67]/.test(why));
  expect(whys).toHaveLength(3);
  for (const why of whys) expect(why).toContain('blocks nothing unless onFailure is block or ask');
});

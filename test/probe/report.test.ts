import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { remarks } from '../../src/cli/doctor/probe-words.js';
import { probedAgent } from '../../src/probe/agents/agents.js';
import type { CallFate, CallOutcome } from '../../src/probe/before-tool.js';
import { stepsOf } from '../../src/probe/cases.js';
import type { ProbeObservations } from '../../src/probe/inside.js';
import { policyFiles } from '../../src/probe/policies.js';
import { RECORDED } from '../../src/probe/recorded.js';
import { reportOf, wantedOf } from '../../src/probe/report.js';
import { versionIn } from '../../src/probe/run-agent.js';

const steps = stepsOf(true);
const outcomes = (of: (name: string) => CallFate): Record<string, CallOutcome> =>
  Object.fromEntries(steps.map(({ name }) => [name, { did: of(name), told: false }]));
const recorded = (name: string): CallFate =>
  Object.entries(RECORDED['codex']?.did ?? {}).find(([, names]) => names.split(' ').includes(name))?.[0] as CallFate;
const wanted = outcomes((name) => wantedOf(steps.find((step) => step.name === name)!.of));

const isNo = ({ scene, of }: (typeof steps)[number]) => scene === 'alone' && of.kind === 'no';

function report(direct: Record<string, CallOutcome>, stateless = wanted, more: Partial<ProbeObservations> = {}) {
  const seen: ProbeObservations = {
    version: '1.0.0',
    before_tool: { direct, stateless },
    other_events: {},
    runs: 3,
    named: [],
    problems: [],
    ...more,
  };
  const network = { blocked: true, how: 'a test' };
  return reportOf({ agent: 'codex', program: '/bin/codex', network, policies: [], seen, date: '2026-01-01' });
}

describe('what is said of a version', () => {
  test.each(steps.filter(({ of }) => of.kind !== 'other').map(({ name }) => [name] as const))(
    '%s: more if it is heard now and was not, less the other way round, nothing if it is the same',
    (one) => {
      const before = recorded(one);
      const is = (did: CallFate) => report(outcomes((name) => (name === one ? did : recorded(name))));
      const other = before === 'blocked' ? 'ran' : 'blocked';
      expect([is(before).hears_more, is(before).hears_less]).toEqual([[], []]);
      expect(is(other)[other === 'blocked' ? 'hears_more' : 'hears_less']).toHaveLength(1);
      expect(is(other)[other === 'blocked' ? 'hears_less' : 'hears_more']).toEqual([]);
      // A call whose hook is not asked was not stopped by it; one that is not made, hangs or is refused by something else says nothing of it.
      expect(is('unasked').hears_less).toHaveLength(before === 'blocked' ? 1 : 0);
      for (const did of ['not called', 'hung', 'refused'] as const) {
        const { hears_more, hears_less, compared } = is(did);
        expect([did, hears_more, hears_less, compared.unseen]).toEqual([did, [], [], 1]);
        expect(remarks(is(did)).join('\n')).toContain(
          'As far as could be seen, it obeys the same answers as version 0.',
        );
      }
    },
  );

  test('everything as wanted is no problem; each that is lost with hookscope in between is one', () => {
    const same = outcomes(recorded);
    expect(report(same).problems).toEqual([]);
    for (const { name, of } of steps.filter((step) => step.name !== 'silent0')) {
      const lost = wantedOf(of) === 'blocked' ? 'ran' : 'blocked';
      const { problems } = report(same, { ...wanted, [name]: { did: lost, told: false } });
      expect([name, problems.length]).toEqual([name, 1]);
      expect(problems[0]).toContain(of.what);
    }
  });

  test.each(['unasked', 'refused', 'blocked', 'hung', 'not called'] as const)(
    'where the call whose hook is silent was %s, nothing is said of the others',
    (did) => {
      const found = report({ ...outcomes(() => 'blocked'), silent0: { did, told: false } });
      expect(found.problems[0]).toMatch(/^By itself: nothing can be said/);
      expect([found.hears_more, found.hears_less]).toEqual([[], []]);
      expect(remarks(found).join('\n')).toContain('Nothing of it could be compared with 0.');
    },
  );

  test('a call that was never made is said to be unseen, and no no', () => {
    const { problems, sums } = report({ ...outcomes(recorded), deny: { did: 'not called', told: false } });
    expect(problems).toEqual([expect.stringContaining('not seen, since the call was never made: exit 0, the deny')]);
    expect([sums.direct?.noes, sums.direct?.of.noes]).toEqual([4, steps.filter(isNo).length - 1]);
    expect(sums.stateless?.of.noes).toBe(steps.filter(isNo).length);
  });

  test('a version is a version, however much is printed', () => {
    expect(versionIn('codex-cli 0.169.0-beta.2 (of today)')).toBe('0.169.0-beta.2');
    expect(versionIn(`x 1.2.3-${'a'.repeat(90_000)}`)).toMatch(/^1\.2\.3-a{53}…$/);
    expect(versionIn('9'.repeat(90_000))).toBe('unknown');
  });

  test('what a server raises an alarm about, and what is not heard on another event, is a problem', () => {
    const lost = { server: { 'a prompt is blocked': 'lost' } } as const;
    const found = report(outcomes(recorded), wanted, {
      before_tool: { direct: outcomes(recorded), server: wanted },
      other_events: lost,
      problems: ['With a hookscope server: an alarm.'],
    });
    expect(found.problems).toEqual([
      'With a hookscope server: an alarm.',
      'With a hookscope server: a prompt is blocked: not heard.',
    ]);
  });
});

describe('files of the whole system', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookscope-policies-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{}');
    return file;
  };

  test.each([
    ['claude-code', 'linux', '/etc/claude-code/managed-settings.json'],
    ['claude-code', 'linux', '/etc/claude-code/managed-settings.d/10.json'],
    ['claude-code', 'darwin', '/Library/Application Support/ClaudeCode/managed-settings.json'],
    ['codex', 'linux', '/etc/codex/requirements.toml'],
    ['codex', 'darwin', '/etc/codex/managed_config.toml'],
    ['copilot', 'linux', '/etc/github-copilot/policy.d/hooks.json'],
    ['gemini', 'linux', '/etc/gemini-cli/settings.json'],
    ['gemini', 'darwin', '/Library/Application Support/GeminiCli/settings.json'],
  ])('of %s on %s: %s is found where it is, and nowhere else', (agent, platform, file) => {
    expect(policyFiles(probedAgent(agent), platform, root)).toEqual([]);
    write(file);
    write('/etc/unrelated/settings.json');
    expect(policyFiles(probedAgent(agent), platform, root)).toEqual([{ file, readable: true }]);
  });

  test('one that is not ours to read is there all the same', () => {
    chmodSync(write('/etc/codex/requirements.toml'), 0o000);
    const [found] = policyFiles(probedAgent('codex'), 'linux', root);
    expect(found).toEqual({ file: '/etc/codex/requirements.toml', readable: process.getuid?.() === 0 });
  });

  test('how it is known that one is read is said', () => {
    const base = report(outcomes(recorded));
    const said = (readable: boolean, named: boolean): string =>
      remarks({ ...base, policies: [{ file: '/etc/x', readable, named }] }).join('\n');
    expect(said(true, false)).toContain('/etc/x (known by its place alone)');
    expect(said(true, true)).toContain('/etc/x (which it has named)');
    expect(said(false, false)).toContain('not yours to read');
    expect(remarks(base).join('\n')).toContain('None of the system-wide files exists');
  });
});

import { describe, expect, test } from 'vitest';
import { readFilter } from '../../src/cli/history/filter.js';
import { AgentsOnPage, agentName as nameOnPage } from '../../src/page/records/agents.js';
import { agentIn, agentName } from '../../src/why/about.js';
import { fire } from '../emit/samples.js';

describe('the short name of an agent', () => {
  test.each([
    ['a9e488c1d2f3a4b5c', 'reviewer a9e488'],
    ['reviewer-1', 'reviewer reviewer-1'],
    ['reviewer-of-tests-1', 'reviewer review..ts-1'],
    ['00000000000000012', 'reviewer 000000..0012'],
    ['0199b1c2-7d3e-7abc-8def-0123456789ab', 'reviewer 0199b1..89ab'],
  ])('of %s is %s', (id, name) => {
    expect(agentName(id, 'reviewer')).toBe(name);
  });

  test('tells apart agents that are numbered', () => {
    for (const of of [
      (i: number) => `reviewer-${i}`,
      (i: number) => `security-reviewer-${i}`,
      (i: number) => `${i}`.padStart(20, '0'),
    ]) {
      const names = Array.from({ length: 100 }, (_, i) => agentName(of(i), 'reviewer'));
      expect(new Set(names).size).toBe(100);
    }
  });

  test('is one that history takes to find it', () => {
    const record = { ...fire(), agent_id: 'reviewer-of-tests-1', input: { agent_type: 'reviewer' } };
    const { agentOf } = readFilter({});
    for (const agent of [agentOf(record), 'review..ts-1', 'reviewer-of', 'reviewer'])
      expect(readFilter({ agent }).match(record)).toBe('yes');
    expect(readFilter({ agent: 'review..ts-2' }).match(record)).toBe('no');
  });

  test('shows what is in it, and is short, however long its type is', () => {
    const agents = new AgentsOnPage();
    const odd = agents.of('s\u202e', 'a\u202e\u200b1', 0);
    odd.type = `\u2066niam${'T'.repeat(200_000)}`;
    for (const name of [
      nameOnPage(odd),
      nameOnPage(agents.of('s\u202e', undefined, 0), 2),
      agentIn({ agent_id: '\u202e' }),
    ]) {
      expect(name).not.toMatch(/[\u202e\u2066\u200b]/);
      expect(name.length).toBeLessThan(120);
    }
  });
});

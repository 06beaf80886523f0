import { describe, expect, test } from 'vitest';
import { VERDICTS, type Verdict } from '../../src/events/spec.js';
import type { Decisions } from '../../src/host/decide/fold.js';
import { folded, permutations, said, specific, subsets, type Voice, verdict } from './said.js';

const GATE = 'PreToolUse';
const failure = { cause: 'threw', message: 'Error: broken' } as const;

/** One voice of every strength, and of every way to come by it. */
const VOICES: Readonly<Record<string, { output?: unknown; voice?: Voice; is: Verdict }>> = {
  silent: { is: 'none' },
  empty: { output: {}, is: 'none' },
  allow: { output: verdict('allow', 'a'), is: 'allow' },
  approve: { output: { decision: 'approve' }, is: 'allow' },
  ask: { output: verdict('ask', 'b'), is: 'ask' },
  defer: { output: verdict('defer', 'c'), is: 'defer' },
  deny: { output: verdict('deny', 'd'), is: 'deny' },
  block: { output: { decision: 'block', reason: 'e' }, is: 'deny' },
  stop: { output: { continue: false, stopReason: 'f' }, is: 'deny' },
  stopOfClaude: { output: { continue: false }, voice: { dialect: 'claude' }, is: 'none' },
  stopAndAllow: { output: { continue: false, ...verdict('allow') }, is: 'deny' },
  failed: { voice: { failure }, is: 'none' },
  failedAsk: { voice: { failure, onFailure: 'ask' }, is: 'ask' },
  failedBlock: { voice: { failure, onFailure: 'block' }, is: 'deny' },
  failedAskAfterDeny: { output: verdict('deny'), voice: { failure, onFailure: 'ask' }, is: 'deny' },
  failedBlockAfterAllow: {
    output: verdict('allow'),
    voice: { failure, onFailure: 'block', allowLapsed: true },
    is: 'deny',
  },
  lapsed: { output: verdict('allow'), voice: { allowLapsed: true }, is: 'none' },
  denyAfterLapse: { output: verdict('deny'), voice: { allowLapsed: true }, is: 'deny' },
  rewriter: { output: verdict('deny'), voice: { phase: 'rewrite' }, is: 'none' },
};
const voice = (name: string) => said(GATE, name, VOICES[name]?.output, VOICES[name]?.voice);
const rank = (v: Verdict): number => VERDICTS.indexOf(v);
const strongest = (names: readonly string[]): Verdict =>
  names.map((n) => VOICES[n]?.is ?? 'none').reduce((a, b) => (rank(b) > rank(a) ? b : a), 'none' as Verdict);

describe('a gate', () => {
  test.each(Object.keys(VOICES))('hears %s alone as what it is', (name) => {
    expect(folded(GATE, [voice(name)]).verdict).toBe(VOICES[name]?.is);
  });

  test('takes the strongest verdict whatever the order', () => {
    for (const names of subsets(['silent', 'allow', 'ask', 'defer', 'deny', 'lapsed'])) {
      for (const order of permutations(names)) {
        expect(folded(GATE, order.map(voice)).verdict, order.join()).toBe(strongest(names));
      }
    }
  });

  test('takes the strongest of any two voices, in both orders', () => {
    for (const a of Object.keys(VOICES)) {
      for (const b of Object.keys(VOICES)) {
        expect(folded(GATE, [voice(a), voice(b)]).verdict, `${a}, ${b}`).toBe(strongest([a, b]));
      }
    }
  });

  test('is decided by the first in plan order of those that share the verdict; those that said less are overruled', () => {
    const decision = folded(GATE, ['allow', 'deny', 'ask', 'block', 'silent', 'lapsed', 'failed'].map(voice));
    expect(decision).toMatchObject({ verdict: 'deny', decidedBy: 'deny', reason: 'd', overruled: ['allow', 'ask'] });
  });

  test('nobody having said anything, nobody decided and nobody is overruled', () => {
    const decision = folded(GATE, ['silent', 'empty', 'lapsed', 'rewriter'].map(voice));
    expect(decision.verdict).toBe('none');
    expect(decision).not.toHaveProperty('decidedBy');
    expect(decision).not.toHaveProperty('reason');
    expect(decision.overruled).toEqual([]);
  });

  test('has a verdict and none of the fields of other folds', () => {
    for (const names of [[], ['allow']]) {
      const decision = folded(GATE, names.map(voice));
      for (const field of ['blocked', 'continues', 'value']) expect(decision).not.toHaveProperty(field);
    }
  });

  test.each<[string, unknown, Voice, string | undefined]>([
    ['permissionDecisionReason', { ...verdict('deny', 'one'), reason: 'two', stopReason: 'three' }, {}, 'one'],
    ['reason', { ...verdict('deny'), reason: 'two', stopReason: 'three' }, {}, 'two'],
    ['stopReason', { ...verdict('deny'), continue: false, stopReason: 'three' }, {}, 'three'],
    ['nothing', verdict('deny'), {}, undefined],
    ['what failed', undefined, { failure, onFailure: 'block' }, 'Error: broken'],
    ['its own word where the failure adds nothing', verdict('deny', 'mine'), { failure, onFailure: 'block' }, 'mine'],
    [
      'what failed where the failure is stricter',
      verdict('ask', 'mine'),
      { failure, onFailure: 'block' },
      'Error: broken',
    ],
  ])('says why: %s', (_, output, how, reason) => {
    expect(folded(GATE, [said(GATE, 'h', output, how)]).reason).toBe(reason);
  });

  test('a stop beside a word that allowed is told by the stop', () => {
    const output = { continue: false, stopReason: 'enough', ...verdict('allow', 'fine') };
    expect(folded(GATE, [said(GATE, 'h', output)])).toMatchObject({ verdict: 'deny', reason: 'enough' });
  });
});

describe('how verdicts become one', () => {
  const cases: [Decisions, string[], Verdict, string | undefined][] = [
    ['strictest', ['allow', 'deny', 'ask'], 'deny', 'deny'],
    ['first', ['allow', 'deny', 'ask'], 'allow', 'allow'],
    ['last', ['allow', 'deny', 'ask'], 'ask', 'ask'],
    ['first', ['silent', 'lapsed', 'rewriter', 'ask', 'deny'], 'ask', 'ask'],
    ['last', ['deny', 'ask', 'silent', 'lapsed', 'failed'], 'ask', 'ask'],
    ['first', ['failedBlock', 'allow'], 'deny', 'failedBlock'],
    ['last', ['allow', 'failedAsk'], 'ask', 'failedAsk'],
    ['first', ['stop', 'allow'], 'deny', 'stop'],
    ['first', ['allow', 'stop'], 'deny', 'stop'],
    ['last', ['stop', 'allow'], 'deny', 'stop'],
    ['last', ['stop', 'deny'], 'deny', 'stop'],
    ['first', [], 'none', undefined],
    ['last', ['silent'], 'none', undefined],
  ];
  test.each(cases)('%s of %j is %s', (decisions, names, is, by) => {
    const decision = folded(GATE, names.map(voice), { decisions });
    expect([decision.verdict, decision.decidedBy]).toEqual([is, by]);
  });

  test('who said otherwise is overruled, also where that was stricter', () => {
    const decision = folded(GATE, ['allow', 'deny', 'approve'].map(voice), { decisions: 'first' });
    expect(decision).toMatchObject({ verdict: 'allow', overruled: ['deny'] });
  });

  test.each<Verdict>(['deny', 'defer', 'ask'])('a managed %s stands under all of them', (word) => {
    const managed = said(GATE, 'policy', verdict(word), { in: 'managed' });
    for (const decisions of ['strictest', 'first', 'last'] as const) {
      for (const order of permutations([managed, voice('allow'), voice('approve')])) {
        const decision = folded(GATE, order, { decisions });
        expect([decision.verdict, decision.decidedBy]).toEqual([word, 'policy']);
      }
    }
  });

  test('a managed ask does not soften a stricter answer', () => {
    const managed = said(GATE, 'policy', verdict('ask'), { in: 'managed' });
    for (const decisions of ['strictest', 'last'] as const) {
      expect(folded(GATE, [managed, voice('deny')], { decisions }).verdict).toBe('deny');
    }
    expect(folded(GATE, [managed, voice('deny'), voice('allow')], { decisions: 'first' }).verdict).toBe('ask');
  });

  test('a managed failure under a policy that blocks stands as well', () => {
    const managed = said(GATE, 'policy', undefined, { in: 'managed', failure, onFailure: 'block' });
    expect(folded(GATE, [managed, voice('allow')], { decisions: 'last' }).verdict).toBe('deny');
  });

  test('a managed allow has no privilege', () => {
    const managed = said(GATE, 'policy', verdict('allow'), { in: 'managed' });
    expect(folded(GATE, [managed, voice('deny')]).verdict).toBe('deny');
    expect(folded(GATE, [managed, voice('ask')], { decisions: 'last' }).verdict).toBe('ask');
  });

  test('an agent that is called managed is not', () => {
    const agent = said(GATE, 'agent', verdict('deny'), { in: 'agent' });
    expect(folded(GATE, [agent, voice('allow')], { decisions: 'last' }).verdict).toBe('allow');
  });
});

describe('PermissionRequest', () => {
  const EVENT = 'PermissionRequest';
  const allow = (more = {}) => specific({ decision: { behavior: 'allow', ...more } });
  const deny = (more = {}) => specific({ decision: { behavior: 'deny', ...more } });
  const granted = { updatedPermissions: [{ type: 'addRules' }] };

  test('a deny wins over an allow in either order, and says its message', () => {
    const voices = [said(EVENT, 'yes', allow(granted)), said(EVENT, 'no', deny({ message: 'not this' }))];
    for (const order of permutations(voices)) {
      expect(folded(EVENT, order)).toMatchObject({
        verdict: 'deny',
        decidedBy: 'no',
        reason: 'not this',
        overruled: ['yes'],
      });
    }
  });

  test('knows no flat and no legacy spelling', () => {
    expect(folded(EVENT, [said(EVENT, 'h', { decision: 'approve', ...verdict('allow') })]).verdict).toBe('none');
  });

  test('permissions are granted by those whose allow is the answer', () => {
    const more = { updatedPermissions: [{ type: 'setMode' }] };
    const decision = folded(EVENT, [said(EVENT, 'a', allow(granted)), said(EVENT, 'b', allow(more))]);
    expect(decision.updatedPermissions).toEqual([{ type: 'addRules' }, { type: 'setMode' }]);
  });

  test.each<[string, ReturnType<typeof said>[]]>([
    ['an allow that lost', [said(EVENT, 'a', allow(granted)), said(EVENT, 'b', deny())]],
    ['an allow that no longer counts', [said(EVENT, 'a', allow(granted), { allowLapsed: true })]],
    ['one that only rewrites', [said(EVENT, 'a', allow(granted), { phase: 'rewrite' })]],
    ['an allow beside a stop', [said(EVENT, 'a', { continue: false, ...allow(granted) })]],
  ])('%s grants nothing', (_, voices) => {
    expect(folded(EVENT, voices)).not.toHaveProperty('updatedPermissions');
  });

  test.each<[string, ReturnType<typeof said>[], boolean]>([
    ['a deny that interrupts', [said(EVENT, 'a', deny({ interrupt: true }))], true],
    [
      'a later deny that does not',
      [said(EVENT, 'a', deny({ interrupt: true })), said(EVENT, 'b', deny({ interrupt: false }))],
      true,
    ],
    ['a plain deny', [said(EVENT, 'a', deny())], false],
    ['continue: false', [said(EVENT, 'a', { continue: false })], true],
    ['continue: false of a file', [said(EVENT, 'a', { continue: false }, { dialect: 'claude' })], true],
    ['one that only rewrites', [said(EVENT, 'a', deny({ interrupt: true }), { phase: 'rewrite' })], false],
  ])('%s: the loop is interrupted or not', (_, voices, is) => {
    expect(folded(EVENT, voices).interrupt ?? false).toBe(is);
  });

  test('a deny that was overruled does not interrupt what was allowed', () => {
    const voices = [said(EVENT, 'yes', allow()), said(EVENT, 'no', deny({ interrupt: true }))];
    const decision = folded(EVENT, voices, { decisions: 'first' });
    expect(decision.verdict).toBe('allow');
    expect(decision.interrupt ?? false).toBe(false);
  });

  test('with nobody left to ask, a failure that asks is no opinion', () => {
    expect(folded(EVENT, [said(EVENT, 'a', undefined, { failure, onFailure: 'ask' })]).verdict).toBe('none');
    expect(folded(EVENT, [said(EVENT, 'a', undefined, { failure, onFailure: 'block' })]).verdict).toBe('deny');
  });
});

import { describe, expect, test } from 'vitest';
import { type Candidates, makePlan, mergeCopies, nextWave } from '../../src/host/plan/plan.js';
import type { RunFacts } from '../../src/host/plan/who-runs.js';
import { compileMatcher } from '../../src/matching/matcher.js';
import { compileRule } from '../../src/matching/rule.js';
import { order } from '../../src/scopes/order.js';
import type { Registration } from '../../src/scopes/registration.js';
import { Scope } from '../../src/scopes/scope.js';
import { skipped } from '../../src/scopes/skip.js';
import { readOnly } from '../../src/values/copies/view.js';
import { entryOf, registration } from './said.js';

const PRE = entryOf('PreToolUse');
const ids = (list: readonly Registration[]): string => list.map((r) => r.id).join(' ');
const made = (id: string, over: Partial<Registration> = {}) => registration(PRE, id, over);
const matcher = (text: unknown) => compileMatcher(text, { dialect: 'code', event: PRE, where: 'test' }).matcher;

describe('the order within one scope', () => {
  /** `name@stage<before`, in the order they were registered. */
  const read = (text: string): Registration[] =>
    text.split(' ').map((word) => {
      const [, name, stage, before] = /^(\w+)(?:@(-?[\d.]+))?(?:<(.+))?$/.exec(word) ?? [];
      return made(name as string, { stage: Number(stage ?? 0), before: before?.split(',') ?? [] });
    });

  test.each([
    ['a b c', 'a b c'],
    ['a@1 b c@-1', 'c b a'],
    ['a@1 b@1 c@0.5', 'c a b'],
    ['a b c<a', 'c a b'],
    ['a b c<b', 'a c b'],
    ['a b c<a,b', 'c a b'],
    ['a b c<a d<c', 'd c a b'],
    ['a<c b c', 'a b c'],
    ['a b<c c d<b', 'a d b c'],
    ['a@1 b@2 c@2<b d@1<a', 'd a c b'],
    ['a b c<x x', 'a b c x'],
    ['a x b c<x x', 'a c x b x'],
    ['a<a b', 'a b'],
  ])('%s runs as %s', (registered, runs) => {
    expect(ids(order(read(registered)))).toBe(runs);
  });

  test('is the same however the hooks were registered apart', () => {
    const all = read('a b@2 c<a d@-1 e<b f@2<b');
    const whole = ids(order(all));
    for (let cut = 1; cut < all.length; cut++) {
      expect(ids(order([...order(all.slice(0, cut)), ...all.slice(cut)]))).toBe(whole);
    }
  });

  test.each(['a<b b<a', 'a<b b<c c<a', 'x a<b b<a', 'a@1<b b@1<a'])('%s is a circle', (text) => {
    expect(() => order(read(text))).toThrow(RangeError);
  });

  test('is no circle where the names are in different stages', () => {
    expect(ids(order(read('a@1<b b<a')))).toBe('b a');
  });
});

describe('the order of a plan', () => {
  const managed = new Scope({ id: 'managed', kind: 'managed' });
  const host = new Scope({ id: 'host', kind: 'host', parent: managed });
  const session = new Scope({ id: 'session', kind: 'session', parent: host });
  const parent = new Scope({ id: 'parent', kind: 'agent', parent: session });
  const child = new Scope({ id: 'child', kind: 'agent', parent });
  const lineage = [managed, host, session, parent, child];
  // Registered from the inside out, so that nothing is in order by accident.
  for (const scope of lineage.toReversed()) {
    scope.add([
      made(`${scope.id}-late`, { scope, stage: 5 }),
      made(`${scope.id}-watch`, { scope, phase: 'observe', stage: -9 }),
      made(`${scope.id}-early`, { scope, stage: -5 }),
    ]);
  }

  test('is outermost first, then stage; observers after everybody', () => {
    const { registrations } = makePlan(PRE, child.lineage, [child]);
    const names = lineage.map((s) => s.id);
    expect(ids(registrations)).toBe(
      [...names.flatMap((n) => [`${n}-early`, `${n}-late`]), ...names.map((n) => `${n}-watch`)].join(' '),
    );
  });

  test('a scope sees its own lineage and nothing else', () => {
    expect(ids(makePlan(PRE, session.lineage, [session]).registrations)).not.toMatch(/parent|child/);
  });

  test('an agent’s own Stop is in no plan but its own', () => {
    const stop = entryOf('SubagentStop');
    parent.add([
      registration(stop, 'own', { scope: parent, ownStop: true }),
      registration(stop, 'any', { scope: parent }),
    ]);
    expect(ids(makePlan(stop, parent.lineage, [parent]).registrations)).toBe('own any');
    expect(ids(makePlan(stop, child.lineage, [child]).registrations)).toBe('any');
  });
});

describe('who is a candidate', () => {
  function planOf(...list: Registration[]) {
    const scope = new Scope({ id: 'host', kind: 'host' });
    scope.add(list.map((r) => ({ ...r, scope })));
    return makePlan(PRE, [scope], [scope]);
  }

  test('by the subject, and remembered for it', () => {
    let asked = 0;
    const bash = {
      ...matcher('Bash'),
      matches(s: string | undefined) {
        asked++;
        return s === 'Bash';
      },
    };
    const plan = planOf(made('a', { matcher: bash }), made('b'));
    expect(ids(plan.candidates('Bash').list)).toBe('a b');
    expect(ids(plan.candidates('Read').list)).toBe('b');
    const before = asked;
    for (let i = 0; i < 5; i++) plan.candidates('Bash');
    expect(asked).toBe(before);
  });

  test('still by the subject after very many subjects', () => {
    const plan = planOf(made('a', { matcher: matcher('t1|t1999') }), made('b'));
    for (let i = 0; i < 2000; i++) {
      expect(ids(plan.candidates(`t${i}`).list)).toBe(i === 1 || i === 1999 ? 'a b' : 'b');
    }
  });

  test('a predicate stays one, whatever it says: it is asked at its wave', () => {
    const plan = planOf(made('a', { matcher: matcher(() => false) }), made('b'));
    expect(ids(plan.candidates('Bash').list)).toBe('a b');
    expect(plan.candidates('Bash').plain).toBe(false);
  });

  test('what is never to run is none', () => {
    expect(ids(planOf(made('a', { skip: { reason: 'trust', why: 'x' } }), made('b')).candidates('Bash').list)).toBe(
      'b',
    );
  });

  test.each<[string, Partial<Registration>, boolean]>([
    ['a callback in series', {}, true],
    ['one with a matcher', { matcher: matcher('Bash') }, true],
    ['a command', { kind: 'command' }, true],
    ['a parallel one', { mode: 'parallel' }, false],
    ['one with a rule', { rule: compileRule('Bash(ls)', { dialect: 'code', where: '' }).rule }, false],
    ['a once', { once: true }, false],
    ['one that may be held', { trustCheck: () => undefined }, false],
    ['one with a predicate', { matcher: matcher(() => true) }, false],
    ['an async one', { async: true }, true],
    ['a rewriter', { phase: 'rewrite' }, true],
    ['an observer', { phase: 'observe' }, true],
    ['one that shares a deadline', { shared: {} }, true],
  ])('%s: whether nothing but the subject decides', (_, over, plain) => {
    expect(planOf(made('a', over)).candidates('Bash').plain).toBe(plain);
  });

  test.each<[string, Partial<Registration>, boolean]>([
    ['in series', {}, true],
    ['with a predicate', { matcher: matcher(() => true) }, true],
    ['a once', { once: true }, false],
    ['in parallel', { mode: 'parallel' }, false],
    ['may be held', { trustCheck: () => undefined }, false],
  ])('%s: whether silence of all is one decision', (_, over, quiet) => {
    expect(planOf(made('a', over)).candidates('Bash').quiet !== undefined).toBe(quiet);
  });
});

describe('waves', () => {
  const host = new Scope({ id: 'host', kind: 'host' });
  const agent = new Scope({ id: 'agent', kind: 'agent', parent: host });
  /** `p` parallel, `s` series; `'` the agent's; a digit its stage; `x` does not run. */
  const read = (text: string): Registration[] =>
    text.split(' ').map((word, i) =>
      made(`${word}#${i}`, {
        mode: word.startsWith('p') ? 'parallel' : 'series',
        scope: word.includes("'") ? agent : host,
        stage: Number(/\d/.exec(word)?.[0] ?? 0),
      }),
    );
  function waves(text: string): string {
    const list = read(text);
    const candidates: Candidates = {
      list,
      deciders: list.length,
      places: list.map((_, i) => i),
      copies: undefined,
      plain: false,
      quiet: undefined,
      said: undefined,
    };
    const found: string[] = [];
    for (let at = 0; ; ) {
      const next = nextWave(candidates, at, (r) => !r.id.includes('x'));
      if (!next) return found.join(' | ');
      found.push(next.wave.map((at) => list[at]?.id.replace(/#.*/, '')).join(' '));
      at = next.end;
    }
  }

  test.each([
    ['s s s', 's | s | s'],
    ['p p p', 'p p p'],
    ['p s p', 'p | s | p'],
    ['s p p s p', 's | p p | s | p'],
    ["p p p' p'", "p p | p' p'"],
    ['p p p1 p1 p2', 'p p | p1 p1 | p2'],
    ["p1 p1' p", "p1 | p1' | p"],
    ['px p p', 'p p'],
    ['p px p', 'p p'],
    ['p sx p', 'p p'],
    ['p p1x p', 'p p'],
    ['sx px', ''],
    ['p px s', 'p | s'],
  ])('%s runs as %s', (registered, runs) => {
    expect(waves(registered)).toBe(runs);
  });

  test('observers are in none of them', () => {
    const list = read('s p p');
    expect(nextWave({ list, deciders: 2 }, 1, () => true)?.wave).toEqual([1]);
    expect(nextWave({ list, deciders: 2 }, 2, () => true)).toBeUndefined();
  });
});

describe('why one does not run', () => {
  const rule = compileRule('Bash(git *)', { dialect: 'code', where: '' }).rule;
  const facts = (subject: string | undefined, command: string): RunFacts => {
    const input = { tool_name: 'Bash', tool_input: { command } };
    return { subject, input, view: readOnly(input), hasRun: () => false, ranBefore: () => false };
  };

  test.each<[string, Partial<Registration>, string, string | undefined]>([
    ['nothing against it', {}, 'ls', undefined],
    ['its source is held', { skip: { reason: 'trust', why: 'x' }, matcher: matcher('Read') }, 'ls', 'trust'],
    ['its matcher, before its rule', { matcher: matcher('Read'), rule }, 'ls', 'matcher'],
    ['its rule', { matcher: matcher('Bash'), rule }, 'ls', 'if'],
    ['its rule fits', { matcher: matcher('Bash'), rule }, 'git log', undefined],
    ['a predicate over the input', { matcher: matcher((_: string, i: never) => i === 'x') }, 'ls', 'matcher'],
  ])('%s', (_, over, command, reason) => {
    expect(skipped(made('a', over), facts('Bash', command))).toBe(reason);
  });

  test('a rule on an event without a tool never fits', () => {
    const stop = entryOf('Stop');
    expect(skipped(registration(stop, 'a', { rule }), facts(undefined, 'git log'))).toBe('if');
  });

  test('its one run was taken', () => {
    const scope = new Scope({ id: 'host', kind: 'host' });
    const r = made('a', { once: true, scope });
    expect(skipped(r, facts('Bash', 'ls'))).toBeUndefined();
    expect([scope.claim(r), scope.claim(r)]).toEqual([true, false]);
    expect(skipped(r, facts('Bash', 'ls'))).toBe('once');
  });
});

describe('copies of one hook', () => {
  test.each<[Partial<Registration>[], Partial<Registration>]>([
    [[{ onFailure: 'continue' }, { onFailure: 'ask' }], { onFailure: 'ask' }],
    [[{ onFailure: 'ask' }, { onFailure: 'block' }, { onFailure: 'continue' }], { onFailure: 'block' }],
    [[{ async: true }, { async: true }], { async: true }],
    [[{ async: true }, { async: false }], { async: false }],
    [[{ async: false }, { async: true }], { async: false }],
    [[{ async: 'two-phase' }, { async: true }], { async: 'two-phase' }],
  ])('%j run as %j', (copies, runs) => {
    const all = copies.map((over, i) => made(`c${i}`, over));
    expect(mergeCopies(all)).toMatchObject({ id: 'c0', ...runs });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allow, ask, CATALOGUE, deny, HOOK_EVENTS, type HookEvent, type RuleDecision, rule } from '../../src/index.js';
import { validateHooks } from '../../src/plugins/validate.js';
import { INPUTS } from '../host/inputs.js';
import { anyHooks, fireAny, fires, only, registerAs, testHost, watch } from '../host/kit.js';
import { generated } from '../seed.js';

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: 't1' });
const SAYS = { deny, ask, allow };

/** What comes of one hook on an event: its words, and all of the decision but ids. */
async function says(event: string, hook: unknown) {
  const { host } = testHost();
  host.register(anyHooks({ [event]: [{ hooks: [hook] }] }));
  const { decidedBy: _, outcomes: __, ...decision } = await fireAny(host, event, { ...INPUTS[event as 'PreToolUse'] });
  const { verdict, blocked, value } = decision;
  return { words: JSON.stringify([verdict, blocked, value]), verdict, decision };
}

/** Whether such a word of a callback means that on the event; a Stop that is blocked each time would never end. */
async function canSay(event: HookEvent, word: RuleDecision): Promise<boolean> {
  const { fold } = CATALOGUE[event];
  if (word !== 'deny') return fold === 'gate' && (await says(event, () => SAYS[word]('why'))).verdict === word;
  if (fold === 'stop') return false;
  return (await says(event, () => deny('why'))).words !== (await says(event, () => undefined)).words;
}

describe('a rule', () => {
  test('decides by its matcher and its `if` alone', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register({
      PreToolUse: [{ matcher: 'Bash', if: 'Bash(git push *)', hooks: [rule('deny', 'Push by hand')] }],
    });
    expect(await host.fire('PreToolUse', bash('git push --force'))).toMatchObject({
      verdict: 'deny',
      reason: 'Push by hand',
    });
    expect((await host.fire('PreToolUse', bash('git status'))).verdict).toBe('none');
    const [denied, passed] = fires(seen);
    expect(only(denied?.handlers ?? [])).toMatchObject({ handler: 'rule', status: 'ran', verdict: 'deny' });
    expect(only(passed?.handlers ?? [])).toMatchObject({ handler: 'rule', status: 'skipped', reason: 'if' });
    expect(denied?.decision.decidedBy).toBe(denied?.handlers[0]?.id);
  });

  test('may be written as JSON, alone or with options of its own', async () => {
    const { host } = testHost();
    host.register(
      anyHooks({
        PreToolUse: [
          {
            matcher: '*',
            hooks: [
              { type: 'rule', decision: 'ask', reason: 'Sure?', if: 'Bash(rm *)', name: 'careful' },
              { type: 'rule', decision: 'deny', reason: 'Never', if: 'Bash(mkfs *)', once: true },
            ],
          },
        ],
      }),
    );
    expect(await host.fire('PreToolUse', bash('rm -r x'))).toMatchObject({ verdict: 'ask', reason: 'Sure?' });
    expect((await host.fire('PreToolUse', bash('mkfs /dev/x'))).verdict).toBe('deny');
    expect((await host.fire('PreToolUse', bash('mkfs /dev/x'))).verdict).toBe('none');
    const [session] = host.describe().children;
    expect(
      (session?.hooks ?? []).map((hook) => [hook.name, hook.handler, hook.rule?.decision, hook.failsOpen]),
    ).toEqual([
      ['careful', 'rule', 'ask', undefined],
      ['Bash(mkfs *)', 'rule', 'deny', undefined],
    ]);
    expect(String(host.describe())).toContain('decides deny');
  });

  // What a rule may say is computed from what the event can carry; nothing else is accepted, and what is accepted has an effect.
  test.each(HOOK_EVENTS.flatMap((event) => (['deny', 'ask', 'allow'] as const).map((d) => [event, d] as const)))(
    'on %s saying %s has the effect of the callback, or is refused',
    async (event, decision) => {
      const hooks = anyHooks({ [event]: [{ hooks: [{ type: 'rule', decision, reason: 'why' }] }] });
      if (!(await canSay(event, decision))) {
        expect(validateHooks(hooks)).toHaveLength(1);
        expect(() => testHost().host.register(hooks)).toThrow(new RegExp(`${event}.*(takes no rules|may say)`));
        return;
      }
      const [ruled, called] = [
        await says(event, { type: 'rule', decision, reason: 'why' }),
        await says(event, () => SAYS[decision]('why')),
      ];
      expect(ruled.decision).toEqual(called.decision);
    },
  );

  test.each([
    ['an unknown decision', { decision: 'denny', reason: 'x' }, /decision.*expected/],
    ['defer, which needs somebody outside', { decision: 'defer', reason: 'x' }, /decision/],
    ['no decision', { reason: 'x' }, /decision/],
    ['a denial without a reason', { decision: 'deny' }, /reason/],
    ['an empty reason', { decision: 'deny', reason: ' ' }, /reason/],
    ['a reason that is no text', { decision: 'allow', reason: 5 }, /reason/],
    ['a time limit', { decision: 'deny', reason: 'x', timeout: 5 }, /timeout/],
    ['a failure policy', { decision: 'deny', reason: 'x', onFailure: 'block' }, /onFailure/],
    ['a misspelt key', { decision: 'deny', reason: 'x', iff: 'Bash' }, /iff.*"if"/],
  ])('refuses %s, with its place', (_, options, message) => {
    const hooks = anyHooks({ PreToolUse: [{ hooks: [{ type: 'rule', ...options }] }] });
    expect(() => testHost().host.register(hooks)).toThrow(message);
    expect(() => testHost().host.register(hooks)).toThrow(/PreToolUse\[0\]\.hooks\[0\]/);
  });

  test.each(['rewrite', 'observe'])('refuses the phase %s, in which nothing is decided', (phase) => {
    const hooks = anyHooks({ PreToolUse: [{ phase, hooks: [rule('deny', 'x')] }] });
    expect(() => testHost().host.register(hooks)).toThrow(/PreToolUse\[0\]\.phase.*a rule decides/);
  });

  test('is asked again about an input that was rewritten', async () => {
    const { host } = testHost();
    host.register({
      PreToolUse: [
        { hooks: [rule('deny', 'not there')], if: 'Bash(rm /etc/*)' },
        {
          hooks: [
            () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'rm /etc/x' } } }),
          ],
        },
      ],
    });
    expect((await host.fire('PreToolUse', bash('ls'))).verdict).toBe('deny');
  });

  test('is no hook of the client: in its files it is listed and never runs', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const hooks = { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'x' }] }] };
    registerAs(host, hooks, { dialect: 'claude', source: { kind: 'user' } });
    expect((await host.fire('PreToolUse', bash('ls'))).verdict).toBe('none');
    expect(only(only(fires(seen)).handlers)).toMatchObject({ status: 'skipped', reason: 'invalid' });
  });
});

describe('the allow of a rule', () => {
  const said = fc.constantFrom('deny', 'ask', 'allow', 'silent', 'throws');
  const hookOf = (what: string) => () => {
    if (what === 'throws') throw new Error('no');
    return what === 'silent' ? undefined : SAYS[what as keyof typeof SAYS](what);
  };
  const all = fc.record({
    decisions: fc.constantFrom('strictest' as const, 'first' as const, 'last' as const),
    outer: fc.array(fc.tuple(said, fc.boolean()), { maxLength: 3 }),
    inner: fc.array(said, { maxLength: 3 }),
    onFailure: fc.constantFrom('continue' as const, 'block' as const, 'ask' as const),
    stage: fc.constantFrom(-1, 0, 1),
  });

  test('never decides where an outer scope says, or fails to say, something stricter', async () => {
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(all, async ({ decisions, outer, inner, onFailure, stage }) => {
        const { host } = testHost({ decisions, onFailure });
        const { host: outside } = testHost({ onFailure });
        for (const [what, inSession] of outer) {
          const hooks = { PreToolUse: [{ hooks: [hookOf(what)] }] };
          if (inSession) host.registerScoped({ session: 's' }, hooks);
          else host.register(hooks);
          outside.register(hooks);
        }
        const ours = inner.map((what) => ({ hooks: [hookOf(what)] }));
        host.registerScoped('a1', {
          PreToolUse: [...ours, { stage, hooks: [rule('allow', 'fine', { name: 'the rule' })] }],
        });
        const { decidedBy = '', verdict } = await host.fire('PreToolUse', bash('ls'), { scope: 'a1' });
        if (!decidedBy.startsWith('the rule')) return;
        decided += 1;
        expect(verdict).toBe('allow');
        const strictest = (await outside.fire('PreToolUse', bash('ls'))).verdict ?? 'none';
        expect(['none', 'allow']).toContain(strictest);
      }),
      { numRuns: generated(200) },
    );
    expect(decided).toBeGreaterThan(20);
  });

  test('of its own scope and of inner ones is a word like any other', async () => {
    const { host } = testHost({ decisions: 'last' });
    host.register({ PreToolUse: [{ hooks: [() => deny('no'), rule('allow')] }] });
    expect((await host.fire('PreToolUse', bash('ls'))).verdict).toBe('allow');
    const other = testHost({ decisions: 'last' }).host;
    other.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
    other.registerScoped('a1', { PreToolUse: [{ hooks: [rule('allow')] }] });
    expect((await other.fire('PreToolUse', bash('ls'), { scope: 'a1' })).verdict).toBe('deny');
    other.unregisterScoped('a1');
    other.registerScoped('a1', { PreToolUse: [{ hooks: [() => allow()] }] });
    expect((await other.fire('PreToolUse', bash('ls'), { scope: 'a1' })).verdict).toBe('allow');
  });
});

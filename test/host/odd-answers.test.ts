import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { addContext, allow, ask, combine, defer, deny, rewrite } from '../../src/events/output/helpers.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, testHost, watch } from './kit.js';

/** Objects that mean what they hold, and that are not plain. */
const WAYS: Readonly<Record<string, (words: Record<string, unknown>) => unknown>> = {
  'a class with getters': (words) => {
    class Answer {}
    for (const [key, value] of Object.entries(words))
      Object.defineProperty(Answer.prototype, key, { get: () => value, enumerable: true });
    return new Answer();
  },
  'a class with getters and a key of its own': (words) => {
    class Answer {
      readonly note = 'mine';
    }
    for (const [key, value] of Object.entries(words))
      Object.defineProperty(Answer.prototype, key, { get: () => value });
    return new Answer();
  },
  'a prototype': (words) => Object.create(words),
  'a map': (words) => new Map(Object.entries(words)),
  'a set': (words) => new Set(Object.entries(words)),
  'an error with keys': (words) => Object.assign(new Error('an error'), words),
  'a date with keys': (words) => Object.assign(new Date(0), words),
  'an array with keys': (words) => Object.assign([], words),
  'a function with keys': (words) => Object.assign(() => undefined, words),
  entries: (words) => Object.entries(words),
  JSON: (words) => JSON.stringify(words),
};
/** What JSON makes of them is what they say. */
const PRINTED: typeof WAYS = {
  'a class with keys': (words) => {
    class Answer {}
    return Object.assign(new Answer(), words);
  },
  'no prototype': (words) => Object.assign(Object.create(null), words),
  toJSON: (words) => ({ toJSON: () => words }),
  'toJSON of a class': (words) => {
    class Answer {
      toJSON() {
        return words;
      }
    }
    return new Answer();
  },
};

const DENY = { permissionDecision: 'deny', permissionDecisionReason: 'no' };
type Place = readonly [
  event: 'PreToolUse' | 'PermissionRequest' | 'UserPromptSubmit' | 'Stop',
  where: string,
  say: (way: (typeof WAYS)[string]) => unknown,
];
const PLACES: readonly Place[] = [
  ['PreToolUse', 'hookSpecificOutput', (way) => ({ hookSpecificOutput: way(DENY) })],
  [
    'PreToolUse',
    'hookSpecificOutput beside a helper',
    (way) => ({ ...addContext('more'), hookSpecificOutput: way(DENY) }),
  ],
  [
    'PermissionRequest',
    'hookSpecificOutput',
    (way) => ({ hookSpecificOutput: way({ decision: { behavior: 'deny' } }) }),
  ],
  ['PermissionRequest', 'its decision', (way) => ({ hookSpecificOutput: { decision: way({ behavior: 'deny' }) } })],
  ['UserPromptSubmit', 'the answer', (way) => way({ decision: 'block', reason: 'no' })],
  ['Stop', 'the answer', (way) => way({ decision: 'block', reason: 'no' })],
];

async function asked(event: Place[0], answer: () => unknown): Promise<{ refused: boolean; failures: number }> {
  const { host } = testHost();
  watch(host);
  host.register(anyHooks({ [event]: [{ onFailure: 'block', hooks: [answer] }] }));
  const { verdict, blocked, continues, failures } = await fireAny(host, event, INPUTS[event] as never);
  return { refused: verdict === 'deny' || blocked === true || continues === true, failures: failures.length };
}

describe.each(PLACES)('on %s, in %s', (event, _, say) => {
  test.each(Object.keys(WAYS))('a no that is written as %s is not silence', async (name) => {
    const { refused, failures } = await asked(event, () => say(WAYS[name] as never));
    // No failure keeps an agent from ending its turn (docs/failures.md).
    expect({ refused: refused || event === 'Stop', failures }).toEqual({ refused: true, failures: 1 });
  });

  test.each(Object.keys(PRINTED))('a no that is written with %s is heard', async (name) => {
    expect(await asked(event, () => say(PRINTED[name] as never))).toEqual({ refused: true, failures: 0 });
  });
});

test('a no that is written as a promise in hookSpecificOutput is not silence', async () => {
  const answer = () => ({ hookSpecificOutput: Promise.resolve(DENY) });
  expect(await asked('PreToolUse', answer)).toEqual({ refused: true, failures: 1 });
});

describe('on PermissionRequest, where the user is asked, to ask decides nothing', () => {
  const allowed = { hookSpecificOutput: { decision: { behavior: 'allow' } } };
  test.each<[string, object, string]>([
    ['ask() with a rewrite', combine(ask('sure?'), rewrite({ command: 'ls' })), 'none'],
    ['defer() with a rewrite', combine(defer('later'), rewrite({ command: 'ls' })), 'none'],
    ['ask() spread over a rewrite', { ...rewrite({ command: 'ls' }), ...ask('sure?') }, 'none'],
    ['ask() beside an allow', { ...ask('sure?'), ...allowed }, 'none'],
    ['ask() combined with allow()', combine(allow(), ask('sure?')), 'none'],
    ['ask() beside a deny', { ...ask('sure?'), hookSpecificOutput: { decision: { behavior: 'deny' } } }, 'deny'],
    ['ask() combined with deny()', combine(ask('sure?'), deny('no')), 'deny'],
    ['allow() with a rewrite', combine(allow(), rewrite({ command: 'ls' })), 'allow'],
    ['a rewrite alone', rewrite({ command: 'ls' }), 'allow'],
  ])('%s', async (_, answer, verdict) => {
    const { host, reports } = testHost();
    host.register({ PermissionRequest: [{ onFailure: 'block', hooks: [() => answer as never] }] });
    const decision = await host.fire('PermissionRequest', INPUTS.PermissionRequest);
    expect([decision.verdict, decision.failures]).toEqual([verdict, []]);
    const isLost = verdict === 'none' && 'hookscope:rewrite' in answer;
    expect(decision.updatedInput === undefined).toBe(verdict !== 'allow' || !('hookscope:rewrite' in answer));
    expect(reports).toHaveLength(isLost ? 1 : 0);
  });
});

test.each(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'] as const)(
  'rewrite(undefined) on %s is no silence',
  async (event) => {
    const answers = [
      rewrite(undefined),
      combine(allow(), rewrite(undefined)),
      { ...addContext('c'), ...rewrite(undefined) },
      { 'hookscope:rewrite': {} },
    ];
    for (const answer of answers) {
      const { host } = testHost();
      host.register(anyHooks({ [event]: [{ onFailure: 'block', hooks: [() => answer] }] }));
      const decision = await fireAny(host, event, INPUTS[event]);
      expect(decision.failures).toMatchObject([{ cause: 'bad_schema', message: expect.stringContaining('undefined') }]);
      if (decision.fold === 'gate') expect(decision.verdict).toBe('deny');
    }
  },
);

test.each([
  ['alone', { async: true }],
  ['with a result', { async: true, result: Promise.resolve() }],
])('a verdict beside { async: true } (%s) counts for nothing, which is logged', async (_, how) => {
  const { host, reports } = testHost();
  host.register(anyHooks({ PreToolUse: [{ onFailure: 'block', hooks: [() => ({ ...deny('no'), ...how })] }] }));
  await fireAny(host, 'PreToolUse', INPUTS.PreToolUse);
  await host.close();
  expect(reports).toEqual([expect.stringMatching(/with "async": true nothing else is read \(hookscope:verdict\)/)]);
});

describe.each(Object.entries(PRINTED))('beside a helper, what %s says is added', (_, way) => {
  test.each<[string, object, Record<string, unknown>]>([
    ['deny() and context', deny('no'), { additionalContext: 'c' }],
    ['deny() and an allow', deny('no'), { permissionDecision: 'allow' }],
    ['context and a deny', addContext('c'), DENY],
    ['allow() and a deny', allow(), DENY],
  ])('%s', async (_, helper, words) => {
    const said = await asked('PreToolUse', () => ({ ...helper, hookSpecificOutput: way(words) }));
    expect(said).toEqual({ refused: true, failures: 0 });
  });

  test('a rewrite and context', async () => {
    const { host } = testHost();
    const answer = { ...rewrite({ command: 'ls -l' }), hookSpecificOutput: way({ additionalContext: 'c' }) };
    host.register({ PreToolUse: [{ hooks: [() => answer as never] }] });
    const decision = await host.fire('PreToolUse', INPUTS.PreToolUse);
    expect(decision).toMatchObject({ updatedInput: { command: 'ls -l' }, additionalContext: ['c'], failures: [] });
  });

  test.each([
    ['ask() and an allow', ask('sure?'), 'none'],
    ['deny() and an allow', deny('no'), 'deny'],
  ])('on PermissionRequest, %s', async (_, helper, verdict) => {
    const allow = { behavior: 'allow' };
    for (const inner of [way({ decision: allow }), { decision: way(allow) }, way({ decision: way(allow) })]) {
      const { host } = testHost();
      host.register({ PermissionRequest: [{ hooks: [() => ({ ...helper, hookSpecificOutput: inner }) as never] }] });
      const decision = await host.fire('PermissionRequest', INPUTS.PermissionRequest);
      expect([decision.verdict, decision.failures]).toEqual([verdict, []]);
    }
  });
});

test.each([
  ['a text', 'no', 'a value of type string'],
  ['false', false, 'false'],
  ['true', true, 'true'],
  ['a number', 0, 'a value of type number'],
  ['a list', [deny('x')], 'a value of type array'],
  ['a helper that was not called', deny, 'a value of type function'],
])('%s is no answer, and the failure says what to return instead', async (_, answer, got) => {
  const { host } = testHost();
  host.register({ PreToolUse: [{ name: 'g', onFailure: 'block', hooks: [() => answer as never] }] });
  const decision = await host.fire('PreToolUse', INPUTS.PreToolUse);
  const message = `hook g returned ${got}, which is no answer: return nothing, or deny('why')`;
  expect(decision).toMatchObject({ verdict: 'deny', reason: message, failures: [{ cause: 'bad_schema', message }] });
});

test.each(HOOK_EVENTS)('the failure names deny where one counts: %s', async (event) => {
  const fire = async (answer: unknown): Promise<Record<string, unknown>> => {
    const { host } = testHost();
    host.register(anyHooks({ [event]: [{ hooks: [() => answer] }] }));
    return { ...(await fireAny(host, event, INPUTS[event])) };
  };
  const [nothing, denied, odd] = [await fire(undefined), await fire(deny('why')), await fire('why')];
  const counts = ['verdict', 'blocked', 'continues', 'value'].some(
    (key) => !isDeepStrictEqual(denied[key], nothing[key]),
  );
  expect(String((odd['failures'] as { message: string }[])[0]?.message)).toMatch(
    counts ? /: return nothing, or deny\('why'\)$/ : /: return nothing$/,
  );
});

test.each([allow(), deny('x'), ask('q'), addContext('c'), rewrite({}), { ...addContext('c'), name: 'n' }])(
  'an answer in place of a hook is refused: %j',
  (answer) => {
    const { host } = testHost();
    const words = "is an answer, not a hook: write a function that returns it, as in () => deny('why')";
    expect(() => host.register({ PreToolUse: [{ hooks: [answer as never] }] })).toThrow(
      `Invalid hooks: PreToolUse[0].hooks[0]: ${words}. Nothing was registered.`,
    );
    expect(() => host.on('PreToolUse', answer as never)).toThrow(words);
  },
);

import { expect, test } from 'vitest';
import type { HookEvent } from '../../src/events/catalogue.js';
import { allow, ask, block, combine, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// What is wrong in one part of combine takes nothing away that another part says, and is an error all the same.

type Json = Record<string, unknown>;

async function decided(event: HookEvent, parts: readonly unknown[], onFailure = 'continue'): Promise<Json> {
  const { host } = testHost();
  host.register(anyHooks({ [event]: [{ onFailure, hooks: [() => combine(...(parts as never[]))] }] }));
  return (await fireAny(host, event, inputOf(event))) as never as Json;
}

const S = (words: unknown): Json => ({ hookSpecificOutput: words });
const J = (words: unknown): Json => S({ toJSON: () => words });
const WRONG: readonly unknown[] = [null, 'maybe', 5, []];
const SAFE = { updatedInput: { command: 'safe' } };

class Inheriting {
  updatedInput = { command: 'b' };
  get permissionDecision(): string {
    return 'deny';
  }
}

const CASES: readonly (readonly [HookEvent, right: unknown, wrong: readonly unknown[], Json])[] = [
  [
    'PreToolUse',
    S({ permissionDecision: 'deny' }),
    WRONG.map((permissionDecision) => S({ permissionDecision })),
    { verdict: 'deny' },
  ],
  [
    'PreToolUse',
    S({ permissionDecision: 'ask' }),
    WRONG.map((permissionDecision) => S({ permissionDecision })),
    { verdict: 'ask' },
  ],
  ['PreToolUse', deny('n'), [{ 'hookscope:verdict': { verdict: 'maybe' } }], { verdict: 'deny', reason: 'n' }],
  ['PreToolUse', ask('n'), [{ 'hookscope:verdict': { verdict: 'maybe' } }], { verdict: 'ask', reason: 'n' }],
  ['PreToolUse', S({ permissionDecision: 'deny' }), WRONG.map(S), { verdict: 'deny' }],
  [
    'PreToolUse',
    { continue: false },
    WRONG.map((goesOn) => ({ continue: goesOn })),
    { verdict: 'deny', continue: false },
  ],
  ['PreToolUse', S(SAFE), [rewrite(undefined)], SAFE],
  ['PreToolUse', rewrite(SAFE.updatedInput), [rewrite(undefined)], SAFE],
  [
    'PermissionRequest',
    S({ decision: { behavior: 'deny' } }),
    WRONG.map((decision) => S({ decision })),
    { verdict: 'deny' },
  ],
  [
    'PostToolUse',
    { decision: 'block', reason: 'R' },
    WRONG.map((decision) => ({ decision })),
    { blocked: true, reason: 'R' },
  ],
  ['Stop', { decision: 'block', reason: 'R' }, WRONG.slice(1).map(S), { continues: true, reason: 'R' }],
];

test.each(CASES)('on %s, %o stands beside a wrong part, which is an error', async (event, right, wrong, expected) => {
  for (const part of wrong)
    for (const parts of [
      [right, part],
      [part, right],
      [right, part, allow()],
    ])
      for (const onFailure of ['continue', 'ask']) {
        const { failures, ...is } = await decided(event, parts, onFailure);
        expect([JSON.stringify(parts), is]).toEqual([JSON.stringify(parts), expect.objectContaining(expected)]);
        if (parts[0] === right) expect(failures).toHaveLength(1);
      }
});

test.each<readonly [HookEvent, readonly unknown[], Json]>([
  ['PreToolUse', [S({ permissionDecision: 'deny' }), J({ additionalContext: 'c' })], { verdict: 'deny' }],
  ['PreToolUse', [J({ permissionDecision: 'deny' }), J({ permissionDecision: 'allow' })], { verdict: 'deny' }],
  [
    'PermissionRequest',
    [S({ decision: { behavior: 'deny' } }), S({ decision: { toJSON: () => ({ behavior: 'allow' }) } })],
    { verdict: 'deny' },
  ],
  [
    'PreToolUse',
    [J({ updatedInput: { command: 'b' } }), rewrite({ command: 'a' })],
    { updatedInput: { command: 'a' } },
  ],
  ['PostToolUseFailure', [S({ updatedError: 'half' }), rewrite('all')], { updatedOutput: 'all' }],
])('on %s, toJSON inside a part is called first, and the last rewrite counts: %o', async (event, parts, expected) => {
  expect(await decided(event, parts)).toMatchObject({ ...expected, failures: [] });
});

test.each([
  [[{ continue: false }, allow('fine')]],
  [[stop(), S({ permissionDecision: 'allow', permissionDecisionReason: 'fine' })]],
  [[stop(), { decision: 'approve', reason: 'fine' }]],
  [[S({ permissionDecision: 'deny' }), { decision: 'approve', reason: 'fine' }]],
  [[{ decision: 'block' }, allow('fine')]],
])('%o denies without the reason of an allow', async (parts) => {
  const { verdict, reason } = await decided('PreToolUse', parts);
  expect([verdict, reason]).toEqual(['deny', undefined]);
});

test.each([rewrite({ command: 'a' }), S({ additionalContext: 'c' }), S({ permissionDecision: 'ask' })])(
  'a deny that a class inherits is not lost beside %o',
  async (part) => {
    for (const parts of [
      [S(new Inheriting()), part],
      [part, S(new Inheriting()), { systemMessage: 'm' }, S({ additionalContext: 'd' })],
    ])
      expect(await decided('PreToolUse', parts)).toMatchObject({ verdict: 'deny' });
  },
);

const saying = (word: unknown) => ({ toJSON: () => word });

test.each<readonly [HookEvent, readonly unknown[], Json]>([
  [
    'PreToolUse',
    [S({ permissionDecision: saying('deny') }), S({ permissionDecision: 'allow' })],
    { verdict: 'deny', failures: [] },
  ],
  [
    'PreToolUse',
    [S({ permissionDecision: 'allow' }), S({ permissionDecision: saying('deny') })],
    { verdict: 'deny', failures: [] },
  ],
  [
    'UserPromptSubmit',
    [{ decision: saying('block'), reason: 'R' }, { decision: 'approve' }],
    { blocked: true, reason: 'R', failures: [] },
  ],
  ['PostToolUse', [{ continue: saying(false) }, { continue: true }], { continue: false, failures: [] }],
  ['PostToolUse', [{ preventContinuation: saying(true) }, { systemMessage: 'm' }], { continue: false, failures: [] }],
  [
    'PermissionRequest',
    [S({ decision: { behavior: saying('deny'), message: 'M' } }), S({ decision: { behavior: 'allow' } })],
    { verdict: 'deny', reason: 'M', failures: [] },
  ],
])('on %s, a word that toJSON makes counts beside another: %o', async (event, parts, expected) => {
  expect(await decided(event, parts)).toMatchObject(expected);
});

test('a block has all reasons of blocks, and none of another word', () => {
  expect(combine(block('a'), block('b'), allow('fine') as never)).toEqual(block('a\nb'));
});

test('what combine cannot know stays open', async () => {
  class Allowing {
    note = 'mine';
    get permissionDecision(): string {
      return 'allow';
    }
  }
  expect(combine(rewrite('h'), S({ updatedMCPToolOutput: 'w' }) as never)).toHaveProperty('hookscope:rewrite');
  expect(combine(S({ ownKey: 'w' }) as never, rewrite('h'))).toMatchObject(S({ ownKey: 'w' }));
  const { updatedInput } = await decided('PreToolUse', [S(SAFE), S({ updatedInput: 5 })]);
  expect(updatedInput).toBeUndefined();
  const is = await decided('PreToolUse', [S(new Allowing()), S({ additionalContext: 'c' })]);
  expect(is).toMatchObject({ verdict: 'none', failures: [] });
  const denied = await decided('PreToolUse', [deny('no'), { systemMessage: 'told' }, { systemMessage: 5 }]);
  expect(denied).toMatchObject({ verdict: 'deny', reason: 'no', systemMessages: [] });
  const silent = await decided('PreToolUse', [{ suppressOutput: 'yes' }, { suppressOutput: true }, stop('end')]);
  expect(silent).toMatchObject({ verdict: 'deny', continue: false, failures: [] });
});

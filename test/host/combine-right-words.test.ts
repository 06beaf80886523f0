import { expect, test } from 'vitest';
import { z } from 'zod';
import type { HookEvent } from '../../src/events/catalogue.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
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
  ['PreToolUse', S(SAFE), [rewrite(undefined), ...WRONG.map((updatedInput) => S({ updatedInput }))], SAFE],
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
        expect([JSON.stringify(parts), failures]).toEqual([JSON.stringify(parts), [expect.anything()]]);
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
  'a verdict that a class inherits is an error beside %o, as alone',
  async (part) => {
    for (const parts of [
      [S(new Inheriting())],
      [S(new Inheriting()), part],
      [part, S(new Inheriting()), { systemMessage: 'm' }, S({ additionalContext: 'd' })],
    ]) {
      const { verdict, failures } = await decided('PreToolUse', parts, 'block');
      expect([verdict, messages(failures)]).toEqual([
        'deny',
        ["hookSpecificOutput.permissionDecision is inherited: expected a key of the object's own"],
      ]);
    }
  },
);

const messages = (failures: unknown): unknown[] => (failures as readonly Json[]).map(({ message }) => message);
const throwing = (key: string, more: Json = {}): Json =>
  Object.defineProperty({ ...more }, key, {
    enumerable: true,
    get() {
      throw new Error('boom');
    },
  });
const made = (value: unknown): Json => ({ toJSON: () => value });
const named = (hookEventName: string, more: Json): Json => S({ hookEventName, ...more });
const ALLOWED = named('PreToolUse', { permissionDecision: 'allow' });

test.each<readonly [HookEvent, readonly unknown[], message: string]>([
  ['PreToolUse', [allow('fine'), { decision: null }], 'decision: expected one of'],
  ['PreToolUse', [allow('fine'), { 'hookscope:verdict': null }], 'hookSpecificOutput.permissionDecision: expected'],
  ['PreToolUse', [allow('fine'), { 'hookscope:verdict': { verdict: 'maybe' } }], 'hookSpecificOutput.permissionDec'],
  ['PreToolUse', [allow('fine'), { 'hookscope:verdict': { verdict: 'allow', reason: 5 } }], 'hookSpecificOutput.per'],
  ['PreToolUse', [{ reason: 'x' }, { reason: 5 }, allow('fine')], 'reason: expected string, got number'],
  ['PreToolUse', [{ stopReason: 'x' }, { stopReason: 5 }], 'stopReason: expected string, got number'],
  ['PreToolUse', [S({ updatedInput: 5 }), S(SAFE)], 'hookSpecificOutput.updatedInput: expected object, got number'],
  ['PreToolUse', [{ continue: null }, allow('fine'), { continue: true }], 'continue: expected boolean, got null'],
  ['PreToolUse', [rewrite(undefined), rewrite({ command: 'a' })], 'rewrite(): expected the new value, got undefined'],
  ['PreToolUse', [named('PostToolUse', {}), ALLOWED], 'hookSpecificOutput.hookEventName: expected one event, got'],
  ['PreToolUse', [ALLOWED, named('PostToolUse', {})], 'hookSpecificOutput.hookEventName: expected one event, got'],
  ['PreToolUse', [allow('fine'), throwing('reason')], 'reason: it cannot be read: boom'],
  ['PreToolUse', [allow('fine'), S(throwing('permissionDecision'))], 'hookSpecificOutput.permissionDecision: it can'],
  ['PreToolUse', [allow('fine'), { systemMessage: new Map() }], 'systemMessage: expected JSON data, got Map'],
  ['PreToolUse', [allow('fine'), S(new Map())], 'hookSpecificOutput: expected object, got Map'],
  ['PreToolUse', [allow('fine'), { async: 0 }, { async: false }], 'async: expected boolean, got number'],
  ['PreToolUse', [allow('fine'), { 'hookscope:wrong': 5 }], 'hookscope:wrong: expected array of texts and parts, got'],
  ['PermissionRequest', [S({ additionalContext: 'x' }), S({ decision: null })], 'hookSpecificOutput.decision: expec'],
  [
    'PermissionRequest',
    [S({ decision: { behavior: 'deny', interrupt: 'yes' } }), S({ decision: { behavior: 'deny', interrupt: true } })],
    'hookSpecificOutput.decision.interrupt: expected boolean, got string',
  ],
])('on %s, what is wrong in a part is an error, named by its field: %#', async (event, parts, message) => {
  const { verdict, failures } = await decided(event, parts, 'block');
  expect([verdict, messages(failures)]).toEqual(['deny', [expect.stringContaining(message)]]);
});

test.each<readonly [HookEvent, readonly unknown[], Json]>([
  ['PreToolUse', [addContext('x'), { 'hookscope:stop': null }], { continue: false }],
  ['PreToolUse', [deny('R'), S(throwing('updatedInput', { additionalContext: 'c' }))], { additionalContext: ['c'] }],
  ['Elicitation', [S({ action: 'decline' }), S({ action: 'maybe' })], { value: { action: 'decline' } }],
  ['PostToolUse', [{ systemMessage: 'm' }, { systemMessage: 5 }], { systemMessages: ['m'] }],
  ['PostToolUse', [{ systemMessage: 5 }, { systemMessage: 'm' }], { systemMessages: ['m'] }],
  ['SessionStart', [addContext('rules'), { decision: 'maybe' }], { additionalContext: ['rules'] }],
])('on %s, what is right in a part counts beside an error: %#', async (event, parts, expected) => {
  expect(await decided(event, parts)).toMatchObject({ ...expected, failures: [expect.anything()] });
});

test.each<readonly [HookEvent, readonly unknown[], Json]>([
  ['PreToolUse', [S({ permissionDecision: made('deny') }), S({ permissionDecision: 'allow' })], { verdict: 'deny' }],
  ['PreToolUse', [{ decision: made('block'), reason: 'R' }, { decision: 'approve' }], { verdict: 'deny', reason: 'R' }],
  ['PreToolUse', [{ continue: made(false) }, { continue: true }], { continue: false }],
  ['PreToolUse', [{ 'hookscope:verdict': { verdict: made('deny') } }, allow()], { verdict: 'deny' }],
  ['Stop', [{ 'hookscope:stop': 'end', continue: made(true) }], { continue: false }],
  ['PreToolUse', [{ ...deny('R'), ...S({ permissionDecision: made('allow') }) }], { verdict: 'deny', reason: 'R' }],
])('on %s, a word that toJSON makes counts: %o', async (event, parts, expected) => {
  expect(await decided(event, parts)).toMatchObject({ ...expected, failures: [] });
});

test('an event of your own takes values that no other event takes', async () => {
  const { host } = testHost({
    events: {
      Deploy: defineEvent({
        input: z.object({}),
        fold: 'block',
        output: z.object({ retry: z.number().optional(), additionalContext: z.string().optional() }),
      }),
    },
  });
  const said = [
    [S({ retry: 3 }), addContext('c')],
    [S({ retry: 'no' }), addContext('c')],
  ];
  host.register({ Deploy: [{ hooks: said.map((parts) => () => combine(...(parts as never[]))) }] } as never);
  const { outcomes, failures } = (await fireAny(host as never, 'Deploy' as never, {})) as never as Json;
  expect(outcomes).toMatchObject([S({ retry: 3, additionalContext: 'c' }), expect.anything()]);
  expect(messages(failures)).toEqual(['hookSpecificOutput.retry: expected number, got string']);
});

test('a block has all reasons of blocks, and none of another word', () => {
  expect(combine(block('a'), block('b'), allow('fine') as never)).toEqual(block('a\nb'));
});

test('what combine cannot know stays open', async () => {
  expect(combine(rewrite('h'), S({ updatedMCPToolOutput: 'w' }) as never)).toHaveProperty('hookscope:rewrite');
  expect(combine(S({ ownKey: 'w' }) as never, rewrite('h'))).toMatchObject(S({ ownKey: 'w' }));
  class Own {
    note = 'mine';
    get ownKey(): string {
      return 'w';
    }
  }
  expect(combine(S(new Own()) as never, addContext('c'))).toEqual({ 'hookscope:context': 'c', ...S({ note: 'mine' }) });
  // A verdict that is right for another event.
  const { verdict, failures } = await decided('PreModelSwitch', [ask('a'), defer('d')]);
  expect([verdict, failures]).toEqual(['none', [expect.anything()]]);
});

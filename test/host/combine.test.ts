import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/events/catalogue.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

type Part = Record<string, unknown>;
const all = combine as (...parts: unknown[]) => Part;

/** What is decided where the hooks, all at once, answer so. */
async function decided(event: HookEvent, answers: readonly unknown[]): Promise<AnyDecision> {
  const { host, reports } = testHost();
  host.register(anyHooks({ [event]: [{ mode: 'parallel', hooks: answers.map((answer) => () => answer) }] }));
  const decision = await fireAny(host, event, INPUTS[event]);
  expect([decision.failures, reports]).toEqual([[], []]);
  await host.close();
  return decision;
}

/** What a harness does with a decision: who gave it, and how many said the same, does not matter. */
function meant(decision: AnyDecision): Part {
  const { additionalContext, systemMessages, verdict, blocked, reason, ...rest } = decision;
  const of = (key: string): unknown => (rest as unknown as Part)[key];
  return {
    context: additionalContext.join('\n'),
    messages: systemMessages.join('\n'),
    ...{ verdict, blocked, reason },
    ...Object.fromEntries(
      ['continue', 'continues', 'stopReason', 'suppressOutput', 'updatedInput', 'updatedOutput', 'terminalSequence']
        .concat('updatedPermissions', 'interrupt', 'sessionTitle')
        .map((key) => [key, of(key)]),
    ),
  };
}

const words = fc.constantFrom('one', 'two', 'three');
const mapped = (make: (text: string) => object) => words.map((text) => make(text) as Part);
const always = (part: object) => fc.constant(part as Part);
const SAID = [
  mapped(addContext),
  mapped((additionalContext) => ({ hookSpecificOutput: { additionalContext } })),
  mapped((systemMessage) => ({ systemMessage })),
  mapped((terminalSequence) => ({ terminalSequence })),
  always({ suppressOutput: true }),
];
const own = (permissionDecision: string) =>
  mapped((permissionDecisionReason) => ({ hookSpecificOutput: { permissionDecision, permissionDecisionReason } }));
const behaves = (behavior: string) =>
  mapped((text) => ({
    hookSpecificOutput: {
      decision: {
        behavior,
        ...(behavior === 'allow' ? { updatedPermissions: [{ type: 'setMode', mode: text }] } : { message: text }),
      },
    },
  }));

/** The parts an event takes, without those that mean another thing beside a stop (its reason is that of the verdict beside it). */
const PARTS: Partial<Record<HookEvent, fc.Arbitrary<Part>[][]>> = {
  PreToolUse: [
    [...SAID, mapped(allow), mapped(ask), mapped(defer), mapped(deny), mapped((a) => rewrite({ a }))],
    [...SAID, ...['allow', 'ask', 'defer', 'deny'].map(own)],
    [...SAID, mapped(allow), mapped(ask), mapped(stop)],
  ],
  PermissionRequest: [
    [...SAID.slice(2), mapped(allow), mapped(deny), always(rewrite({ a: 1 })), always(rewrite({ a: 2 }))],
    [...SAID.slice(2), behaves('allow'), behaves('deny')],
  ],
  UserPromptSubmit: [
    [...SAID, mapped(block), mapped(stop)],
    [...SAID, mapped((reason) => ({ decision: 'block', reason })), always({ decision: 'approve' })],
    [mapped((sessionTitle) => ({ hookSpecificOutput: { sessionTitle } })), ...SAID],
  ],
  PostToolUse: [[...SAID, mapped(block), mapped((stdout) => rewrite({ ...SHELL, stdout }))]],
  Stop: [
    [...SAID, mapped(block)],
    [...SAID, mapped(stop)],
  ],
  SessionStart: [SAID],
};
const SHELL = { stdout: '', stderr: '', interrupted: false, isImage: false };

describe('combined parts are decided as the same answers of several hooks', () => {
  for (const [event, sets] of Object.entries(PARTS) as [HookEvent, fc.Arbitrary<Part>[][]][])
    test.each(sets.map((set, i) => [i, set] as const))(`on ${event}: parts %i`, async (_, set) => {
      const some = fc.array(fc.oneof(...set), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(some, async (parts) => {
          const [one, several] = [await decided(event, [all(...parts)]), await decided(event, parts)];
          expect(meant(one)).toEqual(meant(several));
        }),
        { numRuns: generated(150) },
      );
    });
});

describe('combine()', () => {
  test('is the same in two steps', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(...SAID, mapped(allow), mapped(block))), (parts) => {
        const [a, ...rest] = parts;
        if (a !== undefined) expect(all(a, all(...rest))).toEqual(all(...parts));
      }),
      { numRuns: generated(200) },
    ));

  test('changes no part', () => {
    const parts = [addContext('a'), { hookSpecificOutput: { additionalContext: 'b' } }, block('c'), block('d')];
    const before = structuredClone(parts);
    all(...parts);
    expect(parts).toEqual(before);
  });

  test.each([
    [{ decision: 'block', reason: 'no' }, { decision: 'approve' }, { decision: 'block', reason: 'no' }],
    [{ continue: false, stopReason: 's' }, { continue: true }, { continue: false, stopReason: 's' }],
    [{ suppressOutput: true }, { suppressOutput: false }, { suppressOutput: true }],
    [{ systemMessage: 5 }, { systemMessage: 'm' }, { systemMessage: 5 }],
    [{ systemMessage: 'm' }, { systemMessage: 5 }, { systemMessage: 5 }],
  ])('of %j and %j', (one, other, whole) => {
    expect(all(one, other)).toEqual(whole);
  });

  test('an answer in the background is not combined with others, and covers no refusal', () => {
    const later = { async: true, asyncTimeout: 5 };
    expect(() => all(later, addContext('a'))).toThrow(/combine\(…\).*no answer with async: true/);
    for (const no of [deny('no'), block('no'), stop('no'), { continue: false }, { decision: 'block' }])
      expect([all(later, no), all(no, later)]).toEqual([no, no]);
    const nested = { hookSpecificOutput: { decision: { behavior: 'deny' } } };
    expect(all(later, nested, { hookSpecificOutput: { permissionDecision: 'deny' } })).not.toHaveProperty('async');
    expect(all(later, {})).toEqual(later);
  });
});

describe('combine() of words and helpers', () => {
  const words = (value: object) => ({ hookSpecificOutput: { updatedInput: value } });
  const allowed = (value: object) => ({ hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: value } } });
  test.each<[HookEvent, object[]]>([
    ['PreToolUse', [words({ a: 1 }), rewrite({ a: 2 })]],
    ['PreToolUse', [rewrite({ a: 1 }), words({ a: 2 })]],
    ['PermissionRequest', [allowed({ a: 1 }), rewrite({ a: 2 })]],
    ['PermissionRequest', [rewrite({ a: 1 }), allowed({ a: 2 })]],
    ['PreToolUse', [stop(), allow('looks fine')]],
    ['PreToolUse', [ask('sure?'), stop()]],
  ])('on %s it says what two hooks say: %j', async (event, parts) => {
    expect(meant(await decided(event, [all(...parts)]))).toEqual(meant(await decided(event, parts)));
  });

  test('a deny stands beside a part that cannot be read, however the deny is made', async () => {
    class Own {
      constructor() {
        Object.assign(this, deny('no'));
      }
    }
    const denies = [
      deny('no'),
      { toJSON: () => deny('no') },
      Object.assign(Object.create(null), deny('no')),
      new Own(),
    ];
    for (const no of denies)
      for (const parts of [
        [no, new Map()],
        [new Map(), no],
      ])
        expect(await decided('PreToolUse', [all(...parts)])).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(() => all(allow('fine'), new Map())).toThrow(/combine\(…\)/);
  });
});

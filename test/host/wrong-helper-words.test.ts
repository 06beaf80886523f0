import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { CONTEXT, REWRITE, STOP, VERDICT } from '../../src/events/output/helper-keys.js';
import { addContext, allow, ask, block, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { outputShape } from '../../src/events/output/shape.js';
import type { EventSpec } from '../../src/events/spec.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { RANK } from '../../src/host/decide/fold.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// A wrong word of a helper is an error beside whatever the answer says in the event's own words, and the other way round. It takes nothing away that restricts.

type Json = Record<string, unknown>;

const fieldsOf = (decision: AnyDecision): Json => decision as unknown as Json;

const inside = (hookEventName: HookEvent, words: Json): Json => ({ hookSpecificOutput: { hookEventName, ...words } });

const WRONG: readonly Json[] = [
  ...[{ verdict: 'Deny', reason: 'no' }, { verdict: 5 }, { verdict: 'deny', reason: 5 }, {}, null, 'deny', []].map(
    (word) => ({ [VERDICT]: word }),
  ),
  ...[
    { verdict: 'allow', reason: 5 },
    { verdict: 'ask', reason: null },
  ].map((word) => ({ [VERDICT]: word })),
  ...[5, {}, false].flatMap((word) => [{ [CONTEXT]: word }, { [STOP]: word }]),
  ...[5, { value: undefined }, { value: 5 }].map((word) => ({ [REWRITE]: word })),
];

/** Right words of the event itself. */
function wordsOn(event: HookEvent): readonly Json[] {
  const { fold, nestedDecision } = specOf(event) as EventSpec;
  const { specific } = outputShape(specOf(event) as EventSpec);
  const flat = ['allow', 'ask', 'deny'].map((permissionDecision) =>
    inside(event, { permissionDecision, permissionDecisionReason: 'R' }),
  );
  const nested = [{ behavior: 'allow' }, { behavior: 'deny', message: 'R' }].map((decision) =>
    inside(event, { decision }),
  );
  return [
    ...[{}, { continue: true }, { continue: false, stopReason: 'R' }, { stopReason: 'R' }],
    ...(nestedDecision
      ? nested
      : [
          { decision: 'approve', reason: 'fine' },
          { decision: 'block', reason: 'R' },
        ]),
    ...(fold === 'gate' && !nestedDecision ? flat : []),
    ...(specific.has('additionalContext') ? [inside(event, { additionalContext: 'told' })] : []),
    ...(specific.has('updatedInput') ? [inside(event, { updatedInput: { command: 'other' } })] : []),
  ];
}

/** Wrong words of the event itself. */
function wrongOn(event: HookEvent): readonly Json[] {
  const { fold, nestedDecision } = specOf(event) as EventSpec;
  const flat = [{ permissionDecision: 'Deny' }, { permissionDecision: 'ask', permissionDecisionReason: 5 }];
  const nested = [{ behavior: 'allow', updatedInput: 5 }, { behavior: 'deny', message: 5 }, { behavior: 'Deny' }];
  return [
    ...[{ stopReason: 5 }, { continue: 'no' }, { reason: 5 }, { decision: 'block', reason: 5 }, { decision: 'no' }],
    ...[inside(event, { additionalContext: 5 }), inside(event, { updatedInput: 5 }), { hookSpecificOutput: 5 }],
    ...(nestedDecision ? nested.map((decision) => inside(event, { decision })) : []),
    ...(fold === 'gate' && !nestedDecision ? flat.map((words) => inside(event, words)) : []),
  ];
}

/** Right words of helpers. */
const HELPERS = [
  ...[allow('a'), deny('d'), ask('q'), defer('f'), block('b')],
  ...[addContext('c'), stop(), stop('s'), rewrite({ command: 'x' })],
] as readonly object[] as readonly Json[];

const rankOf = (decision: AnyDecision): number => {
  const { verdict = 'none', blocked, continues } = fieldsOf(decision);
  if (blocked === true || continues === true) return RANK.deny;
  return verdict === 'allow' ? 0 : RANK[verdict as keyof typeof RANK];
};

let said: unknown;
const WAYS = {
  'from code': () => () => said,
  'over HTTP': () =>
    madeHandler({ kind: 'http', name: 'guard', run: async () => ({ output: JSON.parse(JSON.stringify(said)) }) }),
} as const;

for (const [way, hook] of Object.entries(WAYS))
  test.each(HOOK_EVENTS)(
    `on %s a wrong word is an error beside a helper's or the event's own: ${way}`,
    async (event) => {
      const { host } = testHost();
      host.register(anyHooks({ [event]: [{ hooks: [hook()] }] }));
      const decide = async (answer: Json): Promise<AnyDecision> => {
        said = answer;
        return fireAny(host, event, inputOf(event));
      };
      // Context that keeps the loop going is no block, and what ends the loop counts before what keeps it going.
      const isStop = specOf(event)?.fold === 'stop';
      const isMild = (words: Json): boolean =>
        isStop && !['decision', VERDICT].some((key) => words[key] !== undefined && words[key] !== 'approve');
      const found: unknown[] = [];
      const pairs = [
        ...WRONG.flatMap((wrong) => wordsOn(event).map((right) => [wrong, right] as const)),
        ...wrongOn(event).flatMap((wrong) => HELPERS.map((right) => [wrong, right] as const)),
      ];
      for (const [wrong, right] of pairs) {
        const [broken, plain] = [await decide(wrong), await decide(right)];
        // A helper that means nothing on the event is a warning.
        if (broken.failures.length === 0 || plain.failures.length > 0) continue;
        const rank = Math.max(isMild(right) ? 0 : rankOf(plain), rankOf(broken));
        const is = await decide({ ...wrong, ...right });
        const weak = rankOf(is) < rank && !(isStop && fieldsOf(is)['continues'] === false);
        const goesOn = is.continue && !(plain.continue && broken.continue);
        if (is.failures.length !== 1 || weak || goesOn || fieldsOf(is)['verdict'] === 'allow')
          found.push([JSON.stringify({ ...wrong, ...right }), is.failures.length, weak, fieldsOf(is)['verdict']]);
      }
      expect(found).toEqual([]);
    },
  );

test.each([ask('q'), defer('q')])(
  'PermissionRequest: a wrong rewrite is an error beside %o, which drops it',
  async (mild) => {
    const { host } = testHost();
    let said: unknown;
    host.register(anyHooks({ PermissionRequest: [{ hooks: [() => said], onFailure: 'block' }] }));
    const fired = async (answer: unknown): Promise<unknown> => {
      said = answer;
      const { verdict, failures } = await host.fire('PermissionRequest', { tool_name: 'Bash', tool_input: {} });
      return [verdict, failures.map(({ cause }) => cause)];
    };
    for (const wrong of ['txt', 5, null])
      expect([wrong, await fired({ ...mild, ...rewrite(wrong) })]).toEqual([wrong, ['deny', ['bad_schema']]]);
    expect(await fired({ ...mild, ...rewrite({ command: 'ls' }) })).toEqual(['none', []]);
  },
);

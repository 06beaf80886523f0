import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { inputOf } from '../host/inputs.js';
import { anyHooks, fireAny, fires, only, registerAs, testHost, watch } from '../host/kit.js';
import { entryOf } from '../host/said.js';
import { generated } from '../seed.js';
import { anyOutput } from './outputs.js';
import { recompute } from './recompute.js';

const policy = fc.constantFrom('continue' as const, 'ask' as const, 'block' as const);

/** One hook: what it answers first, what when asked again; undefined throws. */
const hook = (event: HookEvent) =>
  fc.record({
    answers: fc.tuple(fc.option(anyOutput(entryOf(event)), { nil: undefined, freq: 8 }), anyOutput(entryOf(event))),
    onFailure: policy,
    dialect: fc.constantFrom('code' as const, 'claude' as const),
    parallel: fc.boolean(),
    phase: fc.constantFrom('decide', 'decide', 'decide', 'rewrite', 'observe'),
    matcher: fc.constantFrom(undefined, undefined, 'nothing-like-it'),
  });

describe('a decision can be computed from its record', () => {
  test.each(HOOK_EVENTS)('%s', async (event) => {
    const spec = entryOf(event);
    await fc.assert(
      fc.asyncProperty(
        fc.array(hook(event), { maxLength: 5 }),
        fc.constantFrom('strictest', 'first', 'last'),
        async (hooks, decisions) => {
          const { host } = testHost({ decisions: decisions as 'first' });
          const seen = watch(host);
          for (const { answers, onFailure, dialect, parallel, phase, matcher } of hooks) {
            const answer = (_: unknown, __: unknown, { call }: { call: string }): unknown => {
              const output = answers[call === 'first' ? 0 : 1];
              if (output === undefined) throw new Error('broken');
              return output;
            };
            const group = { matcher, onFailure, phase, mode: parallel ? 'parallel' : 'series', hooks: [answer] };
            registerAs(host, { [event]: [group] }, { dialect, name: 'hook' });
          }
          const decision = await fireAny(host, event, inputOf(event));
          const record = only(fires(seen));
          hookRecord.parse(JSON.parse(JSON.stringify(record)));
          const { outcomes: _, ...fields } = { ...decision, outcomes: undefined };
          expect(recompute(JSON.parse(JSON.stringify(record)), spec)).toEqual(fields);
          expect({ ...record.decision }).toEqual(fields);
        },
      ),
      { numRuns: generated(20) },
    );
  });

  test.each(['strictest', 'first', 'last'] as const)(
    'whichever two verdicts stand beside each other (%s)',
    async (decisions) => {
      const verdicts = ['allow', 'ask', 'defer', 'deny'];
      for (const [one, other] of verdicts.flatMap((a) => verdicts.map((b) => [a, b]))) {
        const { host } = testHost({ decisions });
        const seen = watch(host);
        const says = (permissionDecision?: string) => () => ({ hookSpecificOutput: { permissionDecision } });
        host.register(anyHooks({ PreToolUse: [{ hooks: [says(one), says(other)] }] }));
        const { outcomes: _, ...fields } = await fireAny(host, 'PreToolUse', inputOf('PreToolUse'));
        expect(recompute(only(fires(seen)), entryOf('PreToolUse')), `${one}, ${other}`).toEqual(fields);
      }
    },
  );

  test('also where a policy is managed, a text is long, a managed setting cannot be blocked', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const long = 'x'.repeat(10_001);
    host.register({
      PreToolUse: [
        {
          hooks: [
            () => ({
              systemMessage: long,
              hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: long },
            }),
          ],
        },
        { hooks: [() => ({ continue: false, stopReason: long })] },
      ],
    });
    const decision = await fireAny(host, 'PreToolUse', inputOf('PreToolUse'));
    const record = only(fires(seen));
    expect(decision.reason?.length).toBeLessThan(5000);
    const { outcomes: _, ...fields } = { ...decision, outcomes: undefined };
    expect(recompute(record, entryOf('PreToolUse'))).toEqual(fields);

    host.register(
      anyHooks({
        ConfigChange: [
          { onFailure: 'block', hooks: [() => ({ decision: 'block' }), () => Promise.reject(new Error('x'))] },
        ],
      }),
    );
    const change = await fireAny(host, 'ConfigChange', { source: 'policy_settings' });
    const { outcomes: __, ...changed } = { ...change, outcomes: undefined };
    expect(recompute(only(fires(seen).slice(1)), entryOf('ConfigChange'))).toEqual(changed);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { baseOutput } from '../../src/events/base.js';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { readOutput } from '../../src/events/output/outcome.js';
import { makeDecision } from '../../src/host/decide/decision.js';
import { anyOutput } from '../contracts/outputs.js';
import { generated } from '../seed.js';
import { entryOf, folded, said, specific } from './said.js';

/** The wire's own shape of one event's output, nothing unknown in it. */
function wire(event: HookEvent) {
  const own = entryOf(event)
    .output.extend({ hookEventName: z.literal(event) })
    .strict();
  return baseOutput().extend({ hookSpecificOutput: own.optional() }).strict();
}

/** What a decision has that one hook can say alone. */
const SAID_ONCE = [
  ...(['verdict', 'blocked', 'continues', 'value', 'continue', 'interrupt', 'stopReason', 'suppressOutput'] as const),
  ...(['terminalSequence', 'updatedInput', 'updatedOutput', 'updatedPermissions', 'retry', 'sessionTitle'] as const),
  ...(['initialUserMessage', 'watchPaths', 'suppressOriginalPrompt', 'reloadSkills', 'classifierContext'] as const),
];

describe('a decision as JSON', () => {
  test.each(HOOK_EVENTS)('%s: is an output of the event, whatever was said', (event) => {
    const spec = entryOf(event);
    fc.assert(
      fc.property(
        fc.array(anyOutput(spec), { maxLength: 4 }),
        fc.constantFrom('code' as const, 'claude' as const),
        (outputs, dialect) => {
          const voices = outputs.map((o, i) => said(event, `h${i}`, o, { dialect }));
          const rewrite = voices.findLast((v) => v.outcome?.rewrite)?.outcome?.rewrite;
          const decision = folded(event, voices, { rewritten: rewrite });
          const printed = JSON.parse(JSON.stringify(decision)) as unknown;
          wire(event).parse(printed);
          // Fed back as one hook's output it is taken without a complaint and comes to the same answer.
          const again = readOutput(spec, printed, { eventName: event, nameRequired: true });
          expect('bad' in again ? again.bad : again.warnings).toEqual([]);
          const once = folded(event, [said(event, 'all', printed, { dialect })], { rewritten: rewrite });
          for (const key of SAID_ONCE) expect(once[key] ?? undefined, key).toEqual(decision[key] ?? undefined);
          for (const key of ['systemMessages', 'additionalContext'] as const) {
            expect(once[key].join('\n'), key).toBe(decision[key].join('\n'));
          }
        },
      ),
      { numRuns: generated(20) },
    );
  });

  test('has everything that was said, in the wire’s words', () => {
    const voices = [
      said('PreToolUse', 'a', {
        systemMessage: 'look',
        ...specific({ permissionDecision: 'ask', permissionDecisionReason: 'sure?', additionalContext: 'c1' }),
      }),
      said('PreToolUse', 'b', {
        systemMessage: 'there',
        suppressOutput: true,
        ...specific({ additionalContext: 'c2' }),
      }),
    ];
    expect(folded('PreToolUse', voices, { rewritten: { value: { command: 'pwd' } } }).toJSON()).toEqual({
      suppressOutput: true,
      systemMessage: 'look\nthere',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'sure?',
        updatedInput: { command: 'pwd' },
        additionalContext: 'c1\nc2',
      },
    });
  });

  test('a permission request is answered in its own object', () => {
    const allow = { decision: { behavior: 'allow', updatedPermissions: [{ type: 'setMode' }] } };
    const yes = folded('PermissionRequest', [said('PermissionRequest', 'a', specific(allow))], {
      rewritten: { value: { a: 1 } },
    });
    expect(yes.toJSON()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [{ type: 'setMode' }] },
      },
    });
    const deny = { decision: { behavior: 'deny', message: 'no', interrupt: true } };
    const no = folded('PermissionRequest', [said('PermissionRequest', 'a', specific(deny))], {
      rewritten: { value: { a: 1 } },
    });
    expect(no.toJSON()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'no', interrupt: true },
      },
    });
  });

  test('a rewritten output may be null', () => {
    expect(makeDecision(entryOf('PostToolUse'), { updatedOutput: null }, []).toJSON()).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: null },
    });
  });
});

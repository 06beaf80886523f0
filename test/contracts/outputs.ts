import fc from 'fast-check';
import type { EventSpec } from '../../src/events/spec.js';

const text = fc.constantFrom('one', 'two', '');
const SPECIFIC: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  permissionDecision: fc.constantFrom('allow', 'ask', 'deny'),
  permissionDecisionReason: text,
  updatedInput: fc.constantFrom({ command: 'pwd' }, { command: 'ls' }),
  updatedToolOutput: fc.constantFrom(null, 'text', { a: [1] }),
  updatedMCPToolOutput: fc.constant('text'),
  updatedError: text,
  additionalContext: text,
  classifierContext: text,
  retry: fc.boolean(),
  sessionTitle: text,
  initialUserMessage: text,
  watchPaths: fc.array(fc.constantFrom('/a', '/b')),
  reloadSkills: fc.boolean(),
  suppressOriginalPrompt: fc.boolean(),
  displayContent: text,
  worktreePath: text,
  action: fc.constantFrom('accept', 'decline', 'cancel'),
  content: fc.constant({ answer: 1 }),
  decision: fc.oneof(
    fc.record(
      {
        behavior: fc.constant('allow'),
        updatedInput: fc.constant({ a: 1 }),
        updatedPermissions: fc.constant([{ type: 'setMode' }]),
      },
      { requiredKeys: ['behavior'] },
    ),
    fc.record(
      { behavior: fc.constant('deny'), message: text, interrupt: fc.boolean() },
      { requiredKeys: ['behavior'] },
    ),
  ),
};

/** Any output that an event's schema takes. `never`: keys it must not have. */
export function anyOutput(spec: EventSpec, never: readonly string[] = []): fc.Arbitrary<Record<string, unknown>> {
  const keys = Object.keys(spec.output.shape).filter((key) => !never.includes(key));
  for (const key of keys) if (!(key in SPECIFIC)) throw new Error(`no example of ${spec.name}'s ${key}`);
  const own = fc.record(Object.fromEntries(keys.map((key) => [key, SPECIFIC[key] as fc.Arbitrary<unknown>])), {
    requiredKeys: [],
  });
  const top: Record<string, fc.Arbitrary<unknown>> = {
    continue: fc.boolean(),
    stopReason: text,
    suppressOutput: fc.boolean(),
    systemMessage: text,
    decision: fc.constantFrom('block', 'approve', 'deny', 'allow'),
    reason: text,
    terminalSequence: text,
    hookSpecificOutput: own,
  };
  if (spec.nestedDecision) delete top['decision'];
  for (const key of never) delete top[key];
  return fc.record(top, { requiredKeys: [] });
}

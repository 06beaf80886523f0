import { expect, test } from 'vitest';
import type { Hooks } from '../../src/host/types.js';
import { testHost } from './kit.js';

// A hook that is asked again, since another has changed the data, and whose second answer is wrong: what ends the loop or interrupts in that answer counts.

const wrong = { systemMessage: 5 };
const END = { continue: false, stopReason: 'end' };
const DENY = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } };
const ASK = { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' } };

test.each([
  [DENY, { ...END, ...wrong }, 'deny', 'no'],
  [ASK, { ...END, ...wrong }, 'deny', 'end'],
  [{}, { ...END, ...wrong }, 'deny', 'end'],
])('after %o the failed answer %o ends the loop', async (first, second, verdict, reason) => {
  const { host } = testHost();
  const answers: unknown[] = [first, second];
  const guard = () => answers.shift() as never;
  const other = () => ({ hookSpecificOutput: { updatedInput: { command: 'other' } } });
  host.register({ PreToolUse: [{ hooks: [guard, other] }] } as never as Hooks);
  const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(answers).toEqual([]);
  expect(decision).toMatchObject({ verdict, reason, continue: false, stopReason: 'end' });
  expect(decision.failures).toHaveLength(1);
});

const denial = (words: object) => ({ hookSpecificOutput: { decision: { behavior: 'deny', message: 'no', ...words } } });
const allowing = { hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: { command: 'other' } } } };

test.each<readonly [object, object, boolean | undefined]>([
  [denial({}), { ...denial({ interrupt: true }), ...wrong }, true],
  [denial({ interrupt: true }), { ...denial({}), ...wrong }, true],
  [denial({}), { ...denial({}), ...wrong }, undefined],
  [{}, { ...denial({ interrupt: true }), ...wrong }, true],
])('after %o the failed answer %o keeps the interruption of either', async (first, second, interrupt) => {
  const { host } = testHost();
  const answers: unknown[] = [first, second];
  const guard = () => answers.shift() as never;
  host.register({ PermissionRequest: [{ hooks: [guard, () => allowing] }] } as never as Hooks);
  const decision = await host.fire('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(answers).toEqual([]);
  expect(decision).toMatchObject({ verdict: 'deny', reason: 'no' });
  expect(decision.interrupt).toBe(interrupt);
  const [said] = decision.outcomes;
  expect(said?.hookSpecificOutput).toMatchObject(interrupt ? denial({ interrupt }).hookSpecificOutput : {});
});

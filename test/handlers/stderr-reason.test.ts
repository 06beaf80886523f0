import { expect, test } from 'vitest';
import type { HookEvent } from '../../src/events/catalogue.js';
import { command } from '../../src/handlers/command/spec.js';
import { inputOf } from '../host/inputs.js';
import { anyHooks, fireAny, fires, only, registerAs, testHost, watch } from '../host/kit.js';

const specific = (hookEventName: string, keys: object) => ({ hookSpecificOutput: { hookEventName, ...keys } });

async function decided(event: HookEvent, output: object, exit = 0, dialect: 'code' | 'claude' = 'code') {
  const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() } });
  const seen = watch(host);
  const hooks = [command(`cat >/dev/null; echo '${JSON.stringify(output)}'; echo ' ERR' >&2; exit ${exit}`)];
  registerAs(host, anyHooks({ [event]: [{ hooks }] }), { dialect });
  const decision = await fireAny(host, event, inputOf(event));
  await host.close();
  return { decision, handler: only(only(fires(seen)).handlers) };
}

test.each<[HookEvent, object]>([
  ['PreToolUse', specific('PreToolUse', { permissionDecision: 'deny' })],
  ['PreToolUse', specific('PreToolUse', { permissionDecision: 'ask' })],
  ['PreToolUse', specific('PreToolUse', { permissionDecision: 'allow' })],
  ['PreToolUse', { decision: 'approve', ...specific('PreToolUse', { permissionDecision: 'deny' }) }],
  ['PreToolUse', { decision: 'block' }],
  ['PreToolUse', { continue: false }],
  ['PermissionRequest', specific('PermissionRequest', { decision: { behavior: 'deny' } })],
  ['PermissionRequest', specific('PermissionRequest', { decision: { behavior: 'allow' } })],
  ['PostToolUse', { decision: 'block', reason: '' }],
  ['Stop', { decision: 'block' }],
  ['Stop', { continue: false }],
  ['Stop', { continue: true }],
  ['Elicitation', { decision: 'block' }],
])('on %s stderr is the reason of %j, which gives none', async (event, output) => {
  for (const exit of [0, 3]) {
    const { decision, handler } = await decided(event, output, exit);
    expect(decision.reason).toBe('ERR');
    // So the record has it too.
    expect(JSON.stringify(handler.output)).toContain('"ERR"');
    expect(handler).not.toHaveProperty('warnings');
  }
});

test.each<[HookEvent, object, string | undefined]>([
  ['PreToolUse', specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'own' }), 'own'],
  ['PreToolUse', { ...specific('PreToolUse', { permissionDecision: 'deny' }), stopReason: 'own' }, 'own'],
  ['PreToolUse', specific('PreToolUse', { additionalContext: 'c' }), undefined],
  ['PostToolUse', { continue: false }, undefined],
])('on %s stderr is not the reason of %j', async (event, output, reason) => {
  const { decision, handler } = await decided(event, output);
  expect(decision.reason).toBe(reason);
  expect(handler.output).toEqual(output);
});

test('where continue: false or continue: true decides nothing, stderr is no reason either', async () => {
  for (const [event, output] of [
    ['PreToolUse', { continue: false }],
    ['Stop', { continue: true }],
  ] as const) {
    const { decision, handler } = await decided(event, output, 0, 'claude');
    expect(decision.reason).toBeUndefined();
    expect(handler.output).toEqual(output);
  }
});

test.each<[HookEvent, object]>([
  ['PreToolUse', { ...specific('PreToolUse', { permissionDecision: 'ask' }), systemMessage: 5 }],
  ['PreToolUse', { ...specific('PreToolUse', { permissionDecision: 'ask', updatedInput: 'x' }) }],
  ['PreToolUse', { ...specific('PreToolUse', { permissionDecision: 'deny' }), continue: 'no' }],
  ['PermissionRequest', specific('PermissionRequest', { decision: { behavior: 'deny', interrupt: 5 } })],
])('on %s stderr takes no failure out of the partly wrong %j', async (event, output) => {
  const { decision, handler } = await decided(event, output);
  expect(decision.failures.map(({ cause }) => cause)).toEqual(['bad_schema']);
  expect(handler).toMatchObject({ status: 'failed' });
  // The policy of a gate's failure counts too, which is to ask.
  expect(decision.verdict).toBe(JSON.stringify(output).includes('"ask"') ? 'ask' : 'deny');
});

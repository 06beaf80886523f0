import { expect, test } from 'vitest';
import { HOOK_EVENTS, specOf } from '../../src/events/catalogue.js';
import { canEnd } from '../../src/events/output/what-counts.js';
import type { EventSpec } from '../../src/events/spec.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// A failure keeps no other hook from running: of a failed answer, `continue: false` does only where it ends the loop or denies.

test.each(HOOK_EVENTS)('%s: of a failed answer only an end that has an effect skips later hooks', async (event) => {
  const ran: string[] = [];
  for (const said of [{ continue: false }, { continue: false, systemMessage: 5 }]) {
    const { host } = testHost();
    host.register(anyHooks({ [event]: [{ hooks: [() => said, () => void ran.push(JSON.stringify(said))] }] }));
    await fireAny(host, event, inputOf(event));
  }
  const ends = canEnd(specOf(event) as EventSpec);
  expect(ran).toEqual(ends ? [] : ['{"continue":false,"systemMessage":5}']);
});

test("a rewriting hook's own interrupt does not count where only its failure denies", async () => {
  const { host } = testHost();
  const decision = { behavior: 'deny', message: 'M', interrupt: true };
  const hooks = [() => ({ systemMessage: 5, hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })];
  host.register(anyHooks({ PermissionRequest: [{ hooks, phase: 'rewrite', onFailure: 'block' }] }));
  const { verdict, interrupt } = await host.fire('PermissionRequest', { tool_name: 'Bash', tool_input: {} });
  expect({ verdict, interrupt }).toEqual({ verdict: 'deny', interrupt: undefined });
});

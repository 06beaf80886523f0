// Hooks registered in code run one after the other. Slow ones that do not need each other can run side by side.
import { setTimeout as sleep } from 'node:timers/promises';
import { createHost, deny, type HookCallback } from 'hookscope';

function check(name: string, ms: number): HookCallback<'PreToolUse'> {
  return async () => {
    console.log(`  ${name} starts`);
    await sleep(ms);
    console.log(`  ${name} ends`);
    return deny(`${name} says no`);
  };
}

const call = { tool_name: 'Bash', tool_input: { command: 'deploy' } };
for (const mode of ['series', 'parallel'] as const) {
  const host = createHost();
  host.register({ PreToolUse: [{ mode, onFailure: 'block', hooks: [check('slow', 60), check('quick', 10)] }] });

  console.log(`${mode}:`);
  const decision = await host.fire('PreToolUse', call);
  // Who finished first does not matter: answers are always taken in the order of registration.
  console.log(`  decided by: ${decision.reason}`);
  await host.close();
}

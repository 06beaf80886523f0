// Start something long, let the agent go on, and hand in the result when it is there.
import { setTimeout as sleep } from 'node:timers/promises';
import { addContext, createHost, type HookCallback } from 'hookscope';

async function runTests(): Promise<ReturnType<typeof addContext>> {
  await sleep(100); // seconds, in a real project
  return addContext('The tests that ran after your last edit: 41 passed, 1 failed (cart.test.ts)');
}

const testLater: HookCallback<'PostToolUse'> = () => ({ async: true, asyncTimeout: 30, result: runTests() });

const host = createHost();
host.register({ PostToolUse: [{ matcher: 'Edit|Write', hooks: [testLater] }] }, { name: 'test-later' });

const decision = await host.fire('PostToolUse', {
  tool_name: 'Edit',
  tool_input: { file_path: 'cart.ts' },
  tool_response: { filePath: 'cart.ts' },
});
console.log('now:', decision.additionalContext, host.pendingContext());

await sleep(300);
// It waits here for the next turn of the agent; a session driver puts it into the prompt and clears it.
console.log('later:', host.pendingContext());

const { pending } = await host.close();
console.log('still running at close:', pending);

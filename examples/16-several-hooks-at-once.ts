// Many hooks on one call: in which order they run, and how their answers become one.
import { addContext, allow, ask, createHost, deny, type HookCallback } from 'hookscope';

const host = createHost();
const says = (name: string, answer: ReturnType<HookCallback<'PreToolUse'>>): HookCallback<'PreToolUse'> =>
  Object.defineProperty(() => answer, 'name', { value: name });

host.register({
  PreToolUse: [
    { hooks: [says('logger', undefined), says('helper', addContext('the tests live in test/'))] },
    { matcher: 'Bash', hooks: [says('trusting', allow())] },
    { matcher: 'Bash', if: 'Bash(git push*)', onFailure: 'block', hooks: [says('careful', ask('really push?'))] },
    { matcher: 'Bash', stage: -10, onFailure: 'block', hooks: [says('policy', deny('no pushes on Friday'))] },
    { matcher: 'Write', onFailure: 'block', hooks: [says('writer', deny('never asked'))] },
  ],
});

host.events$.subscribe((record) => {
  if (record.type !== 'hook_fire') return;
  console.log('In running order:');
  for (const h of record.handlers) console.log(`  ${h.name}: ${h.reason ? `skipped, ${h.reason}` : (h.verdict ?? '')}`);
});

// deny > defer > ask > allow > none. A deny ends nothing: everybody is heard.
const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'git push' } });
console.log(`${decision.verdict} by ${decision.decidedBy}: ${decision.reason}`);
console.log('overruled:', decision.overruled);
console.log('context:', decision.additionalContext);
await host.close();

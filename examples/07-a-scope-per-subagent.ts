// Give each subagent hooks of its own. One agent's hooks never run for another's calls.
import { createHost, deny, type HookCallback } from 'hookscope';

const saw =
  (who: string): HookCallback<'PreToolUse'> =>
  (input) =>
    console.log(`  ${who} sees ${input.tool_name}`);
const readOnly: HookCallback<'PreToolUse'> = () => deny('a reviewer only reads');

const host = createHost();
host.register({ PreToolUse: [{ hooks: [saw('everyone')] }] }, { name: 'log' });

// By agent: open a scope, end it when the agent is done.
host.registerScoped('agent-1', { PreToolUse: [{ hooks: [saw('agent-1')] }] }, { name: 'its log' });
host.registerScoped('agent-2', { PreToolUse: [{ name: 'child log', hooks: [saw('agent-2')] }] }, { parent: 'agent-1' });
// By agent type: the host opens a scope for every agent of that type, and ends it with the agent.
host.spawnHooks(
  'reviewer',
  { PreToolUse: [{ matcher: 'Write', onFailure: 'block', hooks: [readOnly] }] },
  { name: 'read-only' },
);

const write = { tool_name: 'Write', tool_input: { file_path: 'a.txt', content: '' } };
for (const scope of [undefined, 'agent-1', 'agent-2']) {
  console.log(`${scope ?? 'the main agent'} writes:`);
  await host.fire('PreToolUse', write, { scope });
}

const reviewer = { agent_id: 'agent-3', agent_type: 'reviewer' };
await host.fire('SubagentStart', reviewer);
console.log('a reviewer writes:');
const decision = await host.fire('PreToolUse', { ...write, ...reviewer });
console.log(`  ${decision.verdict}: ${decision.reason}`);
console.log(String(host.describe()));

await host.fire('SubagentStop', { ...reviewer, stop_hook_active: false, agent_transcript_path: '' });
host.unregisterScoped('agent-1');
console.log(String(host.describe()));
await host.close();

// Log every tool call, before and after, without touching any of them.
// In the hooks design of the Elixir SDK: Example 3, "Log All Tool Usage".
import { createHost, type HookCallback } from 'hookscope';

const logUse: HookCallback<'PreToolUse'> = (input, toolUseID) => {
  console.log(`${toolUseID} ${input.tool_name} called with ${JSON.stringify(input.tool_input)}`);
};

const logResult: HookCallback<'PostToolUse'> = (input, toolUseID) => {
  console.log(`${toolUseID} ${input.tool_name} took ${input.duration_ms} ms`);
};

const logFailure: HookCallback<'PostToolUseFailure'> = (input, toolUseID) => {
  console.log(`${toolUseID} ${input.tool_name} failed: ${input.error}`);
};

const host = createHost();
host.register(
  {
    // An observer runs last, once, on the input that will really run, and its answer decides nothing.
    PreToolUse: [{ phase: 'observe', hooks: [logUse] }],
    PostToolUse: [{ hooks: [logResult] }],
    PostToolUseFailure: [{ hooks: [logFailure] }],
  },
  { name: 'log' },
);

const ls = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'call-1' };
await host.fire('PreToolUse', ls);
await host.fire('PostToolUse', { ...ls, tool_response: { stdout: 'README.md' }, duration_ms: 12 });

const read = { tool_name: 'Read', tool_input: { file_path: '/nowhere' }, tool_use_id: 'call-2' };
await host.fire('PreToolUse', read);
await host.fire('PostToolUseFailure', { ...read, error: 'ENOENT: no such file' });
await host.close();

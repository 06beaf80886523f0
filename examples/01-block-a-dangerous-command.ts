// Refuse shell commands that look destructive. The reason goes back to the model, so that it can try something else.
// In the hooks design of the Elixir SDK: Example 1, "Block Dangerous Bash Commands".
import { createHost, deny, type HookCallback } from 'hookscope';

const DANGEROUS = ['rm -rf', 'dd if=', 'mkfs', '> /dev/'];

const noDamage: HookCallback<'PreToolUse'> = (input) => {
  const { command } = input.tool_input as { command: string };
  const found = DANGEROUS.find((part) => command.includes(part));
  // To return nothing is to have no opinion: the agent's own permission rules decide.
  return found === undefined ? undefined : deny(`"${found}" is not allowed here. Delete single files by name.`);
};

const host = createHost();
host.register({ PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [noDamage] }] });

for (const command of ['ls -la', 'sudo rm -rf /']) {
  const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command } });
  console.log(`${command}: ${decision.verdict}${decision.reason ? ` - ${decision.reason}` : ''}`);
}
await host.close();

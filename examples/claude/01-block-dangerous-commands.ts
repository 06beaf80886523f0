// Refuse destructive shell commands in a Claude Code session. Nothing is deleted; the model is told why.
// In the hooks design of the Elixir SDK: Example 1, "Block Dangerous Bash Commands".
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, deny, formatFire, type HookCallback } from 'hookscope';
import { connectClaude } from 'hookscope/claude-code';
import { program, scratch } from './program.js';

const DANGEROUS = ['rm -rf', 'dd if=', 'mkfs', '> /dev/'];

const noDamage: HookCallback<'PreToolUse'> = (input) => {
  const { command } = input.tool_input as { command: string };
  const found = DANGEROUS.find((part) => command.includes(part));
  // To return nothing is to have no opinion: Claude Code's own permission rules decide.
  return found === undefined ? undefined : deny(`${found} is not allowed here.`);
};

const { cwd, remove } = await scratch({ 'build/app.js': 'built' });
const host = createHost({ session: { cwd } });
host.register({ PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [noDamage] }] });
host.events$.subscribe((record) => {
  if (record.type === 'hook_fire' && record.event === 'PreToolUse') console.log(formatFire(record));
});

const client = await connectClaude({ host, cwd, ...program('01-block-dangerous-commands.json') });
for await (const message of client.query('Run "rm -rf build" in Bash, once, then say how it went.')) {
  if (message.type === 'result') console.log('Claude:', message['result']);
}
console.log('build/app.js is there:', existsSync(join(cwd, 'build/app.js')));

await client.close();
await host.close();
await remove();

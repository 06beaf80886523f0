// Say which files a Claude Code session may write. Its settings are not touched: the policy lives in this program.
// In the hooks design of the Elixir SDK: Example 4, "Enforce File Edit Policy".
import { readFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { createHost, deny, type HookCallback } from 'hookscope';
import { connectClaude } from 'hookscope/claude-code';
import { program, scratch } from './program.js';

/** One folder may be written, but no secrets in it. */
function onlyIn(folder: string): HookCallback<'PreToolUse'> {
  return (input) => {
    const { file_path } = input.tool_input as { file_path: string };
    // Resolved first: `src/../../etc/passwd` is not below src.
    const path = resolve(input.cwd, file_path);
    if (basename(path).startsWith('.env')) return deny('.env files must not be changed');
    if (path.includes(`${sep}secrets${sep}`)) return deny('the folder secrets must not be changed');
    if (!path.startsWith(resolve(input.cwd, folder) + sep)) return deny(`only files below ${folder} may be changed`);
    return undefined;
  };
}

const { cwd, remove } = await scratch({ 'src/cart.ts': 'old', '.env': 'KEY=old' });
const host = createHost({ session: { cwd } });
host.register({ PreToolUse: [{ matcher: 'Write|Edit', onFailure: 'block', hooks: [onlyIn('src')] }] });
host.events$.subscribe((record) => {
  if (record.type !== 'hook_fire' || record.decision.verdict !== 'deny') return;
  const { file_path } = (record.input as { tool_input: { file_path: string } }).tool_input;
  console.log(`denied: ${relative(cwd, resolve(cwd, file_path))}: ${record.decision.reason}`);
});

const client = await connectClaude({ host, cwd, ...program('04-file-policy.json') });
const prompt =
  'Read src/cart.ts and .env. In both replace "old" by "new" with Edit. If one fails, go on with the other.';
for await (const message of client.query(prompt)) {
  if (message.type === 'result') console.log('Claude:', message['result']);
}
for (const file of ['src/cart.ts', '.env']) console.log(`${file}: ${await readFile(join(cwd, file), 'utf8')}`);

await client.close();
await host.close();
await remove();

// Say which files an agent may write.
// In the hooks design of the Elixir SDK: Example 4, "Enforce File Edit Policy".
import { basename, resolve, sep } from 'node:path';
import { createHost, deny, type HookCallback } from 'hookscope';

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

const host = createHost({ session: { cwd: '/home/dev/shop' } });
host.register({ PreToolUse: [{ matcher: 'Write|Edit', onFailure: 'block', hooks: [onlyIn('src')] }] });

for (const file_path of ['src/cart.ts', 'src/.env', 'src/secrets/key', '/etc/hosts', 'src/../package.json']) {
  const decision = await host.fire('PreToolUse', { tool_name: 'Write', tool_input: { file_path, content: '' } });
  console.log(`${file_path}: ${decision.verdict}${decision.reason ? ` - ${decision.reason}` : ''}`);
}
await host.close();

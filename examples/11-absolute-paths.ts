// Rewrite a call before it runs: relative paths become absolute.
// In the Claude Agent SDK hooks reference: Pattern 2, "Input Sanitization".
import { isAbsolute, resolve } from 'node:path';
import { createHost, deny, type HookCallback, rewrite, snapshot } from 'hookscope';

const makeAbsolute: HookCallback<'PreToolUse'> = (input) => {
  const { file_path } = input.tool_input as { file_path: string };
  if (isAbsolute(file_path)) return undefined;
  // The input is read-only, and a rewrite replaces the tool's whole input: copy it, change the copy.
  return rewrite({ ...snapshot(input.tool_input as object), file_path: resolve(input.cwd, file_path) });
};

/** Whoever judged another input than the one that will run is asked again. */
const noEtc: HookCallback<'PreToolUse'> = (input, _id, context) => {
  const { file_path } = input.tool_input as { file_path: string };
  console.log(`  guard, ${context.call} time: ${file_path}`);
  return file_path.startsWith('/etc/') ? deny('not in /etc') : undefined;
};

const host = createHost({ session: { cwd: '/home/dev' } });
// The guard comes first in the plan, and still has its say about what the rewriter makes of the call.
host.register({ PreToolUse: [{ matcher: 'Read|Write|Edit', onFailure: 'block', hooks: [noEtc, makeAbsolute] }] });

for (const file_path of ['notes.md', '../../etc/passwd']) {
  console.log(file_path);
  const decision = await host.fire('PreToolUse', { tool_name: 'Read', tool_input: { file_path, limit: 10 } });
  console.log(' ', decision.verdict, decision.reason ?? '', decision.updatedInput);
}
await host.close();

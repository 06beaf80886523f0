// The harness's own hooks, in code: for everyone, and for the builder alone.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addContext, block, deny, rewrite } from 'hookscope';
import protectedPaths from '../plugin-package/index.js';

/** Registers everything on the host. @param {import('hookscope').Host<Record<never, never>>} host */
export async function registerHooks(host) {
  // A plugin that could be any npm package: nobody changes what is below out/.
  await host.use(protectedPaths, { paths: ['out/**'] });

  host.register({
    SessionStart: [{ name: 'welcome', hooks: [() => addContext('Small changes. Say what you did.')] }],
    PreToolUse: [{ matcher: 'Bash', name: 'noInlinePrograms', onFailure: 'block', hooks: [noInlinePrograms] }],
    Stop: [{ name: 'changelogFirst', hooks: [changelogFirst] }],
  });

  // For agents of one type, whoever spawns them.
  host.spawnHooks('builder', { PreToolUse: [{ matcher: 'Bash', name: 'inTime', hooks: [inTime] }] });
}

/** @type {import('hookscope').HookCallback<'PreToolUse'>} */
function noInlinePrograms({ tool_input }) {
  const { command } = /** @type {{ command: string }} */ (tool_input);
  return /\b(node|python3?) -[ec]\b/.test(command)
    ? deny('No inline programs: write a script, and run that.')
    : undefined;
}

/** What the builder runs ends in time; everybody else is asked again about the new command. @type {import('hookscope').HookCallback<'PreToolUse'>} */
function inTime({ tool_input }) {
  const { command } = /** @type {{ command: string }} */ (tool_input);
  return command.startsWith('timeout ') ? undefined : rewrite({ command: `timeout 10 ${command}` });
}

/** The main thread goes on until the changelog is written. @type {import('hookscope').HookCallback<'Stop'>} */
function changelogFirst({ cwd, stop_hook_active }) {
  if (stop_hook_active || existsSync(join(cwd, 'CHANGELOG.md'))) return undefined;
  return block('CHANGELOG.md does not mention the change: write it.');
}

// Tell Claude Code about the project when its session starts. It sends that event to nobody; hookscope fires it itself, and what the
// hook says goes to the model with the first prompt.
// In the hooks design of the Elixir SDK: Example 2, "Add Context from Environment".
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { addContext, createHost, type HookCallback } from 'hookscope';
import { connectClaude } from 'hookscope/claude-code';
import { program, scratch } from './program.js';

const run = promisify(execFile);

const projectContext: HookCallback<'SessionStart'> = async (input) => {
  const git = async (...args: string[]) => (await run('git', args, { cwd: input.cwd })).stdout.trim();
  const context = `Branch: ${await git('branch', '--show-current')}. Changed: ${await git('status', '--short')}.`;
  console.log(`${input.hook_event_name} (${input.source}): ${context}`);
  return addContext(context);
};

const { cwd, remove } = await scratch({ 'login.ts': '' });
await run('git', ['init', '--quiet', '--initial-branch=fix-login'], { cwd });

const host = createHost({ session: { cwd } });
host.register({ SessionStart: [{ matcher: 'startup|resume', hooks: [projectContext] }] });

const client = await connectClaude({ host, cwd, ...program('02-add-project-context.json') });
const prompt = 'Which branch is this, and what has changed? Say it without tools, in one line.';
for await (const message of client.query(prompt)) {
  if (message.type === 'result') console.log('Claude:', message['result']);
}

await client.close();
await host.close();
await remove();

// Tell the agent about the project when its session starts.
// In the hooks design of the Elixir SDK: Example 2, "Add Context from Environment".
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addContext, createHost, type HookCallback } from 'hookscope';

const run = promisify(execFile);

const projectContext: HookCallback<'SessionStart'> = async (input) => {
  const git = async (...args: string[]) => (await run('git', args, { cwd: input.cwd })).stdout.trim();
  return addContext(`Branch: ${await git('branch', '--show-current')}\nChanged: ${await git('status', '--short')}`);
};

const cwd = await mkdtemp(join(tmpdir(), 'project-'));
await run('git', ['init', '--quiet', '--initial-branch=fix-login'], { cwd });
await writeFile(join(cwd, 'login.ts'), '');

const host = createHost({ session: { cwd } });
// A session that is compacted has its context already: only new and resumed ones get it.
host.register({ SessionStart: [{ matcher: 'startup|resume', hooks: [projectContext] }] });

for (const source of ['startup', 'compact']) {
  const decision = await host.fire('SessionStart', { source });
  console.log(`${source}:`, decision.additionalContext);
}
await host.close();
await rm(cwd, { recursive: true });

// Help along a developer's day: say when the tests pass, and keep recent changes in the model's view.
// In the Claude Agent SDK hooks reference: Example 2, "Development Workflow Enhancement".
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addContext, createHost, type HookCallback } from 'hookscope';

const run = promisify(execFile);

const testsPassed: HookCallback<'PostToolUse'> = (input) => {
  const { stdout } = input.tool_response as { stdout: string };
  // systemMessage is for the user, additionalContext for the model.
  return stdout.includes('All tests passed')
    ? { systemMessage: 'Tests passed. Create a pull request with /create-pr' }
    : undefined;
};

const recentChanges: HookCallback<'UserPromptSubmit'> = async (input) => {
  const { stdout } = await run('git', ['log', '--max-count=3', '--format=%s'], { cwd: input.cwd });
  return addContext(`Recent changes:\n${stdout.trim()}`);
};

const cwd = await mkdtemp(join(tmpdir(), 'project-'));
const git = (...args: string[]) =>
  run('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], { cwd });
await git('init', '--quiet');
for (const change of ['Add the cart', 'Fix rounding of prices']) {
  await writeFile(join(cwd, 'cart.ts'), `// ${change}`);
  await git('add', '.');
  await git('commit', '--quiet', '-m', change);
}

const host = createHost({ session: { cwd } });
host.register({
  PostToolUse: [{ if: 'Bash(npm test*)', hooks: [testsPassed] }],
  UserPromptSubmit: [{ timeout: 5, hooks: [recentChanges] }],
});

const call = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
const after = await host.fire('PostToolUse', { ...call, tool_response: { stdout: 'All tests passed' } });
console.log(after.systemMessages);
const prompt = await host.fire('UserPromptSubmit', { prompt: 'What next?' });
console.log(prompt.additionalContext);
await host.close();
await rm(cwd, { recursive: true });

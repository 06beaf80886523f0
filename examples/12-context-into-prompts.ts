// Put facts beside every prompt of the user, and stop a prompt that holds a secret.
// In the Claude Agent SDK hooks reference: Pattern 4, "Context Injection".
import { addContext, block, createHost, type HookCallback } from 'hookscope';

/** The clock is a parameter: a hook without hidden inputs is easy to test. */
function facts(now: () => Date): HookCallback<'UserPromptSubmit'> {
  return (input) => addContext(`Time: ${now().toISOString()}\nFolder: ${input.cwd}`);
}

const noKeys: HookCallback<'UserPromptSubmit'> = (input) =>
  /\bghp_\w{8,}/.test(input.prompt) ? block('The prompt holds a token. Take it out and send it again.') : undefined;

const host = createHost({ session: { cwd: '/home/dev/shop' } });
const clock = () => new Date('2026-01-05T09:00:00Z');
host.register({ UserPromptSubmit: [{ onFailure: 'block', hooks: [facts(clock), noKeys] }] });

for (const prompt of ['Fix the cart', 'Push with ghp_16C7e42F292c69']) {
  const decision = await host.fire('UserPromptSubmit', { prompt });
  console.log(prompt);
  if (decision.blocked) console.log('  blocked:', decision.reason);
  // What the harness sends to the model: the context first, then the prompt.
  else console.log('  context:', decision.additionalContext);
}
await host.close();

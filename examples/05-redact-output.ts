// Take secrets out of what a tool answered before the model sees it.
import { createHost, type HookCallback, rewrite } from 'hookscope';

const SECRET = /\b(?:sk|ghp|AKIA)[-_]?[A-Za-z0-9]{8,}\b/g;

const redact: HookCallback<'PostToolUse'> = (input) => {
  const text = JSON.stringify(input.tool_response);
  const clean = text.replaceAll(SECRET, '[redacted]');
  return clean === text ? undefined : rewrite(JSON.parse(clean));
};

/** A second hook on the same event sees what the first one made of the output. */
const measure: HookCallback<'PostToolUse'> = (input) => {
  console.log('seen by the next hook:', input.tool_response);
};

const host = createHost();
// A redactor that fails must not let the output through: a session withholds it then.
host.register({ PostToolUse: [{ onFailure: 'block', hooks: [redact] }, { hooks: [measure] }] });

const decision = await host.fire('PostToolUse', {
  tool_name: 'Bash',
  tool_input: { command: 'cat .env' },
  tool_response: { stdout: 'TOKEN=ghp_16C7e42F292c69\nPORT=8080', stderr: '' },
});
console.log('for the model:', decision.updatedOutput);
await host.close();

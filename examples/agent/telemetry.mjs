// What the hooks do, live: one line for every hook that said or changed something, and a count at the end.
import { styleText } from 'node:util';

const paint = (/** @type {any} */ style, /** @type {string} */ text) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

/** Watches a host. @param {import('hookscope').Host<Record<never, never>>} host */
export function watchHooks(host, say = (/** @type {string} */ line) => console.log(line)) {
  /** @type {Map<string, string>} */
  const types = new Map();
  const count = { fires: 0, runs: 0, blocked: 0, failed: 0 };
  host.events$.subscribe((record) => {
    if (record.type !== 'hook_fire') return;
    const { event, input, agent_id, decision } = record;
    if (agent_id && typeof input.agent_type === 'string') types.set(agent_id, input.agent_type);
    const who = agent_id ? (types.get(agent_id) ?? agent_id) : 'main';
    count.fires += 1;
    if (decision.verdict === 'deny' || decision.blocked || decision.continues) count.blocked += 1;
    for (const handler of record.handlers) {
      if (handler.status === 'skipped') continue;
      count.runs += 1;
      if (handler.status === 'failed') count.failed += 1;
      const word = wordOf(handler);
      const what = `${event}${typeof input.tool_name === 'string' ? `:${input.tool_name}` : ''}`;
      if (word)
        say(paint('dim', `    ⚓ ${who.padEnd(8)}  ${what.padEnd(18)}  ${handler.name.split('/').at(-1)}: `) + word);
    }
  });
  return count;
}

/** What one hook said, in a few words; nothing when it had nothing to say. */
function wordOf(/** @type {import('hookscope').HandlerRecord} */ handler) {
  if (handler.failure) return paint('yellow', `failed (${handler.failure.cause})`);
  const output = /** @type {any} */ (handler.output ?? {});
  const specific = output.hookSpecificOutput ?? {};
  const reason = specific.permissionDecisionReason ?? output.reason ?? '';
  if (handler.verdict === 'deny') return paint('red', `denies: ${reason}`);
  if (handler.verdict === 'block') return paint('red', `blocks: ${reason}`);
  if (handler.verdict === 'allow') return paint('green', `allows: ${reason}`);
  if (specific.updatedInput)
    return paint('yellow', `rewrites to ${JSON.stringify(specific.updatedInput.command ?? specific.updatedInput)}`);
  return specific.additionalContext ? paint('green', `adds: ${specific.additionalContext}`) : '';
}

// One turn under another program's control: from its user message to our `result`, and the messages between them.
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { think, toolResult } from './loop.mjs';

/** @typedef {{ work: import('./loop.mjs').Work & { messages: any[] }, message: any, send(message: object): Promise<void>, signal: AbortSignal }} Turn */

/** Plays it to its end, whatever that is; every turn has one result. */
export async function playTurn(/** @type {Turn} */ { work, message, send: write, signal }) {
  const { session, messages } = work;
  const began = performance.now();
  const sum = { api: 0, turns: 0, input_tokens: 0, output_tokens: 0, stop: null, cut: false, stopped: '' };
  /** @type {object[]} */
  const denials = [];
  const send = (/** @type {object} */ said) => write({ ...said, session_id: session.session_id, uuid: randomUUID() });
  const result = (/** @type {object} */ how) =>
    send({
      type: 'result',
      ...how,
      duration_ms: Math.round(performance.now() - began),
      duration_api_ms: Math.round(sum.api),
      num_turns: sum.turns,
      stop_reason: sum.stop,
      total_cost_usd: 0,
      usage: {
        input_tokens: sum.input_tokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: sum.output_tokens,
      },
      modelUsage: {},
      permission_denials: denials,
    });
  const interrupted = async () => {
    await send({ type: 'user', ...byUser('[Request interrupted by user]'), parent_tool_use_id: null });
    const terminal_reason = sum.cut ? 'aborted_tools' : 'aborted_streaming';
    await result({ subtype: 'error_during_execution', is_error: true, errors: [], terminal_reason });
  };

  /** The prompt is kept, and no model is asked. */
  const promptStopped = async (/** @type {string | undefined} */ reason) => {
    const content = `Operation stopped by hook${reason ? `: ${reason}` : ''}`;
    const outcome = { kind: 'stopped_by_hook', prompt_kept: true, ...(reason ? { reason } : {}) };
    const told = { prevent_continuation: true, prompt_submit_outcome: outcome };
    await send({ type: 'system', subtype: 'informational', content, level: 'warning', ...told });
    await result({ subtype: 'success', is_error: false, result: content });
  };

  /** Every agent's words and results go out as they come. @type {import('./loop.mjs').Watcher} */
  const watcher = {
    async replied({ message }, who) {
      sum.input_tokens += message.usage.input_tokens;
      sum.output_tokens += message.usage.output_tokens;
      if (who.session === session) {
        sum.turns += 1;
        sum.stop = message.stop_reason;
      }
      await tell({ type: 'assistant', message }, who);
    },
    async ran(results, who) {
      for (const { name, id, input, status, endsLoop, decision } of results) {
        if (status === 'denied') denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
        const interrupts = status === 'denied' && endsLoop && decision?.continue !== false;
        sum.cut ||= who.session === session && (status === 'interrupted' || interrupts);
      }
      for (const one of results)
        await tell({ type: 'user', ...byUser([toolResult(one)]), tool_use_result: one.response ?? one.content }, who);
    },
    // A hook has said `continue: false`; in a subagent it ends only that.
    stopped(why, who) {
      if (who.session === session) sum.stopped = why;
    },
    wentOn: (instruction, who) =>
      tell({ type: 'user', ...byUser(`Stop hook feedback:\n${instruction}`), isSynthetic: true }, who),
  };
  async function tell(
    /** @type {object} */ said,
    /** @type {import('./loop.mjs').Who} */ { session: by, parentToolUseId },
  ) {
    // An agent that was interrupted has nobody to tell any more.
    if (signal.aborted && by !== session) return;
    const agent = by.agent_id ? { agent_id: by.agent_id, subagent_type: by.agent_type } : {};
    await send({ ...said, parent_tool_use_id: parentToolUseId, ...agent });
  }
  const model = {
    async reply(/** @type {import('./model.mjs').Question} */ question) {
      const asked = performance.now();
      try {
        return await work.model.reply(question);
      } finally {
        sum.api += performance.now() - asked;
      }
    },
  };

  try {
    const { content } = message.message;
    const answer = await session.prompt(textOf(content));
    if (signal.aborted) return interrupted();
    if (answer.blocked) {
      await result({ subtype: 'success', is_error: false, result: answer.message });
      return;
    }
    await send(initOf(work));
    messages.push({ role: 'user', content: withContext(content, answer) });
    if (answer.endsLoop) {
      await promptStopped(answer.reason);
      return;
    }
    const text = await think({ ...work, model, watcher, signal });
    if (signal.aborted || sum.cut) return interrupted();
    const said = sum.stopped === 'hook_stopped' ? '' : text;
    await result({ subtype: 'success', is_error: false, result: said, terminal_reason: sum.stopped || 'completed' });
  } catch (error) {
    if (signal.aborted) return interrupted();
    const problem = error instanceof Error ? error.message : String(error);
    await session.stop({ error: 'unknown', errorDetails: problem });
    await result({
      subtype: 'error_during_execution',
      is_error: true,
      errors: [problem],
      terminal_reason: 'api_error',
    });
  }
}

const byUser = (/** @type {any} */ said) => ({
  message: { role: 'user', content: typeof said === 'string' ? [{ type: 'text', text: said }] : said },
});

/** A prompt is a text, or blocks. */
function textOf(/** @type {any} */ content) {
  if (typeof content === 'string') return content;
  return content.flatMap((/** @type {any} */ block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** What hooks add stands before the prompt, which stays as it came. */
function withContext(/** @type {any} */ content, /** @type {any} */ answer) {
  if (typeof content === 'string') return answer.content;
  if (answer.context.length === 0) return content;
  return [{ type: 'text', text: answer.context.join('\n') }, ...content];
}

/** What the other side is told of the session at the beginning of every turn. */
function initOf(/** @type {import('./loop.mjs').Work} */ { session, toolNames, agents, servers }) {
  return {
    type: 'system',
    subtype: 'init',
    cwd: session.cwd,
    tools: toolNames,
    mcp_servers: servers ?? [],
    model: session.model,
    permissionMode: session.permission_mode,
    slash_commands: [],
    apiKeySource: process.env.ANTHROPIC_API_KEY ? 'ANTHROPIC_API_KEY' : 'none',
    claude_code_version: '0.1.0',
    output_style: 'default',
    agents: [...agents.keys()],
    skills: [],
    plugins: [],
  };
}

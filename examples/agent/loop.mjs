// The agent loop, the same for the main thread and for subagents. The session puts every hook in its place; here are only the
// model, the messages and the tools.
import { describeTools, TOOLS } from './tools.mjs';

/** Tokens after which the conversation is compacted. */
const BUDGET = 50_000;

/** @typedef {{ session: any, parentToolUseId: string | null }} Who an agent, and the call that it was started by */
/**
 * Who watches the loop is told what the model said, what came of its calls, and why it goes on although it was done.
 * @typedef {{ replied?(reply: any, who: Who): unknown, ran?(results: any[], who: Who): unknown, wentOn?(instruction: string, who: Who): unknown, stopped?(why: string, who: Who): unknown }} Watcher
 */
/** @typedef {{ session: any, model: any, system: string, toolNames: string[], agents: Map<string, any>, tools?: Record<string, any>, servers?: object[], name: string, say: (who: string, text: string) => void, watcher?: Watcher, parentToolUseId?: string | null, signal?: AbortSignal }} Work */

/**
 * Works on a prompt until the model has nothing more to do and the hooks let it stop. Returns the last words.
 * @param {Work & { prompt: string, messages?: any[] }} work
 * @returns {Promise<string>}
 */
export async function runAgent({ prompt, messages = [], ...work }) {
  const { session } = work;
  // A subagent's task comes from its parent, not from a person: no UserPromptSubmit.
  const answer = session.agent_id ? { content: prompt, blocked: false, endsLoop: false } : await session.prompt(prompt);
  if (answer.blocked) return answer.message;
  messages.push({ role: 'user', content: answer.content });
  return answer.endsLoop ? '' : think({ messages, ...work });
}

/** Goes on with a conversation whose last word is the user's. @param {Work & { messages: any[] }} work @returns {Promise<string>} */
export async function think({ messages, ...work }) {
  const {
    session,
    model,
    system,
    toolNames,
    tools: more,
    name,
    say,
    watcher = {},
    parentToolUseId = null,
    signal,
  } = work;
  const all = { ...TOOLS, ...more, ...ownTools(work) };
  // An agent has no other tools than it was told of.
  const tools = Object.fromEntries(Object.entries(all).filter(([tool]) => toolNames.includes(tool)));
  const who = { session, parentToolUseId };
  for (let text = ''; ; ) {
    const reply = await model.reply({
      agent: name,
      model: session.model,
      system: session.systemPrompt(system),
      messages,
      tools: describeTools(toolNames, tools),
      signal,
    });
    await watcher.replied?.(reply, who);
    if (reply.text) say(name, await shown(session, reply.text));
    text = reply.text || text;
    messages.push({ role: 'assistant', content: reply.content });
    const calls = reply.content.filter((/** @type {any} */ block) => block.type === 'tool_use');
    if (calls.length === 0) {
      const stop = await session.stop({ lastMessage: text });
      if (stop.decision && !stop.decision.continue) await watcher.stopped?.('stop_hook_prevented', who);
      if (!stop.continues) return text;
      await watcher.wentOn?.(stop.instruction, who);
      messages.push({ role: 'user', content: stop.instruction });
      continue;
    }
    const batch = await session.toolBatch(calls.map((/** @type {any} */ call) => toolCall(call, tools, session)));
    await watcher.ran?.(batch.results, who);
    messages.push({ role: 'user', content: batch.results.map(toolResult) });
    if (batch.endsLoop) {
      await watcher.stopped?.('hook_stopped', who);
      return text;
    }
    if (reply.tokens > BUDGET) await compact({ session, model, messages, name, say });
  }
}

/** @returns {any} */
function toolCall(
  /** @type {any} */ { id, name, input },
  /** @type {Record<string, any>} */ tools,
  /** @type {any} */ session,
) {
  const tool = tools[name];
  if (!tool) return { id, name, input, invalid: `There is no tool ${name}.` };
  return {
    id,
    name,
    input,
    effect: tool.effect,
    concurrent: tool.concurrent,
    mcp: tool.mcp,
    execute: (/** @type {any} */ final, /** @type {any} */ { signal }) =>
      tool.run(final, { id, cwd: () => session.cwd }, signal),
  };
}

/** What the model gets of a call. */
export function toolResult(/** @type {any} */ { id, content, isError }) {
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError };
}

/** What a MessageDisplay hook makes of it is shown; the model's own words stay as they are. */
async function shown(/** @type {any} */ session, /** @type {string} */ text) {
  return session.display({ turn_id: session.prompt_id ?? '', message_id: '', index: 0, final: true, delta: text });
}

/** The conversation so far becomes a summary by the same model. */
async function compact(/** @type {any} */ { session, model, messages, name, say }) {
  const { blocked, summary } = await session.compact({
    trigger: 'auto',
    run: async (/** @type {string | null} */ instructions) => {
      const ask = { role: 'user', content: `Summarize the work so far. ${instructions ?? ''}`.trim() };
      return (
        await model.reply({
          agent: `${name}:compact`,
          model: session.model,
          system: 'You summarize.',
          messages: [...messages, ask],
          tools: [],
        })
      ).text;
    },
  });
  if (blocked) return;
  say(name, '(compacted)');
  messages.splice(0, messages.length, { role: 'user', content: `The conversation so far, in short:\n${summary}` });
}

/** Tools that need the session itself: subagents and tasks. @returns {Record<string, import('./tools.mjs').Tool & { concurrent?: boolean }>} */
function ownTools(/** @type {Work} */ { parentToolUseId: _, ...work }) {
  const { session, agents } = work;
  const text = { type: 'string' };
  return {
    Agent: {
      effect: 'read',
      concurrent: true,
      description: `Hand a task to a subagent: ${[...agents.values()].map((a) => `${a.name} (${a.description})`).join('; ')}.`,
      input: { subagent_type: text, description: text, prompt: text },
      async run({ subagent_type, prompt }, { id }, signal) {
        const definition = agents.get(subagent_type);
        if (!definition)
          throw new Error(`There is no agent "${subagent_type}"; there are ${[...agents.keys()].join(', ')}.`);
        const child = await session.spawn({ agent_type: subagent_type, signal });
        try {
          const { name, prompt: system, tools } = definition;
          const own = { session: child, prompt, system, toolNames: tools, name, parentToolUseId: id, signal };
          return await runAgent({ ...work, ...own });
        } finally {
          await child.close();
        }
      },
    },
    TaskCreate: {
      effect: 'read',
      description: 'Note a task.',
      input: { id: text, subject: text },
      async run({ id, subject }) {
        const { done, reason } = await session.task.create({ task_id: id, task_subject: subject });
        if (!done) throw new Error(reason ?? 'A hook refused the task.');
        return `Task ${id}: ${subject}`;
      },
    },
    TaskDone: {
      effect: 'read',
      description: 'A task is done.',
      input: { id: text, subject: text },
      async run({ id, subject }) {
        const { done, reason } = await session.task.complete({ task_id: id, task_subject: subject });
        if (!done) throw new Error(reason ?? 'A hook says it is not done.');
        return `Task ${id} is done.`;
      },
    },
  };
}

// The agent under another program's control: Claude Code's protocol on stdin and stdout, so that `query()` of its SDK, and
// `connectClaude`, run this agent as they run Claude Code. The hooks are the other side's, and it speaks for the person.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createHost } from 'hookscope';
import { serveControl } from 'hookscope/claude-code';
import { connectServers, unsupported } from './mcp.mjs';
import { openModel } from './model.mjs';
import { rules } from './permission.mjs';
import { endProcesses } from './processes.mjs';
import { allowedBy, denials, leaveOut, readRules } from './rules.mjs';
import { playTurn } from './turn.mjs';

const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Agent', 'TaskCreate', 'TaskDone'];
const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];
const SYSTEM = 'You are a careful coding agent. Use your tools; hand work to subagents where that helps.';
const ANY_TASK = { name: 'general-purpose', description: 'any task', prompt: 'Do the task and say what you found.' };
const FLAGS = [
  ...['input-format', 'output-format', 'permission-mode', 'permission-prompt-tool', 'model', 'scenario'],
  ...['allowedTools', 'allowed-tools', 'disallowedTools', 'disallowed-tools', 'tools', 'mcp-config'],
];
const ENDS = { SIGINT: 130, SIGTERM: 143 };

/** Serves whoever is at the other end of stdin and stdout until that ends. Returns the exit code. @returns {Promise<number>} */
export async function serve() {
  // Callers pass more flags of Claude Code, which mean nothing here.
  const { values } = parseArgs({
    strict: false,
    options: Object.fromEntries(FLAGS.map((name) => [name, { type: /** @type {const} */ ('string') }])),
  });
  const given = /** @type {Record<string, string | undefined>} */ (values);
  const cwd = process.cwd();
  const host = createHost({ session: { cwd, permission_mode: given['permission-mode'] ?? 'default' } });
  const allows = allowedBy(readRules(given.allowedTools ?? given['allowed-tools']));
  const disallowed = readRules(given.disallowedTools ?? given['disallowed-tools']);
  host.register({ PreToolUse: denials(disallowed) });
  const model = await openModel({
    scenario: given.scenario ?? join(import.meta.dirname, 'scenario.json'),
    ...(given.model ? { model: given.model } : {}),
  });
  /** Of the turn under way. @type {AbortController | undefined} */
  let turn;
  /** @type {import('hookscope').Session | undefined} */
  let session;

  const control = serveControl({
    input: process.stdin,
    output: process.stdout,
    host,
    info: ({ agents }) => ({
      agents: agentsOf(agents).map(({ name, description }) => ({ name, description })),
      output_style: 'default',
      available_output_styles: ['default'],
      account: {},
    }),
    requests: {
      interrupt() {
        // Answered before what runs has ended: that is told by the result.
        if (turn) stopTurn(turn);
        return { still_queued: [] };
      },
      async set_permission_mode({ mode }) {
        if (typeof mode !== 'string' || !MODES.includes(mode))
          throw new Error(`Cannot set permission mode: must be one of ${MODES.join(', ')}`);
        (await opened).session.permission_mode = /** @type {import('hookscope').PermissionMode} */ (mode);
        return { mode };
      },
      async set_model({ model: wanted }) {
        const { session } = await opened;
        const to_model = typeof wanted === 'string' && wanted !== 'default' ? wanted : model.name;
        const { switched, reason } = await session.switchModel({ to_model });
        if (!switched) throw new Error(reason ?? `A hook keeps the model ${session.model}.`);
        return { model: to_model };
      },
      // What servers of the other side say by themselves: nothing of it is used here.
      mcp_message: () => ({ mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } }),
    },
  });

  /** The person is asked over the wire, if somebody is there to be asked. */
  const ask = async (/** @type {any} */ input, /** @type {import('hookscope').PermissionCall} */ call) => {
    const answer = await control.canUseTool(
      {
        tool_name: call.name,
        display_name: call.name,
        input,
        permission_suggestions: call.suggestions,
        ...(call.reason === undefined ? {} : { decision_reason: call.reason }),
        tool_use_id: call.id,
        ...(call.agent_id === undefined ? {} : { agent_id: call.agent_id }),
      },
      { signal: call.signal },
    );
    // Said of a subagent's call, it is meant for everybody.
    if (answer.behavior === 'deny' && answer.interrupt && call.agent_id && turn) stopTurn(turn);
    return answer;
  };

  const opened = control.initialized.then(async (/** @type {any} */ asked) => {
    const { systemPrompt = [], appendSystemPrompt = '', agents, sdkMcpServers } = asked;
    session = await host.openSession({
      model: model.name,
      permission(input, call) {
        const answer = rules(input, call);
        return answer.behavior === 'none' && allows(input, { name: call.name, cwd }) ? { behavior: 'allow' } : answer;
      },
      onMessage: tellUser,
      ...(given['permission-prompt-tool'] === 'stdio' ? { ask } : {}),
    });
    const { tools, servers } = await connectServers(sdkMcpServers, (...ask) => control.request(...ask));
    const wanted = given.tools === undefined || given.tools === 'default' ? undefined : given.tools.split(/[\s,]+/);
    const own = TOOLS.filter((tool) => wanted?.includes(tool) ?? true);
    const toolNames = leaveOut([...own, ...Object.keys(tools)], disallowed);
    const theirs = toolNames.filter((tool) => tool !== 'Agent');
    const agentTools = (/** @type {any} */ agent) => {
      const without = leaveOut(theirs, readRules((agent.disallowedTools ?? []).join(',')));
      return agent.tools ? without.filter((tool) => agent.tools.includes(tool)) : without;
    };
    return {
      session,
      model,
      system: [[systemPrompt].flat().join('\n') || SYSTEM, appendSystemPrompt].filter(Boolean).join('\n\n'),
      toolNames,
      tools,
      servers: [...servers, ...unsupported(given['mcp-config'])],
      agents: new Map(agentsOf(agents).map((agent) => [agent.name, { ...agent, tools: agentTools(agent) }])),
      name: 'main',
      say: () => undefined,
      /** @type {any[]} */
      messages: [],
    };
  });

  /** What a hook says to the user, who is at the other end. */
  function tellUser(/** @type {import('hookscope').SessionMessage} */ { event, text, session_id, agent_id }) {
    const who = agent_id === undefined ? {} : { agent_id };
    const content = `${event} says: ${text}`;
    const told = { type: 'system', subtype: 'informational', content, level: 'notice', session_id, ...who };
    void control.send({ ...told, uuid: randomUUID() }).catch(() => undefined);
  }

  function stopTurn(/** @type {AbortController} */ running) {
    running.abort();
    void session?.interrupt();
  }

  async function playAll() {
    const work = await opened;
    for await (const message of control.messages) {
      if (message.type !== 'user') continue;
      turn = new AbortController();
      await playTurn({ work, message, send: control.send, signal: turn.signal });
      turn = undefined;
    }
    return 0;
  }

  // A peer whose input ends may still read; whether it does is known when something is written.
  let pulse;
  void control.ended.then(() => {
    pulse = setInterval(() => control.send({ type: 'keep_alive' }), 1000);
  });
  const cut = new Promise((resolve) => {
    process.stdout.once('error', () => resolve(1));
    for (const [signal, code] of Object.entries(ENDS)) process.once(signal, () => resolve(code));
  });
  const code = await Promise.race([playAll(), cut]);
  clearInterval(pulse);
  turn?.abort();
  await session?.close('other');
  endProcesses('SIGKILL');
  await host.close();
  await model.close();
  control.close();
  return code;
}

/** Ours, and those that the other side has defined. @returns {any[]} */
function agentsOf(/** @type {unknown} */ theirs) {
  return [ANY_TASK, ...Object.entries(theirs ?? {}).map(([name, agent]) => ({ ...agent, name }))];
}

import { definePlugin, deny } from 'hookscope';
import { z } from 'zod';

/** Gives each subagent a number of tool calls; the main agent has no limit. */
export default definePlugin({
  name: 'hookscope-plugin-agent-budget',
  options: z.strictObject({ calls: z.int().positive().default(20) }),
  apply(scope, { calls }) {
    /** The calls of each agent that runs, by id: one that is asked about again counts once. */
    const spent = new Map();

    function spend({ agent_id, tool_use_id }) {
      if (agent_id === undefined) return undefined;
      const ids = spent.get(agent_id) ?? new Set();
      spent.set(agent_id, ids);
      if (ids.size < calls) ids.add(tool_use_id);
      return ids.has(tool_use_id)
        ? undefined
        : deny(`The budget of ${calls} tool calls is spent: report what you have.`);
    }

    scope.register({
      PreToolUse: [{ onFailure: 'block', hooks: [spend] }],
      SubagentStop: [{ phase: 'observe', hooks: [({ agent_id }) => void spent.delete(agent_id)] }],
    });
  },
});

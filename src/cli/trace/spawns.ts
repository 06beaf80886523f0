import type { FireRecord, HookStarted } from '../../emit/record.js';
import { toolNames } from '../../matching/tool-names.js';
import { isShadow } from '../../why/meaning.js';
import { specOf } from '../../why/words.js';
import type { TraceAgent, TraceSession } from './tracks.js';

/** Who started an agent: the one that its input names; else the one whose call of the agent tool is waiting; else the main agent. */
export function starterIn(session: TraceSession, record: HookStarted | FireRecord): TraceAgent | undefined {
  const named = record.type === 'hook_fire' ? record.input['parent_agent_id'] : undefined;
  const agents = [...session.agents.values()].filter(({ id }) => id !== record.agent_id);
  const byName = typeof named === 'string' ? agents.find(({ id }) => id === named) : undefined;
  return byName ?? agents.findLast(({ spawning }) => spawning.size > 0) ?? session.agents.get(undefined);
}

/** The tool that starts agents, by each of its names. */
const SPAWNS: readonly unknown[] = toolNames('Agent');

/** Notes which calls of an agent's may start agents, until they have run. */
export function noteSpawning({ spawning }: TraceAgent, record: FireRecord): void {
  const { event, input, tool_use_id } = record;
  // The fire itself has told it, and earlier.
  if (isShadow(record)) return;
  const role = specOf(event)?.callRole;
  if (role === undefined || tool_use_id === undefined || !SPAWNS.includes(input['tool_name'])) return;
  if (role === 'judges') spawning.add(tool_use_id);
  else if (role === 'ran') spawning.delete(tool_use_id);
}

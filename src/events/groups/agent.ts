import { zod } from '../../values/zod.js';
import { builtIn } from '../define.js';
import { PROGRAMS } from '../handler-kinds.js';
import { TURN_EVENTS } from './turn.js';

/** Events of subagents. */
export const AGENT_EVENTS = {
  SubagentStart: builtIn({
    input: () => zod().object({ agent_id: zod().string(), agent_type: zod().string() }),
    subject: 'agent_type',
    fold: 'context',
    scope: 'open',
    types: PROGRAMS,
    claude: 'usual',
    group: 'agent',
    classic: true,
    about: 'When a subagent starts. A hook can add context, which goes to the subagent.',
    sample: () => ({ agent_id: 'agent-1', agent_type: 'reviewer' }),
  }),
  SubagentStop: builtIn({
    input: () =>
      zod().object({
        stop_hook_active: zod().boolean(),
        /** The agent's fields are absent in old payloads. */
        agent_id: zod().string().optional(),
        agent_transcript_path: zod().string().optional(),
        agent_type: zod().string().optional(),
        last_assistant_message: TURN_EVENTS.Stop.input.shape.last_assistant_message,
        background_tasks: TURN_EVENTS.Stop.input.shape.background_tasks,
        session_crons: TURN_EVENTS.Stop.input.shape.session_crons,
      }),
    subject: 'agent_type',
    namedBySubject: false,
    fold: 'stop',
    afterTheFact: true,
    failure: 'ignored',
    scope: 'close',
    claude: 'usual',
    inTurn: true,
    group: 'agent',
    classic: true,
    about: 'When a subagent is about to end. A hook can keep it going; its reason becomes the next instruction.',
    sample: () => ({
      stop_hook_active: false,
      agent_id: 'agent-1',
      agent_type: 'reviewer',
      agent_transcript_path: '/home/dev/.claude/projects/project/subagents/agent-1.jsonl',
      last_assistant_message: 'Nothing to complain about.',
      background_tasks: [],
      session_crons: [],
    }),
  }),
} as const;

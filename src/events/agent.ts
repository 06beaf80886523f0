import { z } from 'zod';
import { builtIn } from './define.js';
import { PROGRAMS } from './handler-kinds.js';
import { Stop } from './turn.js';

export const SubagentStart = builtIn({
  input: () => z.object({ agent_id: z.string(), agent_type: z.string() }),
  subject: 'agent_type',
  fold: 'context',
  scope: 'open',
  types: PROGRAMS,
  group: 'agent',
  classic: true,
  about: 'When a subagent starts. A hook can add context, which goes to the subagent.',
});

export const SubagentStop = builtIn({
  input: () =>
    z.object({
      stop_hook_active: z.boolean(),
      /** The agent's fields are absent in old payloads. */
      agent_id: z.string().optional(),
      agent_transcript_path: z.string().optional(),
      agent_type: z.string().optional(),
      last_assistant_message: Stop.input.shape.last_assistant_message,
      background_tasks: Stop.input.shape.background_tasks,
      session_crons: Stop.input.shape.session_crons,
    }),
  subject: 'agent_type',
  namedBySubject: false,
  fold: 'stop',
  after: true,
  failure: 'ignored',
  scope: 'close',
  inTurn: true,
  group: 'agent',
  classic: true,
  about: 'When a subagent is about to end. A hook can keep it going; its reason becomes the next instruction.',
});

export const TeammateIdle = builtIn({
  input: () => z.object({ teammate_name: z.string(), team_name: z.string() }),
  fold: 'block',
  failure: 'ignored',
  group: 'agent',
  classic: true,
  about: 'When a teammate is about to go idle. A hook can keep it working, with its reason as feedback, or stop it.',
});

const task = () =>
  z.object({
    task_id: z.string(),
    task_subject: z.string(),
    task_description: z.string().optional(),
    teammate_name: z.string().optional(),
    team_name: z.string().optional(),
  });

export const TaskCreated = builtIn({
  input: task,
  fold: 'block',
  endsLoop: false,
  group: 'agent',
  about: 'When a task is being created. A hook can cancel it, with its reason as feedback.',
});

export const TaskCompleted = builtIn({
  input: task,
  fold: 'block',
  failure: 'ignored',
  group: 'agent',
  classic: true,
  about:
    'When a task is being marked as completed. A hook can refuse that, with its reason as feedback, or stop the teammate.',
});

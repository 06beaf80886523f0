import { z } from 'zod';
import { builtIn } from './define.js';

const task = () =>
  z.object({
    task_id: z.string(),
    task_subject: z.string(),
    task_description: z.string().optional(),
    teammate_name: z.string().optional(),
    team_name: z.string().optional(),
  });

/** Of teammates and their tasks. */
export const TEAM_EVENTS = {
  TeammateIdle: builtIn({
    input: () => z.object({ teammate_name: z.string(), team_name: z.string() }),
    fold: 'block',
    failure: 'ignored',
    group: 'agent',
    classic: true,
    about: 'When a teammate is about to go idle. A hook can keep it working, with its reason as feedback, or stop it.',
  }),
  TaskCreated: builtIn({
    input: task,
    fold: 'block',
    endsLoop: false,
    group: 'agent',
    about: 'When a task is being created. A hook can cancel it, with its reason as feedback.',
  }),
  TaskCompleted: builtIn({
    input: task,
    fold: 'block',
    failure: 'ignored',
    group: 'agent',
    classic: true,
    about:
      'When a task is being marked as completed. A hook can refuse that, with its reason as feedback, or stop the teammate.',
  }),
} as const;

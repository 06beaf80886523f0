import { zod } from '../../values/zod.js';
import { builtIn } from '../define.js';

const task = () =>
  zod().object({
    task_id: zod().string(),
    task_subject: zod().string(),
    task_description: zod().string().optional(),
    teammate_name: zod().string().optional(),
    team_name: zod().string().optional(),
  });
const sampleTask = () => ({ task_id: '1', task_subject: 'Fix the tests', task_description: 'They fail since Monday.' });

/** Events about teammates and their tasks. */
export const TEAM_EVENTS = {
  TeammateIdle: builtIn({
    input: () => zod().object({ teammate_name: zod().string(), team_name: zod().string() }),
    fold: 'block',
    failure: 'ignored',
    claude: 'usual',
    group: 'agent',
    classic: true,
    about: 'When a teammate is about to go idle. A hook can keep it working, with its reason as feedback, or stop it.',
    sample: () => ({ teammate_name: 'ann', team_name: 'core' }),
  }),
  TaskCreated: builtIn({
    input: task,
    fold: 'block',
    endsLoop: false,
    claude: 'usual',
    group: 'agent',
    about: 'When a task is being created. A hook can cancel it, with its reason as feedback.',
    sample: sampleTask,
  }),
  TaskCompleted: builtIn({
    input: task,
    fold: 'block',
    failure: 'ignored',
    claude: 'usual',
    group: 'agent',
    classic: true,
    about:
      'When a task is being marked as completed. A hook can refuse that, with its reason as feedback, or stop the teammate.',
    sample: sampleTask,
  }),
} as const;

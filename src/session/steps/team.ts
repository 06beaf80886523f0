import type { Decision } from '../../host/types.js';
import { askAbout, whyBlocked } from '../context.js';
import type { Core } from '../core.js';
import type { OwnFields } from '../options.js';

/** The result of a task. */
export interface TaskAnswer {
  /** Whether the task is created or completed. */
  readonly done: boolean;
  /** Why it is not: feedback for the model. */
  readonly reason?: string;
  /** A hook stops the teammate. */
  readonly endsLoop: boolean;
  readonly decision: Decision<'TaskCreated'> | Decision<'TaskCompleted'>;
}

export async function tellTask(
  core: Core,
  call: 'create' | 'complete',
  fields: OwnFields<'TaskCreated'>,
): Promise<TaskAnswer> {
  const event = call === 'create' ? 'TaskCreated' : 'TaskCompleted';
  const decision = await askAbout(core, `task.${call}`, event, fields);
  return { done: !decision.blocked, ...whyBlocked(decision), endsLoop: !decision.continue, decision };
}

/** What an idle teammate does next. */
export interface IdleAnswer {
  /** The teammate continues, with `feedback` as its instruction. */
  readonly keepsWorking: boolean;
  readonly feedback?: string;
  /** A hook stops the teammate for good. */
  readonly endsLoop: boolean;
  readonly decision: Decision<'TeammateIdle'>;
}

export async function tellIdle(core: Core, fields: OwnFields<'TeammateIdle'>): Promise<IdleAnswer> {
  const decision = await askAbout(core, 'teammate.idle', 'TeammateIdle', fields);
  const endsLoop = !decision.continue;
  const keepsWorking = decision.blocked && !endsLoop;
  return {
    keepsWorking,
    ...(keepsWorking && decision.reason !== undefined ? { feedback: decision.reason } : {}),
    endsLoop,
    decision,
  };
}

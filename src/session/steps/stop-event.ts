import type { EndedBy } from '../../host/decide/decision.js';
import type { Decision } from '../../host/types.js';
import { checkKeys, type Keys } from '../../values/options.js';
import { checks } from '../../values/shape.js';
import { type Core, wasCut } from '../core.js';

/** How the turn is about to end. */
export interface StopOptions {
  /** The model's last message. */
  readonly lastMessage?: string | undefined;
  readonly backgroundTasks?: readonly unknown[] | undefined;
  readonly sessionCrons?: readonly unknown[] | undefined;
  /** The error of the model's API that ends the turn, such as `rate_limit`. StopFailure is fired in place of Stop, and not waited for. */
  readonly error?: string | undefined;
  readonly errorDetails?: string | undefined;
}

const STOP: Keys<StopOptions> = {
  lastMessage: checks.text,
  backgroundTasks: checks.list,
  sessionCrons: checks.list,
  error: checks.text,
  errorDetails: checks.text,
};

export const checkStop = (options: unknown): void => checkKeys(options, STOP, 'stop: ');

/** Fires Stop, or the agent's SubagentStop; `undefined` if it was interrupted. */
export async function fireStop(
  core: Core,
  options: StopOptions,
  endedBy: EndedBy | undefined,
  signal: AbortSignal | undefined = core.signal,
): Promise<Decision<'Stop'> | Decision<'SubagentStop'> | undefined> {
  const fields = {
    stop_hook_active: core.continuations > 0,
    agent_transcript_path: core.who.agent_transcript_path,
    last_assistant_message: options.lastMessage,
    background_tasks: options.backgroundTasks ?? [],
    session_crons: options.sessionCrons ?? [],
  };
  try {
    return await core.fire(core.parent ? 'SubagentStop' : 'Stop', fields, { signal, endedBy });
  } catch (error) {
    if (wasCut(error)) return undefined;
    throw error;
  }
}

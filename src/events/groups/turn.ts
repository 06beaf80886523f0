import { zod } from '../../values/zod.js';
import { openString } from '../base.js';
import { builtIn } from '../define.js';
import { PROGRAMS } from '../handler-kinds.js';

/** Events at the end of a turn. */
export const TURN_EVENTS = {
  Stop: builtIn({
    input: () =>
      zod().object({
        stop_hook_active: zod().boolean(),
        last_assistant_message: zod().string().optional(),
        background_tasks: zod().array(zod().unknown()).optional(),
        session_crons: zod().array(zod().unknown()).optional(),
      }),
    fold: 'stop',
    afterTheFact: true,
    failure: 'ignored',
    inAgentScope: 'SubagentStop',
    inTurn: true,
    claude: { stopped: 'stop_hook_prevented' },
    group: 'turn',
    classic: true,
    about:
      'When the agent is about to end its turn. A hook can keep the loop going; its reason becomes the next instruction.',
    sample: () => ({
      stop_hook_active: false,
      last_assistant_message: 'All tests pass.',
      background_tasks: [],
      session_crons: [],
    }),
  }),
  StopFailure: builtIn({
    input: () =>
      zod().object({
        error: openString(
          'authentication_failed',
          'billing_error',
          'rate_limit',
          'invalid_request',
          'server_error',
          'max_output_tokens',
          'unknown',
        ),
        error_details: zod().string().optional(),
        last_assistant_message: zod().string().optional(),
      }),
    subject: 'error',
    narrowNames: true,
    fold: 'observe',
    afterTheFact: true,
    exit2: 'ignore',
    types: PROGRAMS,
    claude: 'usual',
    group: 'turn',
    about: 'When a turn ended with an API error instead of an answer. A hook can only watch; nothing waits for it.',
    sample: () => ({ error: 'rate_limit', last_assistant_message: 'API Error: 429' }),
  }),
} as const;

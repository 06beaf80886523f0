import { zod } from '../../values/zod.js';
import { openString } from '../base.js';
import { builtIn } from '../define.js';
import { LOCAL, PROGRAMS } from '../handler-kinds.js';

/** The known values of `reason` in SessionEnd. Other strings are accepted too. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;

/** Events at the start and the end of a session. */
export const SESSION_EVENTS = {
  SessionStart: builtIn({
    input: () =>
      zod().object({
        source: openString('startup', 'resume', 'clear', 'compact', 'fork'),
        model: zod().string().optional(),
        session_title: zod().string().optional(),
        seconds_since_last_response: zod().number().optional(),
        context_tokens: zod().number().optional(),
        prompt_cache_likely_expired: zod().boolean().optional(),
        estimated_cache_write_usd: zod().number().optional(),
      }),
    subject: 'source',
    fold: 'context',
    plainStdout: 'context',
    output: () =>
      zod().object({
        additionalContext: zod().string().optional(),
        initialUserMessage: zod().string().optional(),
        sessionTitle: zod().string().optional(),
        watchPaths: zod().array(zod().string()).optional(),
        reloadSkills: zod().boolean().optional(),
      }),
    types: LOCAL,
    claude: { sent: 'later', bounds: 'start', envFile: true },
    group: 'session',
    classic: true,
    about:
      'When a session starts, is resumed, cleared or compacted. A hook can add context, a title, a first message and paths to watch.',
    sample: () => ({ source: 'startup' }),
  }),
  SessionEnd: builtIn({
    input: () => zod().object({ reason: openString(...EXIT_REASONS) }),
    subject: 'reason',
    fold: 'observe',
    afterTheFact: true,
    timeout: { claude: 1.5, max: 60 },
    types: PROGRAMS,
    claude: { sent: 'later', bounds: 'end' },
    group: 'session',
    classic: true,
    about:
      'When a session ends. A hook can only watch, and has little time: 1.5 seconds unless its own timeout is set.',
    sample: () => ({ reason: 'other' }),
  }),
  Setup: builtIn({
    input: () => zod().object({ trigger: openString('init', 'maintenance') }),
    subject: 'trigger',
    fold: 'context',
    types: LOCAL,
    claude: { sent: 'never', envFile: true },
    group: 'session',
    classic: true,
    about: 'When a project is set up or maintained, before the session starts. A hook can add context.',
    sample: () => ({ trigger: 'init' }),
  }),
} as const;

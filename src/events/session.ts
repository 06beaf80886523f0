import { z } from 'zod';
import { openString } from './base.js';
import { builtIn } from './define.js';
import { LOCAL, PROGRAMS } from './handler-kinds.js';

export const SessionStart = builtIn({
  input: () =>
    z.object({
      source: openString('startup', 'resume', 'clear', 'compact', 'fork'),
      model: z.string().optional(),
      session_title: z.string().optional(),
      seconds_since_last_response: z.number().optional(),
      context_tokens: z.number().optional(),
      prompt_cache_likely_expired: z.boolean().optional(),
      estimated_cache_write_usd: z.number().optional(),
    }),
  subject: 'source',
  fold: 'context',
  plainStdout: 'context',
  output: () =>
    z.object({
      additionalContext: z.string().optional(),
      initialUserMessage: z.string().optional(),
      sessionTitle: z.string().optional(),
      watchPaths: z.array(z.string()).optional(),
      reloadSkills: z.boolean().optional(),
    }),
  types: LOCAL,
  claude: { sent: 'later', bounds: 'start' },
  group: 'session',
  classic: true,
  about:
    'When a session starts, is resumed, cleared or compacted. A hook can add context, a title, a first message and paths to watch.',
});

/** Why a session ended, as SessionEnd's `reason` says it; other strings are accepted. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;

export const SessionEnd = builtIn({
  input: () => z.object({ reason: openString(...EXIT_REASONS) }),
  subject: 'reason',
  fold: 'observe',
  after: true,
  timeout: { claude: 1.5, max: 60 },
  types: PROGRAMS,
  claude: { sent: 'later', bounds: 'end' },
  group: 'session',
  classic: true,
  about: 'When a session ends. A hook can only watch, and has little time: 1.5 seconds unless its own timeout is set.',
});

export const Setup = builtIn({
  input: () => z.object({ trigger: openString('init', 'maintenance') }),
  subject: 'trigger',
  fold: 'context',
  types: LOCAL,
  claude: { sent: 'never' },
  group: 'session',
  classic: true,
  about: 'When a project is set up or maintained, before the session starts. A hook can add context.',
});

export const ConfigChange = builtIn({
  input: () =>
    z.object({
      source: openString('user_settings', 'project_settings', 'local_settings', 'policy_settings', 'skills'),
      file_path: z.string().optional(),
    }),
  subject: 'source',
  fold: 'block',
  unblockable: ['policy_settings'],
  endsLoop: false,
  types: PROGRAMS,
  group: 'session',
  about:
    'When a settings file or a skill has changed. A hook can keep the change from being applied, but never a managed policy.',
});

export const InstructionsLoaded = builtIn({
  input: () =>
    z.object({
      file_path: z.string(),
      memory_type: openString('User', 'Project', 'Local', 'Managed'),
      load_reason: openString('session_start', 'nested_traversal', 'path_glob_match', 'include', 'compact'),
      globs: z.array(z.string()).optional(),
      trigger_file_path: z.string().optional(),
      parent_file_path: z.string().optional(),
    }),
  subject: 'load_reason',
  fold: 'observe',
  after: true,
  exit2: 'ignore',
  types: PROGRAMS,
  claude: { sent: 'later' },
  group: 'session',
  about: 'When a file of instructions was loaded. A hook can only watch.',
});

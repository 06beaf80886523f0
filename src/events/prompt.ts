import { z } from 'zod';
import { openString } from './base.js';
import { builtIn } from './define.js';

/** Of what the user writes. */
export const PROMPT_EVENTS = {
  UserPromptSubmit: builtIn({
    input: () =>
      z.object({
        prompt: z.string(),
        source: openString('user', 'sdk', 'system', 'loop_wakeup', 'schedule_wakeup', 'poll_event').optional(),
        session_title: z.string().optional(),
      }),
    fold: 'block',
    plainStdout: 'context',
    output: () =>
      z.object({
        additionalContext: z.string().optional(),
        sessionTitle: z.string().optional(),
        suppressOriginalPrompt: z.boolean().optional(),
      }),
    timeout: { claude: 30 },
    claude: { unanswered: 'blocks' },
    inTurn: true,
    group: 'prompt',
    classic: true,
    about:
      'When a prompt was submitted, before the model sees it. A hook can block it (it is erased) or add context to it.',
  }),
  UserPromptExpansion: builtIn({
    input: () =>
      z.object({
        expansion_type: openString('slash_command', 'mcp_prompt'),
        command_name: z.string(),
        command_args: z.string(),
        command_source: z.string().optional(),
        prompt: z.string(),
      }),
    subject: 'command_name',
    fold: 'block',
    plainStdout: 'context',
    output: () =>
      z.object({
        additionalContext: z.string().optional(),
        suppressOriginalPrompt: z.boolean().optional(),
      }),
    inTurn: true,
    group: 'prompt',
    about: 'When a slash command or an MCP prompt was expanded into text. A hook can block it or add context.',
  }),
} as const;

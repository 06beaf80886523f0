import { zod } from '../../values/zod.js';
import { openString } from '../base.js';
import { builtIn } from '../define.js';

/** Events about the user's prompts. */
export const PROMPT_EVENTS = {
  UserPromptSubmit: builtIn({
    input: () =>
      zod().object({
        prompt: zod().string(),
        source: openString('user', 'sdk', 'system', 'loop_wakeup', 'schedule_wakeup', 'poll_event').optional(),
        session_title: zod().string().optional(),
      }),
    fold: 'block',
    plainStdout: 'context',
    output: () =>
      zod().object({
        additionalContext: zod().string().optional(),
        sessionTitle: zod().string().optional(),
        suppressOriginalPrompt: zod().boolean().optional(),
      }),
    timeout: { claude: 30 },
    claude: { unanswered: 'blocks', beginsTurn: true },
    inTurn: true,
    group: 'prompt',
    classic: true,
    about:
      'When a prompt was submitted, before the model sees it. A hook can block it (it is erased) or add context to it.',
    sample: () => ({ prompt: 'Fix the tests.' }),
  }),
  UserPromptExpansion: builtIn({
    input: () =>
      zod().object({
        expansion_type: openString('slash_command', 'mcp_prompt'),
        command_name: zod().string(),
        command_args: zod().string(),
        command_source: zod().string().optional(),
        prompt: zod().string(),
      }),
    subject: 'command_name',
    fold: 'block',
    plainStdout: 'context',
    output: () =>
      zod().object({
        additionalContext: zod().string().optional(),
        suppressOriginalPrompt: zod().boolean().optional(),
      }),
    claude: 'usual',
    inTurn: true,
    group: 'prompt',
    about: 'When a slash command or an MCP prompt was expanded into text. A hook can block it or add context.',
    sample: () => ({
      expansion_type: 'slash_command',
      command_name: 'review',
      command_args: 'src',
      command_source: 'projectSettings',
      prompt: '/review src',
    }),
  }),
} as const;

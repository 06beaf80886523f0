import type { HookRuntime, MatcherSubject } from '../running.js';
import { words } from '../says.js';

/** One subject for both names of an event. */
const both = (camel: string, subject: MatcherSubject): Readonly<Record<string, MatcherSubject>> => ({
  [camel]: subject,
  [camel.replace(/^./, (letter) => letter.toUpperCase())]: subject,
});

export const copilotRuns: HookRuntime = {
  hearing: {
    json: 'zero',
    exit: { from: 1, to: Number.POSITIVE_INFINITY, on: 'gates', killed: true },
    bare: true,
    also: [{ what: 'rewrite', words: words({ modifiedResult: { textResultForLlm: '$string' } }) }],
    beyond: [
      {
        words: words({ modifiedPrompt: '$value' }),
        on: ['userPromptSubmitted', 'UserPromptSubmit'],
        why: 'It wants another prompt in its place ("modifiedPrompt")',
      },
    ],
  },
  matching: {
    anchored: true,
    invalid: 'never',
    subjects: {
      ...both('preToolUse', 'tool'),
      ...both('postToolUse', 'tool'),
      ...both('postToolUseFailure', 'tool'),
      ...both('permissionRequest', 'tool'),
      ...both('notification', { field: 'notification_type' }),
      ...both('subagentStart', { field: 'agent_type' }),
      ...both('preCompact', { field: 'trigger' }),
    },
  },
  order: 'series',
  places: ['policy', 'user', 'project'],
  program: {
    unix: ['bash', 'exec', 'command'],
    windows: ['powershell', 'exec', 'command'],
    shell: { bash: 'bash', powershell: 'powershell' },
  },
  // Keys for VS Code, which reads the same files.
  others: ['windows', 'linux', 'osx'],
  pascalGroups: true,
  off: { disableAllHooks: true },
  adds: { timestamp: 'now' },
  textResponse: true,
  variables: { COPILOT_PROJECT_DIR: 'project' },
};

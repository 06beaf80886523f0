import type { HookRuntime } from '../running.js';
import { words } from '../says.js';

/** From Cursor's documentation only, like its table. */
export const cursorRuns: HookRuntime = {
  hearing: {
    json: 'zero',
    exit: { from: 2, to: 2, on: 'all', text: 'stderr' },
    bare: true,
    beyond: [
      {
        words: words({ updated_mcp_tool_output: '$value' }),
        on: ['postToolUse'],
        why: 'It wants another output of an MCP tool ("updated_mcp_tool_output")',
      },
    ],
  },
  matching: {
    invalid: 'never',
    subjects: {
      preToolUse: 'tool',
      postToolUse: 'tool',
      postToolUseFailure: 'tool',
      beforeMCPExecution: 'tool',
      afterMCPExecution: 'tool',
      beforeShellExecution: { field: 'tool_input.command' },
      afterShellExecution: { field: 'tool_input.command' },
      subagentStart: { field: 'agent_type' },
      subagentStop: { field: 'agent_type' },
      beforeReadFile: { word: 'Read' },
      afterFileEdit: { word: 'Write' },
      beforeTabFileRead: { word: 'TabRead' },
      afterTabFileEdit: { word: 'TabWrite' },
      beforeSubmitPrompt: { word: 'UserPromptSubmit' },
      stop: { word: 'Stop' },
      afterAgentResponse: { word: 'AgentResponse' },
      afterAgentThought: { word: 'AgentThought' },
    },
  },
  order: 'parallel',
  places: ['system', 'user', 'project'],
  program: { unix: ['command'], windows: ['command'] },
  prompts: true,
  userFolder: true,
  tools: {
    beforeShellExecution: ['Bash', 'PowerShell'],
    afterShellExecution: ['Bash', 'PowerShell'],
    beforeMCPExecution: ['mcp__*'],
    afterMCPExecution: ['mcp__*'],
    beforeReadFile: ['Read'],
    afterFileEdit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  },
  variables: { CURSOR_PROJECT_DIR: 'project' },
};

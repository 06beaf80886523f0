import { join } from 'node:path';
import { CLAUDE_SAYS, CLAUDE_WORDS, json, mapped, type ProbedAgent, STOP_ANSWER, specificOutput } from './agent.js';

const MANAGED = ['managed-settings.json', 'managed-settings.d/', 'managed-mcp.json', 'CLAUDE.md'];

export const claudeCode: ProbedAgent = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  beforeTool: 'PreToolUse',
  words: CLAUDE_WORDS,
  says: {
    ...CLAUDE_SAYS,
    after_tool_replace: specificOutput('PostToolUse', {
      updatedToolOutput: { stdout: 'MARK', stderr: '', interrupted: false, isImage: false },
    }),
    stop_before_tool: STOP_ANSWER,
    stop_after_tool: STOP_ANSWER,
  },
  // The probe allows everything, so Claude Code has nothing to ask.
  unasked: ['PermissionRequest'],
  shell: (command) => ({ tool: 'Bash', input: { command, description: 'd' } }),
  subagent: (prompt) => [
    {
      id: 'spawn',
      tool: 'Agent',
      input: { description: 'sub', subagent_type: 'general-purpose', prompt, run_in_background: false },
    },
  ],
  files: (_, hooks, timeout) => ({
    'config/settings.json': json({
      permissions: { allow: ['Bash'] },
      hooks: mapped(hooks, (command) => ({ hooks: [{ type: 'command', command, timeout }] })),
    }),
  }),
  env: (port, folder) => ({
    CLAUDE_CONFIG_DIR: join(folder, 'config'),
    CLAUDE_CODE_TMPDIR: join(folder, 'tmp'),
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  args: (prompt) => [
    '-p',
    prompt,
    '--model',
    'claude-sonnet-4-5',
    '--permission-mode',
    'acceptEdits',
    '--output-format',
    'json',
  ],
  policies: {
    linux: MANAGED.map((file) => `/etc/claude-code/${file}`),
    darwin: [
      ...MANAGED.map((file) => `/Library/Application Support/ClaudeCode/${file}`),
      '/Library/Managed Preferences/com.anthropic.claudecode.plist',
    ],
  },
  onFailure: 'block',
};

import { join } from 'node:path';
import { BLOCK, CLAUDE_SAYS, CLAUDE_WORDS, json, mapped, type ProbedAgent } from './agent.js';

export const codex: ProbedAgent = {
  name: 'codex',
  title: 'Codex CLI',
  program: 'codex',
  beforeTool: 'PreToolUse',
  words: CLAUDE_WORDS,
  says: {
    ...CLAUDE_SAYS,
    after_tool_replace: BLOCK,
  },
  unasked: ['PermissionRequest'],
  shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  subagent: (message) => [
    { id: 'spawn', tool: 'spawn_agent', namespace: 'multi_agent_v1', input: { message } },
    ({ text }) => ({
      id: 'wait',
      tool: 'wait_agent',
      namespace: 'multi_agent_v1',
      input: { targets: [/agent_id\W+([0-9a-f-]{36})/.exec(text)?.[1]], timeout_ms: 60_000 },
    }),
  ],
  files: (port, hooks, timeout) => ({
    'config/config.toml': `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
`,
    'config/hooks.json': json({
      hooks: mapped(hooks, (command) => ({ hooks: [{ type: 'command', command, timeout }] })),
    }),
  }),
  env: (_, folder) => ({ CODEX_HOME: join(folder, 'config') }),
  args: (prompt) => [
    'exec',
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
    '--skip-git-repo-check',
    '--json',
    prompt,
  ],
  policies: {
    linux: [
      '/etc/codex/requirements.toml',
      '/etc/codex/managed_config.toml',
      '/etc/codex/config.toml',
      '/etc/codex/hooks.json',
      '/etc/codex/rules/',
    ],
    darwin: [
      '/etc/codex/requirements.toml',
      '/etc/codex/managed_config.toml',
      '/etc/codex/config.toml',
      '/etc/codex/hooks.json',
      '/etc/codex/rules/',
      '/Library/Managed Preferences/com.openai.codex.plist',
    ],
  },
};

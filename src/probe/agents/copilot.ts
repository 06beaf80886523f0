import { join } from 'node:path';
import { BLOCK, json, mapped, type ProbedAgent, REWRITTEN } from './agent.js';

const CONTEXT = { additionalContext: 'MARK' };

export const copilot: ProbedAgent = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  program: 'copilot',
  beforeTool: 'preToolUse',
  alsoNamed: 'PreToolUse',
  words: {
    allow: { permissionDecision: 'allow' },
    deny: { permissionDecision: 'deny', permissionDecisionReason: 'NO-BECAUSE' },
    denyWithoutReason: { permissionDecision: 'deny' },
    ask: { permissionDecision: 'ask', permissionDecisionReason: 'ASK-R' },
    rewrite: { permissionDecision: 'allow', modifiedArgs: { command: REWRITTEN, description: 'd' } },
  },
  says: {
    session_context: CONTEXT,
    prompt_context: CONTEXT,
    context_before_tool: CONTEXT,
    permission_deny: { behavior: 'deny', message: 'MARK' },
    after_tool_block: BLOCK,
    after_tool_context: CONTEXT,
    after_tool_replace: { modifiedResult: { resultType: 'success', textResultForLlm: 'MARK' } },
    subagent_context: CONTEXT,
    deny: { permissionDecision: 'deny', permissionDecisionReason: 'MARK' },
    subagent_go_on: BLOCK,
    go_on: BLOCK,
    prompt_block: BLOCK,
  },
  shell: (command) => ({ tool: 'bash', input: { command, description: 'd' } }),
  subagent: (prompt) => [
    {
      id: 'spawn',
      tool: 'task',
      input: { agent_type: 'explore', name: 'sub', description: 'd', prompt, mode: 'sync' },
    },
  ],
  files: (_, hooks, timeoutSec) => ({
    'project/.github/hooks/probe.json': json({
      version: 1,
      hooks: mapped(hooks, (bash) => ({ type: 'command', bash, timeoutSec })),
    }),
  }),
  env: (port, folder) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_MODEL: 'mock',
    COPILOT_ALLOW_ALL: 'true',
    COPILOT_HOME: join(folder, 'config'),
  }),
  args: (prompt) => ['-p', prompt, '--output-format', 'json', '--trust-folder'],
  policies: { linux: ['/etc/github-copilot/policy.d/'], darwin: ['/etc/github-copilot/policy.d/'] },
};

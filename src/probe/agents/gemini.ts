import { BLOCK, context, json, mapped, type ProbedAgent, REWRITTEN, STOP_ANSWER, specificOutput } from './agent.js';

export const gemini: ProbedAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  beforeTool: 'BeforeTool',
  words: {
    allow: { decision: 'allow' },
    deny: { decision: 'deny', reason: 'NO-BECAUSE' },
    denyWithoutReason: { decision: 'deny' },
    ask: { decision: 'ask', reason: 'ASK-R' },
    rewrite: specificOutput('BeforeTool', { tool_input: { command: REWRITTEN, description: 'd' } }),
  },
  says: {
    session_context: context('SessionStart'),
    prompt_context: context('BeforeAgent'),
    after_tool_block: BLOCK,
    after_tool_context: context('AfterTool'),
    after_tool_replace: BLOCK,
    deny: { decision: 'deny', reason: 'MARK' },
    go_on: BLOCK,
    prompt_block: BLOCK,
    stop_prompt: STOP_ANSWER,
    stop_before_tool: STOP_ANSWER,
    stop_after_tool: STOP_ANSWER,
    model_call_block: { decision: 'deny', reason: 'MARK' },
    model_call_answer: {
      decision: 'block',
      reason: 'r',
      ...specificOutput('BeforeModel', {
        llm_response: { candidates: [{ content: { role: 'model', parts: ['MARK'] }, finishReason: 'STOP' }] },
      }),
    },
  },
  shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'd' } }),
  files: (_, hooks, seconds) => ({
    'home/.gemini/settings.json': json({
      security: { auth: { selectedType: 'gemini-api-key' } },
      hooks: mapped(hooks, (command) => ({ hooks: [{ type: 'command', command, timeout: seconds * 1000 }] })),
    }),
  }),
  env: (port) => ({
    GEMINI_API_KEY: 'x',
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  args: (prompt) => ['-m', 'gemini-2.5-flash', '--yolo', '-p', prompt, '--output-format', 'json'],
  policies: {
    linux: ['/etc/gemini-cli/settings.json', '/etc/gemini-cli/system-defaults.json', '/etc/gemini-cli/policies/'],
    darwin: [
      '/Library/Application Support/GeminiCli/settings.json',
      '/Library/Application Support/GeminiCli/system-defaults.json',
      '/Library/Application Support/GeminiCli/policies/',
    ],
  },
};

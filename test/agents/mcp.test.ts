import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { createHost, type Host } from '../../src/create-host.js';

const call = (agent: string, event: string, payload: object) =>
  agentCodec(agent).decode(JSON.stringify(payload), {}, [event]);

const of = {
  gemini: (server_name: string, tool_name: string) => ({
    session_id: 's',
    hook_event_name: 'BeforeTool',
    tool_name: `mcp_${server_name}_${tool_name}`,
    tool_input: { a: 1 },
    mcp_context: { server_name, tool_name, command: 'npx' },
  }),
  bare: (tool_name: string) => ({ session_id: 's', hook_event_name: 'BeforeTool', tool_name, tool_input: {} }),
  copilot: (toolName: string) => ({ sessionId: 's', toolName, toolArgs: { a: 1 } }),
  pascal: (tool_name: string) => ({ session_id: 's', hook_event_name: 'PreToolUse', tool_name, tool_input: {} }),
  asked: (toolName: string) => ({ hookName: 'permissionRequest', sessionId: 's', toolName, toolInput: {} }),
  cursor: (tool_name: string) => ({ conversation_id: 'c', hook_event_name: 'preToolUse', tool_name, tool_input: {} }),
  alone: (tool_name: string) => ({
    conversation_id: 'c',
    hook_event_name: 'beforeMCPExecution',
    tool_name,
    tool_input: '{"a":1}',
    command: 'npx server',
  }),
};

describe('a tool of an MCP server has the name that Claude Code has for it', () => {
  // Gemini's and Copilot's names as they were seen.
  test.each<[name: string, agent: string, event: string, payload: object]>([
    ['mcp__git_hub__push_files', 'gemini', 'BeforeTool', of.gemini('git_hub', 'push_files')],
    ['mcp__my-server__dash-tool', 'gemini', 'BeforeTool', of.gemini('my-server', 'dash-tool')],
    ['mcp__my_server__dot_tool', 'gemini', 'BeforeTool', of.gemini('my.server', 'dot.tool')],
    ['mcp__github__push', 'gemini', 'BeforeTool', { ...of.gemini('github', 'push'), tool_name: 'push' }],
    ['mcp__github__read_file', 'gemini', 'BeforeTool', { ...of.gemini('github', 'read_file'), tool_name: 'read_file' }],
    ['mcp__github__push', 'gemini', 'BeforeTool', of.bare('mcp_github_push')],
    ['mcp__github__push', 'gemini', 'BeforeTool', of.bare('mcp__github__push')],
    ['mcp__git_hub__push_files', 'copilot', 'preToolUse', of.copilot('git_hub-push_files')],
    ['mcp__git_hub__push_files', 'copilot', 'PreToolUse', of.pascal('git_hub-push_files')],
    ['mcp__my-server__dash-tool', 'copilot', 'permissionRequest', of.asked('my-server/dash-tool')],
    ['mcp__github__push', 'codex', 'PreToolUse', of.pascal('mcp__github__push')],
  ])('%s: %s %s', (name, agent, event, payload) => {
    const { input, losses, as } = call(agent, event, payload);
    expect(input['tool_name']).toBe(name);
    expect(losses.filter(({ what }) => what === 'tool_name')).toEqual([]);
    expect(agentCodec(agent).payload({ as, input })).toEqual(payload);
  });

  test.each<[agent: string, event: string, payload: object]>([
    ['gemini', 'BeforeTool', of.bare('mcp_git_hub_push_files')],
    ['copilot', 'preToolUse', of.copilot('my-server-push_files')],
    ['cursor', 'preToolUse', of.cursor('MCP:push_files')],
    ['cursor', 'beforeMCPExecution', of.alone('push_files')],
    ['cursor', 'beforeMCPExecution', of.alone('Read')],
  ])('of which not all is known, a loss says so: %s %s %j', (agent, event, payload) => {
    const { input, losses, as } = call(agent, event, payload);
    expect(losses.map(({ what }) => what)).toContain('tool_name');
    expect(input['tool_name']).toMatch(/^mcp__/);
    expect(agentCodec(agent).payload({ as, input })).toEqual(payload);
  });

  test.each<[name: string, agent: string, event: string, payload: object]>([
    ['Bash', 'gemini', 'BeforeTool', of.bare('run_shell_command')],
    ['activate_skill', 'gemini', 'BeforeTool', of.bare('activate_skill')],
    ['mcp', 'gemini', 'BeforeTool', of.bare('mcp')],
    ['Bash', 'copilot', 'preToolUse', of.copilot('bash')],
    ['session_store_sql', 'copilot', 'preToolUse', of.copilot('session_store_sql')],
    ['-x', 'copilot', 'preToolUse', of.copilot('-x')],
    ['Read', 'cursor', 'preToolUse', of.cursor('Read')],
    ['web_search', 'cursor', 'preToolUse', of.cursor('web_search')],
    ['a-b', 'codex', 'PreToolUse', of.pascal('a-b')],
  ])('other tools keep theirs: %s %s', (name, agent, event, payload) => {
    const { input, losses } = call(agent, event, payload);
    expect(input['tool_name']).toBe(name);
    expect(losses.filter(({ what }) => what === 'tool_name')).toEqual([]);
  });
});

describe('who guards an MCP server is asked, whatever the agent calls its tools', () => {
  const MATCHERS: readonly (string | RegExp | ((name: string) => boolean))[] = [
    'mcp__github__*',
    'mcp__github__push_files',
    'mcp__github__push_files|Edit',
    'mcp__git*__push_*',
    'mcp__github-mcp-server__*',
    'mcp__io_github_x-y__*',
    'mcp__github__list_issues',
    'mcp__other__*',
    'Bash',
    'Edit|Write',
    '!mcp__github__*',
    '!Bash',
    /^mcp__(?:gitlab|github)__/,
    /^mcp__git[a-z]+__push/,
    /^mcp__git[a-z]+/,
    /^Notebook/,
    /Notebook|Edit/,
    '*github*',
  ];
  const RULES = ['mcp__github', 'mcp__github__*', 'mcp__github__push_files', 'mcp__github__list_issues', 'Read(**)'];
  let host: Host;
  beforeAll(() => {
    host = createHost();
    const hooks = [
      ...MATCHERS.map((matcher) => ({ matcher, name: String(matcher), hooks: [() => undefined] })),
      ...RULES.map((rule) => ({ if: rule, name: `if ${rule}`, hooks: [() => undefined] })),
    ];
    host.register({ PreToolUse: hooks, PermissionRequest: hooks } as never);
  });
  afterAll(() => host.close());

  const asked = async (agent: string, event: string, payload: object): Promise<string[]> => {
    const decoded = call(agent, event, payload);
    const { hooks } = await host.explain(decoded.event as 'PreToolUse', decoded.input as never);
    return hooks.filter(({ runs }) => runs).map(({ name }) => name);
  };
  const NEGATED = ['!Bash'];
  const GITHUB = [
    'mcp__github__*',
    'mcp__github__push_files',
    'mcp__github__push_files|Edit',
    'mcp__git*__push_*',
    '*github*',
  ];
  const PATTERNS = ['/^mcp__(?:gitlab|github)__/', '/^mcp__git[a-z]+__push/', '/^mcp__git[a-z]+/'];
  const IFS = ['if mcp__github', 'if mcp__github__*', 'if mcp__github__push_files'];

  test.each<[agent: string, event: string, payload: object]>([
    ['codex', 'PreToolUse', of.pascal('mcp__github__push_files')],
    ['gemini', 'BeforeTool', of.gemini('github', 'push_files')],
    ['copilot', 'preToolUse', of.copilot('github-push_files')],
    ['copilot', 'PreToolUse', of.pascal('github-push_files')],
    ['copilot', 'permissionRequest', of.asked('github/push_files')],
  ])('told apart: %s %s', async (agent, event, payload) => {
    expect((await asked(agent, event, payload)).sort()).toEqual([...GITHUB, ...NEGATED, ...PATTERNS, ...IFS].sort());
  });

  test('of a server that is not known: those that may mean it', async () => {
    const all = [...GITHUB, ...NEGATED, ...PATTERNS, ...IFS, '!mcp__github__*'];
    const others = ['mcp__github-mcp-server__*', 'mcp__io_github_x-y__*', 'mcp__other__*'];
    for (const [event, payload] of [
      ['preToolUse', of.cursor('MCP:push_files')],
      ['beforeMCPExecution', of.alone('push_files')],
    ] as const)
      expect((await asked('cursor', event, payload)).sort(), event).toEqual([...all, ...others].sort());
  });

  test('of a name that can be cut at several places: each reading', async () => {
    const names = await asked('copilot', 'preToolUse', of.copilot('github-mcp-server-push_files'));
    expect(names).toEqual(expect.arrayContaining(['mcp__github-mcp-server__*', 'mcp__github__*', 'if mcp__github']));
    for (const other of ['mcp__other__*', 'mcp__github__push_files', 'Bash', 'Edit|Write', 'if Read(**)'])
      expect(names).not.toContain(other);
    // A dash that stands for a dot or a slash in the server's name.
    expect(await asked('copilot', 'preToolUse', of.copilot('io-github-x-y-push_files'))).toContain(
      'mcp__io_github_x-y__*',
    );
    expect(await asked('gemini', 'BeforeTool', of.bare('mcp_github_push_files'))).toEqual(
      expect.arrayContaining([...GITHUB, ...IFS]),
    );
  });

  test('a name with very many dashes is read in no time', async () => {
    const started = performance.now();
    const names = await asked('copilot', 'preToolUse', of.copilot('a-'.repeat(5_000)));
    expect(names).toContain('mcp__github__*');
    expect(names).not.toContain('Bash');
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

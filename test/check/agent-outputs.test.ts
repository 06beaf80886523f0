import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-heard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const PLACES: Readonly<Record<string, string>> = {
  codex: '.codex/hooks.json',
  copilot: '.github/hooks/a.json',
  gemini: '.gemini/settings.json',
  cursor: '.cursor/hooks.json',
};
const EVENTS: Readonly<Record<string, string>> = {
  codex: 'PreToolUse',
  copilot: 'preToolUse',
  gemini: 'BeforeTool',
  cursor: 'preToolUse',
};

async function found(agent: string, command: string, more: object = {}, event = EVENTS[agent]): Promise<string[]> {
  const handler = { type: 'command', command };
  const isGrouped = agent === 'codex' || agent === 'gemini';
  const entry = isGrouped ? { ...more, hooks: [handler] } : { ...more, ...handler };
  const version = isGrouped ? {} : { version: 1 };
  write(PLACES[agent] as string, JSON.stringify({ ...version, hooks: { [event as string]: [entry] } }));
  const { findings } = await checkHookFiles({ paths: ['.'], cwd: folder, home: join(folder, 'h'), managedDir: folder });
  return findings.map(({ rule, file }) => `${rule} ${file}`);
}
const prints = (answer: object): string => `echo '${JSON.stringify(answer)}'`;
const specific = (more: object): object => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });
const claude = specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' });

test.each([
  ['codex', prints(claude), []],
  ['copilot', prints(claude), ['agent-output']],
  ['gemini', prints(claude), ['agent-output']],
  ['cursor', prints(claude), ['agent-output']],
  ['codex', prints({ ...claude, zzz: 1 }), ['agent-output']],
  ['codex', prints(specific({ permissionDecision: 'deny' })), ['agent-reason']],
  ['codex', prints({ decision: 'block' }), ['agent-reason']],
  ['codex', prints(specific({ permissionDecision: 'ask', permissionDecisionReason: 'x' })), ['agent-output']],
  ['codex', prints({ continue: false, stopReason: 'x' }), ['agent-output']],
  ['gemini', prints({ decision: 'deny' }), []],
  ['gemini', prints({ decision: 'allow' }), []],
  ['copilot', prints({ decision: 'block', reason: 'x' }), ['agent-output']],
  ['cursor', prints({ permission: 'deny' }), []],
  ['gemini', prints(specific({ additionalContext: 'x' })), ['agent-output']],
  ['codex', 'grep -q x && exit 2', ['agent-reason']],
  ['gemini', 'grep -q x && exit 2', ['agent-reason']],
  ['copilot', 'grep -q x && exit 2', []],
  ['codex', 'grep -q x && { echo no >&2; exit 2; }', []],
  ['codex', 'echo hello', []],
])('%s: %s', async (agent, command, rules) => {
  expect(await found(agent, command)).toEqual(rules.map((rule) => `${rule} ${PLACES[agent]}`));
});

test('what a script prints is found where it stands, in Python and JavaScript too, and under the name that the agent has for the project', async () => {
  write('.gemini/g.py', "import json\nprint(json.dumps({'hookSpecificOutput': {'permissionDecision': 'deny'}}))\n");
  expect(await found('gemini', 'python3 "$GEMINI_PROJECT_DIR/.gemini/g.py"')).toEqual(['agent-output .gemini/g.py']);
  write('.codex/g.mjs', "console.log(JSON.stringify({ decision: 'block' }));\n");
  expect(await found('codex', 'node .codex/g.mjs')).toContain('agent-reason .codex/g.mjs');
});

test('a script that speaks to several agents, or says it once more as this one hears it, is left alone', async () => {
  write(
    'g.sh',
    `# for Claude Code and copilot\n${prints({ permissionDecision: 'deny', permissionDecisionReason: 'x' })}\n`,
  );
  expect(await found('codex', 'bash g.sh')).toEqual([]);
  expect(await found('codex', `${prints({ permission: 'deny', reason: 'x' })}; ${prints(claude)}`)).toEqual([]);
});

test.each([
  ['codex', 'Read', ['agent-matcher']],
  ['codex', 'Bash|Read', []],
  ['codex', 'Edit|Write', []],
  ['codex', 'shell', ['agent-matcher']],
  ['codex', 'my_own_tool', []],
  ['codex', 'mcp__.*', []],
  ['copilot', 'mcp__github__.*', ['agent-matcher']],
  ['copilot', 'github-.*', []],
  ['gemini', 'mcp_github_.*', []],
  ['gemini', 'mcp__github__.*', ['agent-matcher']],
  ['cursor', 'mcp__github__.*', ['agent-matcher']],
  ['cursor', 'MCP:push', []],
  ['copilot', 'Bash', ['agent-matcher']],
  ['copilot', 'Bash|bash', []],
  ['copilot', 'vie', ['agent-matcher']],
  ['copilot', 'bas', ['agent-matcher']],
  ['copilot', 'github', []],
  ['gemini', 'RUN_SHELL_COMMAND', ['agent-matcher']],
  ['codex', 'Bsh', ['agent-matcher']],
  ['codex', 'Bash(rm *)', ['agent-matcher']],
  ['codex', 'Read(secret/**)', ['agent-matcher']],
  ['codex', 'Bash,apply_patch', ['agent-matcher']],
  ['codex', 'Bash .*', ['agent-matcher']],
  ['codex', 'my_(own|other)_tool', []],
  ['codex', 'my_tool()', []],
  ['gemini', 'Write|Edit', ['agent-matcher', 'agent-matcher']],
  ['gemini', 'write', []],
  ['gemini', '(', ['agent-matcher']],
  ['copilot', '(', ['agent-matcher']],
  ['cursor', 'Write|Edit', []],
])('%s: the matcher %j', async (agent, matcher, rules) => {
  expect(await found(agent, 'true', { matcher })).toEqual(rules.map((rule) => `${rule} ${PLACES[agent]}`));
});

test.each([
  ['copilot', 'agentStop', 'echo more >&2; exit 2', ['agent-output']],
  ['copilot', 'Stop', 'exit 2', ['agent-output']],
  ['copilot', 'userPromptSubmitted', 'grep -q x && exit 2', ['agent-output']],
  ['copilot', 'sessionEnd', 'exit 2', []],
  ['copilot', 'permissionRequest', 'exit 2', []],
  ['gemini', 'AfterAgent', 'echo more >&2; exit 2', []],
  ['codex', 'Stop', 'echo more >&2; exit 2', []],
])('%s: exit 2 is heard on %s or not: %s', async (agent, event, command, rules) => {
  expect(await found(agent, command, {}, event)).toEqual(rules.map((rule) => `${rule} ${PLACES[agent]}`));
});

test.each<readonly [string, string, string, readonly string[]]>([
  ['gemini', 'SessionStart', 'startup|resume', ['agent-matcher']],
  ['gemini', 'SessionStart', '.*', ['agent-matcher']],
  ['gemini', 'BeforeAgent', '.*', []],
  ['gemini', 'SessionStart', 'startup', []],
  ['gemini', 'SessionStart', '*', []],
  ['gemini', 'SessionStart', '', []],
  ['gemini', 'AfterTool', '.*', []],
  ['codex', 'SessionStart', 'startup|resume', []],
  ['codex', 'SessionStart', 'startu', ['agent-matcher']],
  ['codex', 'SessionStart', 'startup|resumed', ['agent-matcher']],
  ['codex', 'SessionStart', 'cloud', []],
  ['codex', 'SessionStart', 'start.*', []],
  ['codex', 'PreCompact', 'Auto', ['agent-matcher']],
  ['codex', 'SubagentStart', 'explor', []],
  ['gemini', 'SessionStart', 'startu', ['agent-matcher']],
  ['gemini', 'Notification', 'ToolPermision', ['agent-matcher']],
  ['gemini', 'Notification', 'ToolPermission', []],
  ['copilot', 'preCompact', 'auto|manua', ['agent-matcher']],
  ['cursor', 'beforeReadFile', 'read', ['agent-matcher']],
  ['cursor', 'beforeReadFile', 'Read', []],
  ['cursor', 'beforeShellExecution', 'curl', []],
  ['copilot', 'subagentStart', '.*', []],
  // Claude Code's names are there under the names that it has for events, except where a permission is asked for.
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure'].flatMap((event) => [
    ['copilot', event, 'bash', ['agent-matcher']] as const,
    ['copilot', event, 'edit|create', ['agent-matcher', 'agent-matcher']] as const,
    ['copilot', event, 'Bash', []] as const,
    ['copilot', event, 'Edit|create', []] as const,
  ]),
  ['copilot', 'PermissionRequest', 'bash', []],
  ['copilot', 'PermissionRequest', 'Bash', ['agent-matcher']],
  ['copilot', 'preToolUse', 'edit|create|powershell', []],
  ['gemini', 'BeforeTool', 'grep_search', []],
  ['codex', 'PermissionRequest', 'apply_patch', []],
  ['codex', 'PreToolUse', 'NotebookEdit', ['agent-matcher']],
  ['cursor', 'preToolUse', 'Edit', ['agent-matcher']],
  ['cursor', 'postToolUseFailure', 'Bash', ['agent-matcher']],
])('%s: the matcher of %s %j', async (agent, event, matcher, rules) => {
  expect(await found(agent, 'true', { matcher }, event)).toEqual(rules.map((rule) => `${rule} ${PLACES[agent]}`));
});

test('what a matcher is taken for is said as it is', async () => {
  const said = async (agent: string, matcher: string) => {
    rmSync(folder, { recursive: true });
    await found(agent, 'true', { matcher });
    const { findings } = await checkHookFiles({
      paths: ['.'],
      cwd: folder,
      home: join(folder, 'h'),
      managedDir: folder,
    });
    return findings.map(({ message, fix }) => `${message} ${fix}`);
  };
  expect(await said('codex', 'Bash,apply_patch')).toEqual([
    'It is one regular expression, and fits no tool. Write Bash|apply_patch.',
  ]);
  expect(await said('codex', 'Bash(rm *)')).toEqual([
    'Codex CLI knows no permission rules in matchers: it is a regular expression that fits no tool. Write Bash, and look at the rest in the hook.',
  ]);
  // It reads images alone.
  expect(await said('codex', 'Read')).toEqual([expect.not.stringContaining('view_image')]);
  expect(await said('copilot', 'Write|Edit')).toEqual([expect.anything(), expect.stringContaining('apply_patch')]);
  expect(await said('copilot', 'bas')).toEqual([
    'GitHub Copilot CLI has no tool of its own that "bas" fits. Write bash, unless a tool of an extension is meant.',
  ]);
});

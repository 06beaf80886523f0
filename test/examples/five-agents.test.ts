import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_NAMES } from '../../src/agents/agents.js';
import { cli } from '../cli/cli.js';
import { ROOT } from '../package/sources.js';

const CONFIG = join(ROOT, 'examples/five-agents/hookscope.config.mjs');
const RECORDED = join(ROOT, 'test/fixtures/agents');

let root = '';
let env: NodeJS.ProcessEnv = {};
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'five-agents-')));
  mkdirSync(join(root, 'project'));
  env = { HOME: root, XDG_STATE_HOME: join(root, 'state'), XDG_RUNTIME_DIR: join(root, 'run') };
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Json = Record<string, unknown>;
const recorded = (path: string): Json => JSON.parse(readFileSync(join(RECORDED, path), 'utf8')) as Json;

/** What a hook of the agent gets, as it was recorded; of Claude Code and Cursor as their documents have it. */
interface Spoken {
  shell(line: string): readonly [event: string, payload: Json];
  /** Before a file is written. */
  write(file: string): readonly [event: string, payload: Json];
  /** After it was. */
  written(file: string): readonly [event: string, payload: Json];
  /** The same before, in an agent that explores; undefined: it has none, or does not say so. */
  exploring?(file: string): readonly [event: string, payload: Json];
  deny(reason: string): Json;
  context(text: string): Json;
}

const specific = (hookEventName: string, more: Json): Json => ({ hookSpecificOutput: { hookEventName, ...more } });
const claudesDeny = (reason: string) =>
  specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason });
const claudesContext = (text: string) => specific('PostToolUse', { additionalContext: text });
const patch = (file: string) => ({ command: `*** Begin Patch\n*** Add File: ${file}\n+hello\n*** End Patch` });

const claude = (event: string, tool: string, input: Json, more: Json = {}) =>
  [
    event,
    { session_id: 's', hook_event_name: event, tool_name: tool, tool_input: input, tool_use_id: 't', ...more },
  ] as const;
const codex = (event: string, tool: string, input: Json, from = event) =>
  [event, { ...recorded(`codex/${from}.json`), tool_name: tool, tool_input: input }] as const;
const copilot = (event: string, tool: string, input: Json, from = event) =>
  [event, { ...recorded(`copilot/${from}.json`), toolName: tool, toolArgs: input }] as const;
const gemini = (event: string, from: string, input: Json) =>
  [event, { ...recorded(`gemini/${from}.json`), tool_input: input }] as const;
const cursor = (event: string, tool: string, input: Json, more: Json = {}) =>
  [
    event,
    {
      conversation_id: 'c',
      generation_id: 'g',
      hook_event_name: event,
      workspace_roots: ['/home/dev/project'],
      tool_name: tool,
      tool_input: input,
      ...more,
    },
  ] as const;

const SPOKEN: Readonly<Record<string, Spoken>> = {
  'claude-code': {
    shell: (command) => claude('PreToolUse', 'Bash', { command }),
    write: (file_path) => claude('PreToolUse', 'Write', { file_path, content: '' }),
    written: (file_path) => claude('PostToolUse', 'Write', { file_path, content: '' }, { tool_response: {} }),
    exploring: (file_path) =>
      claude(
        'PreToolUse',
        'Edit',
        { file_path, old_string: 'a', new_string: 'b' },
        { agent_id: 'a', agent_type: 'Explore' },
      ),
    deny: claudesDeny,
    context: claudesContext,
  },
  codex: {
    shell: (command) => codex('PreToolUse', 'Bash', { command }),
    write: (file) => codex('PreToolUse', 'apply_patch', patch(file)),
    written: (file) => codex('PostToolUse', 'apply_patch', patch(file)),
    exploring(file) {
      const [event, payload] = codex('PreToolUse', 'apply_patch', patch(file), 'subagents/PreToolUse');
      return [event, { ...payload, agent_type: 'explorer' }];
    },
    deny: claudesDeny,
    context: claudesContext,
  },
  copilot: {
    shell: (command) => copilot('preToolUse', 'bash', { command }),
    write: (path) => copilot('preToolUse', 'create', { path, file_text: '' }),
    written: (path) => copilot('postToolUse', 'create', { path, file_text: '' }),
    exploring: (path) => copilot('preToolUse', 'create', { path, file_text: '' }, 'subagents/preToolUse'),
    deny: (reason) => ({ permissionDecision: 'deny', permissionDecisionReason: reason }),
    context: (additionalContext) => ({ additionalContext }),
  },
  gemini: {
    shell: (command) => gemini('BeforeTool', 'BeforeTool', { command }),
    write: (file_path) => gemini('BeforeTool', 'BeforeTool.write_file', { file_path, content: '' }),
    written: (file_path) => gemini('AfterTool', 'AfterTool.write_file', { file_path, content: '' }),
    deny: (reason) => ({ decision: 'deny', reason }),
    context: (text) => specific('AfterTool', { additionalContext: text }),
  },
  cursor: {
    shell: (command) => cursor('preToolUse', 'Shell', { command }),
    write: (file_path) => cursor('preToolUse', 'Write', { file_path }),
    written: (file_path) => cursor('postToolUse', 'Write', { file_path }, { tool_output: '{}' }),
    deny: (reason) => ({ permission: 'deny', user_message: reason, agent_message: reason }),
    context: (additional_context) => ({ additional_context }),
  },
};

/** What the agent's hook answers. */
async function said(agent: string, [event, payload]: readonly [string, Json]): Promise<unknown> {
  const project = join(root, 'project');
  const stdin = JSON.stringify(payload).replaceAll('/home/dev/project', project);
  const args = ['hook', '--as', agent, event, '--config', CONFIG];
  const { stdout, code } = await cli(args, { cwd: project, env, stdin });
  expect(code).toBe(0);
  return ['', '{}'].includes(stdout.trim()) ? undefined : JSON.parse(stdout);
}

test('every agent that is known plays', () => expect(Object.keys(SPOKEN)).toEqual(AGENT_NAMES));

describe.each(Object.entries(SPOKEN))(
  'one policy, told by %s',
  (agent, { shell, write, written, exploring, deny, context }) => {
    test('three guards decide the same, in its words, and say nothing of what they do not mind', async () => {
      expect(await said(agent, shell('git push origin main'))).toEqual(deny('Push by hand.'));
      expect(await said(agent, shell('git commit --no-verify -m x'))).toEqual(
        deny('Checks are not skipped: mend what they find.'),
      );
      expect(await said(agent, write('config/.env.local'))).toEqual(deny('Secrets are not for agents.'));
      for (const call of [shell('git status'), write('notes.md')]) expect(await said(agent, call)).toBeUndefined();
    });

    test('what was edited is formatted, and the model is told', async () => {
      const file = join(root, 'project', `${agent}.md`);
      writeFileSync(file, 'hello  \nworld\t\n');
      const told = context(`Formatted, blanks at the ends of lines are gone: ${agent}.md.`);
      expect(await said(agent, written(`${agent}.md`))).toEqual(told);
      expect(readFileSync(file, 'utf8')).toBe('hello\nworld\n');
      expect(await said(agent, written(`${agent}.md`))).toBeUndefined();
    });

    if (exploring)
      test('who explores writes nothing', async () => {
        expect(await said(agent, exploring('notes.md'))).toEqual(deny('You explore: report it, and change nothing.'));
      });
  },
);

/** Calls about a file of secrets that name several files, or name it in another way. */
const several = (...files: string[]) =>
  ['*** Begin Patch', ...files.flatMap((file) => [`*** Update File: ${file}`, '@@', '-a', '+b']), '*** End Patch'].join(
    '\n',
  );
const inShell = (line: string) => codex('PreToolUse', 'Bash', { command: line }, 'PreToolUse.apply_patch_in_shell');
const cursors = (tool: string, input: Json) => ['cursor', cursor('preToolUse', tool, input)] as const;
const readFile = (file_path: string) => {
  const roots = { workspace_roots: ['/home/dev/project', '/w2'] };
  return ['beforeReadFile', { conversation_id: 'c', hook_event_name: 'beforeReadFile', file_path, ...roots }] as const;
};
const geminis = (tool: string, input: Json) => {
  const [event, payload] = gemini('BeforeTool', 'BeforeTool', input);
  return ['gemini', [event, { ...payload, tool_name: tool }]] as const;
};

test.each([
  ['codex', codex('PreToolUse', 'apply_patch', { command: several('.env') })],
  ['codex', codex('PreToolUse', 'apply_patch', { command: several('b.txt', 'config/.env.local') })],
  ['codex', codex('PreToolUse', 'apply_patch', { command: several('env.txt\n*** Move to: .env') })],
  ['codex', codex('PreToolUse', 'apply_patch', { command: '*** Begin Patch\n*** Delete File: .env\n*** End Patch' })],
  ['codex', inShell(`apply_patch <<'EOF'\n${several('a.txt', '.env')}\nEOF`)],
  ['codex', inShell(`cd config && apply_patch <<'EOF'\n${several('.env')}\nEOF`)],
  ['codex', inShell('apply_patch < secrets.patch')],
  ['codex', codex('PreToolUse', 'view_image', { path: '.env.png' })],
  ['copilot', copilot('preToolUse', 'apply_patch', { input: several('b.txt', '.env') })],
  ['copilot', copilot('preToolUse', 'view', { path: '.env' })],
  ['copilot', copilot('preToolUse', 'grep', { pattern: 'KEY', paths: ['src', '.env'] })],
  ['copilot', copilot('preToolUse', 'edit', { path: '.env', old_str: 'a', new_str: 'b' })],
  geminis('read_many_files', { include: ['README.md', '.env'] }),
  geminis('read_many_files', { include: ['**/*'] }),
  geminis('read_file', { file_path: '.env' }),
  geminis('replace', { file_path: '.env', old_string: 'a', new_string: 'b' }),
  geminis('grep_search', { pattern: 'KEY', dir_path: '.env.d' }),
  cursors('Write', { path: '.env', file_path: '.env', contents: 'x' }),
  cursors('Write', { path: '.env', file_path: 'notes.md', contents: 'x' }),
  cursors('Delete', { path: '.env' }),
  cursors('Read', { target_file: '.env' }),
  ['cursor', readFile('.env')],
  ['claude-code', claude('PreToolUse', 'Read', { file_path: '.env' })],
  ['claude-code', claude('PreToolUse', 'Grep', { pattern: 'KEY', path: '.', glob: '.env*' })],
  ['claude-code', claude('PreToolUse', 'NotebookEdit', { notebook_path: '.env.ipynb', new_source: '' })],
  // Outside of the folder.
  ...['/srv/app/.env', '../.env', '~/.env.local'].flatMap((file) => [
    ['claude-code', claude('PreToolUse', 'Read', { file_path: file })] as const,
    ['claude-code', claude('PreToolUse', 'Grep', { pattern: 'KEY', path: file })] as const,
    ['claude-code', claude('PreToolUse', 'Glob', { pattern: file })] as const,
    ['codex', codex('PreToolUse', 'apply_patch', { command: several(file) })] as const,
    ['codex', inShell(`apply_patch <<'EOF'\n${several(file)}\nEOF`)] as const,
    ['copilot', copilot('preToolUse', 'view', { path: file })] as const,
    ['copilot', copilot('preToolUse', 'grep', { pattern: 'KEY', paths: [file] })] as const,
    geminis('read_file', { file_path: file }),
    geminis('glob', { pattern: '*', dir_path: `${file}.d` }),
    cursors('Read', { path: file }),
    cursors('Delete', { path: file }),
  ]),
  ['cursor', readFile('/srv/.env')],
  ['cursor', readFile('/w2/.env')],
  ['claude-code', claude('PreToolUse', 'Glob', { pattern: '.env*', path: '/srv/app' })],
  ['claude-code', claude('PreToolUse', 'Grep', { pattern: 'KEY', path: '/srv/app', glob: '.env' })],
  geminis('grep_search', { pattern: 'KEY', include_pattern: '.env*' }),
  geminis('grep_search', { pattern: 'KEY', dir_path: '/srv', include_pattern: '**/.env' }),
  geminis('search_file_content', { pattern: 'KEY', include: '.env' }),
  geminis('grep_search', { pattern: 'KEY', include: 'src/**', include_pattern: '.env' }),
  geminis('grep_search', { pattern: 'KEY', include: '.env', include_pattern: 'src/**' }),
] as const)('%s does not touch secrets by %j', async (agent, call) => {
  const reason = 'Secrets are not for agents.';
  const denied = SPOKEN[agent]?.deny(reason) as Json;
  const { agent_message: _, ...toUser } = denied;
  expect([denied, toUser]).toContainEqual(await said(agent, call as readonly [string, Json]));
});

test.each([
  ['codex', codex('PreToolUse', 'apply_patch', { command: several('a.txt', 'b.txt') })],
  ['codex', inShell(`apply_patch <<'EOF'\n${several('a.txt', 'b.txt')}\nEOF`)],
  ['codex', inShell('rg apply_patch src')],
  ['copilot', copilot('preToolUse', 'apply_patch', { input: several('a.txt', 'b.txt') })],
  ['copilot', copilot('preToolUse', 'glob', { pattern: 'src/**/*.ts' })],
  geminis('read_many_files', { include: ['README.md', 'docs/a.md'] }),
  cursors('Write', { path: 'a.txt', file_path: 'a.txt', contents: 'x' }),
  cursors('Delete', { path: 'a.txt' }),
  ['claude-code', claude('PreToolUse', 'Grep', { pattern: 'KEY' })],
  ['claude-code', claude('PreToolUse', 'Grep', { pattern: 'KEY', path: '/srv/app', glob: '*.ts' })],
  ['claude-code', claude('PreToolUse', 'Glob', { pattern: '**/*' })],
  ['claude-code', claude('PreToolUse', 'Read', { file_path: '/srv/app/env.txt' })],
  geminis('grep_search', { pattern: 'KEY', include_pattern: 'src/**', include: '*.ts' }),
] as const)('%s does everything else: %j', async (agent, call) => {
  const answer = await said(agent, call as readonly [string, Json]);
  expect([undefined, { permission: 'allow' }]).toContainEqual(answer);
});

test('a patch of several files is formatted, all of them', async () => {
  const [a, b] = ['a.md', 'b.md'].map((name) => join(root, 'project', name)) as [string, string];
  for (const file of [a, b]) writeFileSync(file, 'hello  \n');
  const patched = codex('PostToolUse', 'apply_patch', { command: several('a.md', 'b.md', 'gone.md') });
  const told = 'Formatted, blanks at the ends of lines are gone: a.md, b.md.';
  expect(await said('codex', patched)).toEqual(claudesContext(told));
  expect([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')]).toEqual(['hello\n', 'hello\n']);
});

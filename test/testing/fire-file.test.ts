import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents.js';
import { expectFired, fireFile, payload } from '../../src/testing.js';
import '../../src/testing/vitest.js';

let project = '';
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-fire-file-')));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function put(path: string, content: unknown): string {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const guard = (command: string) => ({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
});
const PUSH = payload.preToolUse.bash('git push --force');

describe('fireFile', () => {
  test("Claude Code's settings: its rules, its project folder", async () => {
    const file = put('.claude/settings.json', guard('echo "not from $CLAUDE_PROJECT_DIR in $PWD" >&2; exit 2'));
    const fired = await fireFile(file, 'PreToolUse', PUSH);
    expectFired(fired).toDeny(`not from ${project} in ${project}`);
    expect(fired.record.handlers[0]?.source).toMatchObject({ file });
    expectFired(await fireFile(file, 'PreToolUse', payload.preToolUse.read())).toBeSkipped('matcher');
  });

  test("an agent's markdown file", async () => {
    const frontmatter =
      '---\nname: reviewer\ndescription: reviews\nhooks:\n  PreToolUse:\n    - hooks: [{type: command, command: "echo no >&2; exit 2"}]\n---\n';
    const file = put('agents/reviewer.md', frontmatter);
    const agent = { agent_id: 'a1', agent_type: 'reviewer' };
    const denied = await fireFile(file, 'PreToolUse', { ...PUSH, ...agent });
    expectFired(denied).toDeny('no');
    expectFired(await fireFile(file, 'PreToolUse', PUSH)).not.toDeny();
  });

  test("a plugin's hooks, and hooks of ours under the same name", async () => {
    const file = put('plugin/hooks/hooks.json', guard('echo "from $CLAUDE_PLUGIN_ROOT" >&2; exit 2'));
    expectFired(await fireFile(file, 'PreToolUse', PUSH)).toDeny(/^from$/);
    put('plugin/.claude-plugin/plugin.json', { name: 'p' });
    expectFired(await fireFile(file, 'PreToolUse', PUSH)).toDeny(`from ${project}/plugin`);
  });

  test('hooks of ours, and one read as another kind', async () => {
    const file = put('hooks.json', guard('echo no >&2; exit 2'));
    expectFired(await fireFile(file, 'PreToolUse', PUSH)).toDeny('no');
    const globbed = put('globs.json', {
      hooks: { PreToolUse: [{ matcher: 'Ba?h', hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] },
    });
    expectFired(await fireFile(globbed, 'PreToolUse', PUSH)).toDeny('no');
    // To Claude Code it is a regular expression, that Bash does not match.
    expectFired(await fireFile(globbed, 'PreToolUse', PUSH, { as: 'claude-code' })).toBeSkipped('matcher');
  });

  test('what is wrong with a file is an error that names it', async () => {
    await expect(fireFile(join(project, 'none.json'), 'PreToolUse')).rejects.toThrow('none.json');
    const wrong = put('.claude/settings.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'command' }] }] } });
    await expect(fireFile(wrong, 'PreToolUse')).rejects.toThrow(/settings\.json: hooks\.PreToolUse\[0\]\.hooks\[0\]/);
    await expect(fireFile(put('x.json', '{'), 'PreToolUse')).rejects.toThrow('x.json');
  });

  const DENY = 'grep -q force && { echo "not from $PWD" >&2; exit 2; } || true';
  const grouped = (event: string, matcher: string) => ({
    hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command: DENY }] }] },
  });
  const flat = (event: string, matcher: string) => ({
    version: 1,
    hooks: { [event]: [{ type: 'command', command: DENY, bash: DENY, matcher }] },
  });
  const OTHERS: [place: string, agent: string, content: unknown][] = [
    ['.codex/hooks.json', 'codex', grouped('PreToolUse', 'Bash')],
    ['.github/hooks/guard.json', 'copilot', flat('preToolUse', 'bash')],
    ['.github/copilot/settings.json', 'copilot', flat('preToolUse', 'bash')],
    ['.gemini/settings.json', 'gemini', grouped('BeforeTool', 'run_shell_command')],
    ['.cursor/hooks.json', 'cursor', flat('preToolUse', 'Shell')],
  ];

  test.each(OTHERS)(
    "%s is %s's by its place: its matchers, its payload, its project",
    async (place, agent, content) => {
      const file = put(place, content);
      const denied = await fireFile(file, 'PreToolUse', PUSH);
      expectFired(denied).toDeny(`not from ${project}`);
      expect(denied.record.handlers[0]?.source).toMatchObject({ kind: agent, file });
      expectFired(await fireFile(file, 'PreToolUse', payload.preToolUse.bash('ls'))).toStaySilent();
      expectFired(await fireFile(file, 'PreToolUse', payload.preToolUse.read())).toBeSkipped('matcher');
      const elsewhere = put(place.endsWith('settings.json') ? 'copy/settings.json' : 'copy/hooks.json', content);
      const given = { as: agent as 'codex', projectDir: project };
      expectFired(await fireFile(elsewhere, 'PreToolUse', PUSH, given)).toDeny(`not from ${project}`);
    },
  );

  test("another agent's own payload, and an event that only it has", async () => {
    const file = put('.gemini/settings.json', {
      hooks: {
        BeforeTool: [{ hooks: [{ type: 'command', command: 'cat >&2; exit 2' }] }],
        BeforeModel: [{ hooks: [{ type: 'command', command: 'echo "not now" >&2; exit 2' }] }],
      },
    });
    const call = {
      session_id: 's',
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'ls' },
    };
    const { event, input } = agentCodec('gemini').decode(JSON.stringify(call));
    expectFired(await fireFile(file, event, input)).toDeny(/"tool_name": ?"run_shell_command"/);
    const model = await fireFile(file, 'BeforeModel', { llm_request: {} });
    expect(model.decision.reason).toBe('not now');
    await expect(fireFile(file, 'BeforeModle')).rejects.toThrow('BeforeModel');
  });

  test("what is wrong with another agent's file is an error that names it", async () => {
    const file = put('.codex/hooks.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'ls' }] }] },
      other: 1,
    });
    await expect(fireFile(file, 'PreToolUse')).rejects.toThrow(/hooks\.json: .*other/);
    const late = put('.gemini/settings.json', {
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'ls', timeout: -1 }] }] },
    });
    await expect(fireFile(late, 'PreToolUse')).rejects.toThrow(/BeforeTool\[0\]\.hooks\[0\]\.timeout/);
    await expect(fireFile(late, 'PreToolUse', {}, { as: 'gemeni' as never })).rejects.toThrow('gemini');
  });

  test('a snapshot of a fire says why each hook ran or not, the same in every run and folder', async () => {
    const hook = { type: 'command', command: 'echo \'{"systemMessage": "seen"}\'' };
    const context = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"Be brief.","updatedInput":{"command":"ls -l"}}}'`;
    const file = put('.claude/settings.json', {
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [hook, { type: 'command', command: context }, { type: 'command', command: 'exit 3' }],
          },
          { matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'b' }] },
          { hooks: [{ type: 'command', command: 'c', if: 'Bash(git *)' }] },
          { matcher: 'B.*', hooks: [hook] },
        ],
      },
    });
    const fired = await fireFile(file, 'PreToolUse', payload.preToolUse.bash('ls'));
    expect(fired).toMatchInlineSnapshot(`
      PreToolUse:Bash  no opinion, input rewritten, 1 failed  in session
        echo '{"systemMessage": "seen"}'          command flag        none (asked again 1x)
        echo '{"hookSpecificOutput":{"hookEvent…  command flag        none
        exit 3                                    command flag        failed: exit_code: It exited with code 3. (asked again 1x)
        b                                         command flag        did not run: its matcher did not match (Edit|Write)
        c                                         command flag        did not run: its if rule did not match (Bash(git *))
        echo '{"systemMessage": "seen"}'          command flag        did not run: the same hook already ran
        input: {"command":"ls -l"}
        context: ["Be brief."]
        systemMessages: ["seen"]
    `);
    expect(String(await fireFile(file, 'PreToolUse', payload.preToolUse.bash('ls')))).toBe(String(fired));
  });
});

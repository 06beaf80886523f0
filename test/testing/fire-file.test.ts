import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectFired, fireFile, payload } from '../../src/testing.js';

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
});

import { expect, test } from 'vitest';
import { createPaint, createRunView } from '../../src/cli/run/view.js';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { addContext, allow, ask, block, deny, rewrite, stop } from '../../src/events/helpers.js';
import { LS } from '../plugins/folder.js';

/** The block a fire becomes. */
async function shown(event: string, input: object, hook: () => unknown, group: object = {}): Promise<string> {
  const host: Host = createHost({ logger: () => undefined });
  const view = createRunView({ paint: createPaint(false), describe: () => host.describe() });
  let last: FireRecord | undefined;
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') last = record;
  });
  host.register({ [event]: [{ name: 'h', ...group, hooks: [hook] }] });
  await host.fire(event as 'Stop', input as never);
  const text = view.fire(last as FireRecord, 1234);
  await host.close();
  return text;
}

const PROMPT = { prompt: 'x' };
const STOP = { stop_hook_active: false };
const PERMISSION = { tool_name: 'Bash', tool_input: { command: 'ls' } };
const AFTER = { ...LS, tool_response: {} };

test.each<[event: string, input: object, hook: () => unknown, head: RegExp, line: RegExp]>([
  ['PreToolUse', LS, () => deny('no'), /Bash ls {2}DENIED$/, /✗ h .* deny: no$/],
  ['PreToolUse', LS, () => allow(), /Bash ls {2}allow$/, /✓ h .* allow$/],
  ['PreToolUse', LS, () => ask('sure?'), /Bash ls {2}ask$/, /\? h .* ask: sure\?$/],
  ['PreToolUse', LS, () => undefined, /Bash ls$/, /· h .* no opinion$/],
  ['PreToolUse', LS, () => rewrite({ command: 'ls -a' }), /Bash ls$/, /✎ h .* rewrites: ls -a$/],
  ['PreToolUse', LS, () => stop('enough'), /DENIED and the agent's loop ends$/, /✗ h .* deny: enough$/],
  ['PreToolUse', LS, () => Promise.reject(new Error('boom')), /Bash ls$/, /! h .* failed: threw: .*boom$/],
  ['PostToolUse', AFTER, () => rewrite({ stdout: '' }), /Bash ls$/, /✎ h .* rewrites the output$/],
  ['PostToolUse', AFTER, () => block('look'), /BLOCKED$/, /✗ h .* block: look$/],
  ['PermissionRequest', PERMISSION, () => deny('never'), /DENIED$/, /✗ h .* deny: never$/],
  ['UserPromptSubmit', PROMPT, () => addContext('a\nb'), /UserPromptSubmit$/, /\+ h .* adds: a\\nb$/],
  ['UserPromptSubmit', PROMPT, () => ({ systemMessage: 'hi' }), /UserPromptSubmit$/, /\+ h .* adds: hi$/],
  ['Stop', STOP, () => block('test first'), /Stop {2}GOES ON$/, /✗ h .* block: test first$/],
  ['SessionStart', { source: 'resume' }, () => undefined, /SessionStart {2}resume$/, /· h /],
  [
    'SubagentStart',
    { agent_id: 'abcdefgh', agent_type: 'reviewer' },
    () => undefined,
    /reviewer abcdef {2}SubagentStart {2}its scope opens$/,
    /· h /,
  ],
  [
    'SessionStart',
    { source: 'startup' },
    () => ({ async: true, result: Promise.resolve() }),
    /startup$/,
    /… h .* goes on in the background$/,
  ],
])('%s %j', async (event, input, hook, head, line) => {
  const [first, second, ...more] = (await shown(event, input, hook)).split('\n');
  expect(first).toMatch(/^ \+1\.234s {2}/);
  expect(first).toMatch(head);
  expect(second).toMatch(line);
  expect(second).toContain(' everyone, code ');
  expect(more).toEqual([]);
});

test('why a hook ran: what it matches, and its rule', async () => {
  const text = await shown('PreToolUse', LS, () => undefined, { matcher: 'B*', if: 'Bash(ls *)' });
  expect(text).toContain('everyone, code, on B* if Bash(ls *)');
});

test('a failure that blocks is told so', async () => {
  const text = await shown('PreToolUse', LS, () => Promise.reject(new Error('x')), { onFailure: 'block' });
  expect(text).toMatch(/DENIED\n.*failed, which blocks: threw: /);
});

test('the bar is as wide as the terminal lets it be', () => {
  const view = createRunView({ paint: createPaint(false), describe: () => createHost().describe() });
  expect(view.bar(1, 2, 200)).toBe(`${'█'.repeat(20)}${'░'.repeat(20)} 1/2 events`);
  expect(view.bar(1, 2, 22)).toBe(`${'█'.repeat(5)}${'░'.repeat(5)} 1/2 events`);
  expect(view.bar(1, 2, 4)).toBe(' 1/2 events');
});

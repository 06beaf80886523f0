import { expect, test } from 'vitest';
import { createPaint, createRunView } from '../../src/cli/run/view.js';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { addContext, allow, ask, block, deny, rewrite, stop } from '../../src/events/output/helpers.js';
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
    /reviewer abcdefgh {2}SubagentStart$/,
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

test('who has which hooks: a line for each group of agents, safe for a terminal, of many the first twelve', () => {
  const host: Host = createHost({ logger: () => undefined });
  const hook = (name: string) => ({ name, handler: () => undefined });
  host.register({ Stop: [{ hooks: Array.from({ length: 14 }, (_, i) => hook(`h${i}`)) }] });
  host.registerScoped('a1', { PreToolUse: [{ matcher: 'Bash', hooks: [hook('bad\u001b[2J')] }] });
  host.spawnHooks('reviewer', () => ({}));
  const view = createRunView({ paint: createPaint(false), describe: () => host.describe() });
  const one = { name: 's.jsonl', notes: [], events: [{ place: 's.jsonl:1', at: 0, event: 'Stop', input: {} }] };
  expect(view.heading(one).split('\n')).toEqual([
    's.jsonl: 1 event of main',
    `  everyone        ${Array.from({ length: 12 }, (_, i) => `h${i}`).join(', ')} and 2 more`,
    '  agent a1        bad\\u{1b}[2J on Bash',
    '  every reviewer  what a function makes for each',
  ]);
});

test('hooks that did not run stand below those that did, by reason; alone they are not shown', async () => {
  const host: Host = createHost({ logger: () => undefined });
  const view = createRunView({ paint: createPaint(false), describe: () => host.describe() });
  const blocks: string[] = [];
  host.events$.subscribe((record) => void (record.type === 'hook_fire' && blocks.push(view.fire(record, 0))));
  const hook = (name: string) => ({ name, handler: () => undefined });
  const groups = [
    { matcher: 'Write', hooks: [hook('w1'), hook('w2')] },
    { if: 'Bash(rm *)', hooks: [hook('rm')] },
  ];
  host.register({ PreToolUse: groups });
  await host.fire('PreToolUse', LS as never);
  host.register({ PreToolUse: [{ hooks: [hook('all')] }] });
  await host.fire('PreToolUse', LS as never);
  const [without, block = ''] = blocks;
  expect(without?.split('\n')).toHaveLength(1);
  expect(block.split('\n').slice(2)).toEqual([
    '      - did not run, its matcher did not match: w1, w2',
    '      - did not run, its if rule did not match: rm',
  ]);
});

test('the bar is as wide as the terminal lets it be', () => {
  const view = createRunView({ paint: createPaint(false), describe: () => createHost().describe() });
  expect(view.bar(1, 2, 200)).toBe(`${'█'.repeat(20)}${'░'.repeat(20)} 1/2 events`);
  expect(view.bar(1, 2, 22)).toBe(`${'█'.repeat(5)}${'░'.repeat(5)} 1/2 events`);
  expect(view.bar(1, 2, 4)).toBe(' 1/2 events');
});

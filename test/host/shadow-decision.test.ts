import { describe, expect, test } from 'vitest';
import { headline } from '../../src/emit/reading/headline.js';
import {
  addContext,
  block,
  createHost,
  deny,
  type FireRecord,
  type HookRecord,
  type Hooks,
  rewrite,
  stop,
} from '../../src/index.js';
import { readRecord } from '../../src/store/read-record.js';
import { wouldBlock } from '../../src/why/meaning.js';
import { INPUTS } from './inputs.js';

function fails(): undefined {
  throw new Error('boom');
}

/** Its own records, of one hook that is not enforced. */
async function tried(event: keyof Hooks & keyof typeof INPUTS, group: object) {
  const records: HookRecord[] = [];
  const host = createHost({ logger: () => {} });
  host.events$.subscribe((record) => records.push(record));
  host.register({ [event]: [{ enforce: false, name: 'it', ...group }] } as Hooks);
  await host.fireAny(event, INPUTS[event]);
  await host.close();
  const fire = records.find((one): one is FireRecord => one.type === 'hook_fire' && one.shadow_of !== undefined);
  const response = records.find((one) => one.type === 'system' && one.subtype === 'hook_response');
  return { fire: fire as FireRecord, response: response as { readonly would?: string } };
}

type Row = readonly [
  event: 'PreToolUse' | 'PostToolUse' | 'Stop' | 'UserPromptSubmit',
  when: string,
  group: object,
  ...Said,
];
type Said = readonly [word: string, words: string, blocks: boolean];
const ROWS: readonly Row[] = [
  ['PreToolUse', 'denies', { hooks: [() => deny('no')] }, 'deny', 'deny', true],
  ['PreToolUse', 'stops', { hooks: [() => stop('halt')] }, 'deny', "deny, end the agent's loop", true],
  ['PreToolUse', 'fails, and blocks then', { onFailure: 'block', hooks: [fails] }, 'deny', 'deny', true],
  ['PreToolUse', 'fails', { hooks: [fails] }, 'none', 'say nothing', false],
  ['PreToolUse', 'rewrites', { hooks: [() => rewrite({ command: 'x' })] }, 'none', 'rewrite it', false],
  ['PreToolUse', 'adds context', { hooks: [() => addContext('c')] }, 'none', 'add context', false],
  [
    'PreToolUse',
    'tells the user',
    { hooks: [() => ({ systemMessage: 'm' })] },
    'none',
    'tell the user something',
    false,
  ],
  ['UserPromptSubmit', 'stops', { hooks: [() => stop('halt')] }, 'none', "end the agent's loop", true],
  ['PostToolUse', 'rewrites', { hooks: [() => rewrite('changed')] }, 'none', 'rewrite it', false],
  ['PostToolUse', 'blocks', { hooks: [() => block('no')] }, 'block', 'block', true],
  ['Stop', 'adds context, and goes on', { hooks: [() => addContext('more')] }, 'block', 'block, add context', true],
  ['PreToolUse', 'says nothing', { hooks: [() => undefined] }, 'none', 'say nothing', false],
  [
    'PreToolUse',
    'denies in the background',
    { hooks: [{ handler: async () => deny('late'), async: true }] },
    'none',
    'say nothing',
    false,
  ],
];

describe('what a hook that is not enforced would decide', () => {
  test.each(ROWS)(
    'on %s, when it %s, is the same in its record, its row, its response and in words',
    async (event, _, group, word, words, blocks) => {
      const { fire, response } = await tried(event, group);
      expect([fire.would, fire.handlers[0]?.would, response.would]).toEqual([word, word, word]);
      expect(headline(fire, (_style, text) => text)).toBe(`not enforced: it would ${words}`);
      expect(wouldBlock(fire)).toBe(blocks);
      expect(fire.decision).toMatchObject({ continue: true, failures: [] });
      expect(readRecord(JSON.parse(JSON.stringify(fire))).record).toMatchObject({
        would_decide: JSON.parse(JSON.stringify(fire.would_decide)),
      });
    },
  );
});

describe('a hook that is not enforced is asked about the input that was decided about', () => {
  const call = () => ({ tool_name: 'Bash', tool_input: { command: 'rm -r x' }, tool_use_id: 't1' });

  test.each([
    ['once it has the decision', true],
    ['at once', false],
  ])('though the caller changes its object %s', async (_, waits) => {
    const seen: unknown[] = [];
    const host = createHost({ logger: () => {} });
    const look = (input: { readonly tool_input: unknown }) => void seen.push(JSON.stringify(input.tool_input));
    host.register({ PreToolUse: [{ enforce: false, if: 'Bash(rm *)', hooks: [look] }] });
    const input = call();
    const fired = host.fire('PreToolUse', input);
    if (waits) await fired;
    input.tool_input.command = 'ls';
    await host.close();
    expect(seen).toEqual(['{"command":"rm -r x"}']);
  });

  test('a response, and what no copy can hold', async () => {
    const seen: unknown[] = [];
    const host = createHost({ logger: () => {} });
    const look = ({ tool_response }: { readonly tool_response: unknown }) =>
      void seen.push(String((tool_response as { out: unknown }).out));
    host.register({ PostToolUse: [{ enforce: false, hooks: [look] }] });
    const response = { out: 'SECRET' };
    await host.fire('PostToolUse', { ...call(), tool_response: response });
    response.out = '***';
    await host.fire('PostToolUse', { ...call(), tool_response: { out: 'kept', more: () => 1 } });
    await host.close();
    expect(seen).toEqual(['SECRET', 'kept']);
  });

  test('an input that none of them concerns is not even read', async () => {
    let reads = 0;
    const host = createHost({ logger: () => {} });
    host.register({ PreToolUse: [{ enforce: false, matcher: 'Edit', hooks: [() => undefined] }] });
    const tool_input = Object.defineProperty({}, 'command', { enumerable: true, get: () => String(++reads) });
    const input = { ...call(), tool_input };
    await host.fire('PreToolUse', input);
    const alone = reads;
    host.register({ PreToolUse: [{ enforce: false, matcher: 'Bash', hooks: [() => undefined] }] });
    reads = 0;
    await host.fire('PreToolUse', input);
    await host.close();
    expect(reads).toBeGreaterThan(alone);
  });
});

test('a list says that it does not decide, not that it never runs', () => {
  const host = createHost({ logger: () => {} });
  host.register({
    PreToolUse: [{ enforce: false, hooks: [() => undefined] }],
  });
  expect(String(host.describe())).toContain('does not decide: shadow');
  expect(String(host.describe())).not.toContain('never runs');
});

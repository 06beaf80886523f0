import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { addContext, allow, ask, block, combine, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import { INPUTS } from './inputs.js';
import { anyHooks, testHost, watch } from './kit.js';

/** Through a worker's port, as `postMessage` does it. */
function posted(value: unknown): unknown {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const message: unknown = receiveMessageOnPort(port2)?.message;
  port1.close();
  return message;
}

/** What a program may do to a helper's answer before it hands it back. */
const WAYS: Readonly<Record<string, (answer: object) => unknown>> = {
  'as it is': (answer) => answer,
  cloned: (answer) => structuredClone(answer),
  'as JSON': (answer) => JSON.parse(JSON.stringify(answer)),
  'from a worker': posted,
  'spread before context': (answer) => ({ ...answer, ...addContext('more') }),
  'spread behind context': (answer) => ({ ...addContext('more'), ...answer }),
  'spread before a rewrite': (answer) => ({ ...answer, ...rewrite({ command: 'ls' }) }),
  assigned: (answer) => Object.assign({}, addContext('more'), answer),
  'cloned and spread': (answer) => ({ ...structuredClone(answer), systemMessage: 'told' }),
  combined: (answer) => combine(answer as ReturnType<typeof deny>, addContext('more') as never),
  'combined with an output': (answer) => combine(answer as ReturnType<typeof deny>, { systemMessage: 'told' } as never),
};

describe.each(Object.entries(WAYS))("a helper's answer, %s", (_, way) => {
  test.each([
    ['PreToolUse', deny('no'), { verdict: 'deny', reason: 'no' }],
    ['PreToolUse', block('no'), { verdict: 'deny', reason: 'no' }],
    ['PreToolUse', ask('sure?'), { verdict: 'ask', reason: 'sure?' }],
    ['PreToolUse', stop('enough'), { verdict: 'deny', reason: 'enough', continue: false }],
    ['PermissionRequest', deny('no'), { verdict: 'deny', reason: 'no' }],
    ['UserPromptSubmit', block('no'), { blocked: true, reason: 'no' }],
    ['Stop', block('go on'), { continues: true, reason: expect.stringContaining('go on') }],
  ] as const)('on %s is heard', async (event, answer, expected) => {
    for (const watched of [false, true]) {
      const { host } = testHost();
      if (watched) watch(host);
      host.register(anyHooks({ [event]: [{ hooks: [() => way(answer)] }] }));
      expect(await host.fire(event, INPUTS[event] as never)).toMatchObject(expected);
    }
  });

  test('from outside the program is heard, too', async () => {
    const { host, reports } = testHost({ callTool: () => JSON.stringify(way(deny('no'))) });
    host.register({ PreToolUse: [{ hooks: [mcpTool('s', 't')] }] });
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
      verdict: 'deny',
      reason: 'no',
      failures: [],
    });
    expect(reports).toEqual([]);
  });
});

test('all that is spread into one answer counts; of two verdicts the last', async () => {
  const { host } = testHost();
  const both = () => ({ ...deny('no'), ...addContext('since'), ...rewrite({ command: 'ls' }) });
  host.on('PreToolUse', both);
  expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
    verdict: 'deny',
    additionalContext: ['since'],
    updatedInput: { command: 'ls' },
  });
  const { host: other } = testHost();
  other.on('PreToolUse', () => ({ ...allow(), ...deny('no') }));
  expect((await other.fire('PreToolUse', INPUTS.PreToolUse)).verdict).toBe('deny');
});

test.each([null, 5, 'deny', {}, { verdict: 'no' }, { verdict: 7 }, []])(
  'a verdict that is none, %j, is a failure and no silence',
  async (said) => {
    const { host } = testHost({ onFailure: 'block' });
    const answer = JSON.parse(JSON.stringify(deny('no')));
    for (const key of Object.keys(answer)) answer[key] = said;
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => answer] }] }));
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
      verdict: 'deny',
      failures: [{ cause: 'bad_schema' }],
    });
  },
);

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/events/catalogue.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, testHost, watch } from './kit.js';

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

describe('of several verdicts in one answer the strictest counts, with its own reason', () => {
  const WORDS = ['allow', 'ask', 'defer', 'deny'] as const;
  const HELPERS = { allow, ask, defer, deny };
  const verdict = fc.record({ word: fc.constantFrom(...WORDS), why: fc.constantFrom('one', 'two', undefined) });
  type Said = { readonly word: (typeof WORDS)[number]; readonly why: string | undefined };
  const helper = ({ word, why }: Said) => HELPERS[word](why as string);
  const strictest = (all: readonly Said[]): Said =>
    all.reduce((a, b) => (WORDS.indexOf(b.word) < WORDS.indexOf(a.word) ? a : b));

  async function decisionOn(event: HookEvent, answer: unknown) {
    const { host, reports } = testHost();
    host.register(anyHooks({ [event]: [{ hooks: [() => answer] }] }));
    const { verdict, blocked, reason, failures } = await fireAny(host, event, INPUTS[event]);
    expect([failures, reports]).toEqual([[], []]);
    return { verdict, blocked, reason };
  }

  test('combined', () =>
    fc.assert(
      fc.asyncProperty(fc.array(verdict, { minLength: 1, maxLength: 4 }), async (said) => {
        const { word, why } = strictest(said);
        const answer = combine(...(said.map(helper) as ReturnType<typeof deny>[]), addContext('more') as never);
        expect(await decisionOn('PreToolUse', answer)).toMatchObject({ verdict: word, reason: why });
      }),
      { numRuns: generated(100) },
    ));

  test('beside the words of the event', () =>
    fc.assert(
      fc.asyncProperty(verdict, verdict, async (one, other) => {
        const own = { permissionDecision: other.word, permissionDecisionReason: other.why };
        const { word, why } = strictest([one, other]);
        const answer = { ...helper(one), hookSpecificOutput: JSON.parse(JSON.stringify(own)) };
        const both = one.word === other.word ? { verdict: word } : { verdict: word, reason: why };
        expect(await decisionOn('PreToolUse', answer)).toMatchObject(both);
      }),
      { numRuns: generated(100) },
    ));

  test.each<[HookEvent, object, object]>([
    ['PreToolUse', combine(deny('no'), block('never')), { verdict: 'deny', reason: 'never' }],
    ['PreToolUse', { ...stop('enough'), continue: true }, { verdict: 'deny', reason: 'enough' }],
    ['PreToolUse', combine(deny('no'), null as never, undefined as never), { verdict: 'deny', reason: 'no' }],
    [
      'PermissionRequest',
      { ...deny('no'), hookSpecificOutput: { decision: { behavior: 'allow' } } },
      { verdict: 'deny', reason: 'no' },
    ],
    ['PermissionRequest', { ...allow(), hookSpecificOutput: { decision: { behavior: 'deny' } } }, { verdict: 'deny' }],
    ['UserPromptSubmit', { ...block('no'), decision: 'approve', reason: 'fine' }, { blocked: true, reason: 'no' }],
    ['UserPromptSubmit', { ...block('no'), reason: 'really' }, { blocked: true, reason: 'really' }],
    ['PreToolUse', { ...deny('no'), hookSpecificOutput: null }, { verdict: 'deny', reason: 'no' }],
    ['PostToolUse', combine(block('no'), block('never')), { blocked: true, reason: 'never' }],
  ])('on %s: %j', async (event, answer, expected) => {
    expect(await decisionOn(event, answer)).toMatchObject(expected);
  });

  test('a rewrite beside an allow of its event is kept', async () => {
    const { host } = testHost();
    const permissions = [{ type: 'setMode', mode: 'default', destination: 'session' }];
    const own = { decision: { behavior: 'allow', updatedPermissions: permissions } };
    host.register(
      anyHooks({ PermissionRequest: [{ hooks: [() => ({ ...rewrite({ a: 1 }), hookSpecificOutput: own })] }] }),
    );
    expect(await host.fire('PermissionRequest', INPUTS.PermissionRequest)).toMatchObject({
      verdict: 'allow',
      updatedInput: { a: 1 },
      updatedPermissions: permissions,
    });
  });

  test('one that is none is an error beside any other', async () => {
    const { host } = testHost({ onFailure: 'block' });
    const answer = { ...allow(), hookSpecificOutput: { permissionDecision: 'yes' } };
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => answer] }] }));
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
      verdict: 'deny',
      failures: [{ cause: 'bad_schema' }],
    });
  });
});

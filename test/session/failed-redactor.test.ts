import { describe, expect, test } from 'vitest';
import { rewrite } from '../../src/events/output/helpers.js';
import { http } from '../../src/handlers/http/spec.js';
import type { Session } from '../../src/session/types.js';
import { anyHooks } from '../host/kit.js';
import { opened } from './kit.js';

const SECRET = 'sk-live-4242';
const throws = (): never => {
  throw new Error('no');
};

const FAILING: Readonly<Record<string, object>> = {
  throws: { name: 'redact', hooks: [throws] },
  'is late': { name: 'redact', timeout: 0.02, hooks: [() => new Promise(() => undefined)] },
  'answers wrongly': { name: 'redact', hooks: [() => ({ hookSpecificOutput: 5 })] },
  'cannot be reached': { name: 'redact', hooks: [http('http://127.0.0.1:1/')] },
};

/** What a call's tool may do, and the event that is fired about it. */
const TOOLS: Readonly<Record<string, readonly [event: string, execute: () => unknown]>> = {
  returned: ['PostToolUse', () => ({ text: SECRET })],
  thrown: [
    'PostToolUseFailure',
    () => {
      throw new Error(SECRET);
    },
  ],
};

async function callOf(who: string, event: string, groups: readonly object[], execute: () => unknown) {
  const { host, session } = await opened();
  const agent: Session = who === 'an agent' ? await session.spawn({ agent_type: 'worker' }) : session;
  host.register(anyHooks({ [event]: groups }));
  const result = await agent.tool({ name: 'T', input: {}, execute });
  await host.close();
  return result;
}

describe.each(Object.entries(TOOLS))('what a tool has %s, where a hook', (_, [event, execute]) => {
  test.each(Object.keys(FAILING))('%s, is withheld if its failure blocks', async (how) => {
    for (const who of ['the session', 'an agent'])
      for (const onFailure of ['continue', 'ask', 'block']) {
        const group = { ...FAILING[how], onFailure };
        const said = { name: 'other', hooks: [() => ({ systemMessage: 'said' })] };
        const result = await callOf(who, event, [group, said], execute);
        const { after, decision: _pre, ...forModel } = result;
        const isWithheld = onFailure !== 'continue';
        expect(JSON.stringify(forModel).includes(SECRET)).toBe(!isWithheld);
        expect(result.content).toContain(
          isWithheld ? `What T gave was withheld: its ${event} hooks failed (redact).` : SECRET,
        );
        expect(result.content).toContain('said');
        expect(after?.failures).toMatchObject([{ name: 'redact', blocked: isWithheld }]);
      }
  });

  test.each<[string, object]>([
    ['only observes', { phase: 'observe' }],
    ['is not enforced', { enforce: false }],
    ['is about another tool', { matcher: 'Other' }],
    ['runs in the background', { hooks: [{ handler: throws, async: true }] }],
  ])('%s, is not', async (_, more) => {
    const group = { name: 'redact', onFailure: 'block', hooks: [throws], ...more };
    expect((await callOf('the session', event, [group], execute)).content).toContain(SECRET);
  });

  test('answers block, is not', async () => {
    const block = () => ({ decision: 'block', reason: 'look again' });
    const { content } = await callOf('the session', event, [{ onFailure: 'block', hooks: [block] }], execute);
    expect(content).toContain(SECRET);
    expect(content).toContain('look again');
  });
});

test('another hook’s rewrite does not show what the failed one was to hide', async () => {
  const shout = ({ tool_response }: { tool_response: unknown }) => rewrite({ loud: tool_response });
  const groups = [
    { name: 'a', onFailure: 'block', hooks: [throws] },
    { name: 'b', onFailure: 'block', hooks: [throws] },
    { hooks: [shout] },
  ];
  const { content, hidden, response } = await callOf('the session', 'PostToolUse', groups, () => SECRET);
  expect([content, hidden, response]).toEqual([
    expect.stringMatching(/^What T gave was withheld: its PostToolUse hooks failed \(a, b\)\./),
    true,
    undefined,
  ]);
});

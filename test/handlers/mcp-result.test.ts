import { describe, expect, test } from 'vitest';
import { type McpToolOptions, mcpTool } from '../../src/handlers/mcp/spec.js';
import { readToolResult } from '../../src/handlers/mcp/tool-result.js';
import { testHost } from '../host/kit.js';

const DENY = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
const text = (said: unknown) => ({ type: 'text', text: said });

/** One fire with one hook, whose tool answers that. */
async function ask(answer: unknown, options: McpToolOptions = {}) {
  const { host } = testHost({ callTool: () => answer as string });
  host.register({ PreToolUse: [{ hooks: [mcpTool('s', 't', {}, options)] }] });
  const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
  await host.close();
  return { decision, causes: decision.failures.map((f) => f.cause), message: decision.failures[0]?.message };
}

describe('the answer of a tool', () => {
  const throws = {
    get content(): never {
      throw new Error('BOOM');
    },
  };

  test.each([
    ['nothing in it', {}, 'content: is missing'],
    ['the form of an old protocol', { toolResult: DENY }, 'content: is missing'],
    ['content that is text', { content: JSON.stringify(DENY) }, 'content: expected an array, got "{'],
    ['content that is an object', { content: text('x') }, 'content: expected an array'],
    ['content that is null', { content: null }, 'content: expected an array, got null'],
    ['a part without a type', { content: [{ text: JSON.stringify(DENY) }] }, 'content[0]: expected { type'],
    ['a part that is text', { content: [text('{}'), 'x'] }, 'content[1]: expected'],
    ['a text that is none', { content: [text(5)] }, 'content[0]: expected'],
    ['isError in words', { content: [], isError: 'true' }, 'isError: expected true or false, got "true"'],
    ['isError as a number', { content: [text('{}')], isError: 1 }, 'isError: expected true or false, got 1'],
    [
      'structuredContent that is text',
      { content: [], structuredContent: '{}' },
      'structuredContent: expected an object',
    ],
    ['structuredContent that no JSON holds', { content: [], structuredContent: { n: 1n } }, 'cannot be read'],
    ['what throws on being read', throws, 'cannot be read: BOOM'],
    ['a number', 5, 'expected an object, got 5'],
    ['a list of texts', [JSON.stringify(DENY)], 'expected an object, got ['],
    ['null', null, 'expected an object, got null'],
  ])('with %s is a failure', async (_what, answer, words) => {
    const { decision, causes, message } = await ask(answer, { onFailure: 'block' });
    expect(causes).toEqual(['bad_schema']);
    expect(message).toContain('s/t answered no result of a tool');
    expect(message).toContain(words);
    expect(decision.verdict).toBe('deny');
    expect((await ask(answer)).causes).toEqual(['bad_schema']);
  });

  test.each([
    ['without texts', { content: [], structuredContent: DENY }],
    ['without content', { structuredContent: DENY }],
    ['beside an empty text', { content: [text(' ')], structuredContent: DENY }],
    ['beside a picture', { content: [{ type: 'image' }], structuredContent: DENY }],
  ])('as structuredContent %s is the output', async (_what, answer) => {
    expect((await ask(answer, { onFailure: 'block' })).decision).toMatchObject({ verdict: 'deny', failures: [] });
    expect((await ask(answer)).decision).toMatchObject({ verdict: 'deny', failures: [] });
  });

  test('as text goes before structuredContent', async () => {
    const answer = { content: [text('{"systemMessage":"text"}')], structuredContent: DENY };
    expect((await ask(answer)).decision).toMatchObject({ verdict: 'none', systemMessages: ['text'], failures: [] });
  });

  test.each([
    ['of no parts', { content: [] }],
    ['of an empty text', { content: [text('')] }],
    ['of an empty object', { content: [], structuredContent: {} }],
    ['with null for what it leaves out', { content: [], structuredContent: null, isError: null }],
  ])('%s is no opinion', async (_what, answer) => {
    expect((await ask(answer, { onFailure: 'block' })).decision).toMatchObject({ verdict: 'none', failures: [] });
  });

  test('that says it is an error is one, whatever comes with it', async () => {
    expect(readToolResult({ isError: true })).toEqual({ text: '', isError: true, other: false });
    const { causes, message } = await ask({ content: [text('no disk')], structuredContent: DENY, isError: true });
    expect([causes, message]).toEqual([['threw'], expect.stringContaining('no disk')]);
  });

  test('that is an object without a field of a hook is a failure where failures block', async () => {
    const answer = { content: [], structuredContent: { status: 'fine' } };
    expect((await ask(answer, { onFailure: 'block' })).causes).toEqual(['bad_schema']);
    expect((await ask(answer)).causes).toEqual([]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../../src/claude-code/control/client/prompt.js';
import { testHost } from '../../host/kit.js';
import { all, connect } from './kit.js';
import { isType, type Json } from './puppet.js';

/** More of them with HOOKSCOPE_GENERATED=N. */
const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 300);

const isUser = isType('user');
const result = (text: string): Json => ({ type: 'result', subtype: 'success', result: text });

/** A value of none of these types, as JSON has them. */
function not(...types: readonly string[]): fc.Arbitrary<unknown> {
  const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(undefined, null, true, 5, 'user', [], {}, [5], { type: 'text' }),
  );
  return values.filter((value) => !types.includes(typeOf(value)));
}

const otherThan = (word: string): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constantFrom('assistant', 'system', 'User', 'user ', ''), fc.jsonValue()).filter((v) => v !== word);
const message = (content: unknown): Json => ({ role: 'user', content });
const user = (inner: unknown, more: Json = {}): Json => ({ type: 'user', message: inner, ...more });
/** A content block that is wrong, among right ones. */
const wrongBlock = fc.oneof(
  not('object'),
  not('string').map((type) => ({ type })),
  not('string').map((text) => ({ type: 'text', text })),
  not('object').map((source) => ({ type: 'image', source })),
  not('object').map((source) => ({ type: 'document', source })),
  not('string').map((tool_use_id) => ({ type: 'tool_result', tool_use_id })),
);
const text = { type: 'text', text: 'hello' };

function cycle(depth: number): Json {
  const inner: Record<string, unknown> = {};
  let outer = inner;
  for (let i = 0; i < depth; i++) outer = { next: outer };
  inner['again'] = outer;
  return user(message([{ ...text, outer }]));
}

/** What can be no prompt, each one wrong in one place. */
const wrongPrompt: fc.Arbitrary<unknown> = fc.oneof(
  not('string', 'object'),
  fc.constant({ type: 'user' }),
  otherThan('user').map((type) => ({ ...user(message('x')), type })),
  not('object').map((inner) => user(inner)),
  otherThan('user').map((role) => user({ role, content: 'x' })),
  not('string', 'array').map((content) => user(message(content))),
  fc
    .tuple(wrongBlock, fc.nat(2), fc.nat(2))
    .map(([wrong, before, after]) => user(message([...Array(before).fill(text), wrong, ...Array(after).fill(text)]))),
  fc
    .tuple(fc.constantFrom('uuid', 'session_id', 'parent_tool_use_id'), not('string', 'null', 'undefined'))
    .map(([key, value]) => user(message('x'), { [key]: value })),
  fc.nat(5).map(cycle),
  fc.constantFrom<unknown>(
    user(message('x'), { count: 1n }),
    { ...user(message('x')), toJSON: () => 'a text' },
    { ...user(message('x')), toJSON: () => undefined },
    user(message(() => 'x')),
    user(message(Symbol('x'))),
    Object.defineProperty(user(message('x')), 'thrown', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    }),
    new Map([['type', 'user']]),
    new Date(),
    Promise.resolve('go'),
    () => 'go',
  ),
);

describe('a prompt that makes no sense', () => {
  it('is refused at once, nothing is sent, and the session lives on', async () => {
    const { client, claude } = await connect(testHost().host);
    fc.assert(
      fc.property(wrongPrompt, (prompt) => {
        expect(() => client.query(prompt as Prompt)).toThrow(
          expect.objectContaining({
            code: 'INVALID_OPTIONS',
            message: expect.stringMatching(/query\(prompt\).*expected /),
          }),
        );
      }),
      { numRuns: RUNS },
    );
    const asked = all(client.query('still there?'));
    expect(await claude.hear(isUser)).toMatchObject({ message: { content: [{ text: 'still there?' }] } });
    await claude.say(result('yes'));
    expect(await asked).toEqual([result('yes')]);
    expect(claude.heard.map((line) => JSON.parse(line)).filter(isUser)).toHaveLength(1);
  });

  it('among others of an iterable ends that query with the same error, in its turn', async () => {
    const { client, claude } = await connect(testHost().host);
    const wrongs = fc.sample(wrongPrompt, 5);
    for (const [i, wrong] of wrongs.entries()) {
      let closed = false;
      const prompts = async function* (): AsyncGenerator<Prompt> {
        try {
          yield `before ${i}`;
          yield wrong as Prompt;
        } finally {
          closed = true;
        }
      };
      const asked = expect(all(client.query(prompts()))).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
      await claude.hear(isUser);
      await claude.say(result(''));
      await asked;
      expect(closed).toBe(true);
    }
    const next = all(client.query('go'));
    await claude.hear(isUser);
    await claude.say(result('on'));
    expect(await next).toEqual([result('on')]);
  });

  it.each<[unknown, RegExp]>([
    [{ type: 'user' }, /message: expected an object, \{ role: "user", content \}, got undefined/],
    [user({ role: 'assistant', content: 'x' }), /message\.role: expected "user", got "assistant"/],
    [user(message(5)), /message\.content: expected a text, or an array of content blocks, got 5/],
    [user(message([text, { type: 'text' }])), /message\.content\[1\]\.text: expected a string, got undefined/],
    [cycle(1), /can be written as JSON, and this cannot/],
    [{ toJSON: () => [user(message('x'))] }, /got an object that is an array as JSON|got an object that is \[/],
    [{ toJSON: () => null }, /got an object that is null as JSON/],
    [{ toJSON: () => undefined }, /can be written as JSON, and this cannot|that is undefined/],
  ])('names the place: %#', async (prompt, words) => {
    const { client } = await connect(testHost().host);
    expect(() => client.query(prompt as Prompt)).toThrow(words);
  });
});

describe('a prompt that makes sense', () => {
  it('keeps the uuid that its caller gave it', async () => {
    const { client, claude } = await connect(testHost().host);
    const asked = all(client.query(user(message('x'), { uuid: 'mine' })));
    expect(await claude.hear(isUser)).toMatchObject({ uuid: 'mine' });
    await claude.say(result(''));
    await asked;
  });

  const block = fc.oneof(
    fc.string().map((said) => ({ type: 'text', text: said })),
    fc.constant({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }),
    fc.constant({ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }),
    // One that only tomorrow's client knows.
    fc.record({ type: fc.constant('hologram'), x: fc.jsonValue() }),
  );
  it('is sent as JSON has it, whatever else it holds', async () => {
    const { client, claude } = await connect(testHost().host);
    const right = fc.record({ content: fc.oneof(fc.string(), fc.array(block)), more: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(right, async ({ content, more }) => {
        const prompt = user(message(content), { more, parent_tool_use_id: null });
        const asked = all(client.query(prompt));
        const { uuid, ...sent } = await claude.hear(isUser);
        expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
        expect(sent).toEqual(JSON.parse(JSON.stringify(prompt)));
        await claude.say(result(''));
        await asked;
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });
});

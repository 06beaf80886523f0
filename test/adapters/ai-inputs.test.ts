import { asSchema, generateText, jsonSchema, type ModelMessage, type Schema, type ToolSet, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../src/adapters/ai.js';
import { deny, rewrite } from '../../src/index.js';
import type { Session } from '../../src/session/types.js';
import { on, opened } from '../session/kit.js';
import { prompt, scripted } from './ai-kit.js';

const go = (
  session: Session,
  model: ReturnType<typeof scripted>,
  options: Parameters<typeof drive<ToolSet, never>>[1],
) => drive(session, options, (round) => generateText({ model, ...round }));

class Money {
  constructor(readonly cents: number) {}
}

const text = z.string();
/** Node 24.22 clones no URL, and the SDK clones what a tool is called with, whether or not there are hooks. */
const clonesUrl = (): boolean => {
  try {
    structuredClone(new URL('http://a.b'));
    return true;
  } catch {
    return false;
  }
};
const ALL = [
  ['a Date', text.transform((s) => new Date(s)), '2020-01-01', '2020-01-01T00:00:00.000Z'],
  ['a URL', text.transform((s) => new URL(s)), 'http://a.b/c', 'http://a.b/c'],
  ['a Set', z.array(text).transform((s) => new Set(s)), ['x'], ['x']],
  ['a RegExp', text.transform((s) => new RegExp(s)), 'a+', 'a+'],
  ['a BigInt', text.transform((s) => BigInt(s)), '12', '12'],
  ['an instance of a class', z.number().transform((n) => new Money(n)), 5, { cents: 5 }],
] as const;
const KINDS = ALL.filter(([what]) => what !== 'a URL' || clonesUrl());

/** A tool whose schema makes something of what the model wrote. */
function parser(schema: z.ZodType, more: object = {}) {
  const got: unknown[] = [];
  const parsed: unknown[] = [];
  const inputSchema = z.object({ it: schema }).transform((value) => {
    parsed.push(value);
    return value;
  });
  const execute = (input: unknown) => {
    got.push(input);
    return 'ran';
  };
  return { got, parsed, tools: { use: tool({ inputSchema, execute, ...more } as never) } as ToolSet };
}

test.each(KINDS)('a tool whose schema makes %s gets what the SDK has parsed', async (_, schema, written, seen) => {
  const { host, session, seen: events } = await opened();
  const { got, parsed, tools } = parser(schema);
  const model = scripted({ use: { it: written } }, 'Done.');
  expect(await go(session, model, { prompt: 'Go', tools })).toMatchObject({ status: 'done', text: 'Done.' });
  expect(got).toHaveLength(1);
  expect(got[0]).toBe(parsed[0]);
  expect(JSON.stringify(prompt(model, 1).outputs)).toContain('ran');
  const inputs = events.flatMap(({ input }) => (input['tool_input'] === undefined ? [] : [input['tool_input']]));
  expect(inputs).toEqual([{ it: seen }, { it: seen }]);
  await host.close();
});

test.each(KINDS)(
  'and what that schema makes of an input that a hook rewrites: %s',
  async (_, schema, written, seen) => {
    // What the form of an instance is, its schema does not take again.
    if (typeof seen === 'object' && 'cents' in seen) return;
    const { host, session } = await opened();
    const other = JSON.parse(JSON.stringify(seen).replace('2020', '2021').replace('b/c', 'c/d').replace('x', 'y'));
    on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { it: other } } }));
    const { got, tools } = parser(schema);
    await go(session, scripted({ use: { it: written } }, 'Done.'), { prompt: 'Go', tools });
    expect(got).toEqual([{ it: schema.parse(other) }]);
  },
);

const UNEQUAL = ['a URL', 'a Set', 'a RegExp', 'an instance of a class'];

test.each(KINDS)('approved by the user it runs so: %s', async (what, schema, written) => {
  for (const onAsk of [undefined, () => undefined])
    for (const yes of [true, false]) {
      const { session, seen } = await opened();
      const { got, parsed, tools } = parser(schema, { needsApproval: true });
      const model = scripted({ use: { it: written } }, 'Done.');
      const first = await go(session, model, { prompt: 'Go', tools, onAsk });
      expect(first.status).toBe('unfinished');
      const parts = first.messages.flatMap(({ role, content }) =>
        role === 'assistant' && typeof content !== 'string' ? content : [],
      );
      const content = parts.flatMap((part) =>
        part.type === 'tool-approval-request'
          ? [{ type: 'tool-approval-response' as const, approvalId: part.approvalId, approved: yes }]
          : [],
      );
      const messages: ModelMessage[] = [...first.messages, { role: 'tool', content }];
      expect(await go(session, model, { messages, tools, onAsk })).toMatchObject({ status: 'done' });
      const outputs = JSON.stringify(prompt(model, 1).outputs);
      // What the SDK does not find equal again it refuses by itself.
      const isUnequal = outputs.includes('does not match the validated schema output');
      if (isUnequal) expect(UNEQUAL).toContain(what);
      const runs = yes && !isUnequal;
      expect(got).toEqual(runs ? [parsed[0]] : []);
      expect(seen.some(({ event }) => event === 'PostToolUse')).toBe(runs);
    }
});

test.each([false, true])(
  'an input of which nothing can be told to hooks is refused with words for the model (needsApproval: %s)',
  async (needsApproval) => {
    const { session } = await opened();
    const ran: unknown[] = [];
    const inputSchema = z.object({ n: z.string() }).transform(({ n }) => BigInt(n));
    const execute = (n: bigint) => void ran.push(n);
    const tools = { use: tool({ inputSchema, execute, needsApproval } as never) } as ToolSet;
    const model = scripted({ use: { n: '1' } }, 'Then not.');
    expect(await go(session, model, { prompt: 'Go', tools })).toMatchObject({ status: 'done', text: 'Then not.' });
    expect(ran).toEqual([]);
    expect(JSON.stringify(prompt(model, 1).outputs)).toContain('No hook could judge the input of use: ');
  },
);

const ONE = z.object({ s: z.string(), n: z.number().default(1) });
const isText = ({ s }: { s: unknown }) =>
  typeof s === 'string'
    ? { success: true as const, value: { s } }
    : { success: false as const, error: new Error('no') };

test.each<[string, unknown, (schema: never) => unknown]>([
  ['parse', ONE, (schema: typeof ONE) => schema.parse({ s: 'mended' })],
  ['shape', ONE, (schema: typeof ONE) => ({ [Object.keys(schema.shape)[0] ?? '']: 'mended' })],
  [
    'toJSONSchema',
    ONE,
    (schema: typeof ONE) => ({ [Object.keys(z.toJSONSchema(schema).properties ?? {})[0] ?? '']: 'mended' }),
  ],
  ['instanceof', ONE, (schema: typeof ONE) => ({ s: schema instanceof z.ZodType ? 'mended' : 'none' })],
  [
    'asSchema',
    ONE,
    async (schema: typeof ONE) => {
      const read = await asSchema(schema).validate?.({ s: 'mended' });
      return read?.success === true ? read.value : undefined;
    },
  ],
  [
    'jsonSchema',
    jsonSchema({ type: 'object', properties: { s: {} } }, { validate: (value) => isText(value as { s: unknown }) }),
    (schema: Schema) => ({
      [Object.keys((schema.jsonSchema as { properties: object }).properties)[0] ?? '']: 'mended',
    }),
  ],
] as never)('a function that repairs calls reads the schema of the tool: %s', async (_, inputSchema, mend) => {
  const { session } = await opened();
  const ran: unknown[] = [];
  const tools = { use: tool({ inputSchema, execute: ({ s }: { s: string }) => void ran.push(s) } as never) } as ToolSet;
  const model = scripted({ use: { s: 5 } }, 'Done.');
  const repair = async ({ toolCall, tools: given }: { toolCall: object; tools: ToolSet }) => ({
    ...toolCall,
    input: JSON.stringify(await mend(given['use']?.inputSchema as never)),
  });
  const repairs = { experimental_repairToolCall: repair, repairToolCall: repair } as object;
  const turn = await drive(session, { prompt: 'Go', tools }, (round) => generateText({ model, ...round, ...repairs }));
  expect(turn).toMatchObject({ status: 'done', text: 'Done.' });
  expect(JSON.stringify(prompt(model, 1).outputs)).not.toContain('rror');
  expect(ran).toEqual(['mended']);
});

test.each([
  [
    'a schema that reads itself',
    Object.assign(jsonSchema({ type: 'object' }), {
      allowed: ['q'],
      validate(this: { allowed: string[] }, value: { s: string }) {
        return this.allowed.includes(value.s)
          ? { success: true, value }
          : { success: false, error: new Error('not allowed') };
      },
    }),
  ],
  ['a function that returns a schema', () => jsonSchema({ type: 'object' }, { validate: (v) => isText(v as never) })],
  ['a function that returns a schema of zod', () => z.object({ s: z.string() })],
])('%s', async (_, inputSchema) => {
  const { session } = await opened();
  const ran: unknown[] = [];
  const tools = { use: tool({ inputSchema, execute: (input: unknown) => void ran.push(input) } as never) } as ToolSet;
  await go(session, scripted({ use: { s: 'q' } }, 'Done.'), { prompt: 'Go', tools });
  expect(ran).toEqual([{ s: 'q' }]);
});

test('calls with one id whose inputs only seem equal run with their own, and each is judged by its own', async () => {
  class Hidden {
    readonly #s: string;
    constructor(s: string) {
      this.#s = s;
    }
    toJSON(): string {
      return this.#s;
    }
  }
  for (const denied of ['a', 'b', undefined]) {
    const { host, session } = await opened();
    on(host, 'PreToolUse', (input: { tool_input: { s: string } }) =>
      input.tool_input.s === denied ? deny('no') : undefined,
    );
    const ran: string[] = [];
    const inputSchema = z.object({ s: z.string().transform((s) => new Hidden(s)) });
    const tools = { use: tool({ inputSchema, execute: ({ s }) => void ran.push(s.toJSON()) }) } as ToolSet;
    await go(session, scripted({ 'use@x': { s: 'a' }, 'use#2@x': { s: 'b' } }, 'Done.'), { prompt: 'Go', tools });
    expect(ran.sort()).toEqual(['a', 'b'].filter((one) => one !== denied));
  }
});

test.each<[string, unknown]>([
  ['a schema', z.object({ s: z.string() })],
  ['a function that returns one', () => z.object({ s: z.string() })],
])('an input that hooks have rewritten is checked by %s', async (_, inputSchema) => {
  const { host, session } = await opened();
  on(host, 'PreToolUse', () => rewrite({ s: 7 }));
  const ran: unknown[] = [];
  const tools = { use: tool({ inputSchema, execute: (input: unknown) => void ran.push(input) } as never) } as ToolSet;
  await go(session, scripted({ use: { s: 'q' } }, 'Done.'), { prompt: 'Go', tools });
  expect(ran).toEqual([]);
});

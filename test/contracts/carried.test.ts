import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import { CATALOGUE } from '../../src/events/catalogue.js';
import type { HostOptions } from '../../src/host/options.js';
import { type HookServer, hookServer } from '../handlers/hook-server.js';
import { INPUTS } from '../host/inputs.js';
import { anyHooks, fires, only, testHost, watch } from '../host/kit.js';
import { generated } from '../seed.js';

const RUNS = generated(30);
const oops = (): never => {
  throw new Error('looked at');
};

const deep = (levels: number): unknown => {
  let value: unknown = 'bottom';
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? { a: value } : [value];
  return value;
};
const cyclic = (): unknown => {
  const value: Record<string, unknown> = { a: [] };
  (value['a'] as unknown[]).push(value);
  return value;
};
const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
/** Doubles with every level: written out it would fill the memory. */
const shared = (): unknown => {
  let value: unknown = 'leaf';
  for (let i = 0; i < 60; i++) value = [value, value];
  return value;
};

const ENDLESS = 'a list of nothing that goes on';
/** What nobody can carry anywhere. */
const BAD: Readonly<Record<string, () => unknown>> = {
  'nested 1,500 deep': () => deep(1_500),
  'nested 6,000 deep': () => deep(6_000),
  'nested 200,000 deep': () => deep(200_000),
  'larger than there is room for': () => 'x'.repeat(60_000),
  'wider than there is room for': () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1])),
  'what doubles with every level': shared,
  [ENDLESS]: () => Array(2 ** 32 - 1),
  'a cycle': cyclic,
  'a bigint': () => 7n,
  'a function': () => oops,
  'a symbol': () => Symbol('s'),
  'not a number': () => Number.NaN,
  infinite: () => Number.POSITIVE_INFINITY,
  'a map': () => new Map([[1, 2]]),
  'a getter that throws': () => Object.defineProperty({}, 'x', { enumerable: true, get: oops }),
  'a toJSON that throws': () => ({ toJSON: oops }),
  'a revoked proxy': revoked,
  'a proxy that throws': () => new Proxy({}, { ownKeys: oops }),
};
/** What is strange, and can be. */
const GOOD: Readonly<Record<string, () => unknown>> = {
  'nested 900 deep': () => deep(900),
  'lone surrogates': () => '\ud800 \udc00',
  'a hole in a list': () => Object.assign([], { 3: 'x' }),
  'symbols as keys': () => ({ [Symbol('k')]: 1, a: 1 }),
  'minus zero': () => -0,
  'no prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'a key named __proto__': () => JSON.parse('{"__proto__":{"a":1}}'),
  'a date': () => new Date(0),
  'a frozen list': () => Object.freeze([1, [2]]),
};

/** A shape somewhere in an input: the value itself, or below some keys of plain data. */
const around = fc.array(fc.constantFrom('a', 'file_path', 'list', '__proto__x', ''), { maxLength: 4 });
const place = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduceRight<unknown>((inside, key) => (key === 'list' ? [1, inside] : { beside: 1, [key]: inside }), value);

/** The field of an event that is anybody's own. */
const FIELDS: Partial<Record<HookEvent, readonly string[]>> = {
  PreToolUse: ['tool_input', 'extra'],
  PermissionRequest: ['tool_input'],
  PostToolUse: ['tool_response', 'tool_input'],
  PostToolUseFailure: ['tool_input'],
  PermissionDenied: ['tool_input'],
  UserPromptSubmit: ['extra'],
  Stop: ['background_tasks', 'extra'],
  SubagentStop: ['extra'],
  Notification: ['extra'],
  SessionEnd: ['extra'],
  PreCompact: ['extra'],
};
const places = Object.entries(FIELDS).flatMap(([event, fields]) =>
  fields.map((field) => [event as HookEvent, field] as const),
);

let server: HookServer;
beforeAll(async () => {
  server = await hookServer({ '/': { body: {} } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Guards outside this process, of every kind. */
const kinds = ['http', 'mcp_tool', 'prompt'] as const;
const guard = (kind: (typeof kinds)[number]): object => {
  if (kind === 'http') return { type: 'http', url: server.url('/') };
  if (kind === 'mcp_tool') return { type: 'mcp_tool', server: 's', tool: 't' };
  return { type: 'prompt', prompt: 'x' };
};

async function fireWith(
  event: HookEvent,
  input: Record<string, unknown>,
  kind: (typeof kinds)[number],
  watched: boolean,
) {
  const asked: unknown[] = [];
  const outside: HostOptions = {
    callTool: (_s, _t, given) => {
      asked.push(given);
      return '{}';
    },
    model: ({ input: given }) => {
      asked.push(given);
      return { ok: true };
    },
  };
  const { host } = testHost({ maxInputBytes: 50_000, ...outside });
  const seen = watched ? watch(host) : [];
  const usable = (CATALOGUE[event].types as readonly string[]).includes(kind) ? kind : 'http';
  host.register(anyHooks({ [event]: [{ hooks: [guard(usable)] }] }));
  const before = server.asked.length;
  const end = await host.fireAny(event, input).then(
    (decision) => ({ decision }),
    (error: { code?: string }) => ({ code: error.code }),
  );
  await host.close();
  return {
    end,
    asked: asked.length + server.asked.length - before,
    sent: server.asked.slice(before).map(({ body }) => body),
    seen,
  };
}

const way = fc.record({
  at: fc.constantFrom(...places),
  keys: around,
  kind: fc.constantFrom(...kinds),
  watched: fc.boolean(),
});

/** A list that is itself the field. */
const everywhere = places.map((at): [typeof way extends fc.Arbitrary<infer W> ? W : never, string] => [
  { at, keys: [], kind: 'http', watched: true },
  ENDLESS,
]);

test('an input that cannot be carried is refused before the fact, and withheld after it; a record says so', async () => {
  await fc.assert(
    fc.asyncProperty(
      way,
      fc.constantFrom(...Object.keys(BAD)),
      async ({ at: [event, field], keys, kind, watched }, bad) => {
        const whole = Array.isArray(INPUTS[event][field as never]) || field === 'background_tasks';
        const value = place((BAD[bad] as () => unknown)(), keys);
        const input = { ...INPUTS[event], [field]: whole ? [value] : value };
        const { end, asked, sent, seen } = await fireWith(event, input, kind, watched);
        if (CATALOGUE[event].afterTheFact) {
          expect(end).toHaveProperty('decision');
          expect(asked).toBe(1);
          for (const body of sent) expect(body).toContain('withheld');
          const { updatedOutput } = (end as { decision: { updatedOutput?: unknown } }).decision;
          if (field === 'tool_response') expect(updatedOutput).toMatch(/^\[tool_response was withheld/);
          else expect(updatedOutput).toBeUndefined();
        } else {
          expect(end).toEqual({ code: 'INVALID_INPUT' });
          expect(asked).toBe(0);
        }
        if (!watched) return;
        const record = only(fires(seen));
        expect(() => hookRecord.parse(JSON.parse(JSON.stringify(record)))).not.toThrow();
        if (!CATALOGUE[event].afterTheFact) expect(record.error).toBe('INVALID_INPUT');
        if (!/room for|a number|infinite|a map/.test(bad))
          expect(record.truncated?.join()).toMatch(new RegExp(`^input\\.${field}`));
      },
    ),
    { numRuns: RUNS, examples: everywhere },
  );
}, 600_000);

test('what is strange and JSON data all the same is carried', async () => {
  await fc.assert(
    fc.asyncProperty(
      way,
      fc.constantFrom(...Object.keys(GOOD)),
      async ({ at: [event, field], keys, kind, watched }, good) => {
        const value = place((GOOD[good] as () => unknown)(), keys);
        const input = { ...INPUTS[event], [field]: field === 'background_tasks' ? [value] : value };
        const { end, asked, sent, seen } = await fireWith(event, input, kind, watched);
        expect(end).toHaveProperty('decision');
        expect(asked).toBe(1);
        for (const body of sent) expect(body).not.toContain('withheld');
        if (watched) expect(only(fires(seen)).truncated).toBeUndefined();
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);

test('where nothing is to be carried, nothing is refused', async () => {
  for (const [name, make] of Object.entries(BAD)) {
    const { host } = testHost({ maxInputBytes: 100 });
    host.register({ PreToolUse: [{ hooks: [() => undefined] }] });
    const decision = await host.fire('PreToolUse', { ...INPUTS.PreToolUse, tool_input: { value: make() } });
    expect(decision.verdict, name).toBe('none');
  }
});

test('a record with hardly any room keeps what its schema needs and what was decided, and names all that it lost', async () => {
  for (let maxInputBytes = 1; maxInputBytes < 6_000; maxInputBytes += maxInputBytes < 1_200 ? 13 : 101) {
    const { host } = testHost({ maxInputBytes, logger: () => undefined });
    const seen = watch(host);
    const rewrites = (command: string) => ({ hookSpecificOutput: { updatedInput: { command } } });
    host.register(
      anyHooks({
        PreToolUse: [
          {
            name: 'throws',
            onFailure: 'block',
            hooks: [
              () => {
                throw new Error('no '.repeat(40));
              },
            ],
          },
          { mode: 'parallel', hooks: [() => rewrites('a'), () => rewrites('b')] },
          { name: 'warned', hooks: [() => ({ unknown: 1, other: 'x'.repeat(50) })] },
          {
            name: 'denies',
            hooks: [
              () => ({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'because' } }),
            ],
          },
          { name: 'other', matcher: 'Write', hooks: Array.from({ length: 5 }, () => () => undefined) },
        ],
      }),
    );
    const input = {
      ...INPUTS.PreToolUse,
      tool_input: { command: 'ls', list: ['a', 'b', 'c'], last: 1 },
      zzz: ['a', 'b', 'c'],
    };
    const decision = await host.fire('PreToolUse', input);
    expect(decision.verdict).toBe('deny');
    const record = JSON.parse(JSON.stringify(only(fires(seen))));
    expect(() => hookRecord.parse(record), `${maxInputBytes}`).not.toThrow();
    expect(record.decision, `${maxInputBytes}`).toMatchObject({ event: 'PreToolUse', verdict: 'deny', continue: true });
    const lost: string[] = record.truncated ?? [];
    const names = (place: string): boolean =>
      lost.some((name) => {
        const stem = name.replace(/\.?…$/, '');
        return (
          name === '…' ||
          name === place ||
          place.startsWith(`${stem}.`) ||
          (name.endsWith('…') && place.startsWith(stem))
        );
      });
    const rows = record.handlers.length;
    if (rows < 10) expect(lost, `${maxInputBytes}`).toContain(`handlers.${rows}…`);
    // Whatever the record lacks is below a place that is named.
    for (const place of missing({ input, decision: JSON.parse(JSON.stringify({ ...decision })) }, record, []))
      expect(names(place), `${maxInputBytes}: ${place} of ${lost.join()}`).toBe(true);
    for (const [i, { failure, status }] of record.handlers.entries()) {
      if (status !== 'failed') continue;
      expect(failure.cause).toBe('threw');
      if (failure.message === '') expect(lost).toContain(`handlers.${i}.failure`);
    }
  }
});

/** Places of what there should be and is not. */
function missing(whole: unknown, copy: unknown, at: readonly string[]): string[] {
  if (typeof whole !== 'object' || whole === null) return copy === whole ? [] : [at.join('.')];
  if (typeof copy !== 'object' || copy === null) return [at.join('.')];
  return Object.entries(whole).flatMap(([key, value]) =>
    missing(value, (copy as Record<string, unknown>)[key], [...at, key]),
  );
}

test('an input whose own fields cannot be read is refused, and leaves a record', async () => {
  for (const key of ['session_id', 'tool_name', 'agent_id', 'cwd']) {
    for (const watched of [true, false]) {
      const { host } = testHost();
      const seen = watched ? watch(host) : [];
      host.register({ PreToolUse: [{ matcher: 'Bash', hooks: [() => undefined] }] });
      const input = Object.defineProperty({ ...INPUTS.PreToolUse }, key, { enumerable: true, get: oops });
      await expect(host.fire('PreToolUse', input)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      if (watched) expect(only(fires(seen))).toMatchObject({ error: 'INVALID_INPUT', event: 'PreToolUse' });
    }
  }
});

test('a session withholds from the model what a tool answered and nobody can carry, and goes on', async () => {
  for (const hooked of [true, false]) {
    for (const bad of [
      'nested 6,000 deep',
      'larger than there is room for',
      'a cycle',
      'a bigint',
      'a toJSON that throws',
      'a revoked proxy',
    ]) {
      const { host } = testHost({ maxInputBytes: 50_000 });
      if (hooked) host.register(anyHooks({ PostToolUse: [{ hooks: [guard('http')] }] }));
      const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
      const execute = async (): Promise<unknown> => ({ value: (BAD[bad] as () => unknown)() });
      const result = await session.tool({ name: 'Read', input: {}, execute });
      expect(result, bad).toMatchObject({ status: 'ran', isError: false, endsLoop: false });
      expect(result.content, bad).toMatch(/^\[.* was withheld because it cannot be serialised: [^\n]+\]$/);
      await session.close();
    }
  }
});

test('a list that a tool answered is looked at without a hang and without an error, also where a hook put something in its place', async () => {
  for (const bad of [ENDLESS, 'a revoked proxy', 'a proxy that throws', 'a cycle']) {
    for (const rewritten of [true, false]) {
      const { host } = testHost({ maxInputBytes: 50_000 });
      const hookSpecificOutput = { hookEventName: 'PostToolUse', updatedToolOutput: 'in its place' } as const;
      if (rewritten) host.register({ PostToolUse: [{ hooks: [() => ({ hookSpecificOutput })] }] });
      const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
      const given = (BAD[bad] as () => unknown)();
      const value = bad === ENDLESS ? given : [given];
      const call = { name: 'mcp__s__t', input: {}, execute: async () => value, render: () => value as string };
      const { status, content } = await session.tool(call);
      expect(status, bad).toBe('ran');
      if (rewritten) expect(content).toBe('in its place');
      else expect(content, bad).toMatch(/^\[.* was withheld/);
      await session.close();
    }
  }
});

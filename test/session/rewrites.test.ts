import { describe, expect, test } from 'vitest';
import { deny, rewrite } from '../../src/events/output/helpers.js';
import type { SessionOptions } from '../../src/session/options.js';
import { names, on, opened } from './kit.js';

const FIRST = { path: 'a' };
const SECOND = { path: 'b' };
type Path = { path: string };
type ToolInput = { tool_input: Path };

interface Rewriter {
  readonly options?: SessionOptions;
  readonly hooks?: Record<string, (input: ToolInput) => unknown>;
  /** Events of a call that is rewritten and runs. */
  readonly events: readonly string[];
}

const ask = { hookSpecificOutput: { permissionDecision: 'ask' } };
const PRE = 'PreToolUse';
const once =
  <T>(value: T) =>
  (input: unknown): T | undefined =>
    (input as Path).path === 'a' ? value : undefined;

/** Everybody who may put another input in the place of the model's. */
const REWRITERS: Record<string, Rewriter> = {
  'a PreToolUse hook': {
    hooks: { PreToolUse: ({ tool_input }) => once(rewrite(SECOND))(tool_input) },
    events: [PRE, 'PostToolUse'],
  },
  'the rules': {
    options: { permission: once({ behavior: 'allow' as const, updatedInput: SECOND }) },
    events: [PRE, PRE, 'PermissionRequest', 'PostToolUse'],
  },
  'a PermissionRequest hook': {
    options: { permission: () => ({ behavior: 'ask' }) },
    hooks: { PermissionRequest: ({ tool_input }) => once(rewrite(SECOND))(tool_input) },
    events: [PRE, 'PermissionRequest', PRE, 'PostToolUse'],
  },
  'the person': {
    options: { permission: () => ({ behavior: 'ask' }), ask: () => ({ behavior: 'allow', updatedInput: SECOND }) },
    events: [PRE, 'PermissionRequest', PRE, 'PostToolUse'],
  },
};

async function start({ options = {}, hooks = {} }: Rewriter, more: Rewriter['hooks'] = {}) {
  const all = await opened({ ask: () => ({ behavior: 'allow' }), permission: undefined, ...options });
  for (const [event, hook] of [...Object.entries(hooks), ...Object.entries(more ?? {})])
    on(all.host, event as 'Stop', hook);
  const ran: unknown[] = [];
  const run = () => all.session.tool({ name: 'T', input: FIRST, execute: (input) => ran.push(input) });
  return { ...all, run, ran };
}

describe.each(Object.entries(REWRITERS))('an input that %s rewrote', (_, rewriter) => {
  const isHook = rewriter.hooks?.['PreToolUse'] !== undefined;

  test('is what runs, after everybody has judged it', async () => {
    const { run, ran, seen } = await start({
      ...rewriter,
      ...(isHook ? { options: { permission: () => ({ behavior: 'allow' }) } } : {}),
    });
    const result = await run();
    expect(result).toMatchObject({ status: 'ran', input: SECOND });
    expect(ran).toEqual([SECOND]);
    expect(names(seen).slice(1)).toEqual(rewriter.events);
    expect(seen.at(-1)?.input['tool_input']).toEqual(SECOND);
  });

  test('does not run when a hook denies it', async () => {
    const guard = ({ tool_input }: ToolInput) =>
      tool_input.path === 'b' ? { hookSpecificOutput: { permissionDecision: 'deny' } } : undefined;
    const { run, ran } = await start(rewriter, { PreToolUse: guard });
    expect(await run()).toMatchObject({ status: 'denied', deniedBy: 'hook', input: SECOND });
    expect(ran).toEqual([]);
  });

  test('does not run when the rules deny it', async () => {
    const before = rewriter.options?.permission;
    const permission: SessionOptions['permission'] = (input, call) =>
      (input as Path).path === 'b' ? { behavior: 'deny' } : before?.(input, call);
    const { run, ran } = await start({ ...rewriter, options: { ...rewriter.options, permission } });
    expect(await run()).toMatchObject({ status: 'denied', deniedBy: 'rules', input: SECOND });
    expect(ran).toEqual([]);
  });

  test('is asked about again when a hook rewrites it once more', async () => {
    const third = ({ tool_input }: ToolInput) => (tool_input.path === 'b' ? rewrite({ path: 'c' }) : undefined);
    const asked: unknown[] = [];
    const rules = rewriter.options?.permission;
    const person = rewriter.options?.ask;
    const { run, ran } = await start(
      {
        ...rewriter,
        options: {
          ...rewriter.options,
          permission: (input, call) => ((input as Path).path === 'c' ? { behavior: 'ask' } : rules?.(input, call)),
          ask: (input, call) => {
            asked.push(input);
            return (input as Path).path === 'c' ? { behavior: 'allow' } : person?.(input, call);
          },
        },
      },
      { PreToolUse: third },
    );
    expect(await run()).toMatchObject({ status: 'ran', input: { path: 'c' } });
    expect(ran).toEqual([{ path: 'c' }]);
    expect(asked.at(-1)).toEqual({ path: 'c' });
  });
});

test('what a person allowed, as they wrote it, is not asked about again', async () => {
  const asked: unknown[] = [];
  const { host, session } = await opened({
    ask: (input) => {
      asked.push(input);
      return { behavior: 'allow', updatedInput: SECOND };
    },
  });
  on(host, 'PreToolUse', () => ask);
  expect(await session.tool({ name: 'T', input: FIRST, execute: () => 1 })).toMatchObject({
    status: 'ran',
    input: SECOND,
  });
  expect(asked).toEqual([FIRST]);
});

test('rules that return the input as it is have not rewritten it', async () => {
  const { session, seen } = await opened({ permission: (input) => ({ behavior: 'allow', updatedInput: input }) });
  expect((await session.tool({ name: 'T', input: FIRST, execute: () => 1 })).status).toBe('ran');
  expect(names(seen)).toEqual(['SessionStart', 'PreToolUse', 'PostToolUse']);
});

test('an input that is rewritten again and again never runs', async () => {
  let n = 0;
  const { session } = await opened({ permission: () => ({ behavior: 'allow', updatedInput: { n: ++n } }) });
  const ran: unknown[] = [];
  const result = await session.tool({ name: 'T', input: FIRST, execute: (input) => ran.push(input) });
  expect(result).toMatchObject({ status: 'denied', deniedBy: 'failure' });
  expect(result.content).toMatch(/still being rewritten after 10 rounds/);
  expect(ran).toEqual([]);
});

describe('nobody but who may can change an input', () => {
  test('not the caller, once the call is made', async () => {
    const { host, session } = await opened();
    const input = { path: 'a', deep: { n: 1 } };
    on(host, 'PreToolUse', async () => {
      input.deep.n = 2;
    });
    const result = await session.tool({ name: 'T', input, execute: (given) => given });
    expect(result.response).toEqual({ path: 'a', deep: { n: 1 } });
  });

  test('not the tool, of what hooks are told afterwards', async () => {
    const { session, seen } = await opened();
    const result = await session.tool<Path>({
      name: 'T',
      input: FIRST,
      execute: (given) => {
        given.path = 'changed';
        return 'ok';
      },
    });
    expect([result.input, seen.at(-1)?.input['tool_input'], FIRST]).toEqual([
      { path: 'a' },
      { path: 'a' },
      { path: 'a' },
    ]);
  });

  test.each(['permission', 'ask'] as const)('not %s(), by changing what it is given', async (which) => {
    const change = (input: unknown) => {
      (input as Path).path = 'changed';
      return { behavior: which === 'ask' ? 'allow' : 'none' } as never;
    };
    const { session } = await opened({ permission: undefined, ask: () => ({ behavior: 'allow' }), [which]: change });
    expect((await session.tool({ name: 'T', input: FIRST, execute: (given) => given })).response).toEqual({
      path: 'a',
    });
  });

  test('not whoever returned an updatedInput, by changing it later', async () => {
    const kept = { path: 'b' };
    const { host, session } = await opened({
      permission: once({ behavior: 'allow' as const, updatedInput: kept }),
      ask: () => ({ behavior: 'allow' }),
    });
    on(host, 'PermissionRequest', async () => {
      kept.path = 'changed';
    });
    expect((await session.tool({ name: 'T', input: FIRST, execute: (given) => given })).response).toEqual({
      path: 'b',
    });
  });
});

test('a guard that runs once judges every input of the call it judged, and no later call', async () => {
  const { host, session } = await opened({
    permission: () => ({ behavior: 'ask' }),
    ask: () => ({ behavior: 'allow', updatedInput: SECOND }),
  });
  const judged: string[] = [];
  host.register({
    PreToolUse: [
      {
        once: true,
        hooks: [
          ({ tool_input }) => {
            judged.push((tool_input as Path).path);
            return (tool_input as Path).path === SECOND.path ? deny('not that') : undefined;
          },
        ],
      },
    ],
  });
  const ran: unknown[] = [];
  const call = { name: 'T', input: FIRST, execute: (input: unknown) => ran.push(input) };
  expect(await session.tool(call)).toMatchObject({ status: 'denied', reason: 'not that' });
  expect({ judged, ran }).toEqual({ judged: ['a', 'b'], ran: [] });
  expect(await session.tool(call)).toMatchObject({ status: 'ran' });
  expect(judged).toEqual(['a', 'b']);
});

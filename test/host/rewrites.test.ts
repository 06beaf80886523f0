import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deny } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, only, testHost, watch } from './kit.js';

/** A gate whose subject is the very thing that is rewritten: one letter. */
const Letter = defineEvent({
  input: z.object({ at: z.string() }),
  subject: 'at',
  fold: 'gate',
  rewrites: { field: 'at', keys: ['updatedInput'] },
});

type Call = 'first' | 'reask' | 'async';
interface Answer {
  readonly verdict?: 'allow' | 'ask' | 'defer' | 'deny';
  readonly to?: string;
  readonly bails?: boolean;
  readonly throws?: boolean;
  readonly later?: 'for ever' | 'followed';
  readonly says?: string;
}
interface Hook {
  readonly name: string;
  /** What it does with a letter. */
  readonly on: (letter: string, call: Call) => Answer | undefined;
  readonly in?: 'host' | 'parent' | 'child';
  readonly matcher?: unknown;
  readonly stage?: number;
  readonly mode?: 'series' | 'parallel';
  readonly phase?: 'rewrite' | 'decide' | 'observe';
  readonly onFailure?: 'continue' | 'ask' | 'block';
}

/** Fires `a` at some hooks; `log` tells who was asked what: `name:a`, with a ? where it was asked again. */
async function run(hooks: readonly Hook[]): Promise<{ log: string; decision: AnyDecision; conflicts: string[] }> {
  const { host } = testHost({ events: { Letter } });
  const log: string[] = [];
  host.registerScoped('parent', {});
  host.registerScoped('child', {}, { parent: 'parent' });
  for (const { name, on, in: where = 'host', ...group } of hooks) {
    const handler = (input: { at: string }, _: unknown, { call }: { call: Call }) => {
      log.push(`${name}:${input.at}${call === 'reask' ? '?' : ''}`);
      const answer = on(input.at, call);
      if (answer === undefined) return undefined;
      if (answer.throws) throw new Error('broken');
      if (answer.later) return { async: true, ...(answer.later === 'followed' ? { result: Promise.resolve({}) } : {}) };
      return {
        ...(answer.bails ? { continue: false } : {}),
        hookSpecificOutput: {
          ...(answer.verdict
            ? { permissionDecision: answer.verdict, permissionDecisionReason: `${name} of ${input.at}` }
            : {}),
          ...(answer.to === undefined ? {} : { updatedInput: answer.to }),
          ...(answer.says === undefined ? {} : { additionalContext: answer.says }),
        },
      };
    };
    const scope = where === 'host' ? host : host.scope(where);
    scope.register(anyHooks({ Letter: [{ ...group, name, hooks: [handler] }] }) as never);
  }
  const decision = (await host.fire('Letter', { at: 'a' }, { scope: 'child' })) as AnyDecision;
  const bare = (id: string): string => id.replace(/#.*/, '');
  return {
    log: log.join(' '),
    decision,
    conflicts: decision.conflicts.map((c) => `${bare(c.winner)} over ${bare(c.loser)}`),
  };
}

const always = (answer: Answer) => () => answer;
const silent = () => undefined;
/** Rewrites along a table, `a>b c>d`. */
const along = (table: string, more: Answer = {}) => {
  const steps = new Map(table.split(' ').map((step) => step.split('>') as [string, string]));
  return (letter: string): Answer => {
    const to = steps.get(letter);
    return to === undefined ? more : { ...more, to };
  };
};

interface Case {
  readonly hooks: readonly Hook[];
  readonly log: string;
  readonly verdict?: string;
  readonly to?: string | undefined;
  readonly conflicts?: string[];
}

const CASES: Readonly<Record<string, Case>> = {
  'nobody rewrites: nobody is asked again': {
    hooks: [
      { name: 'x', on: always({ verdict: 'allow' }) },
      { name: 'y', on: silent },
    ],
    log: 'x:a y:a',
    verdict: 'allow',
  },
  'a wave sees the input as the wave before left it': {
    hooks: [
      { name: 'x', on: along('a>b', {}), phase: 'rewrite' },
      { name: 'y', on: along('b>c'), phase: 'rewrite' },
      { name: 'z', on: silent },
    ],
    log: 'x:a y:b z:c',
    to: 'c',
  },
  'who judged before a rewrite is asked again with it': {
    hooks: [
      { name: 'guard', on: silent },
      { name: 'x', on: along('a>b') },
    ],
    log: 'guard:a x:a guard:b?',
    to: 'b',
  },
  'who rewrote has judged its own rewrite': {
    hooks: [{ name: 'x', on: along('a>b', { verdict: 'allow' }) }],
    log: 'x:a',
    to: 'b',
    verdict: 'allow',
  },
  'a rewrite of one’s rewrite is for both to judge': {
    hooks: [
      { name: 'x', on: along('a>b') },
      { name: 'y', on: along('b>c') },
    ],
    log: 'x:a y:b x:c?',
    to: 'c',
  },
  'a guard that skipped the input is asked when the rewrite matches it': {
    hooks: [
      { name: 'guard', matcher: 'b', on: always({ verdict: 'deny' }) },
      { name: 'x', on: along('a>b') },
    ],
    log: 'x:a guard:b',
    to: 'b',
    verdict: 'deny',
  },
  'one that comes later and matches the rewrite alone sees it in its place': {
    hooks: [
      { name: 'x', on: along('a>b') },
      { name: 'y', matcher: 'b', on: along('b>c') },
      { name: 'z', on: silent },
    ],
    log: 'x:a y:b z:c x:c?',
    to: 'c',
  },
  'one that comes later and matched before the rewrite alone does not run': {
    hooks: [
      { name: 'x', on: along('a>b') },
      { name: 'y', matcher: 'a', on: always({ verdict: 'deny' }) },
    ],
    log: 'x:a',
    to: 'b',
  },
  'an allow of another input is asked for again': {
    hooks: [
      { name: 'x', on: (l) => (l === 'a' ? { verdict: 'allow' } : undefined) },
      { name: 'y', on: along('a>b') },
    ],
    log: 'x:a y:a x:b?',
    to: 'b',
    verdict: 'none',
  },
  'an allow by one that no longer matches is none': {
    hooks: [
      { name: 'x', matcher: 'a', on: always({ verdict: 'allow' }) },
      { name: 'y', on: along('a>b') },
    ],
    log: 'x:a y:a',
    to: 'b',
    verdict: 'none',
  },
  ...Object.fromEntries(
    (['deny', 'defer', 'ask'] as const).map((verdict) => [
      `a ${verdict} by one that no longer matches stays`,
      {
        hooks: [
          { name: 'x', matcher: 'a', on: always({ verdict }) },
          { name: 'y', on: along('a>b') },
        ],
        log: 'x:a y:a',
        to: 'b',
        verdict,
      } satisfies Case,
    ]),
  ),
  'who denied withdraws it by succeeding on the new input': {
    hooks: [
      { name: 'x', on: (l) => (l === 'a' ? { verdict: 'deny' } : undefined) },
      { name: 'y', on: along('a>b') },
    ],
    log: 'x:a y:a x:b?',
    to: 'b',
    verdict: 'none',
  },
  'who denied may soften it to an ask': {
    hooks: [
      { name: 'x', on: (l) => ({ verdict: l === 'a' ? 'deny' : 'ask' }) },
      { name: 'y', on: along('a>b', { verdict: 'allow' }) },
    ],
    log: 'x:a y:a x:b?',
    to: 'b',
    verdict: 'ask',
  },
  'nobody else withdraws it': {
    hooks: [
      { name: 'x', on: always({ verdict: 'deny' }) },
      { name: 'y', on: along('a>b', { verdict: 'allow' }) },
    ],
    log: 'x:a y:a x:b?',
    to: 'b',
    verdict: 'deny',
  },
  ...Object.fromEntries(
    (
      [
        ['deny', 'continue', 'deny'],
        ['defer', 'continue', 'defer'],
        ['ask', 'continue', 'ask'],
        ['allow', 'continue', 'none'],
        ['allow', 'ask', 'ask'],
        ['allow', 'block', 'deny'],
        ['ask', 'block', 'deny'],
        ['deny', 'ask', 'deny'],
        [undefined, 'continue', 'none'],
        [undefined, 'block', 'deny'],
      ] as const
    ).map(([before, onFailure, verdict]) => [
      `asked again, one that said ${before} and fails under ${onFailure} counts as ${verdict}`,
      {
        hooks: [
          { name: 'x', onFailure, on: (l) => (l === 'a' ? (before ? { verdict: before } : {}) : { throws: true }) },
          { name: 'y', on: along('a>b') },
        ],
        log: 'x:a y:a x:b?',
        to: 'b',
        verdict,
      } satisfies Case,
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        ['deny', 'for ever', 'deny'],
        ['deny', 'followed', 'deny'],
        ['ask', 'for ever', 'ask'],
        ['allow', 'for ever', 'none'],
        ['allow', 'followed', 'none'],
      ] as const
    ).map(([before, later, verdict]) => [
      `asked again, one that said ${before} and leaves the rest for later (${later}) counts as ${verdict}`,
      {
        hooks: [
          { name: 'x', on: (l) => (l === 'a' ? { verdict: before } : { later }) },
          { name: 'y', on: along('a>b') },
        ],
        log: 'x:a y:a x:b?',
        to: 'b',
        verdict,
      } satisfies Case,
    ]),
  ),
  'one that failed at first and succeeds when asked again has not failed': {
    hooks: [
      { name: 'x', onFailure: 'block', on: (l) => (l === 'a' ? { throws: true } : undefined) },
      { name: 'y', on: along('a>b') },
    ],
    log: 'x:a y:a x:b?',
    to: 'b',
    verdict: 'none',
  },
  'a rewrite in a re-ask by one that had not rewritten is taken, the others are asked again': {
    hooks: [
      { name: 'x', on: along('b>c') },
      { name: 'y', on: along('a>b', { verdict: 'ask' }) },
    ],
    log: 'x:a y:a x:b? y:c?',
    to: 'c',
    verdict: 'ask',
  },
  'two that always rewrite conflict; within one scope the later in plan order wins': {
    hooks: [
      { name: 'x', on: always({ to: 'x' }) },
      { name: 'y', on: always({ to: 'y' }) },
    ],
    log: 'x:a y:x x:y?',
    to: 'y',
    conflicts: ['y over x'],
  },
  'between scopes the outermost wins': {
    hooks: [
      { name: 'x', on: always({ to: 'x' }) },
      { name: 'y', in: 'child', on: always({ to: 'y' }) },
    ],
    log: 'x:a y:x x:y? y:x?',
    to: 'x',
    conflicts: ['x over y'],
  },
  'a later stage has the last word within its scope': {
    hooks: [
      { name: 'x', stage: 9, on: always({ to: 'x' }) },
      { name: 'y', on: always({ to: 'y' }) },
    ],
    log: 'y:a x:y y:x?',
    to: 'x',
    conflicts: ['x over y'],
  },
  'an outer one gave the last word up in the rewrite phase': {
    hooks: [
      { name: 'x', phase: 'rewrite', on: always({ to: 'x' }) },
      { name: 'y', in: 'child', on: along('x>y', { verdict: 'allow' }) },
    ],
    log: 'x:a y:x',
    to: 'y',
    verdict: 'allow',
  },
  'an inner one that had rewritten wins over an outer one of the rewrite phase that only matches later': {
    hooks: [
      { name: 'x', phase: 'rewrite', matcher: 'y', on: always({ to: 'x' }) },
      { name: 'y', in: 'child', on: always({ to: 'y' }) },
    ],
    log: 'y:a x:y y:x?',
    to: 'y',
    conflicts: ['y over x'],
  },
  'an allow whose own rewrite was dropped is none': {
    hooks: [
      { name: 'x', on: always({ to: 'x' }) },
      { name: 'y', in: 'child', on: always({ to: 'y', verdict: 'allow' }) },
    ],
    log: 'x:a y:x x:y? y:x?',
    to: 'x',
    verdict: 'none',
    conflicts: ['x over y'],
  },
  'a deny whose own rewrite was dropped stays': {
    hooks: [
      { name: 'x', on: always({ to: 'x' }) },
      { name: 'y', in: 'child', on: always({ to: 'y', verdict: 'deny' }) },
    ],
    log: 'x:a y:x x:y? y:x?',
    to: 'x',
    verdict: 'deny',
    conflicts: ['x over y'],
  },
  'two rewrites in one wave: the last in plan order wins, and is judged by the other': {
    hooks: [
      { name: 'x', mode: 'parallel', on: along('a>b', { verdict: 'allow' }) },
      { name: 'y', mode: 'parallel', on: along('a>c', { verdict: 'allow' }) },
    ],
    log: 'x:a y:a x:c?',
    to: 'c',
    verdict: 'allow',
    conflicts: ['y over x'],
  },
  'what a parallel wave makes match is seen in its place': {
    hooks: [
      { name: 'x', mode: 'parallel', on: along('a>b') },
      { name: 'y', stage: 1, matcher: 'b', on: along('b>c') },
      { name: 'z', stage: 2, on: silent },
    ],
    log: 'x:a y:b z:c x:c?',
    to: 'c',
  },
  'two equal rewrites in one wave are no conflict': {
    hooks: [
      { name: 'x', mode: 'parallel', on: along('a>b', { verdict: 'allow' }) },
      { name: 'y', mode: 'parallel', on: along('a>b', { verdict: 'allow' }) },
    ],
    log: 'x:a y:a',
    to: 'b',
    verdict: 'allow',
  },
  'in one wave, one that hands the input back as it was undoes no rewrite beside it': {
    hooks: [
      { name: 'x', mode: 'parallel', on: along('a>b') },
      { name: 'y', mode: 'parallel', on: along('a>a', { verdict: 'allow' }) },
    ],
    log: 'x:a y:a y:b?',
    to: 'b',
    verdict: 'allow',
  },
  'in one wave, an allow with the input as it was is none where another rewrote it': {
    hooks: [
      { name: 'x', mode: 'parallel', matcher: 'a', on: along('a>b') },
      { name: 'y', mode: 'parallel', matcher: 'a', on: along('a>a', { verdict: 'allow' }) },
    ],
    log: 'x:a y:a',
    to: 'b',
  },
  'one of the rewrite phase gives up nothing to its own scope: it has the last word in the later stage': {
    hooks: [
      { name: 'x', on: along('a>b c>d') },
      { name: 'y', stage: 9, phase: 'rewrite', on: along('b>c d>c') },
    ],
    log: 'x:a y:b x:c?',
    to: 'c',
    conflicts: ['y over x'],
  },
  'in one wave of a re-ask, a first rewrite beside it lets nobody past the owner it must beat': {
    hooks: [
      { name: 'owner', on: along('a>s q>S') },
      { name: 'p', in: 'child', mode: 'parallel', on: along('S>p') },
      { name: 'q', in: 'child', mode: 'parallel', on: along('s>q S>Q', { verdict: 'allow' }) },
    ],
    log: 'owner:a p:s q:s owner:q? p:S? q:S? owner:p? q:p?',
    to: 'p',
    verdict: 'allow',
    conflicts: ['owner over q'],
  },
  'in one wave of a re-ask, the last of two that may both rewrite wins': {
    hooks: [
      { name: 'p', in: 'child', mode: 'parallel', on: along('b>p') },
      { name: 'q', in: 'child', mode: 'parallel', on: along('b>q') },
      { name: 'x', in: 'child', on: along('a>b') },
    ],
    log: 'p:a q:a x:a p:b? q:b? p:q? x:q?',
    to: 'q',
    conflicts: ['q over p'],
  },
  'a rewrite to what stands is no change': {
    hooks: [
      { name: 'x', on: silent },
      { name: 'y', on: always({ to: 'a', verdict: 'allow' }) },
    ],
    log: 'x:a y:a',
    to: 'a',
    verdict: 'allow',
  },
  'a bail ends asking again, and denies': {
    hooks: [
      { name: 'x', on: (l) => (l === 'b' ? { bails: true } : undefined) },
      { name: 'y', on: along('a>b') },
      { name: 'z', matcher: 'b', on: silent },
      { name: 'w', matcher: 'b', in: 'child', on: silent },
    ],
    log: 'x:a y:a z:b w:b x:b?',
    to: 'b',
    verdict: 'deny',
  },
  'a bail before all have judged the rewrite leaves them unasked': {
    hooks: [
      { name: 'x', on: silent },
      { name: 'y', on: along('a>b', { bails: true }) },
      { name: 'z', on: silent },
    ],
    log: 'x:a y:a',
    to: 'b',
    verdict: 'deny',
  },
  'one of the rewrite phase is never asked again': {
    hooks: [
      { name: 'x', phase: 'rewrite', on: always({ to: 'x', verdict: 'deny' }) },
      { name: 'y', on: along('x>y') },
    ],
    log: 'x:a y:x',
    to: 'y',
    verdict: 'none',
  },
  'an observer sees the end, once': {
    hooks: [
      { name: 'o', phase: 'observe', on: always({ to: 'z', verdict: 'deny' }) },
      { name: 'x', on: along('a>b') },
      { name: 'y', on: along('b>c') },
    ],
    log: 'x:a y:b x:c? o:c',
    to: 'c',
    verdict: 'none',
  },
};

describe('a decision counts for what will run', () => {
  test.each(Object.entries(CASES))('%s', async (_, { hooks, log, verdict = 'none', to, conflicts }) => {
    const result = await run(hooks);
    expect(result.log).toBe(log);
    expect(result.decision.verdict).toBe(verdict);
    expect(result.decision.updatedInput).toBe(to);
    expect(result.conflicts).toEqual(conflicts ?? []);
  });

  test('the new outcome’s context and messages replace the old ones; after a failure the old ones stay', async () => {
    const says = { name: 'x', on: (l: string) => ({ says: `of ${l}` }) };
    const fails = { name: 'y', on: (l: string) => (l === 'a' ? { says: 'kept' } : { throws: true }) };
    const { decision } = await run([says, fails, { name: 'z', on: along('a>b') }]);
    expect(decision.additionalContext).toEqual(['of b', 'kept']);
    expect(decision.failures.map((f) => f.name)).toEqual(['y']);
  });

  test('a handler is told that it is asked again, and with what, in a record too', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register({
      PreToolUse: [
        { hooks: [(_, __, { call }) => ({ systemMessage: call })] },
        { hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } })] },
      ],
    });
    const decision = await host.fire('PreToolUse', INPUTS.PreToolUse);
    expect(decision.systemMessages).toEqual(['reask']);
    const record = only(fires(seen));
    expect(record.handlers.map((h) => h.reasked)).toEqual([1, undefined]);
    expect([record.input['tool_input'], record.final_input?.['tool_input']]).toEqual([
      { command: 'ls' },
      { command: 'pwd' },
    ]);
    expect(seen.filter((r) => r.type === 'system' && r.subtype === 'hook_response')).toHaveLength(3);
  });

  test('a rule is looked at again with each new input', async () => {
    const { host } = testHost();
    const asked: unknown[] = [];
    host.register({
      PreToolUse: [
        { if: 'Bash(rm *)', hooks: [(input) => deny(`no rm ${asked.push(input.tool_input)}`)] },
        { if: 'Bash(ls*)', hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'rm -r x' } } })] },
      ],
    });
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({ verdict: 'deny', reason: 'no rm 1' });
    expect(asked).toEqual([{ command: 'rm -r x' }]);
  });

  test('an accepted rewrite is a copy that nobody can change afterwards', async () => {
    const { host } = testHost();
    const mine = { command: 'pwd', list: [1] };
    const seen: unknown[] = [];
    host.register({
      PreToolUse: [
        { hooks: [() => ({ hookSpecificOutput: { updatedInput: mine } })] },
        {
          hooks: [
            async (input) => {
              mine.command = 'rm';
              mine.list.push(2);
              seen.push(JSON.stringify(input.tool_input));
              return undefined;
            },
          ],
        },
      ],
    });
    const decision = await host.fire('PreToolUse', INPUTS.PreToolUse);
    expect(seen).toEqual(['{"command":"pwd","list":[1]}']);
    expect(decision.updatedInput).toEqual({ command: 'pwd', list: [1] });
  });

  test('what the harness does with its copy changes no record', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register({ PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } })] }] });
    const decision = await host.fire('PreToolUse', INPUTS.PreToolUse);
    (decision.updatedInput as { command: string }).command = 'rm';
    expect(JSON.stringify(only(fires(seen)))).not.toContain('"rm"');
  });
});

describe('rewritten outputs', () => {
  const output = (value: unknown) => ({ hookSpecificOutput: { updatedToolOutput: value } });

  test('form the same waterfall, without asking again', async () => {
    const { host } = testHost();
    const log: unknown[] = [];
    const see = (to?: unknown) => (input: { tool_response: unknown }) => {
      log.push(input.tool_response);
      return to === undefined ? undefined : output(to);
    };
    host.register({ PostToolUse: [{ hooks: [see(), see('one'), see(), see('two'), see()] }] });
    const decision = await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(log).toEqual([{ stdout: 'a' }, { stdout: 'a' }, 'one', 'one', 'two']);
    expect(decision.updatedOutput).toBe('two');
  });

  test('of one wave: the last in plan order wins, and the conflict is named', async () => {
    const { host } = testHost();
    host.register(
      { PostToolUse: [{ mode: 'parallel', hooks: [async () => output('one'), () => output('two')] }] },
      { name: 'p' },
    );
    const decision = await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(decision.updatedOutput).toBe('two');
    expect(decision.conflicts).toEqual([{ winner: decision.outcomes[1]?.id, loser: decision.outcomes[0]?.id }]);
  });

  test('may be null', async () => {
    const { host } = testHost();
    host.register({ PostToolUse: [{ hooks: [() => output(null)] }] });
    expect((await host.fire('PostToolUse', INPUTS.PostToolUse)).updatedOutput).toBeNull();
  });

  test('an MCP tool’s has its older name too, which means nothing for other tools', async () => {
    const { host, reports } = testHost();
    host.register({ PostToolUse: [{ hooks: [() => ({ hookSpecificOutput: { updatedMCPToolOutput: 'x' } })] }] });
    const mcp = await host.fire('PostToolUse', { ...INPUTS.PostToolUse, tool_name: 'mcp__files__read' });
    expect(mcp.updatedOutput).toBe('x');
    const other = await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(other).not.toHaveProperty('updatedOutput');
    expect(only(reports)).toContain('updatedMCPToolOutput');
  });

  test('a hook that did not match the output at its place is recorded as that, though it would match now', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register({
      PostToolUse: [
        { matcher: (_, input) => input.tool_response === 'new', hooks: [() => {}] },
        { hooks: [() => output('new')] },
      ],
    });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(only(fires(seen)).handlers[0]).toMatchObject({ status: 'skipped', reason: 'matcher' });
  });
});

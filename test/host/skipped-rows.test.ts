import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { deny, stop } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, fires, only, testHost, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;

test('a predicate that says yes only when nobody asks any more was no match', async () => {
  const { host } = testHost();
  const seen = watch(host);
  let late = false;
  const stops = () => {
    late = true;
    return stop('enough');
  };
  host.register({
    PreToolUse: [
      { matcher: () => late, hooks: [() => {}] },
      { hooks: [stops] },
      { matcher: () => late, hooks: [() => {}] },
    ],
  });
  await host.fire('PreToolUse', PRE);
  expect(only(fires(seen)).handlers.map((row) => row.reason)).toEqual(['matcher', undefined, 'bailed']);
});

test('a hook is asked about with its parallel group, a series hook at its turn, and each once', async () => {
  const { host } = testHost();
  const seen = watch(host);
  const later = () => {
    let asked = 0;
    return () => asked++ > 0;
  };
  host.register({
    PreToolUse: [
      { mode: 'parallel', hooks: [() => {}] },
      { mode: 'parallel', matcher: later(), hooks: [() => stop('enough')] },
      { matcher: later(), hooks: [() => {}] },
    ],
  });
  await host.fire('PreToolUse', PRE);
  expect(only(fires(seen)).handlers.map((row) => row.reason)).toEqual([undefined, 'matcher', 'matcher']);
});

test('a predicate of a series hook is asked when the parallel group before it has answered', async () => {
  const { host } = testHost();
  let seen = false;
  const looks = async () => {
    seen = true;
  };
  host.register({
    PreToolUse: [
      { mode: 'parallel', hooks: [looks, () => {}] },
      { matcher: () => seen, hooks: [() => deny('it was seen')] },
    ],
  });
  expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny' });
});

test('a hook whose one run was taken by a fire within a later predicate has run once', async () => {
  const { host } = testHost();
  const seen = watch(host);
  const within: Promise<unknown>[] = [];
  let asked = 0;
  const fireWithin = (): boolean => {
    if (asked++ === 0) within.push(host.fire('PreToolUse', { ...PRE, tool_use_id: 'within' }));
    return true;
  };
  host.register({
    PreToolUse: [
      { mode: 'parallel', once: true, hooks: [() => {}] },
      { mode: 'parallel', matcher: fireWithin, hooks: [() => {}] },
    ],
  });
  await host.fire('PreToolUse', PRE);
  await Promise.all(within);
  const rows = fires(seen).map(({ tool_use_id, handlers }) => [tool_use_id, ...handlers.map((row) => row.reason)]);
  expect(rows.sort()).toEqual([
    ['t1', 'once', undefined],
    ['within', undefined, undefined],
  ]);
});

test('a predicate beside a rule for another tool is asked by nobody, and the rule is why', async () => {
  const { host } = testHost();
  let asked = 0;
  host.register({ PreToolUse: [{ matcher: () => asked++ < 0, if: 'Read', hooks: [() => {}] }] });
  await host.fire('PreToolUse', PRE);
  const seen = watch(host);
  await host.fire('PreToolUse', PRE);
  expect(only(fires(seen)).handlers.map((row) => row.reason)).toEqual(['if']);
  expect(host.explain('PreToolUse', PRE).hooks.map((hook) => hook.reason)).toEqual(['if']);
  expect(asked).toBe(0);
});

test('explain lists a hook once, though its predicate changes its mind with every question', () => {
  const { host } = testHost();
  let asked = 0;
  const moody = { matcher: () => asked++ % 2 === 0, hooks: [() => {}, () => {}] };
  host.register({ PreToolUse: [moody, { ...moody, mode: 'parallel' }, { ...moody, phase: 'observe' }] });
  for (let i = 0; i < 4; i++) {
    const { hooks } = host.explain('PreToolUse', PRE);
    expect([hooks.length, new Set(hooks.map(({ id }) => id)).size]).toEqual([6, 6]);
  }
});

const SAYS = ['nothing', 'stops', 'rewrites', 'throws', 'later'] as const;
const plans = fc.record({
  event: fc.constantFrom('PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop'),
  hooks: fc.array(
    fc.record({
      // What the predicate says, question by question; the last again and again.
      matches: fc.array(fc.boolean(), { minLength: 0, maxLength: 3 }),
      rule: fc.constantFrom(undefined, undefined, 'Bash(git *)', 'Bash', 'Read'),
      says: fc.constantFrom(...SAYS, 'nothing' as const, 'nothing' as const),
      mode: fc.constantFrom('series', 'parallel'),
      phase: fc.constantFrom('decide', 'decide', 'decide', 'rewrite', 'observe'),
      once: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});
type Made = typeof plans extends fc.Arbitrary<infer T> ? T : never;

const ANSWERS: Readonly<Record<(typeof SAYS)[number], (event: string) => unknown>> = {
  nothing: () => undefined,
  stops: () => stop('enough'),
  rewrites: (event) => ({
    hookSpecificOutput:
      event === 'PreToolUse' ? { updatedInput: { command: 'git log' } } : { updatedToolOutput: { stdout: 'git' } },
  }),
  throws: () => {
    throw new Error('broken');
  },
  later: async () => undefined,
};

/** Two fires of one plan: who asked which predicate and got which answer, who ran, and the rows of the records. */
async function play({ event, hooks }: Made, watched: boolean) {
  const { host } = testHost();
  const seen = watched ? watch(host) : [];
  const log: (readonly [number, boolean | 'ran'])[] = [];
  for (const [i, { matches, rule, says, mode, phase, once }] of hooks.entries()) {
    let asked = 0;
    const matcher = (): boolean => {
      const match = matches[Math.min(asked++, matches.length - 1)] as boolean;
      log.push([i, match]);
      return match;
    };
    const handler = (): unknown => {
      log.push([i, 'ran']);
      return ANSWERS[says](event);
    };
    const group = {
      mode,
      phase,
      once,
      name: String(i),
      hooks: [handler],
      ...(matches.length > 0 ? { matcher } : {}),
      ...(rule === undefined ? {} : { if: rule }),
    };
    host.register(anyHooks({ [event]: [group] }));
  }
  const logs = [];
  for (let i = 0; i < 2; i++) {
    const { continue: goesOn } = await fireAny(host, event, INPUTS[event as 'Stop']);
    logs.push({ log: log.splice(0), goesOn });
  }
  return { logs, rows: fires(seen).map((fire) => fire.handlers) };
}

test('a subscriber asks no predicate anything; a row holds what was said when its hook was looked at', async () => {
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { logs, rows } = await play(plan, true);
      expect(logs).toEqual((await play(plan, false)).logs);
      for (const [i, { log, goesOn }] of logs.entries())
        for (const { name, status, reason } of rows[i] ?? []) {
          const own = log.filter(([who]) => who === Number(name)).map(([, what]) => what);
          const { rule, matches } = plan.hooks[Number(name)] as Made['hooks'][number];
          const what = [name, status, reason, own];
          if (status !== 'skipped') expect(own, String(what)).toContain('ran');
          else if (own.at(-1) === false) expect(reason, String(what)).toBe('matcher');
          else if (reason === 'bailed') expect([own.includes('ran'), goesOn], String(what)).toEqual([false, false]);
          else if (reason === 'matcher') expect([own, matches.length], String(what)).toEqual([['nobody'], 0]);
          else if (reason === 'if') expect(rule, String(what)).toBeDefined();
          else expect([reason, i], String(what)).toEqual(['once', 1]);
          reasons.add(reason ?? status);
        }
    }),
    { numRuns: generated(150) },
  );
  expect([...reasons].sort()).toEqual(['bailed', 'failed', 'if', 'matcher', 'once', 'ran']);
});

test('a hook that is not about the tool at all is no match, also after a hook has ended the run', async () => {
  const { host } = testHost();
  const seen = watch(host);
  host.on('PreToolUse', () => stop('enough'), { name: 'ends' });
  host.on('PreToolUse', () => {}, { name: 'name', matcher: 'Nothing' });
  host.on('PreToolUse', () => {}, { name: 'pattern', matcher: /Nothing/ });
  host.on('PreToolUse', () => {}, { name: 'predicate', matcher: () => false });
  host.on('PreToolUse', () => {}, { name: 'another tool', if: 'Edit(src/**)' });
  host.on('PreToolUse', () => {}, { name: 'this tool', if: 'Bash(never *)' });
  await host.fire('PreToolUse', { ...PRE, tool_name: 'Bash', tool_input: { command: 'ls' } });
  const why = Object.fromEntries(only(fires(seen)).handlers.map(({ name, reason }) => [name, reason]));
  expect(why).toEqual({
    ends: undefined,
    name: 'matcher',
    pattern: 'matcher',
    predicate: 'bailed',
    'another tool': 'if',
    'this tool': 'bailed',
  });
});

test('a predicate that throws is told in the row of the hook that runs, alone or in a group, and in no other', async () => {
  const { host, reports } = testHost();
  const seen = watch(host);
  const throws = () => {
    throw new TypeError('no list');
  };
  host.on('PreToolUse', () => {}, { matcher: () => true });
  for (const mode of ['series', 'parallel'] as const)
    host.register({ PreToolUse: [{ mode, matcher: throws, hooks: [() => {}, () => {}] }] });
  host.on('PreToolUse', () => {}, { matcher: () => true });
  await host.fire('PreToolUse', PRE);
  const told = ['its matcher threw, so the hook runs: TypeError: no list'];
  expect(only(fires(seen)).handlers.map(({ status, warnings }) => [status, warnings])).toEqual([
    ['ran', undefined],
    ...Array.from({ length: 4 }, () => ['ran', told]),
    ['ran', undefined],
  ]);
  expect(reports.every((line) => line.includes('threw'))).toBe(true);
});

/** An event whose subject, a letter, is what its hooks may rewrite. */
const letterOf = (fold: 'gate' | 'block' | 'stop' | 'context' | 'replace' | 'observe') =>
  defineEvent({
    input: z.object({ at: z.string() }),
    subject: 'at',
    fold,
    output: z.object({ next: z.string().optional() }),
    rewrites: { field: 'at', keys: ['next'] },
  });
const LETTERS = ['a', 'b', 'c'] as const;
const letters = fc.array(
  fc.record({
    matcher: fc.constantFrom(undefined, ...LETTERS, 'a|b', 'b|c'),
    to: fc.constantFrom(undefined, undefined, ...LETTERS),
    stops: fc.nat(7).map((n) => n === 0),
    mode: fc.constantFrom('series' as const, 'series' as const, 'parallel' as const),
    observes: fc.nat(4).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 6 },
);

test.each(['gate', 'block', 'stop', 'context', 'replace', 'observe'] as const)(
  'a row of a hook that did not run has the reason of its turn, on an event that is a %s',
  async (fold) => {
    const reasons = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(letters, async (hooks) => {
        const { host } = testHost({ events: { Letter: letterOf(fold) } });
        const seen = watch(host);
        for (const [i, { matcher, to, stops, mode, observes }] of hooks.entries()) {
          const said = {
            ...(stops ? { continue: false } : {}),
            ...(to ? { hookSpecificOutput: { hookEventName: 'Letter', next: to } } : {}),
          };
          const group = { name: String(i), mode, hooks: [() => said], ...(matcher ? { matcher } : {}) };
          host.register(anyHooks({ Letter: [{ ...group, phase: observes ? 'observe' : 'decide' }] }));
        }
        await fireAny(host, 'Letter', { at: 'a' });
        const rows = new Map(only(fires(seen)).handlers.map((row) => [Number(row.name), row]));
        for (const { status, reason } of rows.values()) {
          if (status === 'skipped') expect(reason).toBeDefined();
          reasons.add(reason);
        }
        if (fold === 'gate' || hooks.some(({ mode }) => mode === 'parallel')) return;
        const isFor = (i: number, at: string): boolean => hooks[i]?.matcher?.split('|').includes(at) ?? true;
        let [at, bailed] = ['a', false];
        const after: number[] = [];
        for (const [i, { to, stops, observes }] of hooks.entries()) {
          if (observes || bailed) {
            after.push(i);
            continue;
          }
          expect([i, rows.get(i)?.reason]).toEqual([i, isFor(i, at) ? undefined : 'matcher']);
          if (!isFor(i, at)) continue;
          at = to ?? at;
          bailed = stops;
        }
        for (const i of after) {
          const why = hooks[i]?.observes ? undefined : 'bailed';
          expect([i, rows.get(i)?.reason]).toEqual([i, isFor(i, at) ? why : 'matcher']);
        }
      }),
      { numRuns: generated(100) },
    );
    expect(reasons).toEqual(new Set([undefined, 'matcher', 'bailed']));
  },
);

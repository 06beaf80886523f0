import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { FireRecord } from '../../src/emit/record.js';
import { defineEvent } from '../../src/events/own-event.js';
import { generated, randomFrom } from '../seed.js';
import { anyHooks, fires, only, testHost, watch } from './kit.js';

const how = { input: z.object({ tool: z.string(), at: z.string() }), fold: 'gate' } as const;
const rewrites = { field: 'at', keys: ['updatedInput'] };
/** What is rewritten is what matchers look at, or is not. */
const events = {
  Moves: defineEvent({ ...how, rewrites, subject: 'at' }),
  Stays: defineEvent({ ...how, rewrites, subject: 'tool' }),
};

/** Answers that depend on how often it was asked: every second or third time, by chance, or the first time alone. */
const answers = fc.record({
  kind: fc.constantFrom('every', 'but', 'random', 'once'),
  number: fc.integer({ min: 2, max: 3 }),
});
type Answers = typeof answers extends fc.Arbitrary<infer T> ? T : never;

function answering({ kind, number }: Answers, seed: number): () => boolean {
  let asked = 0;
  const random = randomFrom(seed);
  return () => {
    const turn = asked++ % number === 0;
    return kind === 'random' ? random() < 0.5 : kind === 'once' ? asked === 1 : turn === (kind === 'every');
  };
}

const hook = fc.record({
  parallel: fc.boolean(),
  observes: fc.nat(7).map((n) => n === 0),
  once: fc.nat(7).map((n) => n === 0),
  /** Which of the predicates it shares with others. */
  predicate: fc.nat(2),
  /** How often it rewrites. */
  rewrites: fc.constantFrom(0, 0, 0, 1, 2),
  later: fc.nat(3).map((n) => n === 0),
});
const scenario = fc.record({
  event: fc.constantFrom('Moves' as const, 'Stays' as const),
  predicates: fc.array(answers, { minLength: 3, maxLength: 3 }),
  hooks: fc.array(hook, { minLength: 1, maxLength: 6 }),
  tapped: fc.nat(4).map((n) => n === 0),
  seed: fc.nat(1000),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** More than any of these fires has reason to ask: a fire that would not end fails here. */
const MOST = 1000;

function play({ event, predicates, hooks, tapped, seed }: Scenario, rewrites: boolean) {
  const { host, reports } = testHost({ events });
  const shared = predicates.map((one) => answering(one, seed));
  const asked: { name: string; at: string; yes: boolean }[] = [];
  const called: { name: string; at: string }[] = [];
  const made: string[] = [];
  if (tapped) host.hooks[event].tap('tap', () => undefined);
  hooks.forEach((one, i) => {
    const name = `h${i}`;
    let left = rewrites ? one.rewrites : 0;
    const run = ({ at }: { at: string }): unknown => {
      called.push({ name, at });
      if (left-- <= 0) return undefined;
      made.push(`${name}-${made.length}`);
      return { hookSpecificOutput: { updatedInput: made.at(-1) } };
    };
    const matcher = (_: string, { at }: { at: string }): boolean => {
      if (asked.length >= MOST) throw new Error('the fire does not end');
      const yes = (shared[one.predicate] as () => boolean)();
      asked.push({ name, at, yes });
      return yes;
    };
    const group = {
      name,
      matcher,
      mode: one.parallel ? 'parallel' : 'series',
      phase: one.observes ? 'observe' : 'decide',
      once: one.once,
      hooks: [one.later ? async (input: { at: string }) => run(input) : run],
    };
    host.register(anyHooks({ [event]: [group] }) as never);
  });
  return { host, reports, asked, called };
}

const INPUT = { tool: 'x', at: 'first' };
const keyOf = ({ name, at }: { name: string; at: string }): string => `${name} of ${at}`;

test('predicates that answer differently every time are asked once about each input, and what ran is what they let through', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.boolean(), async (given, watched) => {
      const { host, reports, asked, called } = play(given, true);
      const seen = watched ? watch(host) : [];
      await host.fire(given.event, INPUT);
      expect(reports).toEqual([]);
      const asks = asked.map(keyOf);
      expect(asks).toEqual([...new Set(asks)]);
      const passed = new Set(asked.filter(({ yes }) => yes).map(keyOf));
      const calls = called.map(keyOf);
      expect(calls).toEqual([...new Set(calls)]);
      expect(calls.filter((call) => !passed.has(call))).toEqual([]);
      for (const record of fires(seen)) agrees(record, asked, called);
    }),
    { numRuns: generated(300) },
  );
});

/** The rows say of each hook whether it ran, how often, and that it was its predicate that kept it from running. */
function agrees(
  { handlers }: FireRecord,
  asked: readonly { name: string; at: string }[],
  called: readonly { name: string }[],
): void {
  for (const { name, status, reason, reasked = 0 } of handlers) {
    if (name === 'tap') continue;
    const times = called.filter((call) => call.name === name).length;
    expect([name, status === 'ran' ? reasked + 1 : 0]).toEqual([name, times]);
    if (times === 0) expect([name, reason, asked.some((one) => one.name === name)]).toEqual([name, 'matcher', true]);
  }
}

test('explain names those that run, when predicates are where they are in the fire', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const explained = play(given, false);
      const { hooks } = explained.host.explain(given.event, INPUT);
      const fired = play(given, false);
      const seen = watch(fired.host);
      await fired.host.fire(given.event, INPUT);
      expect(explained.asked).toEqual(fired.asked);
      expect(explained.called).toEqual([]);
      const ran = only(fires(seen)).handlers.filter(({ status }) => status === 'ran');
      expect(hooks.flatMap(({ name, runs }) => (runs ? name : [])).sort()).toEqual(ran.map(({ name }) => name).sort());
    }),
    { numRuns: generated(150) },
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FireRecord } from '../../src/emit/record.js';
import { withName } from '../../src/events/define.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { EventSpec } from '../../src/events/spec.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { recompute } from '../contracts/recompute.js';
import { generated } from '../seed.js';
import { anyHooks, fires, only, testHost, watch } from './kit.js';
import { type Answer, type Expected, expected, type Handler, type Word } from './reference.js';

/** A gate whose subject is the very thing that is rewritten: one letter. */
const Letter = defineEvent({
  input: z.object({ at: z.string() }),
  subject: 'at',
  fold: 'gate',
  rewrites: { field: 'at', keys: ['updatedInput'] },
});
const ENTRY = withName('Letter', Letter) as EventSpec;
const LETTERS = ['a', 'b', 'c', 'd'];
const RANK: readonly Word[] = ['none', 'allow', 'ask', 'defer', 'deny'];
type Fold = 'strictest' | 'first' | 'last';

const answer: fc.Arbitrary<Answer> = fc.record(
  {
    verdict: fc.constantFrom('allow', 'allow', 'ask', 'defer', 'deny'),
    to: fc.constantFrom(...LETTERS),
    bails: fc.constant(true as const),
    throws: fc.constantFrom('always', 'reask', 'reask'),
    leaves: fc.constant(true as const),
  },
  { requiredKeys: [] },
);
/** Seldom more than one of the rarer things at once. */
const modest = fc.tuple(answer, fc.nat(19)).map(
  ([{ verdict, to, bails, throws, leaves }, dice]): Answer => ({
    ...(verdict ? { verdict } : {}),
    ...(to ? { to } : {}),
    ...(bails && dice === 0 ? { bails } : {}),
    ...(throws && dice > 14 ? { throws } : {}),
    ...(leaves && dice === 1 ? { leaves } : {}),
  }),
);
const handler = fc.record({
  depth: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const),
  stage: fc.constantFrom(0, 0, 1, -1),
  parallel: fc.boolean(),
  rewriter: fc.nat(5).map((n) => n === 0),
  onFailure: fc.constantFrom('continue' as const, 'ask' as const, 'block' as const),
  on: fc.dictionary(fc.constantFrom(...LETTERS), modest, { minKeys: 1, noNullPrototype: true }),
});
const handlers = fc
  .array(handler, { minLength: 1, maxLength: 6 })
  .map((list): Handler[] => list.map((h, i) => ({ ...h, name: `h${i}` })));
const scenario = fc.record({
  handlers,
  fold: fc.constantFrom<Fold>('strictest', 'strictest', 'first', 'last'),
  predicates: fc.boolean(),
  sync: fc.boolean(),
});

interface Result {
  readonly decision: AnyDecision;
  readonly asked: readonly string[];
  readonly record: FireRecord | undefined;
}

const bare = (id: string): string => id.replace(/#.*/, '');

async function fire(
  handlers: readonly Handler[],
  fold: Fold,
  how: { predicates: boolean; sync: boolean; watched: boolean },
): Promise<Result> {
  const { host } = testHost({ events: { Letter }, decisions: fold });
  const seen = how.watched ? watch(host) : [];
  const asked: string[] = [];
  host.registerScoped('parent', {});
  host.registerScoped('child', {}, { parent: 'parent' });
  const scopes = { 1: host, 2: host.scope({ session: 's' }), 3: host.scope('parent'), 4: host.scope('child') };
  for (const { name, depth, stage, parallel, rewriter, onFailure, on } of handlers) {
    const answers = (input: { at: string }, _: unknown, { call }: { call: string }): unknown => {
      asked.push(`${name}:${input.at}${call === 'reask' ? '?' : ''}`);
      const { verdict, to, bails, throws, leaves } = on[input.at] as Answer;
      if (throws === 'always' || (throws === 'reask' && call === 'reask')) throw new Error('broken');
      if (leaves) return { async: true, result: Promise.resolve() };
      return {
        ...(bails ? { continue: false } : {}),
        hookSpecificOutput: {
          ...(verdict ? { permissionDecision: verdict, permissionDecisionReason: `${name} of ${input.at}` } : {}),
          ...(to === undefined ? {} : { updatedInput: to }),
        },
      };
    };
    const letters = Object.keys(on);
    const group = {
      name,
      stage,
      onFailure,
      mode: parallel ? 'parallel' : 'series',
      phase: rewriter ? 'rewrite' : 'decide',
      matcher: how.predicates ? (at: string) => letters.includes(at) : letters.join('|'),
      hooks: [how.sync ? answers : async (...args: Parameters<typeof answers>) => answers(...args)],
    };
    scopes[depth].register(anyHooks({ Letter: [group] }) as never);
  }
  const decision = (await host.fire('Letter', { at: 'a' }, { scope: 'child' })) as AnyDecision;
  return { decision, asked, record: how.watched ? only(fires(seen)) : undefined };
}

function compare({ decision, asked }: Result, model: Expected): void {
  expect(asked).toEqual(model.asked);
  expect(decision.verdict).toBe(model.verdict);
  expect(decision.updatedInput).toBe(model.touched ? model.at : undefined);
  expect(decision.conflicts.map((c) => [bare(c.winner), bare(c.loser)])).toEqual(model.conflicts);
  expect(decision.decidedBy && bare(decision.decidedBy)).toBe(model.decidedBy);
  expect(decision.overruled.map(bare)).toEqual(model.overruled);
  expect(decision.failures.map((f) => f.name)).toEqual(model.failed);
}

describe('random gates', () => {
  test('come to what the reference says, watched or not, sync or not, by list or by predicate', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ handlers, fold, predicates, sync }) => {
        const model = expected(handlers, 'a', fold);
        for (const watched of [false, true]) {
          const result = await fire(handlers, fold, { predicates, sync, watched });
          compare(result, model);
          if (!result.record) continue;
          const { outcomes: _, ...fields } = { ...result.decision, outcomes: undefined };
          expect(recompute(result.record, ENTRY)).toEqual(fields);
        }
      }),
      { numRuns: generated(150) },
    );
  });

  /** What the handler was last asked, and what it answered. */
  const lastOf = (
    asked: readonly string[],
    h: Handler,
  ): { letter: string; answer: Answer; again: boolean } | undefined => {
    const entry = asked.findLast((a) => a.startsWith(`${h.name}:`));
    if (entry === undefined) return undefined;
    const letter = entry.charAt(h.name.length + 1);
    return { letter, answer: h.on[letter] as Answer, again: entry.endsWith('?') };
  };

  test('hold what a gate promises, whatever the reference says', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ handlers, predicates, sync }) => {
        const { decision, asked } = await fire(handlers, 'strictest', { predicates, sync, watched: false });
        const end = (decision.updatedInput as string | undefined) ?? 'a';
        const bailed = asked.some((a) => {
          const h = handlers.find((x) => a.startsWith(`${x.name}:`)) as Handler;
          const { bails, throws, leaves } = h.on[a.charAt(h.name.length + 1)] as Answer;
          return bails && !leaves && throws !== 'always' && !(throws === 'reask' && a.endsWith('?'));
        });
        // It ends, and not by luck: first rewrites are few, and between two of them conflicts only move outward or later.
        expect(asked.length).toBeLessThan(handlers.length ** 3 + 20);
        for (const h of handlers) {
          const last = lastOf(asked, h);
          const failed = last && (last.answer.throws === 'always' || (last.answer.throws === 'reask' && last.again));
          // Who matches what will run has judged it, or its own rewrite of something else to it.
          if (!bailed && Object.hasOwn(h.on, end) && !h.rewriter && !last?.answer.leaves) {
            expect([last?.letter, failed ? undefined : last?.answer.to], h.name).toContain(end);
          }
          // A deny is never lost unless its own handler took it back.
          if (last && !failed && !h.rewriter && !last.answer.leaves && last.answer.verdict === 'deny') {
            expect(decision.verdict).toBe('deny');
          }
        }
        if (bailed) expect(decision.verdict).toBe('deny');
        // An allow is somebody's who allowed exactly what will run.
        if (decision.verdict === 'allow') {
          const allowing = handlers.filter((h) => {
            const last = lastOf(asked, h);
            if (!last || h.rewriter || last.answer.verdict !== 'allow' || last.answer.leaves) return false;
            if (last.answer.throws === 'always' || (last.answer.throws === 'reask' && last.again)) return false;
            return (last.answer.to ?? last.letter) === end;
          });
          expect(allowing.map((h) => h.name)).toContain(bare(decision.decidedBy as string));
        }
        for (const { winner, loser } of decision.conflicts) {
          const [w, l] = [winner, loser].map((id) => handlers.find((h) => h.name === bare(id)) as Handler) as [
            Handler,
            Handler,
          ];
          const place = (h: Handler): number => handlers.indexOf(h);
          const wins =
            w.depth < l.depth
              ? !w.rewriter
              : w.depth > l.depth
                ? l.rewriter
                : w.stage !== l.stage
                  ? w.stage > l.stage
                  : place(w) > place(l);
          expect(wins, `${winner} over ${loser}`).toBe(true);
        }
      }),
      { numRuns: generated(150) },
    );
  });

  test('cover what they are meant to cover', () => {
    const counts: Record<string, number> = {};
    const count = (what: string, is: boolean): void => {
      counts[what] = (counts[what] ?? 0) + Number(is);
    };
    for (const { handlers, fold } of fc.sample(scenario, { numRuns: 1500, seed: 7 })) {
      const model = expected(handlers, 'a', fold);
      count(
        'asked again',
        model.asked.some((a) => a.endsWith('?')),
      );
      count('conflict', model.conflicts.length > 0);
      count('bailed', model.bailed);
      count('failed', model.failed.length > 0);
      count(
        'asked again and failed',
        model.failed.some((n) => model.asked.findLast((a) => a.startsWith(n))?.endsWith('?')),
      );
      for (const word of RANK) count(word, model.verdict === word);
    }
    for (const [what, times] of Object.entries(counts)) expect(times, what).toBeGreaterThan(20);
  });
});

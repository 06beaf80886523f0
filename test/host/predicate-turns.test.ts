import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deny } from '../../src/events/output/helpers.js';
import { type Candidates, nextWave } from '../../src/host/plan/plan.js';
import type { Registration } from '../../src/scopes/registration.js';
import { generated } from '../seed.js';
import { testHost } from './kit.js';

interface Kind {
  readonly parallel: boolean;
  readonly stage: number;
  readonly predicate: boolean;
  readonly runs: boolean;
}

/** As far as a wave reads them. */
const listOf = (kinds: readonly Kind[]): Registration[] =>
  kinds.map(
    ({ parallel, stage, predicate }, i) =>
      ({ id: `${i}`, mode: parallel ? 'parallel' : 'series', stage, matcher: { static: !predicate } }) as never,
  );

const candidatesOf = (list: readonly Registration[]): Pick<Candidates, 'list' | 'deciders'> => ({
  list,
  deciders: list.length,
});

/** The hooks that run together first, if it is known of each whether it runs. */
function together(kinds: readonly Kind[], runs: (i: number) => boolean): number[] {
  const at = kinds.findIndex((_, i) => runs(i));
  const first = kinds[at];
  if (first === undefined) return [];
  const wave = [at];
  if (!first.parallel) return wave;
  for (let i = at + 1; i < kinds.length; i++) {
    if (!runs(i)) continue;
    if (kinds[i]?.parallel !== true || kinds[i]?.stage !== first.stage) break;
    wave.push(i);
  }
  return wave;
}

/** All that the predicates from `from` on may answer; before it is what they did answer. */
function* answersFrom(kinds: readonly Kind[], from: number): Generator<(i: number) => boolean> {
  const open = kinds.flatMap(({ predicate }, i) => (predicate && i >= from ? i : []));
  for (let bits = 0; bits < 2 ** open.length; bits++)
    yield (i) => {
      const at = open.indexOf(i);
      return at < 0 ? kinds[i]?.runs === true : (bits & (2 ** at)) > 0;
    };
}

/** Whose predicates are asked: those up to the first that runs, those that may run with it, and those that may lie between two that do. */
function askedOf(kinds: readonly Kind[]): number[] {
  const runs = (i: number): boolean => kinds[i]?.runs === true;
  const first = kinds.findIndex((_, i) => runs(i));
  const asked: number[] = [];
  for (const [i, { predicate }] of kinds.entries()) {
    const [at = i] = first >= 0 && first < i ? [first] : [];
    const mayJoin = [...answersFrom(kinds, i)].some((may) => together(kinds, may).some((one) => one >= i));
    const mayGoOn = [...answersFrom(kinds, i)].some((may) => together(kinds, may).some((one) => one > i));
    const joins = kinds[i]?.parallel === true && kinds[i]?.stage === kinds[at]?.stage;
    if (at !== i && !(joins ? mayJoin : mayGoOn)) break;
    if (predicate) asked.push(i);
    if (at === i && runs(i) && kinds[i]?.parallel !== true) break;
    if (at !== i && runs(i) && !joins) break;
  }
  return asked;
}

const kinds = fc
  .array(
    fc.record({
      parallel: fc.boolean(),
      stage: fc.nat(3).map((n) => (n === 0 ? 1 : 0)),
      predicate: fc.boolean(),
      runs: fc.nat(3).map((n) => n > 0),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((some) => some.sort((a, b) => a.stage - b.stage));

test('a predicate is asked before its turn only if its hook may lie between two that run together', () => {
  fc.assert(
    fc.property(kinds, (given) => {
      const asked: number[] = [];
      const next = nextWave(candidatesOf(listOf(given)), 0, (r, i) => {
        if (!r.matcher.static && !asked.includes(i)) asked.push(i);
        return given[i]?.runs === true;
      });
      expect(next?.wave ?? []).toEqual(together(given, (i) => given[i]?.runs === true));
      expect(asked).toEqual(askedOf(given));
    }),
    { numRuns: generated(2000) },
  );
});

test('what is looked at ahead of its turn has no predicate', () => {
  fc.assert(
    fc.property(kinds, (given) => {
      const ahead: boolean[] = [];
      nextWave(candidatesOf(listOf(given)), 0, (r, i, isAhead) => {
        if (isAhead) ahead.push(r.matcher.static);
        return given[i]?.runs === true;
      });
      expect(ahead).toEqual(ahead.map(() => true));
    }),
    { numRuns: generated(500) },
  );
});

test.each([
  ['', 'deny'],
  ['s', 'deny'],
  ['s p', 'deny'],
  ['s s p', 'deny'],
  // Left out by its rule, so the guard may lie between two that run together.
  ['if p', 'none'],
  ['if s p', 'deny'],
])(
  'a guard whose predicate depends on the parallel hook before it, with "%s" behind it: %s',
  async (behind, verdict) => {
    const { host } = testHost();
    let secret = false;
    const nothing = () => undefined;
    const after = { s: { hooks: [nothing] }, p: { mode: 'parallel', hooks: [nothing] } } as const;
    const scan = async (): Promise<void> => {
      await Promise.resolve();
      secret = true;
    };
    const unmet = { hooks: [{ type: 'command', if: 'Bash(git *)', command: 'exit 2' }] } as never;
    host.register({
      PreToolUse: [
        { mode: 'parallel', hooks: [scan] },
        { matcher: () => secret, hooks: [() => deny('secret')] },
        ...behind.split(' ').flatMap((word) => (word === 'if' ? unmet : (after[word as 's' | 'p'] ?? []))),
      ],
    });
    const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
    expect(decision.verdict).toBe(verdict);
  },
);

test('the hooks of a fire are looked at a few times each, however many groups they form', () => {
  const most = 400;
  const kindOf = (parallel: boolean, predicate: boolean, stage = 0): Kind => ({
    parallel,
    predicate,
    stage,
    runs: true,
  });
  const shapes = {
    'groups before a tail': (i: number) => (i < most / 2 ? kindOf(i % 2 === 0, true) : kindOf(false, false)),
    'groups before predicates': (i: number) => kindOf(i < most / 2 && i % 2 === 0, true),
    'a stage each': (i: number) => kindOf(i % 2 === 0, true, Math.floor(i / 2)),
  };
  for (const [shape, kind] of Object.entries(shapes)) {
    let reads = 0;
    const list = new Proxy(listOf(Array.from({ length: most }, (_, i) => kind(i))), {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d/.test(key)) reads++;
        return Reflect.get(target, key, receiver);
      },
    });
    let at = 0;
    for (
      let next = nextWave(candidatesOf(list), at, () => true);
      next;
      next = nextWave(candidatesOf(list), at, () => true)
    )
      at = next.end;
    expect([shape, reads < 8 * most]).toEqual([shape, true]);
  }
});

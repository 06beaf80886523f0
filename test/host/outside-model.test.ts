import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { FireRecord, HandlerRecord } from '../../src/emit/record.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { messageOf } from '../../src/values/waiting/promises.js';
import { generated, SEED } from '../seed.js';
import { anyHooks, fires, type Told as Record, testHost, watch } from './kit.js';
import {
  causeOf,
  type Does,
  type Failing,
  type Hook,
  KINDS,
  type Kind,
  LETTERS,
  Outside,
  reasonOf,
} from './outside-hooks.js';
import { type Expected, expected, type Handler } from './reference.js';

type Fold = 'strictest' | 'first' | 'last';

interface Scenario {
  readonly hooks: readonly Hook[];
  readonly fold: Fold;
  readonly watched: boolean;
}

const does: fc.Arbitrary<Does> = fc
  .record({
    verdict: fc.constantFrom(undefined, undefined, 'allow' as const, 'ask' as const, 'defer' as const, 'deny' as const),
    to: fc.constantFrom(undefined, undefined, undefined, ...LETTERS),
    rare: fc.constantFrom(...Array<undefined>(8).fill(undefined), 'bails', 'leaves', 'nonsense', 'fail', 'crash'),
  })
  .map(({ verdict, to, rare }) => {
    if (rare === 'leaves') return { leaves: true };
    if (rare === 'bails') return { bails: true, ...(verdict && { verdict }) };
    if (rare !== undefined) return { fails: rare as Failing };
    return { ...(verdict && { verdict }), ...(to && { to }) };
  });

/** What a hook of that type can do of it. */
function able(kind: Kind, said: Does): Does {
  if (kind === 'callback' || kind === 'command') return said;
  const { leaves: _, ...rest } = said;
  if (kind === 'http' || kind === 'mcp_tool') return rest;
  if (rest.fails) return { fails: rest.fails };
  return rest.verdict === 'deny' ? { verdict: 'deny' } : {};
}

function fitted(hook: Hook): Hook {
  const { kind } = hook;
  const on = Object.fromEntries(Object.entries(hook.on).map(([letter, said]) => [letter, able(kind, said)]));
  if (kind === 'rule') {
    const verdict = Object.values(hook.on)[0]?.verdict;
    const says: Does = { verdict: verdict === undefined || verdict === 'defer' ? 'allow' : verdict };
    return {
      ...hook,
      rewriter: false,
      slow: undefined,
      async: false,
      on: Object.fromEntries(Object.keys(on).map((l) => [l, says])),
    };
  }
  if (kind === 'prompt' || kind === 'agent') {
    // Its "no" ends the run, unless it is told not to; `plainly` says which.
    const ends = (said: Does): Does => (said.verdict === 'deny' && hook.plainly ? { ...said, bails: true } : said);
    return { ...hook, async: false, on: Object.fromEntries(Object.entries(on).map(([l, said]) => [l, ends(said)])) };
  }
  return { ...hook, on, async: hook.async && hook.slow === undefined && kind !== 'callback' };
}

const hook = fc
  .record({
    kind: fc.constantFrom(...KINDS, 'callback' as const, 'callback' as const, 'command' as const, 'command' as const),
    depth: fc.constantFrom(1 as const, 1 as const, 2 as const, 3 as const, 4 as const),
    stage: fc.constantFrom(0, 0, 0, 1, -1),
    parallel: fc.nat(2).map((n) => n === 0),
    rewriter: fc.nat(9).map((n) => n === 0),
    onFailure: fc.constantFrom('continue' as const, 'ask' as const, 'block' as const),
    on: fc.oneof(
      { weight: 2, arbitrary: fc.record({ a: does, b: does, c: does }) },
      { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...LETTERS), does, { minKeys: 1, noNullPrototype: true }) },
    ),
    // What has to be killed takes 1.5 s.
    slow: fc.constantFrom(
      ...Array<undefined>(50).fill(undefined),
      ...Array<'yields'>(9).fill('yields'),
      ...Array<'killed'>(4).fill('killed'),
      'stubborn' as const,
    ),
    async: fc.nat(14).map((n) => n === 0),
    once: fc.nat(6).map((n) => n === 0),
    before: fc.nat(4).map((n) => n === 0),
    plainly: fc.boolean(),
    predicate: fc.boolean(),
    name: fc.constant(''),
  })
  .map(fitted);

/** A rule's `allow` loosens no outer scope, which the reference does not know; under `strictest` it cannot. */
function isKnown({ hooks, fold }: Scenario): boolean {
  return (
    fold === 'strictest' ||
    hooks.every(({ kind, on }) => kind !== 'rule' || Object.values(on).every((d) => d.verdict !== 'allow'))
  );
}

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    hooks: fc.array(hook, { minLength: 2, maxLength: 6 }).map((list) => list.map((h, i) => ({ ...h, name: `h${i}` }))),
    fold: fc.constantFrom<Fold>('strictest', 'strictest', 'strictest', 'first', 'last'),
    watched: fc.boolean(),
  })
  .filter(isKnown);

/** In the order in which they run, and before whom a hook wants to run: only one that neighbours it, so that no other order would do. */
function ordered(hooks: readonly Hook[]): { readonly order: Hook[]; readonly before: ReadonlyMap<Hook, Hook> } {
  const order: Hook[] = [];
  const before = new Map<Hook, Hook>();
  for (const hook of hooks.toSorted((a, b) => a.depth - b.depth || a.stage - b.stage)) {
    const last = order.at(-1);
    const moves = hook.before && last?.depth === hook.depth && last.stage === hook.stage;
    if (!(moves && ![...before].flat().includes(last))) order.push(hook);
    else {
      before.set(hook, last);
      order.splice(-1, 0, hook);
    }
  }
  return { order, before };
}

/** What the reference takes for a hook. */
function asHandler(hook: Hook): Handler {
  const leaves = hook.async;
  const on = Object.entries(hook.on).map(([letter, { fails, ...said }]) => [
    letter,
    leaves ? { leaves } : hook.slow !== undefined || fails !== undefined ? { throws: 'always' } : said,
  ]);
  return { ...hook, on: Object.fromEntries(on) };
}

const folder = mkdtempSync(join(tmpdir(), 'hookscope-outside-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let hosts = 0;

interface Result {
  readonly decision: AnyDecision;
  readonly told: readonly string[];
  readonly seen: readonly Record[];
}

/** Fires twice: what runs once runs the first time only. */
async function run({ hooks, fold, watched }: Scenario, outside: Outside): Promise<Result[]> {
  const { host } = testHost({
    decisions: fold,
    session: { session_id: 's', transcript_path: '/t', cwd: '/tmp' },
    ...outside.options,
  });
  const number = hosts++;
  const log = join(folder, String(number));
  const seen = watched ? watch(host) : [];
  let told: string[] = [];
  host.registerScoped('parent', {});
  host.registerScoped('child', {}, { parent: 'parent' });
  const scopes = { 1: host, 2: host.scope({ session: 's' }), 3: host.scope('parent'), 4: host.scope('child') };
  const { before } = ordered(hooks);
  for (const hook of hooks) {
    const { name, depth, stage, parallel, rewriter, onFailure, once, on, predicate } = hook;
    const letters = Object.keys(on);
    const rule = letters.length === 1 && !predicate ? { if: `Bash(${letters[0]})` } : {};
    const filter =
      letters.length === LETTERS.length || 'if' in rule
        ? rule
        : {
            matcher: (_: string, input: { tool_input: { command: string } }) =>
              letters.includes(input.tool_input.command),
          };
    const group = {
      ...filter,
      stage,
      onFailure,
      once,
      mode: parallel ? 'parallel' : 'series',
      phase: rewriter ? 'rewrite' : 'decide',
      before: [before.get(hook)?.name].filter((other) => other !== undefined),
      hooks: [outside.made(hook, `h${number}-${name}`, (...one) => told.push(one.join(':')), log)],
    };
    scopes[depth].register(anyHooks({ PreToolUse: [group] }) as never);
  }
  const results: Result[] = [];
  for (let i = 0; i < 2; i++) {
    told = [];
    writeFileSync(log, '');
    const from = seen.length;
    const input = { tool_name: 'Bash', tool_input: { command: 'a' } };
    const decision = (await host.fire('PreToolUse', input, { scope: 'child' })) as AnyDecision;
    const said = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    results.push({ decision, told: [...told, ...said], seen: seen.slice(from) });
  }
  await host.close();
  return results;
}

const bare = (id: string): string => id.replace(/#.*/, '');
const nameOf = (asked: string): string => asked.split(':')[0] as string;

/** Of all that the reference says: who was asked about what, the decision, and what each record says. */
function compare(hooks: readonly Hook[], model: Expected, { decision, told, seen }: Result, watched: boolean): void {
  const of = (name: string): Hook => hooks.find((h) => h.name === name) as Hook;
  // What runs out of time, or nobody waits for, may not have come to say that it was asked; a rule never does.
  const says = (asked: string): boolean => {
    const { kind, slow, async } = of(nameOf(asked));
    return kind !== 'rule' && !async && !(['command', 'http'].includes(kind) && slow !== undefined);
  };
  const asked = model.asked.map((one) => one.replace('?', ''));
  const plain = (list: readonly string[]): string[] => list.filter(says).toSorted();
  expect(plain(told)).toEqual(plain(asked));
  expect(decision.verdict).toBe(model.verdict);
  expect(decision.decidedBy && bare(decision.decidedBy)).toBe(model.decidedBy);
  expect(decision.overruled.map(bare)).toEqual(model.overruled);
  expect((decision.updatedInput as { command: string } | undefined)?.command).toBe(
    model.touched ? model.at : undefined,
  );
  expect(decision.conflicts.map((c) => [bare(c.winner), bare(c.loser)])).toEqual(model.conflicts);
  const causes = new Map(hooks.map((h) => [h.name, lastCause(h, model)]));
  expect(decision.failures.map(({ name, cause }) => [name, cause])).toEqual(
    model.failed.map((name) => [name, causes.get(name)]),
  );
  const by = hooks.find(({ name }) => name === model.decidedBy);
  if (by && !model.failed.includes(by.name) && !model.bailed) expect(decision.reason).toBe(reasonOf(by, model.verdict));
  if (!watched) return;
  const [record] = fires(seen) as [FireRecord];
  expect(record.handlers.map(({ name }) => name)).toEqual(hooks.map(({ name }) => name));
  for (const row of record.handlers) checkRow(row, of(row.name), model, causes.get(row.name));
  const started = seen.filter((r) => r.type === 'system' && r.subtype === 'hook_started');
  expect(started.map((r) => ('name' in r ? r.name : '')).toSorted()).toEqual(asked.map(nameOf).toSorted());
}

function checkRow(row: HandlerRecord, hook: Hook, model: Expected, cause: string | undefined): void {
  const { name } = hook;
  const asked = model.asked.filter((one) => nameOf(one) === name);
  const word = model.words.get(name);
  // What it has said before it went to the background still counts, even where that is no word.
  const spoke = asked.some((one) => Object.keys(doesOf(hook, one)).some((key) => key !== 'leaves'));
  const answered = word !== undefined || (spoke && !hook.async);
  const status = asked.length === 0 ? 'skipped' : cause !== undefined ? 'failed' : answered ? 'ran' : 'background';
  expect([name, row.status, row.failure?.cause]).toEqual([name, status, cause]);
  if (word !== undefined) expect([name, row.verdict]).toEqual([name, word]);
  expect(row.reasked).toBe(asked.length > 1 ? asked.length - 1 : undefined);
}

/** Of `h1:a?`. */
const doesOf = (hook: Hook, asked: string): Does => hook.on[asked.charAt(hook.name.length + 1)] as Does;

/** How it failed the last time that it did, unless it has answered since. */
function lastCause(hook: Hook, { asked, failed }: Expected): string | undefined {
  if (!failed.includes(hook.name)) return undefined;
  const answers = asked.filter((one) => nameOf(one) === hook.name);
  return answers.map((one) => causeOf(hook, doesOf(hook, one))).findLast((cause) => cause !== undefined);
}

/** What the reference says of both fires. `hooks` in plan order. */
function modelOf({ fold }: Scenario, hooks: readonly Hook[]): Expected[] {
  const first = expected(hooks.map(asHandler), 'a', fold);
  const left = hooks.filter((h) => !(h.once && first.asked.some((one) => nameOf(one) === h.name)));
  return [first, expected(left.map(asHandler), 'a', fold)];
}

describe('random fires with hooks outside the program', () => {
  test('come to what the reference says, in the decision and in the records', async () => {
    await using outside = await Outside.open();
    const scenarios = fc.sample(scenario, { numRuns: generated(100), seed: SEED });
    const runOne = async (one: Scenario): Promise<void> => {
      const hooks = ordered(one.hooks).order;
      const models = modelOf(one, hooks);
      const results = await run(one, outside);
      for (const [i, result] of results.entries()) compare(hooks, models[i] as Expected, result, one.watched);
    };
    // Several at a time: most of a fire is waiting for what is slow.
    const left = scenarios.entries();
    const worker = async (): Promise<void> => {
      for (const [i, one] of left) {
        await runOne(one).catch((error: unknown) => {
          throw new Error(`scenario ${i} of seed ${SEED}: ${JSON.stringify(one)}: ${messageOf(error)}`, {
            cause: error,
          });
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  });

  test('cover what they are meant to cover', () => {
    const counts: { [what: string]: number } = {};
    const count = (what: string, is: boolean): void => {
      counts[what] = (counts[what] ?? 0) + Number(is);
    };
    for (const one of fc.sample(scenario, { numRuns: 1000, seed: 7 })) {
      const { order: hooks, before } = ordered(one.hooks);
      const [model, again] = modelOf(one, hooks) as [Expected, Expected];
      const asked = (h: Hook): boolean => model.asked.some((a) => nameOf(a) === h.name);
      for (const kind of KINDS)
        count(
          kind,
          hooks.some((h) => h.kind === kind && asked(h)),
        );
      count(
        'asked again outside',
        model.asked.some((a) => a.endsWith('?') && hooks.some((h) => h.name === nameOf(a) && h.kind !== 'callback')),
      );
      count(
        'out of time, and a deny behind it in series',
        hooks.some(
          (h, i) =>
            h.slow === 'yields' &&
            h.kind !== 'callback' &&
            asked(h) &&
            !h.parallel &&
            hooks.slice(i + 1).some((b) => !b.parallel && model.words.get(b.name) === 'deny' && b.slow === undefined),
        ),
      );
      count('a failure that denies', model.verdict === 'deny' && model.failed.includes(model.decidedBy ?? ''));
      count('once', again.asked.length < model.asked.length);
      count('bailed', model.bailed);
      count(
        'in the background',
        hooks.some((h) => h.async && asked(h)),
      );
      count('before', before.size > 0);
      for (const word of ['none', 'allow', 'ask', 'defer', 'deny']) count(word, model.verdict === word);
    }
    for (const [what, times] of Object.entries(counts)) expect(times, what).toBeGreaterThan(20);
  });
});

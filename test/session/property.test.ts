import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addContext, combine, deny, rewrite } from '../../src/events/output/helpers.js';
import type { Hooks } from '../../src/host/types.js';
import type { ToolCall, ToolResult } from '../../src/session/tool/call.js';
import type { Session } from '../../src/session/types.js';
import { anyHooks, testHost } from '../host/kit.js';
import { generated } from '../seed.js';

/** What a tool is asked for; everybody who judges it does so by these three. */
interface Ask {
  readonly risk: number;
  readonly by: string;
  readonly marked: boolean;
}

interface CallPlan {
  readonly ask: Ask;
  readonly concurrent: boolean;
  readonly fails: boolean;
}

interface AgentPlan {
  /** Its guard denies what is riskier. */
  readonly limit: number;
  /** Its rewriter lowers or raises the risk, or marks the call, or leaves it. */
  readonly rewrites: 'lower' | 'raise' | 'mark' | 'no';
  readonly batches: readonly (readonly CallPlan[])[];
}

interface Plan {
  readonly agents: readonly AgentPlan[];
  readonly rules: { readonly deny: number; readonly ask: number; readonly rewrites: boolean };
  readonly person: 'allows' | 'denies' | 'rewrites' | 'nobody';
}

const risk = fc.integer({ min: 0, max: 9 });
const call = fc.record({
  ask: fc.record({ risk, by: fc.constant('model'), marked: fc.boolean() }),
  concurrent: fc.boolean(),
  fails: fc.boolean(),
});
const agent = fc.record({
  limit: fc.integer({ min: 2, max: 9 }),
  rewrites: fc.constantFrom('lower', 'raise', 'mark', 'no' as const),
  batches: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  agents: fc.array(agent, { minLength: 2, maxLength: 4 }) as fc.Arbitrary<AgentPlan[]>,
  rules: fc.record({
    deny: fc.integer({ min: 5, max: 10 }),
    ask: fc.integer({ min: 0, max: 10 }),
    rewrites: fc.boolean(),
  }),
  person: fc.constantFrom('allows', 'denies', 'rewrites', 'nobody' as const),
});

/** Who was asked about which call, with which input, in order. */
interface Sighting {
  readonly hook: string;
  readonly scope: string;
  readonly agent: string;
  readonly call: string;
  readonly input: Ask;
  /** What it put in its place: whoever rewrites an input has judged that too. */
  readonly made?: Ask;
}

interface Outcome {
  readonly sightings: readonly Sighting[];
  /** What rules, persons and guards said no to. */
  readonly refused: readonly { readonly call: string; readonly input: Ask }[];
  readonly executed: ReadonlyMap<string, Ask>;
  readonly results: ReadonlyMap<string, readonly ToolResult[]>;
  readonly prompts: ReadonlyMap<string, string>;
  readonly expected: ReadonlyMap<string, readonly string[]>;
}

interface HookInput {
  readonly agent_id?: string;
  readonly tool_use_id: string;
  readonly tool_input: Ask;
}

/** Runs the whole plan; `turn` decides when each hook, rule, person and tool goes on. */
async function run({ agents, rules, person }: Plan, turn: <T>(value: T) => Promise<T>): Promise<Outcome> {
  const sightings: Sighting[] = [];
  const refused: { call: string; input: Ask }[] = [];
  const refuse = (call: string, input: Ask): { behavior: 'deny' } => {
    refused.push({ call, input: { ...input } });
    return { behavior: 'deny' };
  };
  const executed = new Map<string, Ask>();
  const see = (
    hook: string,
    scope: string,
    { tool_input, agent_id = 'main', tool_use_id }: HookInput,
    made?: Ask,
  ): Ask => {
    const input: Ask = { ...tool_input };
    sightings.push({ hook, scope, agent: agent_id, call: tool_use_id, input, ...(made ? { made } : {}) });
    return input;
  };
  const guard = (hook: string, scope: string, judge: (input: Ask) => unknown) => async (input: HookInput) =>
    turn(judge(see(hook, scope, input)));
  const limiter = (id: string, limit: number) => async (input: HookInput) => {
    const judged = see('limit', id, input);
    if (judged.risk > limit) refuse(input.tool_use_id, judged);
    return turn(judged.risk > limit ? deny(`limit of ${id}`) : addContext(`seen by ${id}`));
  };
  const rewriter = (id: string, how: AgentPlan['rewrites']) => async (input: HookInput) => {
    const made = remade(input.tool_input, how, id);
    see('rewriter', id, input, made);
    return turn(made && combine(rewrite(made), addContext(`rewritten by ${id}`)));
  };
  const hooksOf = (id: string, { limit, rewrites }: AgentPlan): Hooks =>
    anyHooks({
      SubagentStart: [{ hooks: [() => turn(addContext(`start of ${id}`))] }],
      PreToolUse: [
        { name: 'rewriter', hooks: [rewriter(id, rewrites)] },
        {
          name: 'limit',
          hooks: [limiter(id, limit)],
        },
        // Only marked calls: whoever marks one on the way must bring it here.
        {
          name: 'marked',
          matcher: (_: unknown, { tool_input }: HookInput) => tool_input.marked,
          hooks: [guard('marked', id, () => undefined)],
        },
      ],
      PostToolUse: [{ hooks: [() => turn(addContext(`after, of ${id}`))] }],
    });
  const { host } = testHost();
  host.register(
    anyHooks({ PreToolUse: [{ name: 'base', stage: 5, hooks: [guard('base', 'host', () => undefined)] }] }),
  );
  const session = await host.openSession({
    permission: async (input, { id }) => {
      const judged = (await turn(input)) as Ask;
      if (judged.risk >= rules.deny) return refuse(id, judged);
      if (rules.rewrites && !judged.marked) return { behavior: 'none', updatedInput: { ...judged, marked: true } };
      return { behavior: judged.risk >= rules.ask ? 'ask' : 'allow' };
    },
    ask: async (input, { id }) => {
      const judged = (await turn(input)) as Ask;
      if (person === 'nobody') return undefined;
      if (person === 'rewrites') return { behavior: 'allow', updatedInput: { ...judged, by: 'person' } };
      return person === 'allows' ? { behavior: 'allow' } : refuse(id, judged);
    },
  });
  const results = new Map<string, ToolResult[]>();
  const prompts = new Map<string, string>();
  const expected = new Map<string, string[]>();
  const play = async (own: Session, id: string, { batches }: AgentPlan): Promise<void> => {
    prompts.set(id, own.systemPrompt(''));
    for (const [b, batch] of batches.entries()) {
      const calls = batch.map((c, i): ToolCall => toolCall(`${id}/${b}/${i}`, c, executed, turn));
      expected.set(id, [...(expected.get(id) ?? []), ...calls.map((c) => c.id as string)]);
      const answer = await own.toolBatch(calls);
      results.set(id, [...(results.get(id) ?? []), ...answer.results]);
    }
    await own.stop();
  };
  await Promise.all(
    agents.map(async (agentPlan, i) => {
      const id = `agent-${i}`;
      // The first is the main thread; its hooks are the session's, which every agent is under.
      if (i === 0) return play(session, 'main', agentPlan);
      const parent = await turn(session);
      await play(await parent.spawn({ agent_type: 'worker', id, hooks: hooksOf(id, agentPlan) }), id, agentPlan);
    }),
  );
  await session.close();
  await host.close();
  return { sightings, refused, executed, results, prompts, expected };
}

/** What the agent's rewriter makes of an input. */
function remade(input: Ask, how: AgentPlan['rewrites'], id: string): Ask | undefined {
  if (how === 'no' || input.by === id) return undefined;
  if (how === 'mark') return { ...input, by: id, marked: true };
  return { ...input, by: id, risk: how === 'lower' ? 0 : 9 };
}

function toolCall(
  id: string,
  { ask, concurrent, fails }: CallPlan,
  executed: Map<string, Ask>,
  turn: <T>(value: T) => Promise<T>,
): ToolCall {
  return {
    name: 'T',
    id,
    input: ask,
    concurrent,
    execute: async (input) => {
      executed.set(id, input as unknown as Ask);
      await turn(id);
      if (fails) throw new Error(`no ${id}`);
      return `ran ${id}`;
    },
  };
}

/** The guards that match an input in an agent's scope: what must have judged it last. */
function guardsFor(agentId: string, { marked }: Ask): { hook: string; scope: string }[] {
  const base = { hook: 'base', scope: 'host' };
  if (agentId === 'main') return [base];
  const own = (hook: string) => ({ hook, scope: agentId });
  return [base, own('rewriter'), own('limit'), ...(marked ? [own('marked')] : [])];
}

function check({ sightings, refused, executed, results, prompts, expected }: Outcome): void {
  const contexts = /(?:start of|seen by|after, of|rewritten by|limit of) (\S+)/g;
  for (const s of sightings)
    if (s.scope !== 'host') expect(s).toMatchObject({ agent: s.scope, call: expect.stringMatching(`^${s.scope}/`) });
  for (const [id, text] of prompts)
    expect([...text.matchAll(contexts)].map((m) => m[1])).toEqual(id === 'main' ? [] : [id]);
  for (const [id, list] of results) {
    expect(list.map((r) => r.id)).toEqual(expected.get(id));
    for (const result of list) {
      for (const [, owner] of String(result.content).matchAll(contexts)) expect(owner).toBe(id);
      const ran = executed.get(result.id);
      expect({ id: result.id, ran: ran !== undefined }).toEqual({
        id: result.id,
        ran: result.status === 'ran' || result.status === 'failed',
      });
      if (ran === undefined) continue;
      expect(ran).toEqual(result.input);
      expect(refused).not.toContainEqual({ call: result.id, input: ran });
      for (const guard of guardsFor(id, ran)) {
        const last = sightings.findLast(
          (x) => x.call === result.id && x.hook === guard.hook && x.scope === guard.scope,
        );
        const judged = isDeepStrictEqual(last?.made, ran) ? last?.made : last?.input;
        expect({ ...guard, judged }).toEqual({ ...guard, judged: ran });
      }
    }
  }
}

test('however the calls of several agents interleave, each is judged by its own guards, as it runs, and by nobody else', async () => {
  let ranRewritten = 0;
  let denied = 0;
  await fc.assert(
    fc.asyncProperty(plan, fc.scheduler(), async (p, s) => {
      const work = run(p, (value) => s.schedule(Promise.resolve(value)));
      const outcome = await s.waitFor(work);
      check(outcome);
      const all = [...outcome.results.values()].flat();
      denied += all.filter((r) => r.status === 'denied').length;
      ranRewritten += [...outcome.executed].filter(([, input]) => input.by !== 'model').length;
    }),
    { numRuns: generated(40) },
  );
  // The plans are such that the interesting things happen.
  expect(denied).toBeGreaterThan(100);
  expect(ranRewritten).toBeGreaterThan(100);
});

test('the check sees a call that ran on another input than was judged', async () => {
  const p: Plan = {
    agents: [
      { limit: 9, rewrites: 'no', batches: [] },
      {
        limit: 9,
        rewrites: 'no',
        batches: [[{ ask: { risk: 1, by: 'model', marked: false }, concurrent: false, fails: false }]],
      },
    ],
    rules: { deny: 10, ask: 10, rewrites: false },
    person: 'allows',
  };
  const outcome = await run(p, (value) => Promise.resolve(value));
  expect(() => check(outcome)).not.toThrow();
  const [[id, input]] = [...outcome.executed] as [[string, Ask]];
  expect(isDeepStrictEqual(input, { risk: 1, by: 'model', marked: false })).toBe(true);
  const judged = outcome.sightings.map((s) => (s.hook === 'limit' ? { ...s, input: { ...s.input, risk: 0 } } : s));
  expect(() => check({ ...outcome, sightings: judged })).toThrow();
  expect(() => check({ ...outcome, executed: new Map([[id, { ...input, risk: 2 }]]) })).toThrow();
  expect(() => check({ ...outcome, executed: new Map() })).toThrow();
  expect(() => check({ ...outcome, refused: [{ call: id, input }] })).toThrow();
  expect(() => check({ ...outcome, sightings: outcome.sightings.map((s) => ({ ...s, agent: 'agent-9' })) })).toThrow();
});

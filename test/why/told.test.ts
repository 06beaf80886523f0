import { describe, expect, test } from 'vitest';
import { answersIn, isWithdrawn } from '../../src/emit/reading/answers.js';
import type { FireRecord } from '../../src/emit/record.js';
import { createHost } from '../../src/index.js';
import { answerFor } from '../../src/why/answer.js';
import { generated, randomFrom, SEED } from '../seed.js';

type Json = Readonly<Record<string, unknown>>;

/** What hooks of an event are fired with, and what they may answer. `given`: the command or text that they look at. */
interface Kind {
  readonly input: Json;
  readonly field?: string;
  readonly says: (given: string, name: string) => readonly Json[];
}

const own = (more: Json, top: Json = {}): Json => ({ ...top, hookSpecificOutput: more });
const block: Json = { decision: 'block', reason: 'never' };
const call = { tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: 't' };
const nested = (decision: Json): Json => own({ decision });
const ran = (tool: string): Kind => ({
  input: { ...call, tool_name: tool, tool_response: { command: 'x' } },
  field: 'tool_response',
  says: (given, name) => [
    own({ updatedMCPToolOutput: { command: `${given}${name}` } }),
    own({ updatedToolOutput: { command: `${given}${name}` } }, block),
    own({ updatedToolOutput: { command: `${given}${name}` }, additionalContext: name }),
    own({ updatedToolOutput: { command: given }, updatedMCPToolOutput: { command: name } }),
    block,
  ],
});
const KINDS: Readonly<Record<string, Kind>> = {
  PreToolUse: {
    input: call,
    field: 'tool_input',
    says: (given, name) => [
      own({ permissionDecision: 'deny', permissionDecisionReason: `no ${given}` }),
      own({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }, block),
      own({ permissionDecision: 'ask', updatedInput: { command: `${given}${name}` } }),
      own({ permissionDecision: 'allow', updatedInput: { command: `${given}${name}` } }),
      own({ updatedInput: { command: name }, additionalContext: name }),
      { decision: 'approve' },
    ],
  },
  PermissionRequest: {
    input: call,
    field: 'tool_input',
    says: (given, name) => [
      nested({ behavior: 'deny', message: `no ${given}`, updatedInput: { command: name } }),
      nested({ behavior: 'allow', updatedInput: { command: `${given}${name}` } }),
      nested({ behavior: 'allow' }),
      { ...block },
    ],
  },
  PostToolUse: ran('Bash'),
  'PostToolUse mcp': ran('mcp__a__b'),
  UserPromptSubmit: { input: { prompt: 'p' }, says: (_, name) => [block, own({ additionalContext: name })] },
  ConfigChange: { input: { source: 'policy_settings' }, says: () => [block] },
  Stop: {
    input: { stop_hook_active: false },
    says: (_, name) => [block, { continue: true }, own({ additionalContext: name })],
  },
  Elicitation: {
    input: { mcp_server_name: 's', message: 'm', requested_schema: {} },
    says: (_, name) => [own({ action: 'accept', content: { name } }), own({ action: 'decline' }), block],
  },
  WorktreeCreate: { input: { name: 'w' }, says: (_, name) => [own({ worktreePath: `/w/${name}` }), block] },
  MessageDisplay: {
    input: { turn_id: 't', message_id: 'm', index: 0, final: true, delta: 'text' },
    says: (_, name) => [own({ displayContent: name }), block],
  },
  SessionStart: { input: { source: 'startup' }, says: (_, name) => [block, own({ additionalContext: name })] },
  SessionEnd: { input: { reason: 'other' }, says: () => [block] },
};

interface Plan {
  readonly event: string;
  readonly kind: Kind;
  readonly groups: readonly {
    readonly inner: boolean;
    readonly options: Json;
    readonly hooks: readonly { readonly name: string; readonly sort: number; readonly hit: number }[];
  }[];
}

function somePlan(title: string, random: (below: number) => number): Plan {
  let count = 0;
  const phases = [undefined, undefined, undefined, 'rewrite', 'observe'];
  const failures = [undefined, undefined, 'block', 'ask'];
  return {
    event: title.split(' ')[0] as string,
    kind: KINDS[title] as Kind,
    groups: Array.from({ length: 1 + random(3) }, () => {
      const options = { phase: phases[random(5)], onFailure: failures[random(4)] };
      return {
        inner: random(3) === 0,
        options: JSON.parse(JSON.stringify({ ...options, ...(random(3) === 0 ? { mode: 'parallel' } : {}) })),
        hooks: Array.from({ length: 1 + random(2) }, () => ({ name: `h${count++}`, sort: random(9), hit: random(3) })),
      };
    }),
  };
}

/** What is left of an answer that no longer decides anything: its rewrite and its context. */
function undecided(answer: Json): Json {
  const { additionalContext, updatedInput, updatedToolOutput, updatedMCPToolOutput } = (answer['hookSpecificOutput'] ??
    {}) as Json;
  return own(JSON.parse(JSON.stringify({ additionalContext, updatedInput, updatedToolOutput, updatedMCPToolOutput })));
}

/** Fires it. `changed`: the answers of these hooks are other ones. */
async function fired(
  { event, kind, groups }: Plan,
  changed: readonly string[] = [],
  change: (answer: Json) => Json = undecided,
) {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(JSON.parse(JSON.stringify(record)) as FireRecord);
  });
  const truth = new Map<string, unknown[]>();
  for (const { inner, options, hooks } of groups) {
    const handlers = hooks.map(({ name, sort, hit }) => {
      const asked: unknown[] = [];
      truth.set(name, asked);
      return {
        name,
        handler: (input: Json) => {
          const given = kind.field === undefined ? undefined : JSON.parse(JSON.stringify(input[kind.field]));
          asked.push(given);
          const text: string = given?.command ?? 'x';
          if (text.length > 12 || text.length % 3 !== hit) return undefined;
          const isChanged = changed.includes(name);
          if (sort === 8 && !isChanged) throw new Error(`thrown by ${name}`);
          const all = kind.says(text, name);
          const answer =
            sort === 7 ? { continue: false, stopReason: `end by ${name}` } : (all[sort % all.length] as Json);
          return (sort === 8 ? undefined : isChanged ? change(answer) : answer) as never;
        },
      };
    });
    const at = inner ? host.scope({ session: 's1' }) : host;
    at.register({ [event]: [{ ...options, hooks: handlers }] } as never);
  }
  const decision = (await host.fire(event as 'Stop', { session_id: 's1', ...kind.input } as never)) as unknown as Json;
  await host.close();
  const [record] = records as [FireRecord];
  const why = answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
  const said = new Map(why.asked.map(({ id, text }) => [id, text]));
  return { record, decision: JSON.parse(JSON.stringify({ ...decision })) as Json, truth, why, said };
}

type Fired = Awaited<ReturnType<typeof fired>>;

/** What each hook was given, and which rewrites counted. */
function compareAnswers({ field }: Kind, { record, truth, why }: Fired): void {
  const made: unknown[] = [];
  for (const [id, answers] of answersIn(record)) {
    const { name = '' } = record.handlers.find((handler) => handler.id === id) ?? {};
    expect(answers.length, name).toBe(truth.get(name)?.length);
    for (const [i, { given, rewrite }] of answers.entries()) {
      if (field !== undefined) expect(given, name).toEqual(truth.get(name)?.[i]);
      if (rewrite?.dropped === false) made.push(rewrite.value);
    }
  }
  const final = field === undefined ? undefined : record.final_input?.[field];
  if (record.final_input === undefined || isWithdrawn(record)) expect(made).toEqual([]);
  else expect(made).toContainEqual(final);
  expect(why.decision.some((line) => line.includes('rewrote it'))).toBe(record.final_input !== undefined);
}

/** Whose word the decision is, and that only what counts is told so. */
function compareDecision({ record, decision, why, said }: Fired): void {
  const { decidedBy, blocked, value, fold, continues, verdict } = decision;
  const opinions = [decidedBy, ...(decision['overruled'] as string[])].filter((id) => id !== undefined);
  // What counts of a hook that was asked again is its last answer, or the one about the input that came back.
  const last = (id: unknown): string => {
    const texts = said.get(id as string)?.split('asked again about') ?? [];
    const counts = answersIn(record)
      .get(id as string)
      ?.findLastIndex(({ replaced }) => !replaced);
    return (isWithdrawn(record) ? texts[counts ?? -1] : texts.at(-1)) ?? '';
  };
  for (const id of opinions) expect(last(id)).not.toMatch(/had no opinion|no longer counts/);
  if (value !== undefined) {
    expect(why.decision.join(' ')).toContain(`the value is ${JSON.stringify(value)}`);
    expect(said.get(decidedBy as string)).toContain(`the value ${JSON.stringify(value)}`);
  }
  const told = [...said.values()].join('\n');
  if (!blocked) expect(told).not.toContain('blocked it');
  else expect(why.decision.join(' ')).not.toContain('nothing can be blocked');
  if (fold === 'stop' && !continues) expect(told).not.toContain('kept the agent going');
  if (fold !== 'gate') expect(told).not.toMatch(/said deny|no longer counts/);
  if (verdict !== 'deny') expect(told).not.toMatch(/denies the call|counts as deny/);
  if ((decision['additionalContext'] as string[]).length === 0)
    for (const { id, phase } of record.handlers)
      if (phase !== 'observe') expect(said.get(id) ?? '').not.toContain('added for the model');
  for (const line of why.decision) expect(why.decision.filter((other) => other === line)).toEqual([line]);
}

/** Without those that are said to be in its way the decision is another one. */
async function compareChanges(plan: Plan, { decision, why }: Fired): Promise<number> {
  if (why.changes.some((line) => line.includes('not known before'))) return 0;
  let compared = 0;
  for (const line of why.changes) {
    const [, who = '', what = ''] =
      /, (h\d.*?) must (no longer (?:deny|ask|block|end the loop|keep it going)|give another)/.exec(line) ?? [];
    if (what === '') continue;
    compared += 1;
    const names = [...who.matchAll(/\b(h\d+) \(/g)].map(([, name]) => name as string);
    const { decision: then } = await fired(plan, names, /going|give/.test(what) ? () => ({}) : undecided);
    if (what.endsWith('deny')) expect(then['verdict'], line).not.toBe('deny');
    else if (what.endsWith('ask')) expect(then['verdict'], line).not.toBe('ask');
    else if (what.endsWith('going')) expect(then['continues'], line).toBe(false);
    else if (what.endsWith('loop')) expect(then['continue'], line).toBe(true);
    else if (line.startsWith('For another value')) expect(then['decidedBy'], line).not.toBe(decision['decidedBy']);
    else expect(then['blocked'], line).toBe(false);
  }
  return compared;
}

describe('what is told of a fire is what happened', () => {
  test.each(Object.keys(KINDS))('%s', async (title) => {
    const random = randomFrom(SEED);
    let compared = 0;
    for (let n = 0; n < generated(150); n++) {
      const plan = somePlan(title, (below) => Math.floor(random() * below));
      const one = await fired(plan);
      try {
        compareAnswers(plan.kind, one);
        compareDecision(one);
        compared += await compareChanges(plan, one);
      } catch (error) {
        throw new Error(`${JSON.stringify({ plan: plan.groups, why: one.why, decision: one.decision }, null, 1)}`, {
          cause: error,
        });
      }
    }
    const isFixed = ['ConfigChange', 'SessionStart', 'SessionEnd'].includes(title);
    if (!isFixed) expect(compared).toBeGreaterThan(10);
  });
});

test('a rewrite that makes the original input again, and that an allow carries, has counted', async () => {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(record);
  });
  const to = (from: string, command: string) => (input: { readonly tool_input: unknown }) =>
    (input.tool_input as Json)['command'] === from
      ? nested({ behavior: 'allow', updatedInput: { command } })
      : undefined;
  host.register({ PermissionRequest: [{ hooks: [to('x', 'y') as never] }, { hooks: [to('y', 'x') as never] }] });
  const decision = await host.fire('PermissionRequest', call);
  expect(decision).toMatchObject({ verdict: 'allow', updatedInput: { command: 'x' } });
  const [record] = records as [FireRecord];
  expect(isWithdrawn(record)).toBe(false);
  const last = [...answersIn(record).values()].at(-1);
  expect(last?.map(({ rewrite }) => rewrite)).toEqual([{ value: { command: 'x' }, dropped: false }]);
  const why = answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
  expect(JSON.stringify(why)).not.toContain('had no effect');
  await host.close();
});

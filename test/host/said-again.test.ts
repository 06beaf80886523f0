import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { addContext, allow, ask, block, combine, deny, stop } from '../../src/events/output/helpers.js';
import { rule } from '../../src/handlers/rule/spec.js';
import type { HostCore } from '../../src/host/core.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { fire } from '../../src/host/fire/fire.js';
import type { FireSettings } from '../../src/host/fire-options.js';
import { servicesOf } from '../../src/host/internals.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, testHost } from './kit.js';

const ANSWERS: readonly (() => unknown)[] = [
  () => undefined,
  () => ({}),
  () => allow(),
  () => allow('fine'),
  () => deny('not here'),
  () => deny('nor there'),
  () => ask('sure?'),
  () => addContext('The branch is main.'),
  () => block('no'),
  () => combine(deny('not here'), addContext('The branch is main.')),
  () => stop('enough'),
  () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }),
  () => ({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Said in words.' } }),
  () => ({ systemMessage: 'for people' }),
  () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: { a: [1] } } }),
  () => {
    throw new Error('failed');
  },
];

interface Hook {
  readonly kind: 'sync' | 'async' | 'observer' | 'rule' | 'predicate' | 'parallel';
  /** What it answers in rounds of each kind. */
  readonly answers: readonly number[];
  readonly block: boolean;
}
const answer = fc.nat(ANSWERS.length - 1);
const hook = fc.record<Hook>({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('sync', 'async', 'predicate') },
    { weight: 1, arbitrary: fc.constantFrom('observer', 'rule', 'parallel') },
  ),
  answers: fc.oneof(
    fc.tuple(answer, answer),
    answer.map((one) => [one, one]),
  ),
  block: fc.boolean(),
});
interface Round {
  readonly kind: number;
  readonly options: FireSettings;
  readonly subject: boolean;
}
const round = fc.record<Round>({
  kind: fc.nat(1),
  options: fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom<FireSettings>({ guards: 'block' }, { endedBy: 'cap' }, { canAsk: false }) },
  ),
  subject: fc.boolean(),
});
const event = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<HookEvent>('PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'ConfigChange'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...HOOK_EVENTS) },
);

function hostOf(event: string, hooks: readonly Hook[]) {
  const { host } = testHost();
  let kind = 0;
  for (const { kind: how, answers, block: blocks } of hooks) {
    const said = (): unknown => (ANSWERS[answers[kind] as number] as () => unknown)();
    const fn = how === 'async' ? async () => said() : said;
    host.register(
      anyHooks({
        [event]: [
          {
            hooks: [how === 'rule' && event === 'PreToolUse' ? rule('deny', 'by rule') : fn],
            ...(how === 'predicate' ? { matcher: () => kind === 0 } : {}),
            ...(how === 'observer' ? { phase: 'observe' } : {}),
            ...(how === 'parallel' ? { mode: 'parallel' } : {}),
          },
        ],
      }),
      blocks ? { onFailure: 'block' } : {},
    );
  }
  const inputs = INPUTS as unknown as Record<string, Record<string, unknown>>;
  return (round: Round): Promise<AnyDecision> => {
    kind = round.kind;
    const input = {
      ...inputs[event],
      ...(round.subject && event === 'ConfigChange' ? { source: 'policy_settings' } : {}),
    };
    return fire(servicesOf(host) as HostCore, event, input, round.options);
  };
}

const plain = (decision: AnyDecision): unknown => [{ ...decision }, decision.outcomes, decision.toJSON()];

/** Whoever gets a decision tries to change it. */
function spoil(decision: AnyDecision): void {
  const changes: (() => unknown)[] = [
    () => Object.assign(decision, { verdict: 'allow', blocked: false, continue: true }),
    () => (decision.additionalContext as string[]).push('spoilt'),
    () => (decision.overruled as string[]).push('spoilt'),
    () => (decision.systemMessages as string[]).push('spoilt'),
    () => Object.assign(decision.failures[0] as object, { message: 'spoilt' }),
    () => (decision.outcomes as unknown[]).pop(),
    () => Object.assign(decision.outcomes[0] as object, { decision: 'allow' }),
    () => Object.assign(decision.outcomes[0]?.hookSpecificOutput as object, { permissionDecision: 'allow' }),
  ];
  for (const change of changes)
    try {
      change();
    } catch {
      // It is frozen, or there is none.
    }
}

test('a fire in which every hook says what it said before is decided as by a new host, whatever came of the decision', async () => {
  let shared = 0;
  await fc.assert(
    fc.asyncProperty(
      event,
      fc.array(hook, { minLength: 1, maxLength: 5 }),
      fc.array(round, { minLength: 2, maxLength: 6 }),
      async (event, hooks, rounds) => {
        const fireIn = hostOf(event, hooks);
        const before: AnyDecision[] = [];
        for (const round of rounds) {
          const decision = await fireIn(round);
          const fresh = await hostOf(event, hooks)(round);
          expect(plain(decision)).toEqual(plain(fresh));
          if (before.includes(decision) && decision.decidedBy !== undefined) shared++;
          before.push(decision);
          spoil(decision);
        }
      },
    ),
    {
      numRuns: generated(800),
      // One is skipped where the others say the same.
      examples: [
        [
          'PreToolUse',
          [
            { kind: 'async', answers: [2, 2], block: false },
            { kind: 'predicate', answers: [0, 0], block: false },
          ],
          [0, 0, 1, 0].map((kind) => ({ kind, options: {}, subject: false })),
        ],
      ],
    },
  );
  expect(shared).toBeGreaterThan(40);
});

test('a hook that is added or taken out decides in the next fire', async () => {
  const { host } = testHost();
  const hooks = { PreToolUse: [{ hooks: [() => allow('fine')] }] };
  host.register(hooks);
  const verdicts = async (count: number): Promise<unknown> => {
    const seen = new Set<unknown>();
    for (let i = 0; i < count; i++) seen.add((await host.fire('PreToolUse', INPUTS.PreToolUse)).verdict);
    return [...seen];
  };
  expect(await verdicts(4)).toEqual(['allow']);
  const undo = host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
  expect(await verdicts(4)).toEqual(['deny']);
  undo();
  expect(await verdicts(4)).toEqual(['allow']);
  host.unregisterScoped('nobody');
  host.registerScoped('agent-1', { PreToolUse: [{ hooks: [() => deny('not you')] }] });
  for (let i = 0; i < 4; i++) {
    const scope = i % 2 === 0 ? 'agent-1' : undefined;
    const options = scope === undefined ? {} : { scope };
    expect((await host.fire('PreToolUse', INPUTS.PreToolUse, options)).verdict).toBe(scope ? 'deny' : 'allow');
  }
});

test.each(['prompt', 'agent', 'http'].flatMap((type) => [[type, ['as before']] as const, [type, []] as const]))(
  'an output withheld from a silent %s hook is withheld in that fire alone, whatever was said before: %j',
  async (type, before) => {
    const server = createServer((_, response) => response.end('')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outside = type === 'http' ? { type, url: `http://127.0.0.1:${port}/` } : { type, prompt: 'fine? $ARGUMENTS' };
    const yes = async (): Promise<string> => '{"ok": true}';
    const { host } = testHost({ maxInputBytes: 2_000, model: yes } as never);
    host.register(
      anyHooks({ PostToolUse: [{ hooks: [...before.map((text) => () => addContext(text)), outside] }] } as never),
    );
    const fireWith = async (stdout: string): Promise<unknown> => {
      const input = { ...INPUTS.PostToolUse, tool_response: { stdout } };
      const { updatedOutput, additionalContext, failures } = await host.fire('PostToolUse', input as never);
      return [updatedOutput === undefined ? 'as it is' : 'withheld', additionalContext, failures?.length ?? 0];
    };
    const seen: unknown[] = [];
    for (const length of [1, 1, 1, 5_000, 5_000, 5_000, 1, 1]) seen.push(await fireWith('x'.repeat(length)));
    server.close();
    expect(seen).toEqual(
      [1, 1, 1, 5_000, 5_000, 5_000, 1, 1].map((length) => [length === 1 ? 'as it is' : 'withheld', before, 0]),
    );
  },
);

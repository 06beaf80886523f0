import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { ON_FAILURE, type OnFailure } from '../../src/events/failure.js';
import { EXTRAS } from '../../src/events/output/extras.js';
import { RESTRICTS } from '../../src/events/output/restricting.js';
import { outputShape, topFields } from '../../src/events/output/shape.js';
import type { EventSpec } from '../../src/events/spec.js';
import { readShellOutput } from '../../src/handlers/output.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { RANK } from '../../src/host/decide/fold.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// The laws of a hook that has failed and said something all the same: whose words explain the verdict, what keeps the agent going, and what restricts.

type Json = Record<string, unknown>;

const fieldsOf = (decision: AnyDecision): Json => decision as unknown as Json;

const HOW = { commandText: 'guard', shell: true, outputLimit: 1e6 };
const printing = (exitCode: number) => () =>
  madeHandler({
    ...{ kind: 'command', name: 'guard' },
    run: async (call) => readShellOutput(call, { stdout: JSON.stringify(said), stderr: '', exitCode }, HOW),
  });
let said: Json;
const ORIGINS = {
  'from code': () => () => said,
  'printed with exit code 0': printing(0),
  'printed with exit code 1': printing(1),
  'over HTTP': () =>
    madeHandler({ kind: 'http', name: 'guard', run: async () => ({ output: JSON.parse(JSON.stringify(said)) }) }),
} as const;
type Way = keyof typeof ORIGINS;

const inside = (hookEventName: HookEvent, words: Json): Json => ({ hookSpecificOutput: { hookEventName, ...words } });

/** What hooks say, with every flag and text of the event. `R`: the hook's own reason. */
function answersOn(event: HookEvent): readonly Json[] {
  const { fold, nestedDecision, blockValue } = specOf(event) as EventSpec;
  const { specific } = outputShape(specOf(event) as EventSpec);
  const flags = Object.entries(RESTRICTS).filter(([key]) => specific.has(key));
  const harmless = [{ reason: 'R' }, { stopReason: 'R' }, { continue: true, stopReason: 'R' }, { decision: 'approve' }];
  const restricts: Json[] = [
    ...[{ decision: 'block' }, { decision: 'block', reason: 'R' }, { suppressOutput: true, reason: 'R' }],
    ...[
      { continue: false, stopReason: 'R' },
      { preventContinuation: true, decision: 'deny', stopReason: 'R' },
    ],
    ...flags.map(([key, flag]) => ({ decision: 'block', reason: 'R', ...inside(event, { [key]: flag }) })),
    ...(specific.has('additionalContext') ? [inside(event, { additionalContext: 'told' })] : []),
    ...(blockValue === undefined ? [] : [{ ...inside(event, { ...blockValue }), reason: 'R' }]),
  ];
  const flat = ['ask', 'defer', 'deny'].flatMap((permissionDecision) => [
    inside(event, { permissionDecision }),
    inside(event, { permissionDecision, permissionDecisionReason: 'R' }),
  ]);
  const nested = [{}, { message: 'R' }, { interrupt: true }].map((words) =>
    inside(event, { decision: { behavior: 'deny', ...words } }),
  );
  return [...harmless, ...restricts, ...(nestedDecision ? nested : fold === 'gate' ? flat : [])];
}

const WRONG: readonly Json[] = [{ systemMessage: 5 }, { terminalSequence: null }, { suppressOutput: 'yes' }];

/** What one hook decides, in each way, under each policy. */
function deciding(event: HookEvent) {
  const hosts = new Map<string, (answer: Json) => Promise<AnyDecision>>();
  return (way: Way, onFailure: OnFailure, answer: Json): Promise<AnyDecision> => {
    const key = `${way} ${onFailure}`;
    let decide = hosts.get(key);
    if (decide === undefined) {
      const { host } = testHost();
      host.register(anyHooks({ [event]: [{ onFailure, hooks: [ORIGINS[way]()] }] }));
      decide = (one) => {
        said = one;
        return fireAny(host, event, inputOf(event));
      };
      hosts.set(key, decide);
    }
    return decide(answer);
  };
}

/** How strict a decision is. On stop events a block keeps the loop going. */
function strictnessOf(decision: AnyDecision): number {
  const { verdict = 'none', blocked, continues } = fieldsOf(decision);
  if (blocked === true || continues === true) return RANK.deny;
  return verdict === 'allow' ? 0 : RANK[verdict as keyof typeof RANK];
}

/** Whether the words keep an agent going that has stopped, if at all, by something else than a block. */
const isMildOnStop = (event: HookEvent, { decision }: Json): boolean =>
  specOf(event)?.fold === 'stop' && decision === undefined;

const HIDES = ['suppressOutput', 'suppressOriginalPrompt', 'interrupt'];

/** What restricts and was there before alone. */
function lost(now: AnyDecision, before: AnyDecision): string[] {
  const [is, other] = [fieldsOf(now), fieldsOf(before)];
  return [
    ...(strictnessOf(now) < strictnessOf(before) ? ['verdict'] : []),
    ...(other['continue'] === false && is['continue'] !== false ? ['continue'] : []),
    ...HIDES.filter((key) => other[key] === true && is[key] !== true),
    ...(JSON.stringify(other['value']) !== JSON.stringify(is['value']) && is['blocked'] !== true ? ['value'] : []),
  ];
}

test.each(HOOK_EVENTS)('on %s the reason of a failed hook is that of what made its verdict', async (event) => {
  const decide = deciding(event);
  const wrong: unknown[] = [];
  let tried = 0;
  for (const way of Object.keys(ORIGINS) as Way[])
    for (const onFailure of ON_FAILURE)
      for (const answer of answersOn(event)) {
        const right = await decide('from code', 'continue', answer);
        // The gate does not read such a verdict.
        if (right.failures.length > 0) continue;
        tried++;
        for (const more of WRONG) {
          const [key] = Object.keys(more) as [string];
          if (key in answer) continue;
          const is = await decide(way, onFailure, { ...answer, ...more });
          const alone = await decide(way, onFailure, more);
          const [message] = is.failures.map((failure) => failure.message);
          const own = isMildOnStop(event, answer) ? 0 : strictnessOf(right);
          const byFailure = strictnessOf(alone) > own;
          const { reason } = fieldsOf(is);
          const found = [
            ...(message === undefined ? ['no failure'] : []),
            ...(byFailure && reason !== message ? ['not the message of the failure that made the verdict'] : []),
            ...(!byFailure && reason === message && message !== undefined ? ['the message of the failure'] : []),
            ...(!byFailure && own > 0 && reason !== fieldsOf(right)['reason'] ? ['not its own reason'] : []),
            ...lost(is, right).filter((key) => key !== 'verdict'),
            ...(strictnessOf(is) === Math.max(strictnessOf(alone), own) ? [] : ['another verdict']),
          ];
          if (found.length > 0) wrong.push([way, onFailure, JSON.stringify({ ...answer, ...more }), reason, ...found]);
        }
      }
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(50);
});

test.each(HOOK_EVENTS)('on %s a wrong value takes nothing away that restricts at exit code 1', async (event) => {
  const decide = deciding(event);
  const wrong: unknown[] = [];
  for (const onFailure of ON_FAILURE)
    for (const answer of answersOn(event)) {
      const failed = await decide('printed with exit code 1', onFailure, answer);
      if (failed.failures.length === 0) continue;
      for (const way of ['from code', 'printed with exit code 0', 'over HTTP'] as const)
        for (const more of WRONG) {
          const [key] = Object.keys(more) as [string];
          if (key in answer) continue;
          const is = await decide(way, onFailure, { ...answer, ...more });
          const found = lost(is, failed);
          if (found.length > 0) wrong.push([way, onFailure, JSON.stringify({ ...answer, ...more }), ...found]);
        }
    }
  expect(wrong).toEqual([]);
});

/** Flags that restrict nothing, whatever their value. */
const OTHERS = ['retry', 'reloadSkills'];

test('every flag of an answer is known to restrict or not', () => {
  const isFlag = ({ accepts }: { accepts(value: unknown): boolean }): boolean => accepts(true) && !accepts('yes');
  const fields = HOOK_EVENTS.flatMap((event) => [...outputShape(specOf(event) as EventSpec).specific]);
  const flags = [...topFields(), ...fields].filter(([, field]) => isFlag(field)).map(([key]) => key);
  expect([...new Set([...flags, 'interrupt'])].sort()).toEqual([...Object.keys(RESTRICTS), ...OTHERS].sort());
  expect(EXTRAS).toEqual(expect.arrayContaining(OTHERS));
});

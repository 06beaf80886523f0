import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { block, stop } from '../../src/events/output/helpers.js';
import { topFields } from '../../src/events/output/shape.js';
import { canRefuse } from '../../src/events/output/what-counts.js';
import type { EventSpec } from '../../src/events/spec.js';
import { readShellOutput } from '../../src/handlers/output.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// A wrong value beside what denies, blocks or ends the loop takes none of it away, on every event where an answer can refuse. It is a failure that is told.

type Json = Record<string, unknown>;

const inside = (hookEventName: HookEvent, words: Json): Json => ({ hookSpecificOutput: { hookEventName, ...words } });

/** What refuses on the event. */
const refusals = (event: HookEvent, { fold, nestedDecision, blockValue }: EventSpec): readonly Json[] => [
  ...([block('R'), stop('R'), { continue: false, stopReason: 'R' }] as readonly Json[]),
  ...(nestedDecision ? [inside(event, { decision: { behavior: 'deny', message: 'R' } })] : []),
  ...(fold === 'gate' && !nestedDecision ? [inside(event, { permissionDecision: 'deny' })] : []),
  ...(nestedDecision
    ? []
    : [
        { decision: 'block', reason: 'R' },
        { decision: 'deny', reason: 'R' },
      ]),
  ...(blockValue === undefined ? [] : [{ ...inside(event, { ...blockValue }), reason: 'R' }]),
];

/** Beside a helper's words, null is no wrong `hookSpecificOutput`. */
const isHelper = (answer: Json): boolean => Object.keys(answer).some((key) => key.startsWith('hookscope:'));

const WRONG: readonly unknown[] = [null, 5, []];

/** The answer with each key that it does not have itself, and a value that the key does not take. */
function* withWrong(event: HookEvent, answer: Json): Iterable<Json> {
  const inner = answer['hookSpecificOutput'] as Json | undefined;
  for (const wrong of WRONG) {
    for (const key of topFields().keys()) if (!(key in answer)) yield { ...answer, [key]: wrong };
    if (inner === undefined && (wrong !== null || !isHelper(answer))) yield { ...answer, hookSpecificOutput: wrong };
    yield { ...answer, hookSpecificOutput: { ...inner, hookEventName: wrong } };
    if (specOf(event)?.output.shape['additionalContext'] !== undefined)
      yield { ...answer, ...inside(event, { ...inner, additionalContext: wrong }) };
  }
  yield { ...answer, hookSpecificOutput: { ...inner, hookEventName: 'Other' } };
}

const HOW = { commandText: 'guard', shell: true, outputLimit: 1e6 };
let said: Json;
const WAYS = {
  'from code': () => () => said,
  printed: () =>
    madeHandler({
      ...{ kind: 'command', name: 'guard' },
      run: async (call) => readShellOutput(call, { stdout: JSON.stringify(said), stderr: '', exitCode: 0 }, HOW),
    }),
} as const;

const KEYS = ['verdict', 'blocked', 'continues', 'continue', 'interrupt', 'stopReason', 'reason'] as const;

const meant = (decision: AnyDecision): unknown[] => {
  const { value } = decision as unknown as Json;
  return [...KEYS.map((key) => (decision as unknown as Json)[key]), value];
};

/** Without the event that every failure blocks. */
const EVENTS = HOOK_EVENTS.filter((event) => {
  const spec = specOf(event) as EventSpec;
  return canRefuse(spec) && spec.failure !== 'fails';
});

for (const [way, hook] of Object.entries(WAYS))
  test.each(EVENTS)(`on %s a wrong value takes no refusal away: ${way}`, async (event) => {
    const spec = specOf(event) as EventSpec;
    const { host } = testHost();
    host.register(anyHooks({ [event]: [{ hooks: [hook()] }] }));
    const decided = async (answer: Json): Promise<AnyDecision> => {
      said = answer;
      return fireAny(host, event, inputOf(event));
    };
    for (const answer of refusals(event, spec)) {
      const plain = await decided(answer);
      expect(plain.failures).toEqual([]);
      for (const more of withWrong(event, answer)) {
        const is = await decided(more);
        expect([JSON.stringify(more), ...meant(is)]).toEqual([JSON.stringify(more), ...meant(plain)]);
        expect([JSON.stringify(more), is.failures.length]).toEqual([JSON.stringify(more), 1]);
      }
    }
  });

test.each<readonly [HookEvent, Json]>([
  ['PostToolUse', inside('PostToolUse', { updatedToolOutput: { stdout: 'other' } })],
  ['Elicitation', inside('Elicitation', { action: 'accept', content: {} })],
  ['MessageDisplay', inside('MessageDisplay', { displayContent: 'other' })],
])('on %s what changes data does not count beside a wrong value', async (event, answer) => {
  const { host } = testHost();
  host.register(anyHooks({ [event]: [{ hooks: [() => ({ ...answer, systemMessage: null })] }] }));
  const { updatedOutput, value, failures } = (await fireAny(host, event, inputOf(event))) as never as Json;
  expect([updatedOutput, value, failures]).toEqual([undefined, undefined, [expect.anything()]]);
});

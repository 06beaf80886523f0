import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { combine } from '../../src/events/output/helpers.js';
import { outputShape } from '../../src/events/output/shape.js';
import type { EventSpec } from '../../src/events/spec.js';
import { readShellOutput } from '../../src/handlers/output.js';
import { RANK } from '../../src/host/decide/fold.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { generated } from '../seed.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// The laws of combine, with right and wrong parts: a part says the same alone and with others, what is wrong in one takes nothing away that another
// says, and is an error all the same, from code and in print, in one step or in several.

type Json = Record<string, unknown>;
const all = combine as (...parts: unknown[]) => Json;

const jsonOf = (value: unknown): unknown => ({ toJSON: () => value });
const words = fc.constantFrom('one', 'two', 'three');
const bool = fc.boolean();

const TOP_RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  continue: bool,
  preventContinuation: bool,
  suppressOutput: bool,
  stopReason: words,
  reason: words,
  systemMessage: words,
  decision: fc.constantFrom('block', 'deny', 'approve', 'allow'),
};
const TOP_WRONG = Object.fromEntries(
  ['continue', 'preventContinuation', 'suppressOutput', 'stopReason', 'reason', 'systemMessage', 'decision']
    .concat('terminalSequence', 'hookSpecificOutput', 'async')
    .map((key) => [key, fc.constantFrom<unknown>(null, 5, [])]),
);
const SESSION = [{ type: 'setMode', mode: 'plan' }];
const INNER_RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  permissionDecision: fc.constantFrom('allow', 'ask', 'deny'),
  permissionDecisionReason: words,
  additionalContext: words,
  updatedInput: words.map((command) => ({ command })),
  updatedError: words,
  classifierContext: words,
  sessionTitle: words,
  retry: bool,
  watchPaths: words.map((path) => [path]),
  // Of several values the last counts.
  action: fc.constant('decline'),
  displayContent: words,
  worktreePath: words,
  decision: fc.oneof(
    words.map((message) => ({ behavior: 'deny', message })),
    bool.map((interrupt) => ({ behavior: 'deny', interrupt })),
    words.map((command) => ({ behavior: 'allow', updatedInput: { command }, updatedPermissions: SESSION })),
  ),
};
const NESTED: readonly unknown[] = [
  ...[
    { behavior: 'deny', message: 5 },
    { behavior: 'deny', interrupt: 'yes', message: 'm' },
  ],
  ...[{ behavior: 'allow', updatedInput: 5 }, { behavior: 'maybe' }, {}],
];
const INNER_WRONG: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(
    ['permissionDecision', 'permissionDecisionReason', 'additionalContext', 'updatedError', 'action', 'sessionTitle']
      .concat('displayContent', 'worktreePath', 'retry', 'hookEventName')
      .map((key) => [key, [null, 5, []]]),
  ),
  ...{ updatedInput: [null, 5, []], watchPaths: [null, 5, [5]], content: [null, 5, 'text'] },
};
const HELPER_RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'hookscope:verdict': fc.record(
    { verdict: fc.constantFrom('allow', 'ask', 'deny', 'block'), reason: words },
    { requiredKeys: ['verdict'] },
  ),
  'hookscope:stop': fc.oneof(fc.constant(true), words),
  'hookscope:context': words,
};
const HELPER_WRONG: Readonly<Record<string, readonly unknown[]>> = {
  'hookscope:verdict': [
    ...[null, 5, [], {}, { verdict: 'maybe' }, { verdict: null }],
    ...['allow', 'ask', 'deny', 'block'].map((verdict) => ({ verdict, reason: 5 })),
  ],
  'hookscope:stop': [null, 5, false],
  'hookscope:context': [null, 5, []],
  'hookscope:rewrite': [null, 5, { value: undefined }],
  'hookscope:wrong': [null, 5, 'text', [5], [{ 'hookscope:wrong': 5 }], ['it is wrong']],
};

/** A part, and whether one of its values is wrong on every event. */
interface Said {
  readonly part: Json;
  readonly isWrong: boolean;
}

type Values = Readonly<Record<string, fc.Arbitrary<unknown>>>;
const lists = (all: Readonly<Record<string, readonly unknown[]>>): Values =>
  Object.fromEntries(Object.entries(all).map(([key, values]) => [key, fc.constantFrom(...values)]));

const someOf = (values: Values, most: number): fc.Arbitrary<Json> =>
  fc.subarray(Object.keys(values), { maxLength: Math.min(most, Object.keys(values).length) }).chain((keys) =>
    // In either order, and as `toJSON` gives it.
    fc
      .tuple(bool, fc.boolean(), ...keys.map((key) => values[key] as fc.Arbitrary<unknown>))
      .map(([turned, made, ...said]) => {
        const pairs = keys.map((key, i) => [key, made && said[i] !== undefined ? jsonOf(said[i]) : said[i]]);
        return Object.fromEntries(turned ? pairs.reverse() : pairs) as Json;
      }),
  );

const pick = (values: Values, keep: (key: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => keep(key)));

function partsOn(event: HookEvent): fc.Arbitrary<Said> {
  const spec = specOf(event) as EventSpec;
  const { specific } = outputShape(spec);
  const nested = spec.nestedDecision === true;
  // Words in a place that the event does not read have rules of their own.
  const top = someOf(
    pick(TOP_RIGHT, (key) => !nested || key !== 'decision'),
    2,
  );
  const inner = someOf(
    pick(INNER_RIGHT, (key) => specific.has(key)),
    2,
  );
  const rewrite = spec.rewrites?.keys[0] === 'updatedInput' && {
    'hookscope:rewrite': words.map((command) => ({ value: { command } })),
  };
  const helpers = someOf({ ...HELPER_RIGHT, ...rewrite }, 2);
  const helper = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: helpers });
  const named = (said: Json): Json =>
    Object.keys(said).length === 0 ? {} : { hookSpecificOutput: { hookEventName: event, ...said } };
  const right = fc
    .tuple(top, inner, helper)
    .map(([one, other, more]) => ({ part: { ...more, ...one, ...named(other) }, isWrong: false }));
  const wrongInner = lists({ ...INNER_WRONG, ...(nested && { decision: NESTED }) });
  // A wrong word beside another one in the same answer is no matter of combine.
  const wrong = fc
    .tuple(
      someOf(
        pick(TOP_RIGHT, (key) => key === 'systemMessage'),
        1,
      ),
      fc.oneof(
        someOf(TOP_WRONG, 1),
        someOf(wrongInner, 1).map(named),
        someOf(lists(HELPER_WRONG), 1),
        fc.constant({ hookSpecificOutput: { hookEventName: 'Other' } }),
      ),
    )
    .map(([one, more]) => ({ part: { ...one, ...more }, isWrong: Object.keys(more).length > 0 }));
  return fc.oneof({ weight: 3, arbitrary: right }, { weight: 2, arbitrary: wrong });
}

const HOW = { commandText: 'guard', shell: true, outputLimit: 1e6 };

function deciding(event: HookEvent, onFailure: string) {
  let said: unknown;
  const printing = madeHandler({
    ...{ kind: 'command', name: 'guard' },
    run: async (call) => readShellOutput(call, { stdout: JSON.stringify(said), stderr: '', exitCode: 0 }, HOW),
  });
  const with_ = (hook: unknown) => {
    const { host } = testHost();
    host.register(anyHooks({ [event]: [{ name: 'guard', onFailure, hooks: [hook] }] }));
    return async (answer: unknown): Promise<Json> => {
      said = answer;
      const { outcomes: _, ...decision } = (await fireAny(host, event, inputOf(event)).catch((error: unknown) => ({
        rejected: String(error),
      }))) as Json;
      return JSON.parse(JSON.stringify(decision)) as Json;
    };
  };
  return { fromCode: with_(() => said), printed: with_(printing) };
}

const failures = (decision: Json): readonly Json[] => (decision['failures'] ?? []) as readonly Json[];
/** All that is decided, and why hooks failed, but not in which words. */
const meant = (decision: Json): Json => {
  const { reason, decidedBy: _, ...rest } = decision;
  const why = failures(decision).map(({ cause, blocked }) => ({ cause, blocked }));
  const isOwn = failures(decision).every(({ message }) => message !== reason);
  return { ...rest, ...(isOwn && { reason }), failures: why };
};

const rank = ({ verdict }: Json): number => Math.max(0, RANK[(verdict ?? 'none') as keyof typeof RANK] - 1);
const isDecline = ({ value }: Json): boolean => (value as Json | undefined)?.['action'] === 'decline';

function weaker(is: Json, other: Json): string[] {
  const ended = is['continue'] === false;
  return [
    ...(rank(is) < rank(other) ? ['verdict'] : []),
    ...['blocked', 'interrupt'].filter((key) => other[key] === true && is[key] !== true),
    ...(other['continue'] === false && !ended ? ['continue'] : []),
    ...(other['continues'] === true && is['continues'] !== true && !ended ? ['continues'] : []),
    ...(isDecline(other) && !isDecline(is) && is['blocked'] !== true ? ['value'] : []),
  ];
}

const ENDS = ['hookscope:stop', 'continue', 'preventContinuation'];
const ends = (part: Json): boolean => ENDS.some((key) => part[key] !== undefined);
const mayBlock = (part: Json): boolean =>
  !ends(part) && part['hookSpecificOutput'] === undefined && part['hookscope:context'] === undefined;
const withoutReason = ({ reason: _, ...decision }: Json): Json => decision;

/** Texts that count of a failed answer, too: on stop events context would keep the agent going. */
const textsOf = (decision: Json): string[] =>
  [...(decision['fold'] === 'stop' ? [] : ['additionalContext']), 'systemMessages'].flatMap(
    (key) => (decision[key] as string[] | undefined) ?? [],
  );

const SHOWN = (parts: readonly Json[]): string => JSON.stringify(parts);

describe.each(['continue', 'block'])('with onFailure %s', (onFailure) => {
  test.each(HOOK_EVENTS)('on %s parts of combine keep their words and errors', async (event) => {
    const { fromCode, printed } = deciding(event, onFailure);
    await fc.assert(
      fc.asyncProperty(fc.array(partsOn(event), { minLength: 1, maxLength: 4 }), async (saids) => {
        const parts = saids.map(({ part }) => part);
        const whole = all(...parts);
        const is = await fromCode(whole);
        const shown = SHOWN(parts);
        const alone: Json[] = [];
        for (const { part, isWrong } of saids) {
          const one = await fromCode(part);
          const combined = await fromCode(all(part));
          alone.push(one);
          // The reason beside what ends the loop has rules of its own.
          const told = (decision: Json): Json => meant(ends(part) ? withoutReason(decision) : decision);
          expect([SHOWN([part]), told(combined)]).toEqual([SHOWN([part]), told(one)]);
          // Of a failed answer only a block keeps the agent going.
          const lost = weaker(is, one).filter((key) => key !== 'continues' || mayBlock(part));
          expect([shown, lost]).toEqual([shown, []]);
          if (isWrong && failures(one).length > 0) expect([shown, failures(is).length]).toEqual([shown, 1]);
          const heard = textsOf(is).join('\n');
          for (const text of isWrong ? [] : textsOf(one))
            expect([shown, heard]).toEqual([shown, expect.stringContaining(text)]);
        }
        if (alone.every((one) => failures(one).length === 0)) expect([shown, failures(is)]).toEqual([shown, []]);
        expect([shown, meant(await printed(whole))]).toEqual([shown, meant(is)]);
        const told = (decision: Json): Json => meant(parts.some(ends) ? withoutReason(decision) : decision);
        const [first, ...rest] = parts;
        const last = parts.at(-1);
        for (const steps of [all(first, all(...rest)), all(all(...parts.slice(0, -1)), last)])
          expect([shown, told(await fromCode(steps))]).toEqual([shown, told(is)]);
      }),
      { numRuns: generated(40) },
    );
  });
});

import { isDeepStrictEqual, types } from 'node:util';
import type { HandlerRecord } from '../emit/fire-record.js';
import { HookscopeError } from '../errors.js';
import type { Cause } from '../events/failure.js';
import type { SkipReason } from '../scopes/skip.js';
import { isObject, show } from '../values/shape.js';
import { lateEnds } from './background.js';
import type { Fired } from './fired.js';
import { ARGUMENT, checkArguments, type MatcherArgument } from './matcher-arguments.js';

/** A part of a text, or a RegExp that the text has to match. */
export type Expected = string | RegExp;

/** Expectations about a fire. One that is not met throws, or fails the test, with a text of everything that happened. */
export interface FiredExpectations {
  /** The call, prompt, result or change was denied or blocked, for this reason if one is given. */
  toDeny(reason?: Expected): void;
  /** The call was explicitly allowed, so the user is not asked. A hook that only does not object stays silent. */
  toAllow(): void;
  /** The user is asked, for this reason if one is given. */
  toAsk(reason?: Expected): void;
  /** The call was put off by `defer`, for this reason if one is given. */
  toDefer(reason?: Expected): void;
  /** No hook answered anything: no verdict, no rewrite, no context, no failure. */
  toStaySilent(): void;
  /** The agent continues instead of stopping, with this instruction if one is given. */
  toContinue(instruction?: Expected): void;
  /** The input of the call, or the output for the model, was replaced. The new value equals this one, or has these fields (at every depth). */
  toRewrite(value?: unknown): void;
  /** The model gets context that contains this text, now or, from a hook in the background, in the next turn. */
  toAddContext(text?: Expected): void;
  /** A hook, or the one of this name, did not run, for this reason if one is given. */
  toBeSkipped(reason?: SkipReason, hook?: string): void;
  /** A hook failed, with this cause if one is given. Hooks that observe or run in the background count too. */
  toFail(cause?: Cause): void;
}

/** The result of a matcher, as `expect.extend` requires it. */
export interface MatcherResult {
  readonly pass: boolean;
  /** The expectation, and what happened. */
  message(): string;
}

type Matchers = {
  readonly [K in keyof FiredExpectations]: (
    received: unknown,
    ...args: Parameters<FiredExpectations[K]>
  ) => MatcherResult;
};

interface MatchOutcome {
  readonly pass: boolean;
  /** The expectation, after "expected". */
  readonly wanted: string;
  /** A hint for when the expectation is not met. */
  readonly hint?: string | undefined;
}

const has = (text: string | undefined, expected: Expected | undefined): boolean =>
  expected === undefined ||
  (text !== undefined && (typeof expected === 'string' ? text.includes(expected) : fits(expected, text)));
const forReason = (expected: Expected | undefined): string =>
  expected === undefined ? '' : `, with ${shown(expected)}`;

/** Without `g` and `y`, with which a RegExp keeps its position and the result would alternate. */
function fits({ source, flags }: RegExp, text: string): boolean {
  return new RegExp(source, flags.replaceAll(/[gy]/g, '')).test(text);
}

// isRegExp and not instanceof, because tests may run in another realm, as in jest.
const shown = (value: unknown): string => (types.isRegExp(value) ? String(value) : show(value));

/** The fields of the decisions of all kinds of events. */
type AnyFoldDecision = Fired['decision'] & {
  readonly verdict?: string;
  readonly blocked?: boolean;
  readonly continues?: boolean;
  readonly value?: unknown;
};

const denied = ({ verdict, blocked }: AnyFoldDecision): boolean => verdict === 'deny' || blocked === true;

function rewritten(decision: AnyFoldDecision): unknown {
  const { updatedInput, updatedOutput, value } = decision;
  return updatedInput ?? updatedOutput ?? value;
}

function matchesValue(value: unknown, expected: unknown): boolean {
  if (expected === undefined) return value !== undefined;
  if (types.isRegExp(expected)) return typeof value === 'string' && fits(expected, value);
  return hasFields(value, expected);
}

/** Whether the value has the expected fields, at every depth. Arrays must have the same length. */
function hasFields(value: unknown, expected: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(expected))
    return value.length === expected.length && expected.every((wanted, i) => hasFields(value[i], wanted));
  if (!isFields(value) || !isFields(expected)) return isDeepStrictEqual(value, expected);
  return Object.entries(expected).every(([key, wanted]) => hasFields(value[key], wanted));
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.prototype.toString.call(value) === '[object Object]';

const spoke = ({ output, verdict }: HandlerRecord): boolean =>
  (verdict !== undefined && verdict !== 'none') ||
  (isObject(output) ? Object.keys(output).length > 0 : output !== undefined && output !== null);

const silent = (fired: Fired): boolean =>
  fired.record.handlers.every((one) => one.status === 'skipped' || (one.status !== 'failed' && !spoke(one))) &&
  fired.decision.failures.length === 0 &&
  lateEnds(fired).every((end) => end.response.failure === undefined && !end.spoke);

/** The causes of all failures. The decision does not contain those of observers and of hooks in the background. */
function causesOf(fired: Fired): readonly string[] {
  const { record, decision } = fired;
  const rows = record.handlers.flatMap(({ failure }) => failure ?? []);
  const late = lateEnds(fired).flatMap(({ response }) => response.failure ?? []);
  return [...rows, ...late, ...decision.failures].map(({ cause }) => cause);
}

/** The context for the model, now or in the next turn. */
const contextOf = (fired: Fired): readonly string[] => [
  ...fired.decision.additionalContext,
  ...lateEnds(fired).flatMap(({ context }) => context),
];

const FIND: {
  readonly [K in keyof FiredExpectations]: (fired: Fired, ...args: Parameters<FiredExpectations[K]>) => MatchOutcome;
} = {
  toDeny: ({ decision }, reason) => ({
    pass: denied(decision) && has(decision.reason, reason),
    wanted: `a denial${forReason(reason)}`,
  }),
  toAllow: ({ decision }) => ({
    pass: (decision as AnyFoldDecision).verdict === 'allow',
    wanted: 'it to be allowed',
    hint:
      (decision as AnyFoldDecision).verdict === 'none'
        ? 'Nobody denied it either: that is toStaySilent(), or .not.toDeny().'
        : undefined,
  }),
  toAsk: ({ decision }, reason) => ({
    pass: (decision as AnyFoldDecision).verdict === 'ask' && has(decision.reason, reason),
    wanted: `the user to be asked${forReason(reason)}`,
  }),
  toDefer: ({ decision }, reason) => ({
    pass: (decision as AnyFoldDecision).verdict === 'defer' && has(decision.reason, reason),
    wanted: `the call to be put off${forReason(reason)}`,
  }),
  toStaySilent: (fired) => ({ pass: silent(fired), wanted: 'nobody to say anything' }),
  toContinue: ({ decision }, instruction) => ({
    pass: (decision as AnyFoldDecision).continues === true && has(decision.reason, instruction),
    wanted: `the loop to go on${forReason(instruction)}`,
  }),
  toRewrite: ({ decision }, value) => ({
    pass: matchesValue(rewritten(decision), value),
    wanted: value === undefined ? 'a rewrite' : `a rewrite to ${shown(value)}`,
    hint: rewritten(decision) === undefined ? undefined : `It was rewritten to ${show(rewritten(decision))}.`,
  }),
  toAddContext: (fired, text) => ({
    pass: contextOf(fired).some((one) => has(one, text)),
    wanted: `context for the model${forReason(text)}`,
    hint: contextOf(fired).length > 0 ? `The context was ${show(contextOf(fired))}.` : undefined,
  }),
  toBeSkipped: ({ record }, reason, hook) => ({
    pass: record.handlers.some(
      (one) =>
        one.status === 'skipped' &&
        (reason === undefined || one.reason === reason) &&
        (hook === undefined || one.name === hook),
    ),
    wanted: `${hook ?? 'a hook'} to be skipped${forReason(reason)}`,
  }),
  toFail: (fired, cause) => ({
    pass: causesOf(fired).some((one) => cause === undefined || one === cause),
    wanted: `a hook to fail${forReason(cause)}`,
  }),
};

const ARGUMENTS: Readonly<Record<keyof FiredExpectations, readonly MatcherArgument[]>> = {
  toDeny: [ARGUMENT.text],
  toAllow: [],
  toAsk: [ARGUMENT.text],
  toDefer: [ARGUMENT.text],
  toStaySilent: [],
  toContinue: [ARGUMENT.text],
  toRewrite: [ARGUMENT.any],
  toAddContext: [ARGUMENT.text],
  toBeSkipped: [ARGUMENT.reason, ARGUMENT.hook],
  toFail: [ARGUMENT.cause],
};

function isFired(value: unknown): value is Fired {
  return isObject(value) && isObject(value['decision']) && isObject(value['record']);
}

function judge(name: keyof FiredExpectations, received: unknown, args: readonly unknown[]): MatcherResult {
  if (!isFired(received)) {
    const expected = 'expected what fireHook() or fireFile() resolves to; is an await missing?';
    throw new HookscopeError('INVALID_OPTIONS', { where: `${name}(fired)`, expected });
  }
  checkArguments(name, ARGUMENTS[name], received, args);
  const { pass, wanted, hint } = (FIND[name] as (fired: Fired, ...args: readonly unknown[]) => MatchOutcome)(
    received,
    ...args,
  );
  const not = pass ? 'did not expect' : 'expected';
  const help = pass || hint === undefined ? '' : `\n${hint}`;
  return { pass, message: () => `${not} ${wanted}; what happened:\n\n${String(received)}${help}` };
}

/** Matchers for vitest and jest: `expect.extend(matchers)`. For vitest, `import 'hookscope/testing/vitest'` also adds their types. */
export const matchers: Matchers = Object.fromEntries(
  (Object.keys(FIND) as (keyof FiredExpectations)[]).map((name) => [
    name,
    (received: unknown, ...args: unknown[]) => judge(name, received, args),
  ]),
) as unknown as Matchers;

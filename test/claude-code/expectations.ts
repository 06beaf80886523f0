import { expect } from 'vitest';
import type { HandlerRecord } from '../../src/emit/record.js';
import type { Printed, Seen, Vector } from './vector.js';

interface Facts {
  readonly printed: Printed;
  readonly decision: Readonly<Record<string, unknown>>;
  readonly context: readonly string[];
  readonly reason: string;
  readonly ran: readonly HandlerRecord[];
  readonly seen: readonly Seen[];
}

/** Checks everything that a vector expects; an expectation nobody knows is an error. */
export function checkVector({ expect: expected }: Vector, printed: Printed, seen: readonly Seen[]): void {
  const decision = printed.decision as unknown as Record<string, unknown>;
  const facts: Facts = {
    printed,
    decision,
    context: (decision['additionalContext'] ?? []) as string[],
    reason: String(decision['reason'] ?? ''),
    ran: printed.handlers.filter(({ status }) => status !== 'skipped'),
    seen,
  };
  for (const [key, value] of Object.entries(expected)) {
    const check = CHECKS[key];
    expect(check, `the expectation "${key}" is known`).toBeDefined();
    check?.(value as never, facts);
  }
}

const tagsOf = (handlers: readonly HandlerRecord[]): string[] =>
  handlers.flatMap(({ name }) => /echo TAG=(\S+)/.exec(name)?.[1] ?? []);
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

type Check = (value: never, facts: Facts) => void;

const asDecided =
  (key: string): Check =>
  (value, { decision }) =>
    expect(decision[key], key).toEqual(value);

const CHECKS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    [
      ...[
        'verdict',
        'blocked',
        'continues',
        'continue',
        'stopReason',
        'updatedInput',
        'updatedOutput',
        'updatedPermissions',
        'interrupt',
      ],
      ...[
        'retry',
        'value',
        'additionalContext',
        'systemMessages',
        'sessionTitle',
        'initialUserMessage',
        'watchPaths',
        'suppressOriginalPrompt',
      ],
    ].map((key) => [key, asDecided(key)]),
  ),
  reasonContains: (text: string, { reason }) => expect(reason).toContain(text),
  reasonContainsAll: (texts: string[], { reason }) => {
    for (const text of texts) expect(reason).toContain(text);
  },
  reasonContainsAny: (texts: string[], { reason }) =>
    expect(
      texts.some((text) => reason.includes(text)),
      reason,
    ).toBe(true),
  reasonNotContains: (text: string, { reason }) => expect(reason).not.toContain(text),
  feedbackContains: (text: string, { reason, context }) => expect([reason, ...context].join('\n')).toContain(text),
  contextContains: (text: string, { context }) =>
    expect(
      context.some((c) => c.includes(text)),
      context.join('\n'),
    ).toBe(true),
  contextLength: (length: number, { context }) => expect(context.map((c) => c.length)).toEqual([length]),
  contextTooLarge: (_: true, { context }) => {
    expect(context).toHaveLength(1);
    expect(context[0]?.length).toBeLessThan(10_001);
    // The file itself goes with the host, which has ended; test/host/spill looks into it.
    expect(context[0]).toMatch(/saved to: \/\S+\/output-[0-9a-f]{12}\.txt/);
  },
  ran: (tags: string[], { ran }) =>
    tags.length === 0 ? expect(ran).toEqual([]) : expect(tagsOf(ran)).toEqual(expect.arrayContaining(tags)),
  notRan: (tags: string[], { ran }) => expect(tagsOf(ran).filter((tag) => tags.includes(tag))).toEqual([]),
  ranCount: (count: number, { ran }) => expect(ran).toHaveLength(count),
  failed: (tags: string[], { ran }) =>
    expect(tagsOf(ran.filter((h) => h.failure))).toEqual(expect.arrayContaining(tags)),
  failedCount: (count: number, { ran }) => expect(ran.filter((h) => h.failure)).toHaveLength(count),
  causes: (causes: Record<string, string>, { ran }) => {
    for (const [tag, cause] of Object.entries(causes)) {
      expect(ran.find((h) => tagsOf([h])[0] === tag)?.failure?.cause, tag).toBe(cause);
    }
  },
  cause: (cause: string, { ran }) => expect(ran.flatMap((h) => h.failure?.cause ?? [])).toContain(cause),
  nonBlockingError: (is: boolean, { printed }) => expect(printed.decision.failures.some((f) => !f.blocked)).toBe(is),
  absent: (keys: string[], { decision }) => expect(keys.filter((key) => !isEmpty(decision[key]))).toEqual([]),
  later: ({ additionalContext = [], systemMessages = [] }: Record<string, string[]>, { printed }) =>
    expect([...printed.later].sort()).toEqual([...additionalContext, ...systemMessages].sort()),
  rewake: (is: boolean, { printed }) => expect(printed.wakes.length > 0).toBe(is),
  rewakeContains: (text: string, { printed }) =>
    expect(printed.wakes.map((wake) => wake.text).join('\n')).toContain(text),
  requests: (count: number, { seen }) => expect(seen).toHaveLength(count),
  requestHeaders: (paths: Record<string, Record<string, string>>, { seen }) => {
    for (const [path, headers] of Object.entries(paths))
      expect(seen.find((request) => request.path === path)?.headers).toMatchObject(headers);
  },
};

import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { readShellOutput } from '../../src/handlers/output.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { RANK } from '../../src/host/decide/fold.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// The law of exit codes: what a command prints is never weakened by how it ends, nor how it ends by what it prints, and of a command that has failed nothing
// that allows or changes data counts.

type Json = Record<string, unknown>;

const TOP: readonly Json[] = [
  ...[{ continue: false }, { continue: false, stopReason: 'why' }, { continue: true }, { preventContinuation: true }],
  ...[{ decision: 'block', reason: 'R' }, { decision: 'deny' }, { decision: 'approve', reason: 'fine' }],
  ...[{ systemMessage: 'told' }, { continue: false, decision: 'block', reason: 'R' }, { decision: 'block' }],
  { continue: false, decision: 'approve', reason: 'fine' },
];
const INNER: readonly Json[] = [
  ...['allow', 'ask', 'defer', 'deny'].map((permissionDecision) => ({
    ...{ permissionDecision, permissionDecisionReason: 'R', updatedInput: { command: 'other' } },
  })),
  ...[{ updatedInput: { command: 'other' } }, { updatedToolOutput: { stdout: 'b' } }, { updatedError: 'other' }],
  ...[{ additionalContext: 'told' }, { action: 'decline' }, { action: 'accept', content: {} }, { retry: true }],
  ...[{ displayContent: 'other' }, { worktreePath: '/other' }, { sessionTitle: 'other' }],
  { decision: { behavior: 'deny', message: 'R', interrupt: true } },
  { decision: { behavior: 'allow', updatedInput: { command: 'other' }, updatedPermissions: [{ type: 'setMode' }] } },
];
const answersTo = (hookEventName: HookEvent): readonly Json[] => [
  ...TOP,
  { decision: 'block', reason: 'R', systemMessage: 5 },
  { decision: 'block', reason: 'R', hookSpecificOutput: { hookEventName: 'Other', action: 'accept' } },
  ...INNER.map((words) => ({ hookSpecificOutput: { hookEventName, ...words } })),
  ...INNER.map((words) => ({ hookSpecificOutput: { hookEventName, ...words }, continue: false, stopReason: 'why' })),
];

const HOW = { commandText: 'guard', shell: true, outputLimit: 1e6 };
const CODES = [1, 2, 127, undefined];
const POLICIES = ['continue', 'ask', 'block'] as const;

/** What a hook decides that prints a text and ends with a code, or by a signal. */
function ending(event: HookEvent, onFailure: (typeof POLICIES)[number]) {
  const { host } = testHost();
  let said: readonly [stdout: string, exitCode: number | undefined] = ['', 0];
  const handler = madeHandler({
    ...{ kind: 'command', name: 'guard' },
    run: async (call) => {
      const [stdout, exitCode] = said;
      const ended = exitCode === undefined ? { signal: 'SIGKILL' } : { exitCode };
      return readShellOutput(call, { stdout, stderr: '', ...ended }, HOW);
    },
  });
  host.register(anyHooks({ [event]: [{ onFailure, hooks: [handler] }] }));
  return (answer: Json | undefined, exitCode: number | undefined): Promise<AnyDecision> => {
    said = [answer === undefined ? '' : JSON.stringify(answer), exitCode];
    return fireAny(host, event, inputOf(event));
  };
}

const rank = ({ verdict }: Json): number => Math.max(0, RANK[(verdict ?? 'none') as keyof typeof RANK] - 1);
const isDecline = ({ value }: Json): boolean => (value as Json | undefined)?.['action'] === 'decline';

/** On Stop, what ends the loop counts before what keeps it going. */
const ends = ({ outcomes }: Json): boolean => (outcomes as readonly Json[]).some((o) => o['continue'] === false);

/** Where `is` is weaker than `other`. */
function weaker(is: Json, other: Json, texts: readonly string[]): string[] {
  const lost = texts.filter((key) => JSON.stringify(is[key]) !== JSON.stringify(other[key]));
  return [
    ...(rank(is) < rank(other) ? ['verdict'] : []),
    ...['blocked', 'interrupt'].filter((key) => other[key] === true && is[key] !== true),
    ...(other['continue'] === false && is['continue'] !== false ? ['continue'] : []),
    ...(other['continues'] === true && is['continues'] !== true && !ends(is) ? ['continues'] : []),
    ...(isDecline(other) && !isDecline(is) && is['blocked'] !== true ? ['value'] : []),
    ...lost,
  ];
}

/** On Stop what keeps the loop going but is no block does not count of a command that has failed. */
const isMild = (event: HookEvent, { decision }: Json): boolean =>
  specOf(event)?.fold === 'stop' && decision !== 'block' && decision !== 'deny';

/** What allows or changes data. */
const loosens = (is: Json): string[] => [
  ...['updatedInput', 'updatedOutput', 'updatedPermissions', 'retry', 'sessionTitle'].filter(
    (key) => is[key] !== undefined,
  ),
  ...(is['verdict'] === 'allow' ? ['verdict'] : []),
  ...(is['value'] !== undefined && !isDecline(is) ? ['value'] : []),
];

test.each(HOOK_EVENTS)(
  'on %s a printed answer is not weakened by the exit code, nor the exit code by it',
  async (event) => {
    const wrong: unknown[] = [];
    for (const onFailure of POLICIES) {
      const decided = ending(event, onFailure);
      for (const answer of answersTo(event))
        for (const code of CODES) {
          const [is, failed, said] = [
            await decided(answer, code),
            await decided(undefined, code),
            await decided(answer, 0),
          ];
          const mild = is.failures.length > 0 && isMild(event, answer);
          const told = ['stopReason', 'systemMessages', ...(mild ? [] : ['additionalContext'])];
          const found = [
            ...weaker(is as never, failed as never, []),
            ...weaker(is as never, said as never, said.failures.length === 0 ? told : []).filter(
              (key) => !(mild && key === 'continues'),
            ),
            ...(is.failures.length > 0 ? loosens(is as never) : []),
            ...(is.reason === 'fine' && said.reason !== 'fine' ? ['reason'] : []),
          ];
          if (found.length > 0) wrong.push([onFailure, code, JSON.stringify(answer), ...found]);
        }
    }
    expect(wrong).toEqual([]);
  },
);

test.each<readonly [HookEvent, Json]>([
  ['Elicitation', { decision: 'block', reason: 'R' }],
  ['Elicitation', { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'decline' }, reason: 'R' }],
  ['ElicitationResult', { decision: 'block', reason: 'R' }],
  [
    'PermissionRequest',
    { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny' } }, reason: 'R' },
  ],
])('on %s exit code 2 has the reason that is printed with the refusal: %o', async (event, answer) => {
  expect((await ending(event, 'block')(answer, 2)).reason).toBe('R');
});

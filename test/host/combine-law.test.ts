import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent, specOf } from '../../src/events/catalogue.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import type { EventSpec } from '../../src/events/spec.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { isTried } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// The law of combine: combine(a, b) decides what two hooks decide, one that answers a and one that answers b. On every event, for helpers and for words
// of the output, right and wrong ones, in a toJSON and as keys that are inherited.

type Json = Record<string, unknown>;

const inside = (words: unknown): Json => ({ hookSpecificOutput: words });
const printing = (words: unknown): Json => ({ toJSON: () => words });
class Inheriting {
  updatedInput = { command: 'inherited' };
  get permissionDecision(): string {
    return 'deny';
  }
}

const SHELL = { stdout: 'rewritten', stderr: '', interrupted: false, isImage: false };
const FLAT: readonly Json[] = [
  ...['allow', 'ask', 'defer', 'deny', 'maybe', null].map((permissionDecision) => ({
    ...{ permissionDecision, permissionDecisionReason: `words: ${permissionDecision}` },
  })),
  { permissionDecision: 'deny' },
  { updatedInput: { command: 'of words' } },
  { updatedInput: 5 },
  { updatedToolOutput: SHELL },
  { updatedError: 'of words' },
  { additionalContext: 'of words' },
  { additionalContext: 5 },
  { sessionTitle: 'title' },
  { action: 'decline' },
  { action: 'accept', content: { a: 1 } },
  { displayContent: 'of words' },
  { decision: { behavior: 'deny', message: 'nested' } },
  { decision: { behavior: 'deny', message: 5 } },
  { decision: { behavior: 'allow', updatedInput: { command: 'nested' } } },
  { decision: { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'plan' }] } },
  { decision: { behavior: 'maybe' } },
  { decision: printing({ behavior: 'allow' }) },
  { decision: printing({ behavior: 'deny', message: 'printed' }) },
];
const PARTS: readonly Json[] = [
  ...(Object.values({ ...[allow('l'), ask('a'), defer('f'), deny('d'), block('b'), stop(), stop('s')] }) as Json[]),
  ...([addContext('c'), rewrite({ command: 'x' }), rewrite(SHELL), rewrite('text')] as Json[]),
  ...([rewrite(undefined), rewrite(null)] as Json[]),
  ...[{ continue: false }, { continue: false, stopReason: 'why' }, { continue: true }, { continue: 5 }],
  ...[{ preventContinuation: true }, { stopReason: 'alone' }, { suppressOutput: true }, { suppressOutput: false }],
  ...[{ decision: 'block', reason: 'words: block' }, { decision: 'block' }, { decision: 'approve', reason: 'fine' }],
  ...[{ decision: 'maybe' }, { systemMessage: 'm' }, { systemMessage: 5 }, { terminalSequence: '\u001b]0;t\u0007' }],
  ...[{ 'hookscope:verdict': { verdict: 'maybe' } }, { 'hookscope:stop': 5 }, { permissionDecision: 'deny' }],
  ...([null, 'text', []] as unknown[]).map(inside),
  ...FLAT.flatMap((words) => [inside(words), inside(printing(words))]),
  inside(new Inheriting()),
];

/** What two hooks of the event decide, by their answers. */
function deciding(event: HookEvent): (answers: readonly unknown[]) => Promise<AnyDecision> {
  const { host } = testHost();
  let said: readonly unknown[] = [];
  host.register(anyHooks({ [event]: [{ mode: 'parallel', hooks: [() => said[0], () => said[1]] }] }));
  return (answers) => {
    said = answers;
    return fireAny(host, event, { ...INPUTS[event], ...(event === 'PostToolUse' && OUTPUT) });
  };
}
const OUTPUT = { tool_response: { ...SHELL, stdout: 'raw' } };

const KEYS = ['verdict', 'blocked', 'continues', 'continue', 'stopReason', 'suppressOutput', 'reason'];
const VALUES = ['updatedInput', 'updatedOutput', 'updatedPermissions', 'interrupt', 'value', 'sessionTitle'];

function meant(decision: AnyDecision): Json {
  const { additionalContext, systemMessages, failures } = decision;
  const of = (key: string): unknown => (decision as unknown as Json)[key];
  return {
    ...Object.fromEntries([...KEYS, ...VALUES, 'terminalSequence'].map((key) => [key, of(key)])),
    context: additionalContext.join('\n'),
    messages: systemMessages.join('\n'),
    fails: failures.length > 0,
    faults: failures.map(({ message }) => message),
  };
}

const saysAsk = (part: Json): boolean =>
  ['ask', 'defer'].includes((part['hookscope:verdict'] as { verdict?: string } | undefined)?.verdict ?? '');

/** What two hooks mean, but for what one answer cannot: beside a mistake in it, or a question to the user that only a hook can answer, nothing is allowed. */
function asOne(spec: EventSpec, parts: readonly Json[], two: Json, one: Json): Json {
  const whole = { ...two };
  const isCancelled = spec.nestedDecision === true && parts.some(saysAsk);
  // A rewrite that is cancelled, or stands beside a deny, is not looked at.
  if (isCancelled || (spec.nestedDecision === true && two['verdict'] === 'deny')) whole['fails'] = one['fails'];
  if ((two['fails'] === true || isCancelled) && two['verdict'] === 'allow')
    Object.assign(whole, { verdict: 'none', reason: undefined, updatedPermissions: undefined });
  if (spec.nestedDecision && whole['verdict'] === 'none') whole['updatedInput'] = undefined;
  if (spec.blockValue !== undefined && two['fails'] === true && one['value'] === undefined)
    Object.assign(whole, { value: undefined, reason: undefined });
  // What denies or blocks without a reason has that of a stop, or of a mistake, beside it; where mistakes block they have one reason.
  const beside = [...parts.map((part) => part['hookscope:stop'] ?? part['stopReason']), ...(one['faults'] as string[])];
  if (two['reason'] === undefined ? beside.includes(one['reason']) : spec.failure === 'fails')
    whole['reason'] = one['reason'];
  return whole;
}

test.each(HOOK_EVENTS)('on %s, combine(a, b) decides what two hooks decide', async (event) => {
  const spec = specOf(event) as EventSpec;
  const decided = deciding(event);
  const differ: unknown[] = [];
  for (const [i, a] of PARTS.entries())
    for (const [j, b] of PARTS.entries()) {
      if (!isTried(5, i, j, HOOK_EVENTS.indexOf(event))) continue;
      const parts = [a, b];
      const [one, two] = [await decided([combine(a as never, b as never)]), await decided(parts)];
      const [is, expected] = [meant(one), asOne(spec, parts, meant(two), meant(one))];
      for (const key of Object.keys(expected))
        if (key !== 'faults' && JSON.stringify(is[key]) !== JSON.stringify(expected[key]))
          differ.push(inspect([a, b, key, is[key], expected[key]], { depth: 6, breakLength: Infinity }));
    }
  expect(differ).toEqual([]);
});

test('a key that a part inherits is not lost: combine throws', () => {
  class Answer {
    systemMessage = 'of a class';
    get decision(): string {
      return 'block';
    }
  }
  expect(() => combine(new Answer() as never, addContext('c') as never)).toThrow(/decision is inherited/);
  expect(combine(new Answer() as never, deny('no') as never)).toEqual(deny('no'));
});

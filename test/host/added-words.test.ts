import { inspect } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { specOf } from '../../src/events/catalogue.js';
import { ON_FAILURE } from '../../src/events/failure.js';
import {
  addContext,
  allow,
  ask,
  combine,
  defer,
  deny,
  HELPER_KEYS,
  rewrite,
  stop,
} from '../../src/events/output/helpers.js';
import { outputShape, topFields } from '../../src/events/output/shape.js';
import type { EventSpec, Verdict } from '../../src/events/spec.js';
import { http } from '../../src/handlers/http/spec.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import { RANK } from '../../src/host/decide/fold.js';
import { hookServer } from '../handlers/hook-server.js';
import { isTried } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, testHost } from './kit.js';

// A law of answers on gates: a word that is added beside what an answer says never makes the outcome weaker. Whether the word is one
// that the gate reads, one of another program, in the wrong place or no word at all, an ask stays an ask, a deny a deny, and a rewrite is what runs.

type Json = Record<string, unknown>;
const EVENTS = ['PreToolUse', 'PermissionRequest', 'PreModelSwitch'] as const;
const PHASES = ['decide', 'rewrite', 'observe'] as const;

const inner = (event: string, words: Json): Json => ({ hookSpecificOutput: { hookEventName: event, ...words } });

/** What a hook says, in a helper's words and in those of the event. */
function answersOn(event: string): Json[] {
  const helpers: object[] = [allow('l'), deny('d'), ask('a'), defer('f'), addContext('c'), stop('s')];
  helpers.push(combine(ask('a'), rewrite({ command: 'pwd' }) as never), rewrite({ command: 'pwd' }));
  const nested = event === 'PermissionRequest';
  const wire = nested
    ? [{ decision: { behavior: 'deny', message: 'd' } }, { decision: { behavior: 'allow', updatedInput: { a: 1 } } }]
    : ['ask', 'deny', 'allow', 'defer'].map((word) => ({ permissionDecision: word, permissionDecisionReason: 'w' }));
  const all = [...(helpers as Json[]), ...wire.map((words) => inner(event, words))];
  if (event === 'PreToolUse') all.push(inner(event, { updatedInput: { command: 'pwd' }, permissionDecision: 'ask' }));
  if (event === 'PreToolUse') all.push(inner(event, { updatedInput: { command: 'pwd' } }));
  if (!nested) all.push({ decision: 'block', reason: 'b' });
  return all;
}

const KEYS = ['permissionDecision', 'behavior', 'decision', 'permission', 'verdict', 'systemMessage', 'continue'];
const WORDS: readonly unknown[] = [
  ...['allow', 'approve', 'ask', 'defer', 'deny', 'block', 'Deny', 'maybe', '', 'constructor', '__proto__', 5, null],
  ...['allow', 'deny', 'ask', 'block'].map((behavior) => ({ behavior })),
];

const WRONG: readonly unknown[] = [
  ...[undefined, null, 0, 5, '', 'no', {}, [], { value: undefined }, { behavior: 'deny', message: 5 }],
  {
    toJSON() {
      throw new Error('boom');
    },
  },
];

/** The keys that have a meaning on the event, or on another. */
function keysOn(event: string): string[] {
  const shape = outputShape(specOf(event) as EventSpec);
  return [
    ...topFields().keys(),
    ...shape.specific.keys(),
    ...HELPER_KEYS,
    'async',
    'asyncTimeout',
    'hookEventName',
    'message',
  ];
}

/**
 * The answer with each word beside what it says, at top level and inside. Nothing that it says is replaced, except that a value of undefined
 * replaces what a helper says inside.
 */
function withWords(event: string, answer: Json): Json[] {
  const own = answer['hookSpecificOutput'] as Json | undefined;
  const all: Json[] = [];
  const add = (key: string, word: unknown): void => {
    if (!Object.hasOwn(answer, key)) all.push({ ...answer, [key]: word });
    if (!Object.hasOwn(own ?? {}, key)) all.push({ ...answer, ...inner(event, { ...own, [key]: word }) });
  };
  for (const key of KEYS) for (const word of WORDS) add(key, word);
  for (const key of keysOn(event)) for (const word of WRONG) add(key, word);
  for (const name of ['Stop', 'PostToolUse', '', 5])
    all.push({ ...answer, hookSpecificOutput: { ...own, hookEventName: name } });
  for (const wrong of ['text', 5, []]) if (own === undefined) all.push({ ...answer, hookSpecificOutput: wrong });
  return all;
}

let said: unknown;
const server = await hookServer({ '/h': (_request, response) => void response.end(JSON.stringify(said)) });
afterAll(() => server[Symbol.asyncDispose]());

function isJson(answer: Json): boolean {
  try {
    return JSON.stringify(answer) !== '';
  } catch {
    return false;
  }
}

/** Types of hooks, with the share of words that each is tried with. */
const HOOKS = {
  callback: { of: 5, hook: () => () => said },
  'an mcp_tool hook': { of: 13, hook: () => mcpTool('s', 't') },
  'an http hook': { of: 97, hook: () => http(server.url('/h')) },
} as const;

interface Outcome {
  readonly verdict: Verdict;
  readonly updatedInput: unknown;
  readonly continue: boolean;
  readonly failures: readonly unknown[];
}

async function outcomeOf(host: Host, event: string, answer: unknown): Promise<Outcome> {
  said = answer;
  return (await fireAny(host, event, INPUTS[event as 'PreToolUse'])) as unknown as Outcome;
}

/** Whether the word itself lets the call run: an allow that is read may be said beside silence. */
const mayAllow = (answer: Json): boolean => /(?:allow|approve)/.test(inspect(answer, { depth: 9 }));

/** Another value in the event's own words replaces a helper's. */
function rewrites(answer: Json): boolean {
  const value = (answer['hookSpecificOutput'] as Json | undefined)?.['updatedInput'];
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value as Json);
}

function weaker(event: string, plain: Outcome, added: Outcome, answer: Json): string | undefined {
  const [was, is] = [RANK[plain.verdict], RANK[added.verdict]];
  if (was >= RANK.ask && is < was) return `${plain.verdict} became ${added.verdict}`;
  if (plain.verdict === 'none' && added.verdict === 'allow' && !mayAllow(answer)) return 'it became an allow';
  if (!plain.continue && added.continue) return 'it goes on';
  if (plain.updatedInput === undefined || added.verdict === 'deny') return undefined;
  // In the user's place only an allow gives another input: without it, the user is asked about the original one.
  if (event === 'PermissionRequest' && added.verdict !== 'allow') return undefined;
  const isKept = JSON.stringify(added.updatedInput) === JSON.stringify(plain.updatedInput);
  return isKept || (event === 'PreToolUse' && rewrites(answer)) ? undefined : 'the rewrite is gone';
}

for (const [name, { of, hook }] of Object.entries(HOOKS))
  test.each(EVENTS)(`a word added to the answer of ${name} makes no outcome of %s weaker`, async (event) => {
    const found: unknown[] = [];
    let tried = 0;
    for (const [i, onFailure] of ON_FAILURE.entries())
      for (const [j, phase] of PHASES.entries()) {
        const { host } = testHost({ callTool: () => JSON.stringify(said) });
        host.register(anyHooks({ [event]: [{ onFailure, phase, hooks: [hook()] }] }));
        for (const [k, answer] of answersOn(event).entries()) {
          const plain = await outcomeOf(host, event, answer);
          // What was a failure by itself may be mended by a word.
          if (plain.failures.length > 0) continue;
          for (const [l, more] of withWords(event, answer).entries()) {
            if (!isTried(of, i, j, k, l) || (name !== 'callback' && !isJson(more))) continue;
            tried++;
            const why = weaker(event, plain, await outcomeOf(host, event, more), more);
            if (why !== undefined) found.push([onFailure, phase, inspect(more, { depth: 9 }), why]);
          }
        }
        await host.close();
      }
    expect(found.slice(0, 20)).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });

const NESTED = { behavior: 'deny', message: 5, interrupt: 'yes', updatedInput: 5 };
/** What is said beside a denial or an ask of a helper, whatever it is. */
const BESIDE: Readonly<Record<string, Json>> = {
  'an undefined verdict inside': { hookSpecificOutput: { permissionDecision: undefined, decision: undefined } },
  'an undefined end': { continue: undefined, decision: undefined, stopReason: undefined },
  'another event': { hookSpecificOutput: { hookEventName: 'Stop' } },
  'a rewrite without a value': rewrite(undefined) as Json,
  'a key that throws': { systemMessage: WRONG.at(-1) },
  'a getter that throws': Object.defineProperty({}, 'systemMessage', { enumerable: true, get: boom }),
  'a helper that throws': { [HELPER_KEYS[2]]: WRONG.at(-1) },
  'a wrong async': { async: 0 },
};

function boom(): never {
  throw new Error('boom');
}

test.each(Object.entries(BESIDE))('%s beside a denial or an ask of a helper takes neither away', async (_, beside) => {
  for (const event of EVENTS)
    for (const [verdict, helper] of [
      ['deny', deny('d')],
      ['deny', stop('s')],
      ['ask', ask('a')],
    ] as const)
      for (const isCombined of isJson(beside) ? [false, true] : [false]) {
        const spread = Object.defineProperties({ ...helper }, Object.getOwnPropertyDescriptors(beside));
        const answer = isCombined ? combine(helper, beside as never) : spread;
        const { host } = testHost();
        host.register(anyHooks({ [event]: [{ hooks: [() => answer] }] }));
        const { verdict: is } = await outcomeOf(host, event, undefined);
        expect([event, is]).toEqual([event, event === 'PermissionRequest' && verdict === 'ask' ? 'none' : verdict]);
        await host.close();
      }
});

test('a denial in the place of the user counts without what is wrong in it, whatever is said beside it', async () => {
  for (const beside of [{}, allow('l'), ask('a'), rewrite({ a: 1 })]) {
    const { host } = testHost();
    host.register(anyHooks({ PermissionRequest: [{ hooks: [() => said] }] }));
    const found = await outcomeOf(host, 'PermissionRequest', {
      ...beside,
      ...inner('PermissionRequest', { decision: NESTED }),
    });
    expect([found.verdict, found.failures.length]).toEqual(['deny', 1]);
    await host.close();
  }
});

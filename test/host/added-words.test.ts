import { afterAll, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { ON_FAILURE } from '../../src/events/failure.js';
import { addContext, allow, ask, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import type { Verdict } from '../../src/events/spec.js';
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

/** The answer with each word beside what it says, at top level and inside. Nothing that it says is replaced. */
function withWords(event: string, answer: Json): Json[] {
  const own = answer['hookSpecificOutput'] as Json | undefined;
  const all: Json[] = [];
  for (const key of KEYS)
    for (const word of WORDS) {
      if (!Object.hasOwn(answer, key)) all.push({ ...answer, [key]: word });
      if (!Object.hasOwn(own ?? {}, key)) all.push({ ...answer, ...inner(event, { ...own, [key]: word }) });
    }
  for (const wrong of ['text', 5, []]) if (own === undefined) all.push({ ...answer, hookSpecificOutput: wrong });
  return all;
}

let said: unknown;
const server = await hookServer({ '/h': (_request, response) => void response.end(JSON.stringify(said)) });
afterAll(() => server[Symbol.asyncDispose]());

/** Types of hooks, with the share of words that each is tried with. */
const HOOKS = {
  callback: { of: 3, hook: () => () => said },
  'an mcp_tool hook': { of: 7, hook: () => mcpTool('s', 't') },
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
const mayAllow = (answer: Json): boolean => /"(?:allow|approve)"/.test(JSON.stringify(answer));

function weaker(event: string, plain: Outcome, added: Outcome, answer: Json): string | undefined {
  const [was, is] = [RANK[plain.verdict], RANK[added.verdict]];
  if (was >= RANK.ask && is < was) return `${plain.verdict} became ${added.verdict}`;
  if (plain.verdict === 'none' && added.verdict === 'allow' && !mayAllow(answer)) return 'it became an allow';
  if (!plain.continue && added.continue) return 'it goes on';
  if (plain.updatedInput === undefined || added.verdict === 'deny') return undefined;
  // In the user's place only an allow gives another input: without it, the user is asked about the original one.
  if (event === 'PermissionRequest' && added.verdict !== 'allow') return undefined;
  return JSON.stringify(added.updatedInput) === JSON.stringify(plain.updatedInput) ? undefined : 'the rewrite is gone';
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
            if (!isTried(of, i, j, k, l)) continue;
            tried++;
            const why = weaker(event, plain, await outcomeOf(host, event, more), more);
            if (why !== undefined) found.push([onFailure, phase, JSON.stringify(more), why]);
          }
        }
        await host.close();
      }
    expect(found.slice(0, 20)).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });

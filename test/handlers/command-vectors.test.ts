import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { CATALOGUE, type HookEvent } from '../../src/events/catalogue.js';
import type { OnFailure } from '../../src/events/failure.js';
import { type Outcome, readOutput } from '../../src/events/output/outcome.js';
import { commandHandler } from '../../src/handlers/command/handler.js';
import { type CommandOptions, command } from '../../src/handlers/command/spec.js';
import type { Reply } from '../../src/handlers/handler.js';
import { shellCall } from './shell-call.js';

/** One recorded fire with one shell hook, and what must come of it. Its README is in the folder. */
interface Vector {
  readonly name: string;
  readonly event: HookEvent;
  readonly input: Record<string, unknown>;
  readonly settings?: { readonly hooks: Record<string, { readonly hooks: readonly Hook[] }[]> };
  readonly expect: Record<string, unknown>;
}
interface Hook extends CommandOptions {
  readonly type: string;
  readonly command: string;
  readonly onFailure?: OnFailure;
}

const TOPICS = [
  'output-parsing',
  'timeout-failure',
  'pretool',
  'permission',
  'prompt',
  'session',
  'stop',
  'posttool',
  'async',
];
const folder = mkdtempSync(join(tmpdir(), 'hookscope-vectors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function vectorsOf(topic: string): Vector[] {
  const file = fileURLToPath(new URL(`../fixtures/vectors/${topic}.json`, import.meta.url));
  const all = JSON.parse(readFileSync(file, 'utf8').replaceAll('/home/dev/project', folder)) as Vector[];
  return all.filter((vector) => hooksOf(vector).length === 1 && hooksOf(vector)[0]?.type === 'command');
}

const hooksOf = ({ settings }: Vector): Hook[] =>
  Object.values(settings?.hooks ?? {}).flatMap((groups) => groups.flatMap((group) => group.hooks));

interface Seen {
  readonly event: HookEvent;
  readonly onFailure: OnFailure;
  readonly reply: Reply;
  readonly later: Seen | undefined;
  readonly outcome: Outcome | undefined;
  readonly cause: string | undefined;
}

async function run({ event, input }: Vector, hook: Hook): Promise<Seen> {
  const { command: line, timeout, async, asyncRewake, onFailure = 'continue' } = hook;
  const options = { ...(async && { async }), ...(asyncRewake && { asyncRewake }) };
  // Not the handler but the host knows of timeouts; to the handler they are an abort.
  const signal = timeout === undefined ? new AbortController().signal : AbortSignal.timeout(timeout * 1000);
  const { call } = shellCall(event, { input, onFailure, signal, projectDir: folder });
  const reply = await commandHandler(command(line, options)).run(call);
  return see(event, input, onFailure, reply);
}

async function see(event: HookEvent, input: Vector['input'], onFailure: OnFailure, reply: Reply): Promise<Seen> {
  const later = reply.later && (await see(event, input, onFailure, await reply.later));
  const seen = { event, onFailure, reply, later, outcome: undefined, cause: reply.failure?.cause };
  if (!reply.output) return seen;
  const mcpTool = String(input['tool_name']).startsWith('mcp__');
  const result = readOutput(CATALOGUE[event], reply.output, { eventName: event, nameRequired: true, mcpTool });
  return 'bad' in result ? { ...seen, cause: 'bad_schema' } : { ...seen, outcome: result.outcome };
}

const contextOf = ({ outcome }: Seen): string[] => (outcome?.additionalContext ? [outcome.additionalContext] : []);
const messagesOf = ({ outcome }: Seen): string[] => (outcome?.systemMessage ? [outcome.systemMessage] : []);
const specificOf =
  (key: string) =>
  ({ outcome }: Seen): unknown =>
    outcome?.specific?.[key];
const continues = ({ outcome }: Seen): boolean =>
  outcome?.continue !== false && (outcome?.block === true || outcome?.additionalContext !== undefined);

/** What a key of `expect` looks at. */
const LOOK: Record<string, (seen: Seen) => unknown> = {
  verdict: ({ outcome, cause, onFailure }) => outcome?.verdict ?? (cause && onFailure === 'block' ? 'deny' : 'none'),
  blocked: ({ outcome }) => outcome?.block ?? false,
  continues,
  continue: ({ outcome, event }) => outcome?.continue !== false || !CATALOGUE[event].endsLoop,
  stopReason: ({ outcome }) => outcome?.stopReason,
  updatedInput: ({ outcome }) => outcome?.rewrite?.value,
  updatedOutput: ({ outcome }) => outcome?.rewrite?.value,
  value: ({ outcome }) => outcome?.value,
  additionalContext: contextOf,
  systemMessages: messagesOf,
  contextLength: (seen) => contextOf(seen)[0]?.length,
  contextTooLarge: (seen) => (contextOf(seen)[0]?.length ?? 0) > 10_000,
  nonBlockingError: ({ cause, onFailure }) => cause !== undefined && onFailure === 'continue',
  failedCount: ({ cause }) => (cause === undefined ? 0 : 1),
  sessionTitle: specificOf('sessionTitle'),
  initialUserMessage: specificOf('initialUserMessage'),
  watchPaths: specificOf('watchPaths'),
  retry: specificOf('retry'),
  updatedPermissions: specificOf('updatedPermissions'),
};

const HOLDS: Record<string, (seen: Seen, wanted: never) => void> = {
  reasonContains: ({ outcome }, wanted: string) => expect(outcome?.reason).toContain(wanted),
  reasonNotContains: ({ outcome }, wanted: string) => expect(outcome?.reason ?? '').not.toContain(wanted),
  feedbackContains: (seen, wanted: string) =>
    expect([seen.outcome?.reason, ...contextOf(seen)].join('\n')).toContain(wanted),
  causes: ({ cause }, wanted: Record<string, string>) =>
    expect([cause === 'aborted' ? 'timeout' : cause]).toEqual(Object.values(wanted)),
  failed: ({ cause }, wanted: string[]) => expect(cause === undefined ? 0 : 1).toBe(wanted.length),
  absent: (seen, wanted: string[]) => {
    for (const key of wanted) expect(LOOK[key]?.(seen)).toEqual([]);
  },
  later: (seen, wanted: Vector['expect']) => check(seen.later as Seen, wanted),
  rewakeContains: ({ later }, wanted: string) => {
    expect(later?.reply.exitCode).toBe(2);
    expect(later?.reply.stderr).toContain(wanted);
  },
  ran: (seen) => expect(seen.reply.exitCode).toBeDefined(),
};

function check(seen: Seen, wanted: Vector['expect']): void {
  for (const [key, value] of Object.entries(wanted)) {
    const look = LOOK[key];
    const holds = HOLDS[key];
    if (look) expect(look(seen), key).toEqual(value);
    else if (holds) holds(seen, value as never);
    else throw new Error(`No check for "${key}"`);
  }
}

describe.each(TOPICS)('one shell hook: %s', (topic) => {
  const vectors = vectorsOf(topic);
  test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    check(await run(vector, hooksOf(vector)[0] as Hook), vector.expect);
  });
});

test('the folder holds what this test is about', () => {
  expect(TOPICS.flatMap(vectorsOf).length).toBeGreaterThan(100);
});

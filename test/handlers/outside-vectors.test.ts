import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import type { HostOptions } from '../../src/host/options.js';
import { fireAny, registerAs, testHost } from '../host/kit.js';
import { type Answer, hookServer } from './hook-server.js';

/** One recorded fire with hooks that ask somebody else. Its README is in the folder. */
interface Vector {
  readonly name: string;
  readonly event: string;
  readonly input: Record<string, unknown>;
  readonly settings: {
    readonly hooks: Record<string, unknown>;
    readonly allowedHttpHookUrls?: readonly string[];
  };
  readonly http?: Record<string, Answer>;
  readonly env?: Record<string, string>;
  readonly model?: { readonly replies: readonly string[] };
  readonly mcp?: Record<string, Record<string, string>>;
  readonly expect: Record<string, unknown>;
}

const folder = mkdtempSync(join(tmpdir(), 'hookscope-vectors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function textOf(topic: string): string {
  const file = fileURLToPath(new URL(`../fixtures/vectors/${topic}.json`, import.meta.url));
  return readFileSync(file, 'utf8').replaceAll('/home/dev/project', folder);
}

type Seen = { decision: AnyDecision; requests: Record<string, Record<string, unknown>>; count: number };

/** A server, a model and tools as the vector tells them, and its one fire. */
async function run(vector: Vector): Promise<Seen> {
  await using server = await hookServer(vector.http ?? {});
  const { hooks, allowedHttpHookUrls } = JSON.parse(
    JSON.stringify(vector.settings).replaceAll('{{PORT}}', String(server.port)),
  ) as Vector['settings'];
  const replies = [...(vector.model?.replies ?? [])];
  const options: HostOptions = {
    ...(allowedHttpHookUrls && { allowedHttpHookUrls }),
    ...(vector.model && { model: () => replies.shift() ?? 'no reply is left' }),
    ...(vector.mcp && {
      callTool: (name, tool, { text }) => (vector.mcp?.[name]?.[tool] === undefined ? undefined : String(text)),
    }),
  };
  const { host } = testHost(options);
  Object.assign(process.env, vector.env);
  try {
    registerAs(host, hooks, { dialect: 'claude' });
    const decision = await fireAny(host, vector.event, vector.input);
    const requests = Object.fromEntries(server.asked.map((a) => [a.path, a.headers as Record<string, unknown>]));
    return { decision, requests, count: server.asked.length };
  } finally {
    for (const name of Object.keys(vector.env ?? {})) delete process.env[name];
    await host.close();
  }
}

/** What a key of `expect` looks at. */
const LOOK: Record<string, (seen: Seen) => unknown> = {
  verdict: ({ decision }) => decision.verdict,
  blocked: ({ decision }) => decision.blocked,
  continues: ({ decision }) => decision.continues,
  continue: ({ decision }) => decision.continue,
  additionalContext: ({ decision }) => decision.additionalContext,
  nonBlockingError: ({ decision }) => decision.failures.some((f) => !f.blocked),
  failedCount: ({ decision }) => decision.failures.length,
  cause: ({ decision }) => decision.failures[0]?.cause,
  requests: ({ count }) => count,
};

function check(seen: Seen, wanted: Vector['expect']): void {
  const { decision } = seen;
  for (const [key, value] of Object.entries(wanted)) {
    if (LOOK[key]) expect(LOOK[key](seen), key).toEqual(value);
    else if (key === 'reasonContains') expect(decision.reason).toContain(value);
    else if (key === 'feedbackContains')
      expect([decision.reason, ...decision.additionalContext].join()).toContain(value);
    else if (key === 'requestHeaders') expect(seen.requests).toMatchObject(value as object);
    else throw new Error(`No check for "${key}"`);
  }
}

describe.each(['http', 'model-mcp'])('hooks that ask somebody else: %s', (topic) => {
  const vectors = JSON.parse(textOf(topic)) as Vector[];
  test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    check(await run(vector), vector.expect);
  });
});

test('without a time of their own they have that of their type, 60 s from code', () => {
  const hooks = {
    Stop: [
      {
        hooks: [
          { type: 'http', url: 'http://127.0.0.1/' },
          { type: 'mcp_tool', server: 'a', tool: 'b' },
          { type: 'prompt', prompt: 'a' },
          { type: 'agent', prompt: 'a' },
          { type: 'agent', prompt: 'b', timeout: 7 },
        ],
      },
    ],
  };
  const { host: files } = testHost();
  registerAs(files, hooks, { dialect: 'claude' });
  const { host: code } = testHost();
  registerAs(code, hooks, {});
  const times = (host: typeof files) => host.describe().children.flatMap((c) => c.hooks.map((h) => h.timeout));
  expect(times(files)).toEqual([600, 600, 30, 60, 7]);
  expect(times(code)).toEqual([60, 60, 60, 60, 7]);
});

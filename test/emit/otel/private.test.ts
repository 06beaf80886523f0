import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import { CONTENT, NAME } from '../../../src/emit/sinks/otel/names.js';
import { type OtelOptions, otelSink } from '../../../src/emit/sinks/otel.js';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../../src/events/catalogue.js';
import { addContext, allow, combine, deny, rewrite } from '../../../src/events/output/helpers.js';
import type { EventSpec } from '../../../src/events/spec.js';
import { inputOf } from '../../host/inputs.js';
import { anyHooks } from '../../host/kit.js';
import { telemetry } from './kit.js';

const MARK = 'typed by somebody';
/** Not typed by anybody: what conventions name a call, an agent and a session by. */
const NAMES = ['tool_name', 'tool_use_id', 'session_id', 'agent_id', 'agent_type', 'hook_event_name'];

/** The same with the mark in every text, but where the event wants one of a few words. */
function marked(event: HookEvent): Record<string, unknown> {
  const { input } = CATALOGUE[event] as EventSpec;
  const mark = (value: unknown): unknown => {
    if (typeof value === 'string') return `${value} ${MARK}`;
    if (Array.isArray(value)) return value.map(mark);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, NAMES.includes(key) ? v : mark(v)]));
  };
  const given: Record<string, unknown> = { ...inputOf(event), cwd: '/w', extra: 'more', transcript_path: '/w/t' };
  const whole = { ...given, session_id: 's1', hook_event_name: event };
  for (const key of Object.keys(given)) {
    if (NAMES.includes(key)) continue;
    const value = mark(given[key]);
    if (input.safeParse({ ...whole, [key]: value }).success) given[key] = value;
  }
  return { ...given, session_id: 's1' };
}

/** Hooks of every kind that runs in the process, none of them named, whose every word has the mark in it. */
const HOOKS = [
  (_: unknown, __: unknown, context: { progress(text: string): void }) => {
    context.progress(MARK);
    throw new Error(MARK);
  },
  async () => Promise.reject(new Error(MARK)),
  () => deny(MARK),
  () => addContext(MARK),
  () => ({ decision: 'block', reason: MARK, systemMessage: MARK, stopReason: MARK }),
  () => ({ nonsense: MARK }),
  { type: 'rule', decision: 'deny', reason: MARK },
  { type: 'prompt', prompt: MARK },
  { type: 'http', url: `http://127.0.0.1:1/${encodeURIComponent(MARK)}` },
  { type: 'mcp_tool', server: 'files', tool: 'look', input: { text: MARK } },
];

const { providers, spans, reset, register, end, points } = telemetry();
beforeAll(register);
beforeEach(reset);
afterAll(end);

async function fireAll(events: readonly HookEvent[], options: OtelOptions): Promise<void> {
  const sink = otelSink({ ...options, ...providers });
  const host = createHost({
    tracing: sink,
    logger: () => undefined,
    model: () => ({ ok: false, reason: MARK }),
    callTool: () => `${MARK} not JSON`,
  });
  for (const event of events) {
    for (const hook of HOOKS) {
      const type = typeof hook === 'object' ? hook.type : undefined;
      const { types, fold } = CATALOGUE[event] as EventSpec;
      if (type !== undefined && (type === 'rule' ? fold !== 'gate' : !types.includes(type as never))) continue;
      const undo = host.register(anyHooks({ [event]: [{ hooks: [hook], name: undefined }] }));
      await host.fireAny(event, marked(event)).catch(() => undefined);
      undo();
    }
    // Refused: what it says is in no message either.
    await host.fireAny(event, { ...marked(event), session_id: 7, cwd: MARK }).catch(() => undefined);
  }
  const session = await host.openSession({ session_id: 's1' });
  host.register(anyHooks({ PreToolUse: [{ matcher: 'No', hooks: [() => deny(MARK)] }] }));
  for (const name of ['No', 'Bash'])
    await session.tool({
      name,
      input: { text: MARK },
      permission: () => ({ behavior: 'allow' }),
      execute() {
        throw new Error(MARK);
      },
    } as never);
  await session.fire('PostToolUse', { tool_name: 'No', tool_input: {}, tool_use_id: 'x', tool_response: MARK });
  await session.close(MARK);
  await host.close();
  await sink.close();
}

const texts = (): string =>
  JSON.stringify(
    spans().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
  );

describe('nothing that somebody typed is on a span or a metric', () => {
  test.each(HOOK_EVENTS)('%s', async (event) => {
    await fireAll([event], {});
    expect(spans().length).toBeGreaterThan(3);
    expect(texts()).not.toContain(MARK);
    expect(texts()).not.toContain(encodeURIComponent(MARK));
    expect(texts()).not.toContain('private.test');
  });

  test('but where it is wanted, with its secrets masked', async () => {
    await fireAll(HOOK_EVENTS, { content: true });
    const used = new Set(spans().flatMap(({ attributes }) => Object.keys(attributes)));
    reset();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const sink = otelSink({ ...providers, content: true });
    const host = createHost({ tracing: sink });
    host.register({ PreToolUse: [{ hooks: [() => combine(rewrite({ command: 'ls' }), allow(`not ${secret}`))] }] });
    const session = await host.openSession();
    await session.tool({ name: 'Bash', input: { command: `echo ${secret}` }, execute: () => secret });
    await session.close();
    await host.close();
    await sink.close();
    expect(texts()).not.toContain(secret);
    expect(texts()).toContain('[redacted github-token');
    expect(spans().some(({ attributes }) => Number(attributes[NAME.redacted]) > 0)).toBe(true);
    for (const { attributes } of spans()) for (const key of Object.keys(attributes)) used.add(key);
    expect(Object.values(CONTENT).filter((key) => !used.has(key))).toEqual([]);
  });

  test('metrics are counted by event, hook, outcome and kind of scope alone', async () => {
    const all = await points();
    const keys = new Set(all.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].sort()).toEqual(
      [NAME.alarm, NAME.event, NAME.handlerName, NAME.outcome, NAME.scopeKind].filter((key) => keys.has(key)).sort(),
    );
    const names = new Set(all.map(({ attributes }) => attributes[NAME.handlerName]));
    // Nobody has named them.
    expect([...names].filter((name) => name !== undefined).sort()).toEqual([
      'callback',
      'files/look',
      'http',
      'prompt',
      'rule',
    ]);
    expect(JSON.stringify(all)).not.toContain(MARK);
  });

  test.each([
    ['without contents', false],
    ['with contents', true],
  ])(
    'a secret that names something is masked wherever that is named, and everything finds its end, %s',
    async (_, content) => {
      const secret = `ghp_${'a1B2'.repeat(9)}`;
      const sink = otelSink({ ...providers, content });
      const host = createHost({ tracing: sink, logger: () => undefined });
      host.register(
        anyHooks({
          PreToolUse: [{ matcher: `No${secret}`, name: `guard ${secret}`, hooks: [() => deny(`no ${secret}`)] }],
          PostToolUse: [{ hooks: [{ type: 'http', url: `http://127.0.0.1:1/?token=${secret}` }] }],
        }),
      );
      const session = await host.openSession({
        session_id: `s-${secret}`,
        permission: () => ({ behavior: 'allow' }),
      });
      const agent = await session.spawn({ agent_type: `type-${secret}`, id: `agent-${secret}` });
      const call = { tool_name: `No${secret}`, tool_input: {}, tool_use_id: `call-${secret}` };
      await agent.tool({ name: call.tool_name, id: call.tool_use_id, input: {}, execute: () => 'ran' });
      await agent.fire('PostToolUse', { ...call, tool_response: 'ran' });
      await agent.close();
      await session.close();
      await host.close();
      await sink.close();
      expect(texts()).not.toContain(secret);
      const shown = (key: string) => spans().flatMap(({ attributes }) => attributes[key] ?? []);
      for (const key of ['gen_ai.conversation.id', 'gen_ai.agent.id', 'gen_ai.agent.name', 'gen_ai.tool.name'])
        expect(shown(key).some((value) => String(value).includes('[redacted github-token'))).toBe(true);
      for (const key of ['gen_ai.tool.call.id', 'gen_ai.guardrail.target.id', 'hookscope.scope'])
        expect(shown(key).some((value) => String(value).includes('[redacted github-token'))).toBe(true);
      // What begins and what ends it are found by the names as they are.
      expect(shown(NAME.unfinished)).toEqual([]);
      expect(
        spans()
          .filter(({ name }) => name.startsWith('run_guardrail'))
          .map((span) => span.attributes[NAME.verdict]),
      ).toEqual(['deny']);
      const alarm = spans().find(({ name }) => name === 'alarm not_honoured');
      const tool = spans().find(({ name }) => name.startsWith('execute_tool'));
      expect(alarm?.parentSpanContext?.spanId).toBe(tool?.spanContext().spanId);
      expect(JSON.stringify(await points())).not.toContain(secret);
    },
  );
});

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { context, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import { otelSink } from '../../../src/emit/sinks/otel.js';
import { command } from '../../../src/handlers/command/spec.js';
import { http } from '../../../src/handlers/http/spec.js';
import { mcpTool } from '../../../src/handlers/mcp/spec.js';
import { hookServer } from '../../handlers/hook-server.js';
import { ROOT } from '../../package/sources.js';
import { bash, createUser, send, type User } from '../../server/kit.js';

/** As OTLP has it in JSON. */
interface Sent {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes?: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

const received: Sent[] = [];
let arrived: () => void = () => undefined;
/** Where a collector would stand. */
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
      resourceSpans: { scopeSpans: { spans: Sent[] }[] }[];
    };
    received.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    arrived();
  });
});
let endpoint = '';
let user: User;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  user = createUser();
  Object.assign(user.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
});
afterAll(async () => {
  await user.remove();
  receiver.close();
  receiver.closeAllConnections();
});

/** A span that was sent, as soon as it is. */
async function sent(name: string, traceId: string): Promise<Sent> {
  for (;;) {
    const found = received.find((span) => span.name === name && span.traceId === traceId);
    if (found) return found;
    await new Promise<void>((resolve) => {
      arrived = resolve;
    });
  }
}

const FIXTURES = join(ROOT, 'test/fixtures/otel');
const CONFIG = join(FIXTURES, 'hookscope.config.mjs');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test('a shell hook, a server and a tool of an MCP server are told what they are part of, and what a hook sends itself is part of its span', async () => {
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  provider.register();
  await using server = await hookServer({ '/guard': {} });
  const sink = otelSink();
  const host = createHost({
    tracing: sink,
    mcpServers: { meta: { command: process.execPath, args: [join(ROOT, 'test/fixtures/programs/mcp-server.mjs')] } },
  });
  const script = command(process.execPath, {
    args: [join(FIXTURES, 'send-span.mjs')],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACESTATE: 'stale=1' },
    name: 'script',
  });
  // Nobody has named it, and it says what somebody typed, in its line, to standard error and by its end.
  host.register({ PreToolUse: [{ hooks: [command("echo 'typed by somebody' >&2; exit 1")] }] });
  host.register({
    PreToolUse: [{ hooks: [script, http(server.url('/guard'), { name: 'server' }), mcpTool('meta', 'meta')] }],
  });
  const tracer = provider.getTracer('agent');
  const caller = await tracer.startActiveSpan('agent', async (span) => {
    const { failures } = await host.fireAny('PreToolUse', bash('ls # typed by somebody', { tool_use_id: 't1' }));
    expect(failures.map(({ cause }) => cause)).toEqual(['exit_code']);
    span.end();
    return span.spanContext();
  });
  const said: string[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'system' && record.subtype === 'hook_response' && record.handler === 'mcp_tool')
      said.push(record.stdout);
  });
  await host.fireAny('PreToolUse', bash('pwd'));
  await host.close();
  // Closing the host has sent all.
  const own = received.filter(({ traceId }) => traceId === caller.traceId);
  const named = (name: string): Sent => own.find((span) => span.name === name) as Sent;
  expect(named('hook PreToolUse').parentSpanId).toBe(caller.spanId);
  for (const name of ['script', 'server', 'meta/meta'])
    expect(named(`run_guardrail ${name}`).parentSpanId).toBe(named('hook PreToolUse').spanId);
  expect(named('in the shell hook').parentSpanId).toBe(named('run_guardrail script').spanId);
  expect(named('run_guardrail command').attributes).toContainEqual({
    key: 'error.type',
    value: { stringValue: 'exit_code' },
  });
  expect(JSON.stringify(received)).not.toContain('somebody');
  const CLIENT = 3;
  expect(named('run_guardrail server').kind).toBe(CLIENT);
  const [first, second] = server.asked.map(({ headers }) => headers['traceparent']);
  expect(first).toBe(`00-${caller.traceId}-${named('run_guardrail server').spanId}-01`);
  expect(second).not.toBe(first);
  expect(said.join()).toMatch(/traceparent\W+00-[0-9a-f]{32}-[0-9a-f]{16}-01/);
  await sink.close();
  await provider.shutdown();
  for (const api of [context, propagation, trace]) api.disable();
});

test('a command is part of what has started it', async () => {
  const input = JSON.stringify(bash('ls'));
  const { code, stderr } = await user.run(['fire', 'PreToolUse', '--config', CONFIG, '--input', '-'], {
    stdin: input,
    env: { TRACEPARENT: `00-${TRACE}-${PARENT}-01` },
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect((await sent('hook PreToolUse', TRACE)).parentSpanId).toBe(PARENT);
  expect((await sent('run_guardrail guard', TRACE)).attributes).toContainEqual({
    key: 'gen_ai.guardrail.verdict.type',
    value: { stringValue: 'allow' },
  });
});

test('what a server is asked is part of what the request says, or else of what the command that asks was started in', async () => {
  const running = await user.serve(['--config', CONFIG, '--port', '0']);
  const token = (JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { fire: string }).fire;
  const asks = (headers: Record<string, string>) =>
    send(
      { port: running.port as number },
      {
        path: '/hooks/PreToolUse',
        headers: { host: `127.0.0.1:${running.port}`, authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify(bash('ls')),
      },
    );
  const byHead = TRACE.replaceAll('4', '5');
  expect((await asks({ traceparent: `00-${byHead}-${PARENT}-01`, tracestate: 'a=1' })).status).toBe(200);
  expect((await sent('hook PreToolUse', byHead)).parentSpanId).toBe(PARENT);
  const byEnvironment = TRACE.replaceAll('4', '6');
  await user.run(['hook', 'PreToolUse', '--config', CONFIG], {
    stdin: JSON.stringify(bash('ls')),
    env: { TRACEPARENT: `00-${byEnvironment}-${PARENT}-01` },
  });
  expect((await sent('hook PreToolUse', byEnvironment)).parentSpanId).toBe(PARENT);
  // Nonsense, or nobody: it begins a trace of its own.
  const before = received.length;
  expect((await asks({ traceparent: 'nonsense' })).status).toBe(200);
  await running.stop();
  expect(received.slice(before).filter(({ name }) => name === 'hook PreToolUse')).toHaveLength(1);
  expect(received.slice(before).find(({ name }) => name === 'hook PreToolUse')?.parentSpanId ?? '').toBe('');
});

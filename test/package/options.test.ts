import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive } from '../../src/adapters/ai.js';
import { anthropicModel } from '../../src/adapters/anthropic.js';
import { runAgent, Steps } from '../../src/adapters/kit.js';
import { hooks as langchainHooks } from '../../src/adapters/langchain.js';
import * as openai from '../../src/adapters/openai-agents.js';
import { agentCodec, loadAgentHooks } from '../../src/agents.js';
import * as claude from '../../src/claude-code.js';
import { otelSink } from '../../src/emit/sinks/otel.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { fleet, memoryEngine } from '../../src/fleet.js';
import * as hookscope from '../../src/index.js';
import { replay } from '../../src/replay.js';
import * as testing from '../../src/testing.js';
import { INPUTS } from '../host/inputs.js';
import { optionPlaces } from './option-places.js';

const host = hookscope.createHost({ logger: () => undefined });
const hooks = { PreToolUse: [{ hooks: [() => undefined] }] };
const session = await hookscope.createHost({ logger: () => undefined }).openSession();
const plugin = (use: (scope: hookscope.PluginScope) => unknown) =>
  host.use({ name: 'p', apply: (scope: hookscope.PluginScope) => void use(scope) } as never);
const plain = hookscope.definePlugin({ name: 'p', apply: () => undefined });
const spawn = { agent_type: 'reviewer' };
const run = (): string => '';
const wire = { input: new PassThrough(), output: new PassThrough() };

const record = { type: 'hook_fire' } as unknown as hookscope.HookRecord;
const request = { file: '/f', project: '/p', definition: {}, files: {} } as unknown as claude.TrustRequest;
const memory: claude.TrustStore = { accepted: () => [], list: () => [], accept: () => undefined, revoke: () => false };

/** Every place where options are given, with options that are right; each is called with one key misspelt. */
const PLACES: Readonly<Record<string, readonly [known: string, call: (more: object) => unknown]>> = {
  createHost: ['logger', (more) => hookscope.createHost(more)],
  'createHost session': ['session_id', (more) => hookscope.createHost({ session: more })],
  'Host.on': ['onFailure', (more) => host.on('Stop', () => undefined, more)],
  'HookScope.on': ['matcher', (more) => host.scope('a').on('Stop', () => undefined, more)],
  'Session.on': ['timeout', (more) => session.on('Stop', () => undefined, more)],
  'Host.register': ['onFailure', (more) => host.register(hooks, more)],
  'HookScope.register': ['timeoutFor', (more) => host.scope('a').register(hooks, more)],
  'Host.registerScoped': ['parent', (more) => host.registerScoped('a', hooks, more)],
  'Host.registerScoped scope': ['session', (more) => host.registerScoped({ agent: 'a', ...more }, hooks)],
  'Host.registerScoped parent': ['agent', (more) => host.registerScoped('a', hooks, { parent: more })],
  'Host.unregisterScoped': ['session', (more) => host.unregisterScoped({ agent: 'a', ...more })],
  'Host.scope': ['session', (more) => host.scope(more)],
  'Host.pendingContext': ['session', (more) => host.pendingContext(more)],
  'Host.takeContext': ['session', (more) => host.takeContext(more)],
  'Host.spawnHooks': ['onFailure', (more) => host.spawnHooks('a', hooks, more)],
  'Host.fire': ['signal', (more) => host.fire('PreToolUse', INPUTS.PreToolUse, more)],
  'Host.fire scope': ['session', (more) => host.fire('PreToolUse', INPUTS.PreToolUse, { scope: more })],
  'Host.fireAny': ['scope', (more) => host.fireAny('PreToolUse', INPUTS.PreToolUse, more)],
  'Host.explain': ['scope', (more) => host.explain('PreToolUse', {}, more)],
  replay: ['against', (more) => replay(host, [], more)],
  contract: ['patience', (more) => testing.contract(plain, more)],
  fireHook: ['beside', (more) => testing.fireHook(run, 'Stop', {}, more)],
  fireFile: ['projectDir', (more) => testing.fireFile('/none.json', 'Stop', {}, more)],
  fleet: ['logger', (more) => fleet({ engine: memoryEngine(), team: 't', keys: [], ...more })],
  'fleet tls': ['cert', (more) => fleet({ servers: 'nats://127.0.0.1:1', team: 't', keys: [], tls: more })],
  testSession: ['tools', (more) => testing.testSession(more)],
  'Codec.encode': ['attended', (more) => agentCodec('gemini').encode({}, 'BeforeTool', more)],
  'Codec.refuse': ['attended', (more) => agentCodec('gemini').refuse('no', 'BeforeTool', more)],
  'Host.openSession': ['hooks', (more) => host.openSession(more)],
  'PluginScope.on': ['onFailure', (more) => plugin((scope) => scope.on('Stop', () => undefined, more))],
  'PluginScope.register': ['onFailure', (more) => plugin((scope) => scope.register(hooks, more))],
  'PluginScope.spawnHooks': ['onFailure', (more) => plugin((scope) => scope.spawnHooks('a', hooks, more))],
  'Session.register': ['onFailure', (more) => session.register(hooks, more)],
  'Session.spawn': ['hooks', (more) => session.spawn({ ...spawn, ...more })],
  'Session.prompt': ['command', (more) => session.prompt('x', more)],
  'Session.prompt command': [
    'command_args',
    (more) => session.prompt('x', { command: { command_name: 'c', ...more } }),
  ],
  'Session.tool': ['permission', (more) => session.tool({ name: 'x', input: {}, execute: run, ...more })],
  'Session.toolBatch': ['permission', (more) => session.toolBatch([{ name: 'x', input: {}, execute: run, ...more }])],
  'Session.stop': ['lastMessage', (more) => session.stop(more)],
  'Session.compact': ['custom_instructions', (more) => session.compact({ trigger: 'auto', run, ...more })],
  'Session.endBatch': [
    'permission',
    (more) => session.endBatch([{ name: 'x', input: {}, execute: run, ...more }], [{} as never]),
  ],
  'Session.elicit': ['ask', (more) => session.elicit({ mcp_server_name: 'm', message: 'q', ...more })],
  'Session.switchModel': ['ask', (more) => session.switchModel({ to_model: 'm', ...more })],
  command: ['onFailure', (more) => hookscope.command('true', more)],
  rule: ['once', (more) => hookscope.rule('deny', 'no', more)],
  http: ['onFailure', (more) => hookscope.http('http://localhost/', more)],
  mcpTool: ['onFailure', (more) => hookscope.mcpTool('s', 't', {}, more)],
  prompt: ['onFailure', (more) => hookscope.prompt('x', more)],
  agent: ['onFailure', (more) => hookscope.agent('x', more)],
  createRedactor: ['paths', (more) => hookscope.createRedactor(more)],
  createSink: ['capacity', (more) => hookscope.createSink(() => undefined, more)],
  ndjsonSink: ['maxBytes', (more) => hookscope.ndjsonSink('/dev/null', more)],
  sqliteSink: ['maxAge', (more) => sqliteSink('/dev/null', more)],
  otelSink: ['content', (more) => otelSink(more)],
  formatRecord: ['color', (more) => hookscope.formatRecord(record, more)],
  formatFire: ['color', (more) => hookscope.formatFire(record as never, more)],
  validateHooks: ['events', (more) => hookscope.validateHooks({}, more)],
  validateOutput: ['events', (more) => hookscope.validateOutput('PreToolUse', {}, more)],
  loadPlugin: ['from', (more) => hookscope.loadPlugin('./x', more)],
  applyConfig: ['warn', (more) => hookscope.applyConfig(host, {}, { file: 'x', ...more })],
  loadClaudeCode: ['policy', (more) => claude.loadClaudeCode({ host, projectDir: '/nowhere', ...more })],
  loadAgentHooks: ['projectDir', (more) => loadAgentHooks({ host, agent: 'codex', file: '/nowhere', ...more })],
  listHeld: ['places', (more) => claude.listHeld({ projectDir: '/nowhere', ...more })],
  acceptTrust: ['data', (more) => claude.acceptTrust(request, memory, more)],
  connectClaude: ['executable', (more) => claude.connectClaude({ host, ...more })],
  serveControl: ['name', (more) => claude.serveControl({ host, ...wire, ...more })],
  anthropicModel: ['model', (more) => anthropicModel(more)],
  defineEvent: ['endsLoop', (more) => hookscope.defineEvent({ input: z.object({}), fold: 'gate', ...more })],
  'createHost events': [
    'endsLoop',
    (more) => {
      const event = { ...hookscope.defineEvent({ input: z.object({}), fold: 'gate' }), ...more };
      return hookscope.createHost({ events: { Deploy: event } });
    },
  ],
  drive: ['system', (more) => drive(session, { prompt: 'x', ...more }, () => ({}) as never)],
  'drive of openai-agents': ['maxTurns', (more) => openai.drive(session, {} as never, 'x', more)],
  Steps: ['passThrough', (more) => new Steps(session, more)],
  'Steps.run': ['signal', (more) => new Steps(session).run({ name: 'Bash', input: {}, execute: run }, more)],
  'Steps.asks': ['signal', (more) => new Steps(session).asks({ name: 'Bash', id: 'a', input: {}, execute: run }, more)],
  'Steps.handTo': ['hooks', (more) => new Steps(session).handTo({ ...spawn, ...more })],
  'Steps.stop': ['lastMessage', (more) => new Steps(session).stop(more)],
  hooks: ['toolHow', (more) => langchainHooks(session, more)],
  runAgent: ['hooks', (more) => runAgent(session, { ...spawn, ...more }, run)],
};

async function errorOf(call: () => unknown): Promise<hookscope.HookscopeError | undefined> {
  return (async () => call())().then(
    () => undefined,
    (thrown: hookscope.HookscopeError) =>
      thrown.code === 'PLUGIN_FAILED' ? (thrown.cause as hookscope.HookscopeError) : thrown,
  );
}

/** One letter less. */
const misspelt = (key: string): string => key.slice(0, -2) + key.slice(-1);

test.each(Object.entries(PLACES))(
  '%s refuses a misspelt option, naming the one that was meant',
  async (_, [known, call]) => {
    const key = misspelt(known);
    const error = await errorOf(() => call({ [key]: undefined }));
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(error?.message).toContain(key);
    expect(error?.message).toContain(`Did you mean "${known}"?`);
  },
);

/** What may be anything; and what makes an object no event at all, which is said in other words. */
const ANYTHING: readonly string[] = [
  ...['Session.tool input', 'Session.toolBatch input', 'Session.endBatch input'],
  'drive of openai-agents context',
  ...['createHost events input', 'createHost events output', 'createHost events fold'],
];

test.each(Object.entries(PLACES))(
  '%s refuses a value of a wrong type under any of its keys',
  async (place, [, call]) => {
    const unknown = await errorOf(() => call({ 'no such key': undefined }));
    const keys = /; there are ([^.]*)\./.exec(unknown?.message ?? '')?.[1]?.split(', ') ?? [];
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys.filter((name) => !ANYTHING.includes(`${place} ${name}`))) {
      const error = await errorOf(() => call({ [key]: Symbol('wrong') }));
      expect(error?.code, key).toMatch(/^INVALID_/);
      expect(error?.message, key).toContain(key);
    }
  },
);

test.each<[string, () => unknown]>([
  ["registerScoped('')", () => host.registerScoped('', hooks)],
  ["registerScoped({ session: '' })", () => host.registerScoped({ session: '' }, hooks)],
  ["registerScoped({ agent: '' })", () => host.registerScoped({ agent: '' }, hooks)],
  ["unregisterScoped('')", () => host.unregisterScoped('')],
  ["scope('')", () => host.scope('')],
  ["a parent ''", () => host.registerScoped('a', hooks, { parent: '' })],
  ["fire in ''", () => host.fire('PreToolUse', INPUTS.PreToolUse, { scope: '' })],
  ["spawnHooks('')", () => host.spawnHooks('', hooks)],
  ["openSession({ session_id: '' })", () => host.openSession({ session_id: '' })],
  ["spawn({ id: '' })", () => session.spawn({ ...spawn, id: '' })],
  ["a plugin named ''", () => host.use({ name: '', apply: () => undefined } as never)],
  ["createTrustStore('')", () => claude.createTrustStore('')],
  ['a plugin without a name', () => host.use({ apply: () => undefined } as never)],
])('an empty name is refused: %s', async (_, call) => {
  await expect((async () => call())()).rejects.toMatchObject({
    code: expect.stringMatching(/^INVALID_(OPTIONS|HOOKS|PLUGIN)$/),
  });
});

test.each<[string, (given: never) => unknown, string]>([
  ['loadConfig', (given) => hookscope.loadConfig(given), 'loadConfig(path): expected a string that is not empty'],
  ['loadHooksFile', (given) => hookscope.loadHooksFile(given), 'loadHooksFile(path): expected a string that'],
  ['loadPlugin', (given) => hookscope.loadPlugin(given), 'loadPlugin(name): expected a string that is not empty'],
  // Without a path they have one of their own.
  ['ndjsonSink', (given) => hookscope.ndjsonSink(given ?? ''), 'ndjsonSink(path): expected a string that is not empty'],
  ['sqliteSink', (given) => sqliteSink(given ?? ''), 'sqliteSink(path): expected a string that is not empty'],
  ['loadClaudeCode', (given) => claude.loadClaudeCode(given), 'expected an object of options, { host }'],
  ['loadAgentHooks', (given) => loadAgentHooks(given), 'expected an object of options, { host, agent }'],
  ['applyConfig', (given) => hookscope.applyConfig(host, {}, given), 'expected an object of options, { file }'],
])('what is no name, path or object of options is refused at once: %s', async (_, call, words) => {
  for (const given of [undefined, null, 5, '']) {
    await expect((async () => call(given as never))(), String(given)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(words),
    });
  }
});

test('a sink that is given to subscribe() is refused: it would be told nothing', () => {
  const sink = hookscope.createSink(() => undefined);
  expect(() => host.events$.subscribe(sink as never)).toThrow(/write sink\.attach\(host\.events\$\)/);
  const undo = sink.attach(host.events$);
  host.events$.subscribe({ attach: () => undefined, next: () => undefined } as never).unsubscribe();
  undo();
});

test('agentTool hands its options to spawn, which refuses them', async () => {
  const tool = agentTool(session, { ...spawn, description: 'd', run, hook: {} } as never);
  await expect((async () => tool.execute?.({ prompt: 'x' }, {} as never))()).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
  });
});

/** What takes an object that may have keys of others, or is checked elsewhere. */
const OPEN: Readonly<Record<string, string>> = {
  'AgentMemory.decided': 'a decision',
  'Redactor.redact': 'a record',
  'Session.notify': 'an input of an event',
  'Session.task.create': 'an input of an event',
  'Session.task.complete': 'an input of an event',
  'Session.configChanged': 'an input of an event',
  'Session.instructionsLoaded': 'an input of an event',
  'ControlServer.canUseTool': 'a question of the protocol',
  'ControlServer.request': 'a message of the protocol',
  'Host.use': 'a plugin may have members of its own',
  'HookScope.use': 'a plugin may have members of its own',
  'PluginScope.use': 'a plugin may have members of its own',
  'Session.use': 'a plugin may have members of its own',
  definePlugin: 'a plugin may have members of its own',
  defineConfig: 'hands back what it is given; applying it checks it (test/plugins)',
  'HookscopeConfig.model': 'the user writes it',
  'HookscopeConfig.onAlarm': 'the user writes it',
  'HostOptions.model': 'the user writes it',
  'HostOptions.onAlarm': 'the user writes it',
  'Sink.push': 'a record',
  'OtelSink.push': 'a record',
  'OtelSink.begin': 'work as a host tells it',
  'Tracing.begin': 'work as a host tells it',
  'TrustStore.accept': 'a consent',
  trustDiff: 'a request',
  combine: 'answers of hooks',
  HookscopeError: 'what the error is about',
  formatProblem: 'a problem',
  agentTool: 'handed on to spawn; see above',
  'StepsOptions.pause': 'the adapter writes it',
  'StepsOptions.onAsk': 'the adapter or its user writes it',
  callText: 'a result',
  filesOf: 'an input of an event',
};

test('nothing in the declarations of the package that takes options is missing above', () => {
  const named = new Set(Object.keys(PLACES).map((place) => place.split(' ')[0] as string));
  const places = optionPlaces();
  expect(places.filter((place) => !named.has(place) && !Object.hasOwn(OPEN, place))).toEqual([]);
  expect(Object.keys(OPEN).filter((place) => !places.includes(place))).toEqual([]);
});

test.each<[string, (host: hookscope.Host) => unknown]>([
  ['a group', (host) => host.register({ Stop: [{ timeout: 60_000, hooks: [() => undefined, () => undefined] }] })],
  ['a handler', (host) => host.register({ Stop: [{ hooks: [{ handler: () => undefined, timeout: 60_000 }] }] })],
  ['a program', (host) => host.register({ Stop: [{ hooks: [hookscope.command('true', { timeout: 60_000 })] }] })],
  [
    'hooks of agents, once for all of them',
    async (host) => {
      host.spawnHooks('r', { Stop: [{ timeout: 60_000, hooks: [() => undefined] }] });
      await using opened = await host.openSession();
      for (const id of ['a', 'b']) await opened.spawn({ agent_type: 'r', id });
    },
  ],
])('a timeout of more than an hour is a warning that says the unit: %s', async (_, register) => {
  const lines: string[] = [];
  const watched = hookscope.createHost({ logger: (line) => lines.push(line) });
  await register(watched);
  expect(lines).toEqual([expect.stringMatching(/timeout is 60000 seconds, more than an hour: the unit is seconds/)]);
});

test('an hour is no warning; the timeout of a host is checked as well', () => {
  const lines: string[] = [];
  const logger = (line: string): void => void lines.push(line);
  hookscope.createHost({ logger, timeout: 3_600 }).register({ Stop: [{ timeout: 3_600, hooks: [() => undefined] }] });
  expect(lines).toEqual([]);
  hookscope.createHost({ logger, timeout: 3_601 });
  expect(lines).toEqual([expect.stringContaining('the unit is seconds')]);
});

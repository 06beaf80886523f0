import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { agentTool, drive } from '../../src/adapters/ai.js';
import { anthropicModel } from '../../src/adapters/anthropic.js';
import * as claude from '../../src/claude-code.js';
import * as hookscope from '../../src/index.js';
import { INPUTS } from '../host/inputs.js';

const host = hookscope.createHost({ logger: () => undefined });
const hooks = { PreToolUse: [{ hooks: [() => undefined] }] };
const session = await hookscope.createHost({ logger: () => undefined }).openSession();
const plugin = (use: (scope: hookscope.PluginScope) => unknown) =>
  host.use({ name: 'p', apply: (scope: hookscope.PluginScope) => void use(scope) } as never);
const spawn = { agent_type: 'reviewer' };
const run = (): string => '';
const wire = { input: new PassThrough(), output: new PassThrough() };

/** Every place where options are given, with options that are right; each is called with one key misspelt. */
const PLACES: Readonly<Record<string, readonly [known: string, call: (more: object) => unknown]>> = {
  createHost: ['logger', (more) => hookscope.createHost(more)],
  'createHost session': ['session_id', (more) => hookscope.createHost({ session: more })],
  'host.register': ['onFailure', (more) => host.register(hooks, more)],
  'host.scope().register': ['timeoutFor', (more) => host.scope('a').register(hooks, more)],
  'host.registerScoped': ['parent', (more) => host.registerScoped('a', hooks, more)],
  'a scope of registerScoped': ['session', (more) => host.registerScoped({ agent: 'a', ...more }, hooks)],
  'a parent of registerScoped': ['agent', (more) => host.registerScoped('a', hooks, { parent: more })],
  'host.unregisterScoped': ['session', (more) => host.unregisterScoped({ agent: 'a', ...more })],
  'host.scope': ['session', (more) => host.scope(more)],
  'host.pendingContext': ['session', (more) => host.pendingContext(more)],
  'host.spawnHooks': ['onFailure', (more) => host.spawnHooks('a', hooks, more)],
  'host.fire': ['signal', (more) => host.fire('PreToolUse', INPUTS.PreToolUse, more)],
  'host.fire scope': ['session', (more) => host.fire('PreToolUse', INPUTS.PreToolUse, { scope: more })],
  'host.fireAny': ['scope', (more) => host.fireAny('PreToolUse', INPUTS.PreToolUse, more)],
  'host.explain': ['scope', (more) => host.explain('PreToolUse', {}, more)],
  'host.openSession': ['hooks', (more) => host.openSession(more)],
  'plugin register': ['onFailure', (more) => plugin((scope) => scope.register(hooks, more))],
  'plugin spawnHooks': ['onFailure', (more) => plugin((scope) => scope.spawnHooks('a', hooks, more))],
  'session.register': ['onFailure', (more) => session.register(hooks, more)],
  'session.spawn': ['hooks', (more) => session.spawn({ ...spawn, ...more })],
  'session.prompt': ['command', (more) => session.prompt('x', more)],
  'session.prompt command': [
    'command_args',
    (more) => session.prompt('x', { command: { command_name: 'c', ...more } }),
  ],
  'session.tool': ['permission', (more) => session.tool({ name: 'x', input: {}, execute: run, ...more })],
  'session.toolBatch': ['permission', (more) => session.toolBatch([{ name: 'x', input: {}, execute: run, ...more }])],
  'session.stop': ['lastMessage', (more) => session.stop(more)],
  'session.compact': ['custom_instructions', (more) => session.compact({ trigger: 'auto', run, ...more })],
  command: ['onFailure', (more) => hookscope.command('true', more)],
  http: ['onFailure', (more) => hookscope.http('http://localhost/', more)],
  mcpTool: ['onFailure', (more) => hookscope.mcpTool('s', 't', {}, more)],
  prompt: ['onFailure', (more) => hookscope.prompt('x', more)],
  agent: ['onFailure', (more) => hookscope.agent('x', more)],
  createSink: ['capacity', (more) => hookscope.createSink(() => undefined, more)],
  ndjsonSink: ['maxBytes', (more) => hookscope.ndjsonSink('/dev/null', more)],
  validateHooks: ['events', (more) => hookscope.validateHooks({}, more)],
  validateOutput: ['events', (more) => hookscope.validateOutput('PreToolUse', {}, more)],
  loadPlugin: ['from', (more) => hookscope.loadPlugin('./x', more)],
  applyConfig: ['warn', (more) => hookscope.applyConfig(host, {}, { file: 'x', ...more })],
  loadClaudeCode: ['policy', (more) => claude.loadClaudeCode({ host, projectDir: '/nowhere', ...more })],
  connectClaude: ['executable', (more) => claude.connectClaude({ host, ...more })],
  serveControl: ['name', (more) => claude.serveControl({ host, ...wire, ...more })],
  anthropicModel: ['model', (more) => anthropicModel(more)],
  drive: ['system', (more) => drive(session, { prompt: 'x', ...more }, () => ({}) as never)],
};

/** One letter less. */
const misspelt = (key: string): string => key.slice(0, -2) + key.slice(-1);

test.each(Object.entries(PLACES))(
  '%s refuses a misspelt option, naming the one that was meant',
  async (_, [known, call]) => {
    const key = misspelt(known);
    const error = await (async () => call({ [key]: undefined }))().then(
      () => undefined,
      (thrown: hookscope.HookscopeError) => (thrown.code === 'PLUGIN_FAILED' ? (thrown.cause as Error) : thrown),
    );
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(error?.message).toContain(key);
    expect(error?.message).toContain(`Did you mean "${known}"?`);
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
  ['a plugin without a name', () => host.use({ apply: () => undefined } as never)],
])('an empty name is refused: %s', async (_, call) => {
  await expect((async () => call())()).rejects.toMatchObject({
    code: expect.stringMatching(/^INVALID_(OPTIONS|HOOKS|PLUGIN)$/),
  });
});

test('agentTool hands its options to spawn, which refuses them', async () => {
  const tool = agentTool(session, { ...spawn, description: 'd', run, hook: {} } as never);
  await expect((async () => tool.execute?.({ prompt: 'x' }, {} as never))()).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
  });
});

test('no function of the package with options is missing above', () => {
  // What has no options object of its own.
  const without = [
    'addContext',
    'allow',
    'ask',
    'block',
    'combine',
    'deny',
    'rewrite',
    'stop',
    'snapshot',
    'eventName',
    'defineEvent',
    'defineConfig',
    'definePlugin',
    'formatFire',
    'formatRecord',
    'loadConfig',
    'loadHooksFile',
    'HookscopeError',
    'CallbackRegistry',
    'matcherConfig',
    'formatProblem',
    'listHeld',
    'acceptTrust',
    'trustDiff',
    'createTrustStore',
    'defaultTrustFile',
  ];
  const functions = Object.entries({ ...hookscope, ...claude }).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : [],
  );
  expect(functions.filter((name) => !(name in PLACES) && !without.includes(name))).toEqual([]);
});

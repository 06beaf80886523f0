import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as ai from '../../src/adapters/ai.js';
import * as anthropic from '../../src/adapters/anthropic.js';
import * as kit from '../../src/adapters/kit.js';
import * as langchain from '../../src/adapters/langchain.js';
import * as openaiAgents from '../../src/adapters/openai-agents.js';
import * as agents from '../../src/agents.js';
import * as claudeCode from '../../src/claude-code.js';
import * as otel from '../../src/emit/sinks/otel.js';
import * as sqlite from '../../src/emit/sinks/sqlite.js';
import * as fleets from '../../src/fleet.js';
import * as index from '../../src/index.js';
import * as replaying from '../../src/replay.js';
import * as testing from '../../src/testing.js';

// docs/errors.md: "Only misuse of the API throws, always a HookscopeError".

const WRONG: readonly (readonly [words: string, value: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['a text', 'x'],
  ['an empty object', {}],
  ['a list', []],
  ['an object with a key that nothing has', { zz: 1 }],
  ['a function', () => undefined],
  ['a symbol', Symbol('s')],
];

type Any = (...given: unknown[]) => unknown;

/** What a wrong call comes to, where it is not what it should be. */
async function wrongEnd(call: () => unknown): Promise<string | undefined> {
  try {
    const end: unknown = call();
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 200))]);
    if (typeof end === 'object' && end !== null && 'close' in end) await (end as { close: Any }).close();
    return undefined;
  } catch (error) {
    if (error instanceof index.HookscopeError) return undefined;
    return `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`.slice(0, 300);
  }
}

async function wrongEnds(call: (value: unknown) => unknown): Promise<string[]> {
  const found: string[] = [];
  for (const [words, value] of WRONG) {
    const end = await wrongEnd(() => call(value));
    if (end !== undefined) found.push(`${words}: ${end}`);
  }
  return found;
}

let folder = '';
const [cwd, emit] = [process.cwd(), process.emitWarning];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-misuse-'));
  process.chdir(folder);
  process.emitWarning = () => undefined;
});
afterAll(() => {
  process.chdir(cwd);
  process.emitWarning = emit;
  rmSync(folder, { recursive: true, force: true });
});

const hostOf = () => index.createHost({ logger: () => undefined });
const ENTRIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  index,
  testing,
  claudeCode,
  replaying,
  agents,
  fleets,
  ai,
  anthropic,
  kit,
  langchain,
  openaiAgents,
  otel,
  sqlite,
};
/** The one takes hold of the process; the other stands for structuredClone, and throws what that throws. */
const LEFT_OUT = ['testing.fakeClock', 'index.snapshot'];
const isClass = (value: unknown): boolean => /^class\b/.test(Function.prototype.toString.call(value));

describe.each(Object.entries(ENTRIES))('of %s', (entry, exported) => {
  const functions = Object.entries(exported).filter(
    ([name, value]) => typeof value === 'function' && !isClass(value) && !LEFT_OUT.includes(`${entry}.${name}`),
  );
  test.each(functions)('%s', async (_, fn) => {
    expect(await wrongEnds((value) => (fn as Any)(value))).toEqual([]);
  });
});

/** Those of the second argument, and of methods. */
const CALLS: Readonly<Record<string, (value: never) => unknown>> = {
  'validateOutput(event, output)': (value) => index.validateOutput('Stop', value),
  'fireHook(hook, event)': (value) => testing.fireHook(() => undefined, value),
  'fireHook(hook, event, input)': (value) => testing.fireHook(() => undefined, 'Stop', value),
  'fireHook(hook, event, input, options)': (value) => testing.fireHook(() => undefined, 'Stop', {}, value),
  'applyConfig(host, config)': (value) => (index.applyConfig as Any)(hostOf(), value),
  'sink.attach': (value) => index.createSink(() => undefined).attach(value),
  'loadAgentHooks({ agent, host })': (value) => agents.loadAgentHooks({ agent: 'codex', file: 'x', host: value }),
  'acceptTrust(request, store)': (value) =>
    claudeCode.acceptTrust(
      { file: 'x', project: undefined, definition: '{}', files: {}, unresolved: [] } as never,
      value,
    ),
  'redactor.text': (value) => index.createRedactor().text(value),
};

test.each(Object.entries(CALLS))('%s', async (_, call) => {
  expect(await wrongEnds(call as Any)).toEqual([]);
});

const HOST: Readonly<Record<string, (host: index.Host, value: never) => unknown>> = {
  register: (host, value) => host.register(value),
  'register, options': (host, value) => host.register({}, value),
  'on, event': (host, value) => host.on(value, (() => undefined) as never),
  'on, hook': (host, value) => host.on('Stop', value),
  'on, options': (host, value) => host.on('Stop', () => undefined, value),
  scope: (host, value) => host.scope(value),
  registerScoped: (host, value) => host.registerScoped(value, {}),
  'registerScoped, hooks': (host, value) => host.registerScoped('a', value),
  'registerScoped, options': (host, value) => host.registerScoped('a', {}, value),
  unregisterScoped: (host, value) => host.unregisterScoped(value),
  spawnHooks: (host, value) => host.spawnHooks(value, {}),
  'spawnHooks, hooks': (host, value) => host.spawnHooks('a', value),
  'spawnHooks, options': (host, value) => host.spawnHooks('a', {}, value),
  use: (host, value) => host.use(value),
  fire: (host, value) => host.fire(value, {} as never),
  'fire, input': (host, value) => host.fire('Stop', value),
  'fire, options': (host, value) => host.fire('Stop', { stop_hook_active: false }, value),
  'fire, scope': (host, value) => host.fire('Stop', { stop_hook_active: false }, { scope: value }),
  fireAny: (host, value) => host.fireAny(value, {}),
  explain: (host, value) => host.explain(value, {} as never),
  'explain, input': (host, value) => host.explain('Stop', value),
  'explain, options': (host, value) => host.explain('Stop', { stop_hook_active: false }, value),
  pendingContext: (host, value) => host.pendingContext(value),
  takeContext: (host, value) => host.takeContext(value),
  openSession: (host, value) => host.openSession(value),
};

test('a signal in the place of the options of a fire is refused, and nothing is asked', async () => {
  const host = hostOf();
  let asked = 0;
  host.on('Stop', () => {
    asked += 1;
  });
  for (const wrong of [AbortSignal.abort(), new AbortController().signal, new Date(), Promise.resolve({})])
    await expect(host.fire('Stop', { stop_hook_active: false }, wrong as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('expected an object of options, got '),
    });
  expect(asked).toBe(0);
  await host.close();
});

test('options of a fire may be inherited, or getters of a class', async () => {
  class Options {
    get signal() {
      return AbortSignal.abort();
    }
  }
  const host = hostOf();
  host.on('Stop', () => undefined);
  for (const options of [Object.create({ signal: AbortSignal.abort() }), new Options()])
    await expect(host.fire('Stop', { stop_hook_active: false }, options)).rejects.toMatchObject({ code: 'ABORTED' });
  await host.close();
});

test.each(Object.entries(HOST))('host.%s', async (_, call) => {
  const ends = await wrongEnds(async (value) => {
    const host = hostOf();
    host.on('Stop', () => undefined);
    await call(host, value as never);
    await host.close();
  });
  expect(ends).toEqual([]);
});

const SESSION_METHODS = [
  'register on use fire prompt systemPrompt tool toolBatch stop spawn compact notify switchModel elicit changeCwd addDirectory display configChanged instructionsLoaded watch',
].flatMap((names) => names.split(' '));

test.each(SESSION_METHODS)('session.%s', async (method) => {
  const ends = await wrongEnds(async (value) => {
    const session = await hostOf().openSession();
    return (session as unknown as Record<string, Any>)[method]?.(value);
  });
  expect(ends).toEqual([]);
});

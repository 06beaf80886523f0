import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import type { Host } from '../../src/create-host.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import type { OnFailure } from '../../src/events/failure.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { loadAgentHooks } from '../../src/foreign/load.js';
import { command } from '../../src/handlers/command/spec.js';
import { http } from '../../src/handlers/http/spec.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import type { HostOptions } from '../../src/host/options.js';
import { hookServer } from '../handlers/hook-server.js';
import { INPUTS } from '../host/inputs.js';
import { anyHooks, fireAny, testHost } from '../host/kit.js';

/** What every helper gives, alone and with others. */
const ANSWERS: Readonly<Record<string, object>> = {
  deny: deny('no'),
  block: block('no'),
  ask: ask('sure?'),
  defer: defer('later'),
  allow: allow('fine'),
  'allow without a reason': allow(),
  stop: stop('enough'),
  'stop without a reason': stop(),
  addContext: addContext('c'),
  rewrite: rewrite({ command: 'pwd' }),
  'deny and addContext': combine(deny('no'), addContext('c') as never),
  'rewrite and addContext': combine(rewrite({ command: 'pwd' }), addContext('c') as never),
  'nothing combined': combine(),
  'deny beside a message': { ...deny('no'), systemMessage: 'm' },
  'allow beside a deny': {
    ...allow(),
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
  },
};
const POLICIES: readonly OnFailure[] = ['continue', 'ask', 'block'];
const EVENTS = ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'PostToolUse', 'Stop'] as const;

/** What is answered next. */
let said: object = {};
const server = await hookServer({ '/h': (_request, response) => void response.end(JSON.stringify(said)) });
const folder = mkdtempSync(join(tmpdir(), 'hookscope-helpers-'));
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

const printing = (answer: object, exit = 0): string =>
  `read -r _; printf '%s' '${JSON.stringify(answer)}'; exit ${exit}`;

/** The ways in which an answer comes from outside. */
const WAYS: Readonly<Record<string, { readonly options?: HostOptions; readonly hook: () => unknown }>> = {
  'a command': { hook: () => command(printing(said)) },
  'an http hook': { hook: () => http(server.url('/h')) },
  "an mcp_tool hook's text": { options: { callTool: () => JSON.stringify(said) }, hook: () => mcpTool('s', 't') },
  "an mcp_tool hook's texts": {
    options: { callTool: () => ({ content: [{ type: 'text', text: `\n${JSON.stringify(said)} ` }] }) },
    hook: () => mcpTool('s', 't'),
  },
  "an mcp_tool hook's structuredContent": {
    options: { callTool: () => ({ content: [], structuredContent: JSON.parse(JSON.stringify(said)) }) },
    hook: () => mcpTool('s', 't'),
  },
};

/** What was decided, without what only says who decided. */
async function decided(host: Host, event: HookEvent): Promise<object> {
  const { outcomes: _, decidedBy: __, overruled: ___, ...decision } = await fireAny(host, event, INPUTS[event]);
  return JSON.parse(JSON.stringify(decision)) as object;
}

async function decidedWith(event: HookEvent, hook: unknown, onFailure: OnFailure, options?: HostOptions) {
  const { host } = testHost(options);
  host.register(anyHooks({ [event]: [{ hooks: [hook], onFailure }] }), { name: 'it' });
  const decision = await decided(host, event);
  await host.close();
  return decision;
}

describe.each(Object.entries(ANSWERS))(
  "a helper's answer, %s, means as JSON what it means from a callback",
  (_, answer) => {
    const expectations = new Map<string, Promise<object>>();
    test.each(Object.entries(WAYS))('from %s', async (_way, { options, hook }) => {
      said = answer;
      for (const event of EVENTS) {
        // An answer that names an event is one of that event.
        if ('hookSpecificOutput' in answer && event !== 'PreToolUse') continue;
        for (const onFailure of POLICIES) {
          const what = `${event}, onFailure ${onFailure}`;
          const expected = expectations.get(what) ?? decidedWith(event, () => answer, onFailure);
          expectations.set(what, expected);
          expect(await decidedWith(event, hook(), onFailure, options), what).toEqual(await expected);
        }
      }
    });
  },
);

/** Denials and asks in words that one gate or the other does not read. */
const WORDS: readonly object[] = ['permissionDecision', 'behavior', 'decision']
  .flatMap((key): object[] => ['deny', 'block', 'ask'].map((word) => ({ [key]: word })))
  .concat({ decision: { behavior: 'deny' } });

test.each(Object.entries(WAYS))('a denial in any words, from %s, is no silence', async (_way, { options, hook }) => {
  for (const event of ['PreToolUse', 'PermissionRequest'] as const)
    for (const word of WORDS)
      for (const wrapped of [false, true]) {
        said = wrapped ? { hookSpecificOutput: { hookEventName: event, ...word } } : word;
        const what = `${event} ${JSON.stringify(said)}`;
        const verdictOf = async (given: unknown) =>
          (await decidedWith(event, given, 'block', options)) as { readonly verdict: string };
        const { verdict } = await verdictOf(() => said);
        // An ask in its wrapper is no opinion where the user is asked anyway.
        if (event === 'PreToolUse' || !what.includes('permissionDecision":"ask') || !wrapped)
          expect(verdict, what).toMatch(/deny|ask/);
        expect(await verdictOf(hook()), what).toMatchObject({ verdict });
      }
});

describe("a helper's deny that a command prints stands", () => {
  test.each(POLICIES)('when the command then fails, with onFailure %s', async (onFailure) => {
    for (const [name, answer] of Object.entries({ deny: deny('no'), block: block('no') })) {
      const decision = await decidedWith('PreToolUse', command(printing(answer, 1)), onFailure);
      expect(decision, name).toMatchObject({ verdict: 'deny', reason: 'no' });
    }
    expect(await decidedWith('PreToolUse', command(printing(allow(), 1)), onFailure)).toMatchObject({
      verdict: { continue: 'allow', ask: 'ask', block: 'deny' }[onFailure as 'ask'],
    });
  });

  test('and gives the reason of an exit with 2', async () => {
    expect(await decidedWith('PreToolUse', command(printing(deny('no'), 2)), 'continue')).toMatchObject({
      verdict: 'deny',
      reason: 'no',
    });
    expect(await decidedWith('Stop', command(printing(block('go on'), 2)), 'continue')).toMatchObject({
      continues: true,
      reason: expect.stringContaining('go on'),
    });
  });
});

test.each(POLICIES)("a helper's answer in the background counts alike, with onFailure %s", async (onFailure) => {
  const late = async (hook: unknown, options?: HostOptions) => {
    const { host, reports } = testHost({ ...options, onFailure });
    host.register(anyHooks({ PostToolUse: [{ hooks: [hook] }] }), { name: 'it' });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    await host.close();
    return { context: host.pendingContext(), reports };
  };
  said = addContext('late');
  const expected = { context: ['late'], reports: [] };
  expect(await late(() => ({ async: true, result: Promise.resolve(said) }))).toEqual(expected);
  expect(await late(command(printing(said), { async: true }))).toEqual(expected);
  expect(await late(mcpTool('s', 't', {}, { async: true }), { callTool: () => JSON.stringify(said) })).toEqual(
    expected,
  );
});

describe.each([
  ['gemini', 'BeforeTool'],
  ['codex', 'PreToolUse'],
  ['cursor', 'preToolUse'],
  ['copilot', 'preToolUse'],
])("a helper's answer from a hook of %s's file", (agent, event) => {
  test('means what it means from a callback', async () => {
    const { files } = agentCodec(agent);
    for (const [name, answer] of Object.entries(ANSWERS)) {
      if ('hookSpecificOutput' in answer) continue;
      const file = join(folder, `${agent}.json`);
      const handler = { type: 'command', command: printing(answer) };
      const entry = files.shape === 'groups' ? { hooks: [handler] } : handler;
      const version = files.version === undefined ? {} : { version: files.version };
      writeFileSync(file, JSON.stringify({ ...version, hooks: { [event]: [entry] } }));
      const { host } = testHost();
      const { problems } = await loadAgentHooks({ host, agent, file, projectDir: folder });
      expect(problems).toEqual([]);
      const decision = await decided(host, 'PreToolUse');
      await host.close();
      expect(decision, name).toEqual(await decidedWith('PreToolUse', () => answer, 'continue'));
    }
  });
});

test('an answer of a helper says nothing in the form of Claude’s SDK', () => {
  const said = [deny('no'), ask('sure?'), addContext('c'), stop()].flatMap(Object.keys);
  expect(said.filter((key) => !key.startsWith('hookscope:'))).toEqual([]);
});

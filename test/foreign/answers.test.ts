import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { agentEvents } from '../../src/agents/own-events.js';
import { createHost } from '../../src/create-host.js';
import { loadAgentHooks } from '../../src/foreign/load.js';
import type { Decision } from '../../src/host/types.js';
import { answersOf, payloadsOf, type RecordedHook, SEEN, togetherOf } from '../agents/recorded.js';

// What an agent was seen to do with an answer is what happens when its hook file is run here.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-foreign-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A hook that behaves so, and the file of the agent that has it. */
function fileWith(agent: string, event: string, name: string, hook: RecordedHook): string {
  const dir = join(folder, agent, name);
  mkdirSync(dir, { recursive: true });
  const script = join(dir, 'hook.sh');
  const lines = [
    '#!/bin/sh',
    'cat > /dev/null',
    ...(hook.stdout_held_open_s ? ['sleep 20 &'] : []),
    ...(hook.after_s ? ['sleep 5'] : []),
    `printf %s ${quoted(hook.stdout)}`,
    ...(hook.stderr ? [`printf %s ${quoted(hook.stderr)} >&2`] : []),
    hook.signal ? 'kill -9 $$' : `exit ${hook.exit ?? 0}`,
  ];
  writeFileSync(script, lines.join('\n'));
  chmodSync(script, 0o755);
  const command = hook.exit === 127 ? '/nonexistent/hook.sh' : `exec ${script}`;
  const { files } = agentCodec(agent);
  const late = hook.after_s === undefined ? {} : { [files.timeout.key]: files.timeout.unit === 'ms' ? 300 : 0.3 };
  const handler = { type: 'command', command, ...late };
  const entry = files.shape === 'groups' ? { hooks: [handler] } : handler;
  const file = join(dir, files.version === undefined ? 'settings.json' : 'hooks.json');
  const version = files.version === undefined ? {} : { version: files.version };
  writeFileSync(file, JSON.stringify({ ...version, hooks: { [event]: [entry] } }));
  return file;
}

const anySay: Readonly<Record<string, string>> = { AfterTool: 'AfterTool', BeforeTool: 'BeforeTool' };

/** The payload that was recorded of the event, as the agent's own hook got it. */
function payloadOf(agent: string, event: string): string {
  const found = payloadsOf(agent).filter((one) => one.event === (anySay[event] ?? event));
  const [first] = found.filter(({ file }) => !/\.(error|failed|exit3)\./.test(file));
  if (first) return first.text;
  throw new Error(`no payload of ${agent} ${event}`);
}

async function decide(agent: string, event: string, name: string, hook: RecordedHook): Promise<Decision> {
  const file = fileWith(agent, event, name, hook);
  const host = createHost({ events: agentEvents(agent), logger: () => undefined });
  const { problems } = await loadAgentHooks({ host, agent, file, projectDir: folder });
  expect(problems).toEqual([]);
  const decoded = agentCodec(agent).decode(payloadOf(agent, event), {}, [event]);
  const decision = await host.fireAny(decoded.event, { ...decoded.input, cwd: folder });
  await host.close();
  return decision;
}

/** Where what happens here is on purpose not what the agent was seen to do: stricter, each with its reason. */
const STRICTER: Readonly<Record<string, string>> = {
  // The program has ended: what it said is known, whoever of its children still holds its output.
  deny_then_sleep_bg: 'blocked',
  // Gemini waits for ever for somebody to answer. Here whoever fires is asked, and where nobody is the call is denied.
  'gemini ask': 'asked',
  // Copilot denies since nobody can be asked; here that is for whoever fires to know.
  'copilot ask': 'asked',
};

function whatHappens(decision: Decision): string {
  const {
    verdict,
    updatedInput,
    continue: goes,
  } = decision as Decision & {
    verdict?: string;
    updatedInput?: unknown;
  };
  if (verdict === 'deny' || goes === false) return 'blocked';
  if (verdict === 'ask') return 'asked';
  return updatedInput === undefined ? 'ran' : 'rewritten';
}

describe.each(SEEN)('%s, before a tool', (agent) => {
  const { cases, event } = answersOf(agent).before_tool;
  test.concurrent.each(cases)('$name: $agent_does', async ({ name, hook, agent_does }) => {
    const decision = await decide(agent, event, name, hook);
    const expected = STRICTER[`${agent} ${name}`] ?? STRICTER[name] ?? agent_does;
    expect(whatHappens(decision), JSON.stringify(decision)).toBe(expected);
  });
});

type Any = Decision & Readonly<Record<string, unknown>>;
const has = (list: unknown): boolean => /MARK|CTX/.test(JSON.stringify(list ?? ''));

/** What each thing that a probe meant is here. */
const MEANT: Readonly<Record<string, (d: Any) => boolean>> = {
  nothing: (d) => d['verdict'] !== 'deny' && !d['blocked'] && !d['continues'] && d.continue !== false,
  deny: (d) => d['verdict'] === 'deny',
  allow: (d) => d['verdict'] !== 'deny' && d['verdict'] !== 'ask',
  ask: (d) => d['verdict'] === 'ask',
  context: (d) => has(d.additionalContext),
  'deny and context': (d) => d['verdict'] === 'deny' && has(d.additionalContext),
  'deny and systemMessage': (d) => d['verdict'] === 'deny' && has(d.systemMessages),
  'deny and stop': (d) => d['verdict'] === 'deny' && (d['interrupt'] === true || d.continue === false),
  systemMessage: (d) => has(d.systemMessages),
  block: (d) => d['blocked'] === true,
  'replace output': (d) => has(d['updatedOutput']),
  rewrite: (d) => d['updatedInput'] !== undefined || has(d['value']),
  stop: (d) => d.continue === false,
  'go on': (d) => d['continues'] === true,
  'go on, context cleared': (d) => d['continues'] === true,
  'block the model call': (d) => d['blocked'] === true,
  'answer for the model': (d) => has(d['value']),
  'no tools': (d) => d['value'] !== undefined,
  'another call': (d) => failureOf(d) === 'bad_schema',
};
const failureOf = (d: Any): unknown => d.failures.map(({ cause }) => cause)[0];

/** Honoured there, and here a failure that says so. */
const FAILS: readonly string[] = ['copilot prompt.rewrite', 'codex start.stop'];
/** Not honoured, as the reason was lost; the refusal was not. */
const REFUSED: readonly string[] = ['copilot pre.deny.exit2', 'copilot permission.deny.exit2'];
/** Whoever is there to be asked is asked. */
const ASKED: readonly string[] = ['gemini pre.ask.default'];

describe.each(SEEN)('%s, every answer that was tried', (agent) => {
  const probes = [...answersOf(agent).probes, ...togetherOf(agent).filter(({ meant }) => meant in MEANT)];
  test.concurrent.each(probes)('$event $name: $meant, honoured: $honoured', async (probe) => {
    const { event, name, meant, honoured } = probe;
    const decision = (await decide(agent, event, name, probe)) as Any;
    const is = MEANT[meant];
    if (is === undefined) throw new Error(`nobody knows what "${meant}" is`);
    const id = `${agent} ${name}`;
    const shown = JSON.stringify(decision);
    if (FAILS.includes(id)) expect(failureOf(decision), shown).toBe('bad_schema');
    else expect(is(decision), shown).toBe(honoured === true || REFUSED.includes(id) || ASKED.includes(id));
  });
});

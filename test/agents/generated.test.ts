import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AGENT_NAMES, agentCodec, TABLES } from '../../src/agents/agents.js';
import { renamesTools } from '../../src/agents/as-theirs.js';
import type { Answer, Codec } from '../../src/agents/codec.js';
import { foldOf } from '../../src/agents/rows.js';
import type { AgentTable, ToolRow } from '../../src/agents/table.js';
import { wishesOf } from '../../src/agents/wishes.js';
import { isHookscopeError } from '../../src/errors.js';
import { CATALOGUE, CLAUDE_EVENTS } from '../../src/events/catalogue.js';
import type { EventSpec } from '../../src/events/spec.js';
import { makeDecision } from '../../src/host/decide/decision.js';
import { compileRule } from '../../src/matching/rule.js';
import { wellFormedJson } from '../../src/plain.js';
import { generated, randomFrom, SEED } from '../seed.js';
import { payloadsOf, SEEN } from './recorded.js';
import { honouredShapes, shapeOf } from './shapes.js';

const COUNT = generated(2_500);
const TEXTS = [
  '',
  ' ',
  'ls',
  '{"a":1}',
  '\u001b[31m',
  '"quoted"\n',
  '__proto__',
  '2026-11-22T11:31:17.913Z',
  'é\u{1f600}',
  '\ud800',
];

/** What a payload may hold, valid or not. */
function generator(codec: Codec) {
  const random = randomFrom(SEED);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const names = [
    ...new Set([
      ...codec.events.flatMap(({ fields = [] }) => fields.flatMap(({ theirs, ours }) => [theirs, ours])),
      ...codec.fields.flatMap(({ theirs, ours }) => [theirs, ours]),
      ...['hook_event_name', 'hookName', 'tool_name', 'tool_input', 'tool_response', 'session_id', 'cwd', 'prompt'],
      ...['timestamp', 'via', 'transcript_path', '__proto__', 'constructor', 'toString', 'source', 'parent_agent_id'],
    ]),
  ].map((name) => name.split('.')[0] as string);
  const inner = ['command', 'path', 'file_path', 'error', 'message', 'textResultForLlm', 'resultType', '__proto__'];
  const tools = ['Bash', 'bash', 'view', 'Read', 'apply_patch', 'run_shell_command', 'Shell', 'constructor'];
  const value = (depth: number): unknown => {
    const kind = below(depth > 2 ? 6 : 9);
    if (kind < 2) return pick(TEXTS);
    if (kind === 2) return pick([0, -1, 1.5, 1_795_347_077_764, 8.64e15 + 1]);
    if (kind === 3) return pick([true, false, null]);
    if (kind === 4) return pick(tools);
    if (kind === 5) return [];
    if (kind === 6) return [value(depth + 1)];
    return object(inner, depth + 1);
  };
  const object = (keys: readonly string[], depth: number): unknown => {
    const entries = Array.from({ length: below(7) }, () => [pick(keys), value(depth)] as const);
    return JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`);
  };
  const payload = (event: string): Record<string, unknown> => ({
    ...(object(names, 0) as object),
    ...(random() < 0.5 ? { hook_event_name: event } : {}),
    ...(random() < 0.5 ? { tool_name: pick(tools), toolName: pick(tools) } : {}),
    ...(random() < 0.3 ? { tool_input: object(inner, 1), toolArgs: object(inner, 1) } : {}),
  });
  const text = (): string => pick(['', ' ', `R${below(1e6)}`, `"two"\nlines ${below(1e6)}`, `{"json": ${below(1e6)}}`]);
  const maybe = <T>(make: () => T): T | undefined => (random() < 0.3 ? make() : undefined);
  const decision = (fold: string): Answer => {
    const all = {
      ...(fold === 'gate' ? { verdict: pick(['none', 'allow', 'ask', 'defer', 'deny'] as const) } : {}),
      ...(fold === 'block' || fold === 'replace' ? { blocked: random() < 0.5 } : {}),
      ...(fold === 'stop' ? { continues: random() < 0.5 } : {}),
      continue: random() > 0.2,
      reason: maybe(text),
      stopReason: maybe(text),
      updatedInput: fold === 'gate' ? maybe(() => ({ command: text() })) : undefined,
      updatedOutput: fold === 'gate' ? undefined : maybe(() => value(1) ?? text()),
      value: fold === 'replace' ? maybe(() => object(inner, 1)) : undefined,
      additionalContext: maybe(() => [text(), text()]),
      systemMessages: maybe(() => [text()]),
      suppressOutput: random() < 0.2,
      interrupt: maybe(() => true),
      updatedPermissions: maybe(() => [{ type: 'x' }]),
      retry: maybe(() => true),
      sessionTitle: maybe(text),
      watchPaths: maybe(() => ['/a']),
      terminalSequence: maybe(text),
    };
    return Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined)) as Answer;
  };
  return { payload, decision, pick, below };
}

/** By a chance of its own, so that what is generated does not depend on what was generated before. */
describe.each(AGENT_NAMES)('%s', (name) => {
  const codec = agentCodec(name);

  test(`${COUNT} payloads are read or refused, and what is read can be told again`, () => {
    const { payload, pick, below } = generator(codec);
    let read = 0;
    for (let i = 0; i < COUNT; i += 1) {
      const row = pick(codec.events);
      const given = JSON.stringify(payload(row.name));
      const broken = i % 10 === 0 ? given.slice(0, below(given.length)) : given;
      try {
        const decoded = codec.decode(broken, {}, i % 3 === 0 ? [] : [row.name]);
        if (!isDeepStrictEqual(codec.payload(decoded), JSON.parse(broken)))
          expect(codec.payload(decoded), broken).toEqual(JSON.parse(broken));
        read += 1;
      } catch (error) {
        if (!isHookscopeError(error)) throw error;
      }
    }
    expect(read).toBeGreaterThan(COUNT / 2);
  });

  test(`${COUNT} decisions are answered in one line, none weaker than it was, and nothing is lost in silence`, () => {
    const { decision, pick } = generator(codec);
    for (let i = 0; i < COUNT; i += 1) {
      const row = pick(codec.events);
      const fold = foldOf(row);
      const d = decision(fold);
      const { stdout, stderr, exitCode, losses } = codec.encode(d, row.name, { attended: i % 2 === 0 });
      const about = (what = ''): string =>
        `${what} ${row.name} ${JSON.stringify(d)} -> ${stdout} ${JSON.stringify(losses)}`;
      const see = (holds: boolean, what?: string): void => {
        if (!holds) expect.fail(about(what));
      };
      see(stderr === '' && exitCode === 0);
      const said = stdout.trim().startsWith('{') ? (JSON.parse(stdout) as object) : undefined;
      see(said === undefined || stdout.match(/\n/g)?.length === 1, 'one line');
      // Its own "ask", where a person is there: no run was watched by one.
      const isAttended = codec.source === 'seen' && i % 2 === 0 && /^\{"decision":"ask"/.test(stdout);
      if (said !== undefined && SEEN.includes(name as never) && !isAttended)
        see(honouredShapes(name, row.name).includes(shapeOf(stdout)), 'words that were not seen to be honoured');
      const lost = new Set(losses.map(({ what }) => what));
      if (d.verdict === 'deny' && row.says.deny) see(/"deny"|"continue":false/.test(stdout), 'denied');
      // Where the user is asked anyway, a hook's "ask" decides nothing.
      if (d.verdict === 'ask' && row.ours !== 'PermissionRequest' && row.says.deny)
        see(/"deny"|"ask"|"continue":false/.test(stdout), 'asked');
      for (const { what, text } of wishesOf(d)) {
        const marker = text === undefined ? undefined : JSON.stringify(text.split('\n')[0]).slice(1, -1);
        const entry = row.says[what];
        const isSaid = marker !== undefined && stdout.includes(marker);
        if (isSaid || lost.has(what)) continue;
        const isSilent = entry !== undefined && 'silent' in entry;
        see(what !== 'context' && what !== 'message' && (said !== undefined || isSilent), what);
      }
    }
  });
});

describe.each(SEEN)('recorded payloads of %s', (name) => {
  test('cut off anywhere are refused', () => {
    const codec = agentCodec(name);
    for (const { text, event } of payloadsOf(name)) {
      const whole = text.trim();
      for (let end = 0; end < whole.length; end += 7)
        expect(() => codec.decode(whole.slice(0, end), {}, [event])).toThrow('expected one JSON object');
    }
  });
});

describe('claude-code', () => {
  const codec = agentCodec('claude-code');

  test.each(CLAUDE_EVENTS)('%s is answered as the decision itself would be written', (event) => {
    const spec = CATALOGUE[event] as EventSpec;
    const { decision } = generator(codec);
    for (let i = 0; i < 300; i += 1) {
      const given = decision(spec.fold);
      // An empty text is not said.
      const filled = (texts: readonly string[] = []) => texts.filter((text) => text !== '');
      const additionalContext = filled(given.additionalContext);
      const hasContext = Object.hasOwn(spec.output.shape, 'additionalContext') && additionalContext.length > 0;
      const reason = given.reason?.trim() ? given.reason : 'r';
      const systemMessages = filled(given.systemMessages);
      const fields = { ...given, reason, systemMessages, additionalContext: hasContext ? additionalContext : [] };
      // Of a denied call no other input is said, and what ends does not go on.
      if ((fields.verdict === 'deny' && fields.updatedInput) || (fields.continues && !fields.continue)) continue;
      const made = makeDecision(spec, fields as never, []);
      const { stdout, losses } = codec.encode(made, event);
      if (losses.length > 0 || !stdout.startsWith('{')) continue;
      const { stopReason: _, reason: __, ...wire } = JSON.parse(wellFormedJson(made.toJSON()));
      const { stopReason: ___, reason: ____, ...said } = JSON.parse(stdout);
      expect(said, JSON.stringify(fields)).toMatchObject(wire);
    }
  });
});

/** Rules that are about one thing of a call, and a value of it that each is about. */
const RULES: readonly (readonly [rule: string, key: string, value: string])[] = [
  ['Read(secret/**)', 'file_path', 'secret/a'],
  ['Edit(secret/**)', 'file_path', 'secret/a'],
  ['Read(secret/**)', 'path', 'secret'],
  ['Read(/**)', 'path', '.'],
  ['Agent(evil)', 'subagent_type', 'evil'],
  ['WebFetch(domain:evil.com)', 'url', 'https://evil.com/a'],
  ['Bash(rm *)', 'command', 'rm a'],
];
/** Our names, with a value that no rule is about. */
const DECOYS: Readonly<Record<string, string>> = {
  file_path: 'ok',
  path: '../ok',
  notebook_path: 'ok',
  subagent_type: 'ok',
  url: 'https://ok.com',
  content: 'ok',
  old_string: 'ok',
  new_string: 'ok',
};
/** What a table does not say: keys of its own that have our name, or that we have no name for. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  Read: ['file_path'],
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'old_string', 'new_string'],
  Delete: ['file_path'],
  Grep: ['path'],
  Glob: ['path'],
  Agent: ['subagent_type'],
};

function callsOf(tool: ToolRow): Record<string, unknown>[] {
  const { fields = {}, either = {}, instead = {}, patch, files } = tool;
  const renamed = Object.values(fields);
  const own = (OWN[tool.ours] ?? []).filter((key) => !renamed.includes(key) && files === undefined && !patch);
  const texts = (key: string, value: string) => ({
    [key]: patch ? `*** Begin Patch\n*** Update File: ${value}\n@@\n*** End Patch` : files ? [value] : value,
  });
  return RULES.flatMap(([, ours, value]) => {
    const theirs = Object.keys(fields).filter((key) => fields[key] === ours);
    const others = [...theirs, ...(either[ours] ?? []), ...own.filter((key) => key === ours)];
    const paths = ours === 'file_path' ? [patch ?? files ?? []].flat() : [];
    const there = Object.hasOwn(instead, ours) ? [{ [instead[ours] as string]: `see ${value}` }] : [];
    return [
      ...[...others, ...paths].map((key) => texts(key, value)),
      ...there,
      ...(renamed.includes('path') ? [{}] : []),
    ];
  });
}

const payloadOf = (table: AgentTable, event: string, name: string, call: object): string => {
  const { named, fields = [] } = table.events.find((row) => row.name === event) as AgentTable['events'][number];
  const has = (theirs: string): boolean => fields.some((field) => field.theirs === theirs);
  const input = has('toolInput') ? 'toolInput' : has('toolArgs') ? 'toolArgs' : 'tool_input';
  return JSON.stringify({
    ...(named === null ? {} : { [named?.[0] ?? (table.eventFields[0] as string)]: named?.[1] ?? event }),
    ...(table.name === 'copilot' ? { sessionId: 's' } : { session_id: 's' }),
    cwd: '/p',
    [has('toolName') ? 'toolName' : 'tool_name']: name,
    [input]: call,
  });
};

const TOOLS = TABLES.flatMap((table) =>
  table.events
    .filter(({ ours, fills, fields }) => {
      const isOfOne = fills?.['tool_name'] !== undefined || fields?.some(({ unit }) => unit === 'json');
      return ['PreToolUse', 'PermissionRequest'].includes(ours) && !isOfOne;
    })
    .flatMap((row) =>
      Object.entries(table.tools)
        .filter(([, { oneWay }]) => !oneWay || renamesTools(table, row))
        .map(([own, tool]) => [table.name, row.name, renamesTools(table, row) ? own : tool.ours, table, tool] as const),
    ),
);

test.each(TOOLS)(
  '%s, %s: what a call of %s is, no argument with one of our names decides',
  (agent, event, name, table, tool) => {
    const codec = agentCodec(agent);
    const rules = RULES.map(([text]) => compileRule(text, { dialect: 'code', where: 'if' }).rule);
    const read = (call: object) => codec.decode(payloadOf(table, event, name, call), {}, [event]);
    const asked = (call: object) => rules.map((rule) => rule?.matches(read(call).input) === true);
    for (const call of callsOf(tool)) {
      const without = asked(call);
      for (const [key, decoy] of Object.entries(DECOYS)) {
        if (Object.hasOwn(call, key)) continue;
        const given = { ...call, [key]: decoy };
        const about = JSON.stringify(given);
        const decoded = read(given);
        asked(given).forEach((is, i) => {
          // The tool reads what has its own name.
          const isOwn = (OWN[tool.ours] ?? []).includes(key) && !Object.values(tool.fields ?? {}).includes(key);
          if (!isOwn || Object.keys(call).length > 0) expect(is || !without[i], `${about} ${RULES[i]?.[0]}`).toBe(true);
        });
        expect(codec.payload(decoded), about).toEqual(JSON.parse(payloadOf(table, event, name, given)));
        // What a hook makes of the call has the decoy as it was.
        const { tool_input } = decoded.input as { tool_input: Record<string, unknown> };
        const { payload } = codec;
        const again = payload({ ...decoded, input: { ...decoded.input, tool_input: { ...tool_input, extra: 1 } } });
        expect(again, about).toEqual(JSON.parse(payloadOf(table, event, name, { ...given, extra: 1 })));
      }
    }
  },
);

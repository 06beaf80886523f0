import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AGENT_NAMES, agentCodec } from '../../src/agents/agents.js';
import { foldOf } from '../../src/agents/rows.js';
import type { EventRow } from '../../src/agents/table.js';
import { hookCommand } from '../../src/cli/server/hook.js';
import type { Terminal } from '../../src/cli/terminal.js';
import type { FireRecord } from '../../src/emit/record.js';
import { thinScript } from '../../src/server/client/thin.js';
import { ensureTokens } from '../../src/server/tokens.js';
import { payloadsOf, type RecordedPayload, SEEN } from '../agents/recorded.js';
import { honouredShapes, shapeOf } from '../agents/shapes.js';
import { start } from '../cli/cli.js';
import { createUser, type User, until } from './kit.js';

/** Says on each event what the payload wishes. */
const PLUGIN = `
const say = (input) => {
  if (input.wish === 'throw') throw new Error('broken');
  return input.wish;
};
const events = EVENTS;
export default {
  name: 'wishes',
  apply(scope) {
    scope.register(Object.fromEntries(events.map((event) => [event, [{ hooks: [say] }]])));
    scope.spawnHooks('reader', { PreToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'explorers only read' })] }] });
  },
};`;

const user = createUser();
const before = { ...process.env };
let plugin: string;
beforeAll(async () => {
  Object.assign(process.env, placesIn(user));
  const events = [...new Set(AGENT_NAMES.flatMap((name) => agentCodec(name).events.map(({ ours }) => ours)))];
  plugin = user.write('wishes.mjs', PLUGIN.replace('EVENTS', JSON.stringify(events)));
  await user.serve(['--plugin', plugin]);
});
afterAll(async () => {
  Object.assign(process.env, before);
  await user.remove();
});
afterEach(() => vi.restoreAllMocks());

/** Where a user's server is found. */
const placesIn = ({ env }: User): NodeJS.ProcessEnv =>
  Object.fromEntries(['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR'].map((name) => [name, env[name]]));

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The command in this process: standard input, what it prints, its exit code. */
async function hook(event: string, flags: object, stdin: string): Promise<Said> {
  let stdout = '';
  let stderr = '';
  // The time it has is counted from its start.
  vi.spyOn(process, 'uptime').mockReturnValue(0);
  // What plugins print is not the answer, and goes elsewhere.
  const printed = Object.getOwnPropertyDescriptor(process, 'stdout') as PropertyDescriptor;
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(stdin)]) as never);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  const terminal = {
    write: (text: string) => {
      stdout += text;
    },
    writeError: (text: string) => {
      stderr += text;
    },
    written: async () => {},
    signal: new AbortController().signal,
  };
  const code = await hookCommand([event], flags as never, terminal as unknown as Terminal);
  vi.restoreAllMocks();
  Object.defineProperty(process, 'stdout', printed);
  return { stdout, stderr, code };
}

const rowOf = (agent: string, { event, text }: RecordedPayload): EventRow => {
  const { as, event: ours } = agentCodec(agent).decode(text, {}, [event]);
  return agentCodec(agent).events.find((row) => row.name === as && row.ours === ours) as EventRow;
};

/** What hooks may print on an event of a kind: each thing alone, and any of them together. */
function wishes(row: EventRow): fc.Arbitrary<object> {
  const reason = fc.constantFrom('R', 'a "quoted" reason\nof two lines', '', 'ü\u2028');
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const fold = foldOf(row);
  const name = { hookEventName: row.ours };
  const everywhere = { systemMessage: maybe(reason), suppressOutput: maybe(fc.boolean()) };
  const loop = { continue: maybe(fc.boolean()), stopReason: maybe(reason) };
  const block = { decision: maybe(fc.constantFrom('block')), reason: maybe(reason) };
  const context = { additionalContext: maybe(reason) };
  if (row.ours === 'PermissionRequest') {
    const decision = fc.oneof(
      fc.record({ behavior: fc.constant('deny'), message: maybe(reason), interrupt: maybe(fc.boolean()) }),
      fc.record({ behavior: fc.constant('allow'), updatedInput: maybe(fc.constant({ command: 'x' })) }),
    );
    return fc.record({
      ...everywhere,
      ...loop,
      hookSpecificOutput: fc.record({ hookEventName: fc.constant(row.ours), decision: maybe(decision) }),
    });
  }
  if (fold === 'gate') {
    const permissionDecision = maybe(fc.constantFrom('deny', 'ask', 'allow', 'defer'));
    const updatedInput = maybe(fc.constantFrom({ command: 'echo rewritten' }, { command: 'a', description: 'b' }, {}));
    const specific = fc.record({
      permissionDecision,
      permissionDecisionReason: maybe(reason),
      updatedInput,
      ...context,
    });
    return fc.record({ ...everywhere, ...loop, hookSpecificOutput: specific.map((more) => ({ ...name, ...more })) });
  }
  if (fold === 'block') {
    const isAfter = row.ours === 'PostToolUse';
    const rewritten = isAfter ? { updatedToolOutput: maybe(fc.constantFrom('NEW', { stdout: 'NEW' }, '')) } : {};
    const specific = fc.record({ ...context, ...rewritten });
    return fc.record({
      ...everywhere,
      ...loop,
      ...block,
      hookSpecificOutput: specific.map((more) => ({ ...name, ...more })),
    });
  }
  if (fold === 'stop') return fc.record({ ...everywhere, ...loop, ...block });
  if (fold === 'context')
    return fc.record({
      ...everywhere,
      ...loop,
      hookSpecificOutput: fc.record(context).map((more) => ({ ...name, ...more })),
    });
  return fc.record(everywhere);
}

const withWish = ({ text }: RecordedPayload, wish: unknown): string => JSON.stringify({ ...JSON.parse(text), wish });
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(SEEN)('hookscope hook --as %s', (agent) => {
  const recorded = payloadsOf(agent);

  test.each([
    ['with a server', {}, 60],
    ['by itself', { server: false }, 15],
  ])(
    '%s: exit 0, and nothing or one line that it was seen to honour, whatever a hook says',
    async (_, flags, numRuns) => {
      const asked = fc
        .constantFrom(...recorded)
        .chain((payload) => fc.tuple(fc.constant(payload), wishes(rowOf(agent, payload))));
      await fc.assert(
        fc.asyncProperty(asked, async ([payload, wish]) => {
          const { stdout, code, stderr } = await hook(
            payload.event,
            { as: agent, plugin: [plugin], ...flags },
            withWish(payload, plain(wish)),
          );
          expect(code).toBe(0);
          expect(stderr).not.toMatch(/could not|not judged|refused|has died/);
          if (stdout === '') return;
          expect(stdout.match(/\n/g)).toHaveLength(1);
          expect(honouredShapes(agent, payload.event), stdout).toContain(shapeOf(stdout));
        }),
        { numRuns },
      );
    },
  );

  test('every recorded event: silence stays silence, what fails on a gate is denied, and the same is said with a server and without', async () => {
    for (const payload of recorded) {
      const row = rowOf(agent, payload);
      for (const wish of [{}, 'throw']) {
        const text = withWish(payload, wish);
        const said = await hook(payload.event, { as: agent, plugin: [plugin] }, text);
        const refused = agentCodec(agent).refuse('', row.name).stdout;
        const isDenied = wish === 'throw' && foldOf(row) === 'gate';
        expect(said.code).toBe(0);
        if (isDenied) expect(shapeOf(said.stdout), payload.file).toBe(shapeOf(refused));
        else expect(said.stdout, payload.file).toBe('');
        if (isDenied)
          expect(await hook(payload.event, { as: agent, plugin: [plugin], server: false }, text)).toEqual(said);
      }
    }
  });

  test('what it cannot be told is said beside, and kept', async () => {
    const payload = recorded.find((one) => rowOf(agent, one).ours === 'PreToolUse') as RecordedPayload;
    const wish = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' }, continue: false };
    const session = { session_id: `lost ${agent}`, sessionId: `lost ${agent}` };
    const text = JSON.stringify({ ...JSON.parse(withWish(payload, wish)), ...session });
    const { stderr } = await hook(payload.event, { as: agent, plugin: [plugin] }, text);
    const kept = (): FireRecord | undefined => fires().find(({ session_id }) => session_id === `lost ${agent}`);
    await until(() => kept() !== undefined);
    const losses = kept()?.losses ?? [];
    const { losses: expected } = agentCodec(agent).encode({ verdict: 'deny', continue: false }, payload.event);
    expect(losses.map(({ what }) => what).sort()).toEqual(expected.map(({ what }) => what).sort());
    expect(stderr === '').toBe(losses.length === 0);
    for (const { why } of losses) expect(stderr).toContain(why);
  });
});

const recordedAs = (agent: string, file: string): Record<string, unknown> =>
  JSON.parse(payloadsOf(agent).find((one) => one.file === file)?.text ?? '') as Record<string, unknown>;
const fires = (): FireRecord[] => user.records().filter((record) => record.type === 'hook_fire');

test("a subagent of Copilot's has its own scope, by its id and its parent's alone", async () => {
  const ask = (event: string, payload: object) => hook(event, { as: 'copilot' }, JSON.stringify(payload));
  const session = 'scopes';
  const [begin, inside, end] = ['subagentStart', 'preToolUse', 'subagentStop'].map((name): Record<string, unknown> => {
    const recorded = recordedAs('copilot', `subagents/${name}.json`);
    return { ...recorded, agentType: 'reader', agentName: 'reader', parentAgentId: session };
  });
  const root = { ...recordedAs('copilot', 'preToolUse.json'), sessionId: session };
  // An agent of that agent, of another type: what is decided of the one is not decided of the other.
  const deeper = {
    ...inside,
    agentId: 'deep',
    agentType: 'task',
    parentAgentId: inside?.['agentId'],
    sessionId: 'deep',
  };
  await ask('subagentStart', begin as object);
  expect((await ask('preToolUse', inside as object)).stdout).toMatch(/explorers only read/);
  expect((await ask('preToolUse', root)).stdout).toBe('');
  expect((await ask('preToolUse', deeper)).stdout).toBe('');
  await ask('subagentStop', end as object);
  const asked = () =>
    fires()
      .filter((one) => one.session_id === session)
      .map(({ event, agent_id }) => [event, agent_id]);
  await until(() => asked().length > 4);
  expect(asked()).toEqual([
    ['SubagentStart', begin?.['agentId']],
    ['PreToolUse', inside?.['agentId']],
    ['PreToolUse', undefined],
    ['PreToolUse', 'deep'],
    ['SubagentStop', begin?.['agentId']],
  ]);
});

test('the result of a call of Gemini has the id that was asked about, and one that was denied and ran all the same is an alarm', async () => {
  const call: Record<string, unknown> = { ...recordedAs('gemini', 'BeforeTool.json'), session_id: 'ids' };
  const result = { ...recordedAs('gemini', 'AfterTool.json'), session_id: 'ids', tool_input: call['tool_input'] };
  const deny = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
  const other = { command: 'echo other' };
  const rewrite = { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: other } };
  const merged = { ...(call['tool_input'] as object), ...other };
  for (const [event, payload] of [
    ['BeforeTool', { ...call, wish: deny }],
    ['BeforeTool', call],
    ['AfterTool', result],
    ['BeforeTool', { ...call, wish: rewrite }],
    ['AfterTool', { ...result, tool_input: merged }],
  ] as const)
    await hook(event, { as: 'gemini' }, JSON.stringify(payload));
  const ids = (): (string | undefined)[] =>
    fires()
      .filter(({ session_id }) => session_id === 'ids')
      .map(({ tool_use_id }) => tool_use_id);
  await until(() => ids().length > 4);
  const [denied, asked, came, rewritten, cameRewritten] = ids();
  expect([came, cameRewritten]).toEqual([asked, rewritten]);
  expect(new Set([denied, asked, rewritten]).size).toBe(3);
  // What was done had been decided.
  const alarms = () =>
    user.records().flatMap((one) => (one.type === 'hook_alarm' && one.session_id === 'ids' ? [one] : []));
  expect(alarms()).toEqual([]);
  // All that were allowed have come back.
  await hook('AfterTool', { as: 'gemini' }, JSON.stringify(result));
  await until(() => alarms().length > 0);
  expect(alarms()).toMatchObject([{ alarm: 'not_honoured', tool_use_id: denied }]);
});

test("another output that Claude Code would not take is told in Gemini's words", async () => {
  const wish = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'NEW' } };
  const text = JSON.stringify({ ...recordedAs('gemini', 'AfterTool.json'), wish });
  for (const flags of [{}, { server: false }])
    expect(await hook('AfterTool', { as: 'gemini', plugin: [plugin], ...flags }, text)).toMatchObject({
      stdout: '{"decision":"block","reason":"NEW"}\n',
      stderr: expect.stringContaining('the reason of a block'),
    });
});

/** The event on which everything can be denied, and what says so. */
const GATES: readonly (readonly [agent: string, event: string, deny: RegExp])[] = [
  [
    'codex',
    'PreToolUse',
    /^\{"hookSpecificOutput":\{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"hookscope: ([^"]+)"\}\}\n$/,
  ],
  ['copilot', 'preToolUse', /^\{"permissionDecision":"deny","permissionDecisionReason":"hookscope: ([^"]+)"\}\n$/],
  [
    'copilot',
    'PreToolUse',
    /^\{"hookSpecificOutput":\{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"hookscope: ([^"]+)"\}\}\n$/,
  ],
  ['gemini', 'BeforeTool', /^\{"decision":"deny","reason":"hookscope: ([^"]+)"\}\n$/],
  [
    'cursor',
    'preToolUse',
    /^\{"permission":"deny","user_message":"hookscope: ([^"]+)","agent_message":"hookscope: [^"]+"\}\n$/,
  ],
];
const call = JSON.stringify({ hook_event_name: 'x', tool_name: 'Shell', tool_input: {}, session_id: 's' });

describe.each(GATES)('what cannot be judged, of %s %s', (as, event, deny) => {
  const named = JSON.stringify({ ...JSON.parse(call), hook_event_name: event });

  test.each([
    ['an input that is no JSON', {}, '{bad', 'the input of the event is not a JSON object'],
    ['an input that is an array', { server: false }, '[]', 'the input of the event is not a JSON object'],
    ['a hooks file that is not there', { hooks: ['/gone.json'] }, named, 'there is no such file'],
    ['a deadline that is none', { timeout: 'x' }, named, '--timeout'],
    ['a failure policy that is none', { onFailure: 'x' }, named, '--on-failure'],
  ])('%s is denied in its words', async (_, flags, stdin, why) => {
    const { stdout, code } = await hook(event, { as, ...flags }, stdin);
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout))).toContain(why.replace(/"/g, '\\"'));
    expect(stdout.replace(/\\"/g, "'")).toMatch(deny);
  });

  test('--on-failure allow says it beside, and stops nothing', async () => {
    const { stdout, stderr, code } = await hook(event, { as, hooks: ['/gone.json'], onFailure: 'allow' }, named);
    expect(code).toBe(0);
    expect(stdout.trim()).toBe(agentCodec(as).encode({}, event).stdout.trim());
    expect(stderr).toMatch(/no such file; nothing is blocked \(--on-failure allow\)/);
  });

  test.each([
    ['dies', (socket: Socket) => socket.once('data', () => socket.destroy()), /did not answer: it has died/] as const,
    // One waits for all of them: the words are the same.
    ...(as === 'codex' ? [['hangs', () => undefined, /has not answered in time/] as const] : []),
    [
      'is a stranger',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes')),
      /does not prove that it is the server/,
    ] as const,
  ])('a server that was asked and %s, by the command and by the thin one', async (_, answer, why) => {
    const other = createUser();
    mkdirSync(other.places.run, { recursive: true, mode: 0o700 });
    ensureTokens(other.places);
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket.on('error', () => undefined));
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(other.places.socket, resolve));
    try {
      // However late it is on a busy machine, it says no.
      const late = why.test('has not answered in time') ? { timeout: '4' } : {};
      const thin = await start('sh', [thinScript(), '--as', as, event, ...(late.timeout ? ['--timeout', '4'] : [])], {
        cwd: other.path,
        stdin: named,
        env: other.env,
      });
      expect(thin).toMatchObject({ code: 0, stdout: expect.stringMatching(deny), stderr: expect.stringMatching(why) });
      Object.assign(process.env, placesIn(other));
      expect(await hook(event, { as, ...late }, named)).toEqual(thin);
    } finally {
      for (const socket of open) socket.destroy();
      Object.assign(process.env, placesIn(user));
      await new Promise((resolve) => server.close(resolve));
      await other.remove();
    }
  });

  test('by the thin command: the same as by the command, with a server; without Node and a server, no', async () => {
    const wish = {
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
    };
    const text = JSON.stringify({
      ...JSON.parse(named),
      ...(as === 'copilot' && event === 'preToolUse' ? { toolName: 'bash', toolArgs: {} } : {}),
      wish,
    });
    const thin = (args: readonly string[], env: NodeJS.ProcessEnv) =>
      start('sh', [thinScript(), ...args], { cwd: user.path, stdin: text, env });
    // Options may stand before the event, and behind it.
    const spellings = [
      ['--as', as, event],
      [event, '--as', as],
      ['--as', as, '--plugin', plugin, event],
    ];
    const said = await hook(event, { as }, text);
    for (const args of as === 'codex' ? spellings : spellings.slice(0, 1))
      expect(await thin(args, user.env)).toEqual(said);
    const nowhere = { PATH: '/usr/bin:/bin', HOME: join(user.path, 'nowhere') };
    const { stdout, code } = await thin(['--node', '/no/node', '--as', as, event], nowhere);
    expect([code, deny.exec(stdout)?.[1]]).toEqual([0, 'neither a server nor Node is there to ask the hooks']);
  });
});

test('an event that the agent does not have stops what can be stopped, by exit 2', async () => {
  for (const [as, event] of [
    ['codex', 'PreToolUze'],
    ['gemini', 'WorktreeCreate'],
    ['copilot', 'BeforeTool'],
  ] as const)
    expect(await hook(event, { as }, call)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/Unknown event/),
    });
  expect(await hook('PreToolUse', { as: 'other' }, call)).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/codex/),
  });
});

test('a payload of another event is no answer to a gate, and is denied in the words of the gate', async () => {
  for (const as of AGENT_NAMES.slice(1)) {
    const codec = agentCodec(as);
    const gates = codec.events.filter((row) => foldOf(row) === 'gate');
    const others = codec.events.filter((row) => foldOf(row) !== 'gate' && row.named !== null);
    expect(others.length, as).toBeGreaterThan(4);
    for (const [i, { name }] of gates.entries()) {
      const other = others[i % others.length]?.name;
      const text = JSON.stringify({ session_id: 's', hook_event_name: other });
      const why = `hookscope: Invalid input for ${name}: "the name of the event" expected ${name}, which this command was started for, got ${other}.`;
      for (const server of [true, false]) {
        const { stdout, code } = await hook(name, { as, plugin: [plugin], server }, text);
        expect([code, stdout], `${as} ${name}`).toEqual([0, codec.refuse(why, name).stdout]);
      }
    }
  }
});

test('an event that only another agent has says whose it is', async () => {
  const { stderr, code } = await hook('BeforeModel', {}, call);
  expect(code).toBe(2);
  expect(stderr).toContain('--as gemini');
});

test('the words of the thin command are made of the tables', () => {
  const file = join(thinScript(), '../hookscope-agents.sh');
  for (const name of AGENT_NAMES.slice(1))
    for (const row of agentCodec(name).events) expect(readFileSync(file, 'utf8')).toContain(`${name}:${row.name}`);
});

test.each([
  [
    'codex',
    'PreToolUs',
    /Unknown event "PreToolUs" of Codex[^.]*\. Did you mean "PreToolUse"\? Its events are [^.]*PreToolUse/,
  ],
  ['cursor', 'beforeShellExecutio', /of Cursor[^.]*\. Did you mean "beforeShellExecution"\? Its events are /],
  ['claude-code', 'PreToolUs', /of Claude Code\. Did you mean "PreToolUse"\? Its events are /],
])('an event that %s does not have is an error that names its events: %s', async (as, event, said) => {
  const { code, stderr } = await user.run(['hook', event, '--as', as], { stdin: '{}' });
  expect(stderr).toMatch(said);
  expect(stderr).not.toMatch(/createHost|HOOK_EVENTS/);
  expect(code).toBe(2);
});

import { describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { AgentMemory } from '../../src/agents/memory.js';
import { agentEvents } from '../../src/agents/own-events.js';
import { createHost } from '../../src/create-host.js';
import { HookscopeError } from '../../src/errors.js';
import { CATALOGUE, CLAUDE_EVENTS } from '../../src/events/catalogue.js';
import { inputOf } from '../host/inputs.js';
import { envOf, payloadsOf, SEEN } from './recorded.js';

describe.each(SEEN)('%s', (agent) => {
  const codec = agentCodec(agent);
  const recorded = payloadsOf(agent);

  test('has recorded payloads', () => expect(recorded.length).toBeGreaterThan(15));

  test.each(recorded)('$file can be fired on a host, and nothing of it is lost', async ({ event, text }) => {
    const decoded = codec.decode(text, envOf(agent), [event]);
    expect(decoded.as).toBe(event);
    expect(decoded.own).toBe(!(decoded.event in CATALOGUE));
    expect(codec.payload(decoded)).toEqual(JSON.parse(text));

    const host = createHost({ events: agentEvents(agent) });
    let given: unknown;
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire') given = record.input;
    });
    await host.fireAny(decoded.event, decoded.input);
    await host.close();
    expect(given).toMatchObject({ hook_event_name: decoded.event, cwd: '/home/dev/project', via: { agent, event } });
  });

  test.each(recorded.filter(({ text }) => /"(hook_event_name|hookName)"/.test(text)))(
    '$file says itself which event it is',
    ({ event, text }) => {
      expect(codec.decode(text).event).toBe(codec.decode(text, {}, [event]).event);
    },
  );
});

describe('what hooks are given', () => {
  const decodedOf = (agent: string, file: string, event?: string) => {
    const found = payloadsOf(agent).find((one) => one.file === file);
    if (found === undefined) throw new Error(`no ${file}`);
    return agentCodec(agent).decode(found.text, {}, [event ?? found.event]);
  };

  test("a shell call is a Bash call, with the agent's own name beside it", () => {
    for (const [agent, file, own] of [
      ['codex', 'PreToolUse.json', undefined],
      ['copilot', 'preToolUse.json', 'bash'],
      ['copilot', 'pascal/PreToolUse.json', undefined],
      ['gemini', 'BeforeTool.json', 'run_shell_command'],
    ] as const) {
      const { event, input } = decodedOf(agent, file);
      expect(event).toBe('PreToolUse');
      expect(input).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'echo hello-from-tool' } });
      expect((input['via'] as { tool_name?: string }).tool_name).toBe(own);
    }
  });

  test.each(['preToolUse', 'postToolUse', 'userPromptSubmitted', 'sessionStart', 'sessionEnd', 'agentStop'])(
    'both payloads of Copilot become the same input: %s',
    (name) => {
      const pascal = { userPromptSubmitted: 'UserPromptSubmit', agentStop: 'Stop' }[name];
      const other = pascal ?? `${name[0]?.toUpperCase()}${name.slice(1)}`;
      const { via: _, ...camel } = decodedOf('copilot', `${name}.json`).input;
      const { via: __, ...snake } = decodedOf('copilot', `pascal/${other}.json`).input;
      expect(camel).toEqual(snake);
    },
  );

  test('a file that Copilot reads has its path where rules look for it, and back', () => {
    const { input } = decodedOf('copilot', 'postToolUseFailure.json');
    expect(input).toMatchObject({ tool_name: 'Read', tool_input: { file_path: '/home/dev/project/no.txt' } });
    const said = agentCodec('copilot').encode(
      { verdict: 'allow', updatedInput: { file_path: 'b.txt' } },
      'preToolUse',
      { input },
    );
    expect(JSON.parse(said.stdout)).toEqual({ permissionDecision: 'allow', modifiedArgs: { path: 'b.txt' } });
  });

  test('a patch of one file has its path, one of several does not and says so', () => {
    const call = (command: string) =>
      agentCodec('codex').decode(
        JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'apply_patch', tool_input: { command } }),
      );
    const one = call('*** Begin Patch\n*** Update File: src/a.ts\n+x\n*** End Patch');
    expect(one.input).toMatchObject({ tool_name: 'Edit', tool_input: { file_path: 'src/a.ts' } });
    expect(one.losses).toEqual([]);
    const two = call('*** Begin Patch\n*** Update File: a\n*** Add File: b\n*** End Patch');
    expect(two.input['tool_input']).not.toHaveProperty('file_path');
    expect(two.losses).toMatchObject([{ what: 'tool_input.file_path' }]);
    const said = agentCodec('codex').encode({ updatedInput: { command: 'x', file_path: 'src/a.ts' } }, 'PreToolUse', {
      input: one.input,
    });
    expect(JSON.parse(said.stdout).hookSpecificOutput.updatedInput).toEqual({ command: 'x' });
  });

  test('a tool that failed in Gemini is a failure here, and a command that ended with 3 is not', () => {
    expect(decodedOf('gemini', 'AfterTool.error.json')).toMatchObject({
      event: 'PostToolUseFailure',
      input: { error: 'File not found: /home/dev/project/no.txt' },
    });
    expect(decodedOf('gemini', 'AfterTool.failed.json').event).toBe('PostToolUse');
  });

  test('an event that fires when nothing of the kind happens says so', () => {
    expect(decodedOf('gemini', 'PreCompress.json')).toMatchObject({ event: 'PreCompact', losses: [{ what: 'event' }] });
  });
});

describe("scopes of Copilot's agents", () => {
  test('are those of agentId and parentAgentId, whatever sessionId says', () => {
    for (const { event, text, file } of payloadsOf('copilot').filter((one) => one.file.startsWith('subagents/'))) {
      const raw = JSON.parse(text) as Record<string, string>;
      const { input } = agentCodec('copilot').decode(text, {}, [event]);
      expect(input['agent_id'], file).toBe(raw['agentId'] ?? raw['agent_id']);
      expect(input['session_id'], file).toBe(raw['parentAgentId'] ?? raw['parent_agent_id']);
    }
  });

  test('end at the root where one process sees them all', () => {
    const codec = agentCodec('copilot');
    const memory = new AgentMemory();
    const of = (agentId: string, parentAgentId: string, known = memory) =>
      known.settle(
        codec.decode(JSON.stringify({ sessionId: agentId, toolName: 'bash', agentId, parentAgentId }), {}, [
          'preToolUse',
        ]),
      ).input['session_id'];
    expect(of('a', 'root')).toBe('root');
    expect(of('b', 'a')).toBe('root');
    const next = new AgentMemory();
    next.takeOver(structuredClone(memory.plain));
    expect(of('c', 'b', next)).toBe('root');
    expect(of('c', 'b')).toBe('root');
    // Two that name each other have no root, and nobody waits for one.
    expect(of('x', 'y')).toBe('y');
    expect(['x', 'y']).toContain(of('y', 'x'));
  });
});

describe('ids of calls that have none', () => {
  const codec = agentCodec('gemini');
  const call = (hook_event_name: string, command: string, more: object = {}) =>
    codec.decode(
      JSON.stringify({
        hook_event_name,
        session_id: 's',
        tool_name: 'run_shell_command',
        tool_input: { command },
        ...more,
      }),
    );
  const idOf = ({ input }: { input: Readonly<Record<string, unknown>> }) => input['tool_use_id'];

  test('are the same before and after the tool, and another for another call', () => {
    expect(idOf(call('BeforeTool', 'ls'))).toBe(idOf(call('AfterTool', 'ls', { tool_response: {} })));
    expect(idOf(call('BeforeTool', 'ls'))).not.toBe(idOf(call('BeforeTool', 'ls -a')));
    expect(idOf(call('BeforeTool', 'ls'))).not.toBe(idOf(call('BeforeTool', 'ls', { session_id: 't' })));
  });

  test('tell equal calls apart where one process sees them all, a rewritten one too', () => {
    const memory = new AgentMemory();
    const [first, second] = [memory.settle(call('BeforeTool', 'ls')), memory.settle(call('BeforeTool', 'ls'))];
    expect(idOf(first)).not.toBe(idOf(second));
    const next = new AgentMemory();
    next.takeOver(structuredClone(memory.plain));
    expect(idOf(next.settle(call('AfterTool', 'ls', { tool_response: {} })))).toBe(idOf(second));
    expect(idOf(next.settle(call('BeforeTool', 'ls')))).not.toBe(idOf(second));
    expect(idOf(memory.settle(call('AfterTool', 'ls', { tool_response: {} })))).toBe(idOf(second));
    expect(idOf(memory.settle(call('AfterTool', 'ls', { tool_response: {} })))).toBe(idOf(first));
    // What a rewrite leaves out stays in Gemini: the result is of both.
    const asked = call('BeforeTool', 'ls', { tool_input: { command: 'ls', dir: '/' } });
    const third = memory.settle(asked);
    memory.rewritten(asked, { command: 'ls -a' }, idOf(third) as string);
    const after = call('AfterTool', '', { tool_input: { command: 'ls -a', dir: '/' }, tool_response: {} });
    expect(idOf(memory.settle(after))).toBe(idOf(third));
  });
});

test.each(CLAUDE_EVENTS)('a payload of Claude Code is what it is: %s', (event) => {
  const payload = { session_id: 's', transcript_path: '/t', cwd: '/p', ...inputOf(event), hook_event_name: event };
  const codec = agentCodec('claude-code');
  const decoded = codec.decode(JSON.stringify(payload));
  const { via, ...input } = decoded.input;
  expect([decoded.event, decoded.losses]).toEqual([event, []]);
  expect(input).toEqual(payload);
  expect(via).toEqual({ agent: 'claude-code', event });
  expect(codec.payload(decoded)).toEqual(payload);
});

test("a tool's failure asked for by the name of its success is the failure", () => {
  const text = payloadsOf('gemini').find(({ file }) => file === 'AfterTool.error.json')?.text as string;
  expect(agentCodec('gemini').decode(text, {}, ['PostToolUse'])).toMatchObject({
    event: 'PostToolUseFailure',
    losses: [],
  });
});

test('of several events that are one of ours, asked for by our name, the payload tells which', () => {
  const text = JSON.stringify({ hook_event_name: 'beforeShellExecution', command: 'ls', cwd: '/p' });
  const { as, input, losses } = agentCodec('cursor').decode(text, {}, ['PreToolUse']);
  expect([as, losses]).toEqual(['beforeShellExecution', []]);
  expect(input).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'ls' } });
});

describe('what cannot be read', () => {
  const codec = agentCodec('copilot');

  test.each(['', '[]', 'null', '{"a":', 'hello', '"text"'])('standard input %j is refused', (text) => {
    expect(() => codec.decode(text, {}, ['preToolUse'])).toThrow('GitHub Copilot CLI writes it');
  });

  test('an event that nobody names is asked for, with the names there are', () => {
    expect(() => codec.decode('{}')).toThrow(/name it on the command line, one of preToolUse, /);
  });

  test('an unknown event names the nearest', () => {
    expect(() => codec.decode('{}', {}, ['preTooluse'])).toThrow('Did you mean "preToolUse"?');
    expect(() => agentCodec('gemni')).toThrow(HookscopeError);
    expect(() => agentCodec('gemni')).toThrow('Did you mean "gemini"?');
  });

  test('where command line and payload differ, what has happened counts', () => {
    const text = JSON.stringify({ hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_result: {} });
    expect(codec.decode(text, {}, ['PreToolUse'])).toMatchObject({
      event: 'PostToolUse',
      losses: [{ what: 'event', why: 'the command line says PreToolUse, the payload PostToolUse' }],
    });
  });
});

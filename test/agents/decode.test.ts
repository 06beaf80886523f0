import { describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { AgentMemory } from '../../src/agents/memory.js';
import { agentEvents } from '../../src/agents/own-events.js';
import { createHost } from '../../src/create-host.js';
import { HookscopeError } from '../../src/errors.js';
import { CATALOGUE, CLAUDE_EVENTS } from '../../src/events/catalogue.js';
import { compileRule } from '../../src/matching/rule.js';
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

  test.each(['preToolUse', 'PreToolUse'])(
    "%s: of two paths that of the agent's own key counts, and the other goes back as it was",
    (event) => {
      const codec = agentCodec('copilot');
      const call = { path: 'secret/a', old_str: 'a', new_str: 'b', file_path: 'ok' };
      const payload =
        event === 'preToolUse'
          ? { sessionId: 's', toolName: 'edit', toolArgs: call }
          : { session_id: 's', hook_event_name: event, tool_name: 'Edit', tool_input: call };
      const decoded = codec.decode(JSON.stringify(payload), {}, [event]);
      const { input, losses } = decoded;
      expect(input['tool_input']).toEqual({ file_path: 'secret/a', old_string: 'a', new_string: 'b' });
      expect(losses).toMatchObject([{ what: 'tool_input.file_path' }]);
      expect(codec.payload(decoded)).toEqual(payload);
      const updatedInput = { file_path: 'b', old_string: 'a', new_string: 'c', path: 'hidden' };
      const said = JSON.parse(codec.encode({ verdict: 'allow', updatedInput }, event, { input }).stdout);
      expect(said.modifiedArgs ?? said.hookSpecificOutput.updatedInput).toEqual({
        path: 'b',
        old_str: 'a',
        new_str: 'c',
        file_path: 'ok',
      });
    },
  );

  test('arguments that Copilot gives as JSON in a string are read too', () => {
    const payload = { sessionId: 's', toolName: 'view', toolArgs: '{"path":"secret/a"}' };
    const decoded = agentCodec('copilot').decode(JSON.stringify(payload), {}, ['preToolUse']);
    expect(decoded.input['tool_input']).toEqual({ file_path: 'secret/a' });
    expect(agentCodec('copilot').payload(decoded)).toEqual(payload);
  });

  test('a folder that a search may ignore is looked at beside the current one, and a hook can choose another', () => {
    const codec = agentCodec('gemini');
    const tool_input = { pattern: 'x', path: 'docs' };
    const payload = { hook_event_name: 'BeforeTool', session_id: 's', tool_name: 'grep_search', tool_input };
    const decoded = codec.decode(JSON.stringify(payload));
    expect(decoded.input['tool_input']).toEqual(tool_input);
    expect(codec.payload(decoded)).toEqual(payload);
    const updatedInput = { pattern: 'x', path: 'src' };
    const { stdout } = codec.encode({ verdict: 'allow', updatedInput }, 'BeforeTool', { input: decoded.input });
    expect(JSON.parse(stdout).hookSpecificOutput.tool_input).toEqual({ pattern: 'x', dir_path: 'src', path: 'src' });
  });

  test.each([
    [' *** Update File: secret/a'],
    ['\t*** Delete File: secret/a'],
    ['\u0085*** Delete File: secret/a'],
    ['*** Add File: secret/a\r'],
    ['*** Update File: b  \n *** Move to: secret/a'],
    ['*** Environment ID: x\n*** Delete File: secret/a'],
    ['*** Update File: ok/\u2028/../../secret/a'],
  ])('a header in a patch counts as where it is applied: %j', (header) => {
    for (const patch of [
      `*** Begin Patch\n*** Delete File: ok/a\n${header}\n@@\n-a\n+b\n*** End Patch`,
      `<<'EOF'\n*** Begin Patch\n${header}\n*** Add File: ok/a\n+x\n*** End Patch\nEOF\n`,
    ]) {
      const payload = { hook_event_name: 'PreToolUse', tool_name: 'apply_patch', tool_input: { command: patch } };
      const { input, losses } = agentCodec('codex').decode(JSON.stringify(payload));
      expect(input['tool_input']).not.toHaveProperty('file_path');
      expect(losses).toMatchObject([{ what: 'tool_input.file_path' }]);
    }
    const one = { command: `*** Begin Patch\n${header.split('\n').at(-1)}\n*** End Patch`, file_path: 'ok' };
    const decoded = agentCodec('codex').decode(
      JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'apply_patch', tool_input: one }),
    );
    expect(decoded.input['tool_input']).toMatchObject({ file_path: expect.stringMatching(/secret\/a$/) });
    expect(agentCodec('codex').payload(decoded)).toMatchObject({ tool_input: one });
  });

  test.each([
    ['gemini', 'grep_search', { pattern: 'x', dir_path: 'secret' }, 'Read'],
    ['gemini', 'search_file_content', { pattern: 'x', dir_path: '/p/secret/sub' }, 'Read'],
    ['gemini', 'glob', { pattern: '*', dir_path: 'secret' }, 'Read'],
    ['gemini', 'list_directory', { dir_path: 'secret' }, 'Read'],
    ['gemini', 'read_many_files', { include: ['secret/a'] }, 'Read'],
    ['gemini', 'read_many_files', { include: ['ok/a', 'secret/a'] }, 'Read'],
    ['gemini', 'read_many_files', { include: ['**/*.ts'] }, 'Read'],
    ['gemini', 'read_many_files', { include: [1] }, 'Read'],
    ['gemini', 'read_many_files', { include: ['@(secret)/a.txt'] }, 'Read'],
    ['gemini', 'read_many_files', { include: ['+(secret)/a.txt'] }, 'Read'],
    ['gemini', 'read_many_files', { include: ['secret\\a.txt'] }, 'Read'],
    ['gemini', 'read_many_files', { include: ['.\\secret\\a.txt'] }, 'Read'],
    ['gemini', 'read_many_files', { paths: ['secret/a', '**/*'] }, 'Read'],
    ['gemini', 'read_file', { file_path: 'secret/a' }, 'Read'],
    ['codex', 'view_image', { path: 'secret/a' }, 'Read'],
    ['gemini', 'write_file', { file_path: 'secret/a', content: '' }, 'Edit'],
    ['gemini', 'replace', { file_path: 'secret/a' }, 'Edit'],
    ['copilot', 'grep', { pattern: 'x', paths: 'secret' }, 'Read'],
    ['copilot', 'glob', { pattern: 'x', paths: ['ok', 'secret'] }, 'Read'],
    ['copilot', 'view', { path: 'secret/a' }, 'Read'],
    ['copilot', 'create', { path: 'secret/a' }, 'Edit'],
    ['copilot', 'apply_patch', { input: '*** Begin Patch\n*** Delete File: secret/a\n*** End Patch' }, 'Edit'],
    [
      'copilot',
      'apply_patch',
      { input: `*** Begin Patch\n*** Delete File: secret/a\n*** Delete File: b\n*** End Patch` },
      'Edit',
    ],
    ['copilot', 'apply_patch', '*** Begin Patch', 'Edit'],
    ['copilot', 'apply_patch', { patch: '', file_path: 'ok' }, 'Edit'],
    ['cursor', 'Delete', { path: 'secret/a' }, 'Edit'],
    ['cursor', 'Delete', { target_file: 'secret/a' }, 'Edit'],
    ['cursor', 'Delete', { file_path: 'ok', path: 'secret/a' }, 'Edit'],
    ['cursor', 'Write', { path: 'secret/a' }, 'Edit'],
    ['cursor', 'Read', { file_path: 'ok', target_file: 'secret/a' }, 'Read'],
    ['cursor', 'Grep', { pattern: 'x', path: 'secret' }, 'Read'],
  ] as const)('%s: a rule about files sees what %s does to %j', (agent, tool, call, kind) => {
    const codec = agentCodec(agent);
    const { name = '' } = codec.events.find((row) => row.ours === 'PreToolUse') ?? {};
    const payload =
      agent === 'copilot' ? { toolName: tool, toolArgs: call } : { tool_name: tool, tool_input: call, session_id: 's' };
    const named = agent === 'copilot' ? { sessionId: 's' } : { hook_event_name: name };
    const decoded = codec.decode(JSON.stringify({ ...named, cwd: '/p', ...payload }), {}, [name]);
    const asks = (rule: string) => compileRule(rule, { dialect: 'code', where: 'if' }).rule?.matches(decoded.input);
    expect(asks(`${kind}(secret/**)`)).toBe(true);
    expect(asks(`${kind === 'Read' ? 'Edit' : 'Read'}(secret/**)`)).toBe(false);
    const isKnown = !/\*\*\/|\[1\]|\(secret|\\\\|Begin Patch"$|"patch":""/.test(JSON.stringify(call));
    // Paths that are known ask only the rules about them.
    expect(asks(`${kind}(elsewhere/**)`)).toBe(!isKnown);
    expect(codec.payload(decoded)).toEqual({ ...named, cwd: '/p', ...payload });
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

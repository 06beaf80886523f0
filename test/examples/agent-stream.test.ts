import { expect, onTestFinished, test } from 'vitest';
import { type ClaudeClient, type ClaudeMessage, type ConnectOptions, connectClaude } from '../../src/claude-code.js';
import { addContext, block, createHost, deny, type Host, rewrite } from '../../src/index.js';
import { acceptEdits, bash, type Place, place, running, until } from './driven.js';

const write = (file_path: string) => ({ name: 'Write', input: { file_path, content: 'x\n' } });
const agent = (subagent_type: string) => ({
  name: 'Agent',
  input: { subagent_type, description: 'd', prompt: 'look' },
});

/** Our own driver with a host of its own; both are closed after the test. */
async function connect(
  { folder, env, program }: Place,
  host: Host,
  { args = [], ...options }: Omit<ConnectOptions, 'host'> = {},
): Promise<ClaudeClient> {
  const client = await connectClaude({ host, executable: program, cwd: folder, env, args, ...options });
  onTestFinished(async () => {
    await client.close();
    await host.close();
  });
  return client;
}

async function all(messages: AsyncIterable<ClaudeMessage>): Promise<ClaudeMessage[]> {
  const seen: ClaudeMessage[] = [];
  for await (const message of messages) seen.push(message);
  return seen;
}
const ask = async (client: ClaudeClient, prompt: string): Promise<ClaudeMessage[]> => all(client.query(prompt));
const result = (messages: readonly ClaudeMessage[]): ClaudeMessage => messages.at(-1) as ClaudeMessage;
const isPath = (input: unknown, path: string): boolean => (input as { file_path?: string }).file_path === path;

test('what the driver’s hooks deny does not happen, what they rewrite runs, and what they add reaches the model', async () => {
  const there = await place({
    main: [
      { text: 'Now.', tools: [write('denied.txt'), bash('echo x > original.txt'), write('made.txt')] },
      { text: 'Done?' },
      { text: 'Done.' },
    ],
  });
  const host = createHost();
  host.register({
    UserPromptSubmit: [{ hooks: [() => addContext('it is Sunday')] }],
    PreToolUse: [
      {
        matcher: 'Write',
        hooks: [({ tool_input }) => (isPath(tool_input, 'denied.txt') ? deny('not this one') : undefined)],
      },
      { matcher: 'Bash', hooks: [() => rewrite({ command: 'echo x > rewritten.txt' })] },
    ],
    PostToolUse: [{ matcher: 'Write', hooks: [() => addContext('the disk is nearly full')] }],
    Stop: [{ hooks: [({ stop_hook_active }) => (stop_hook_active ? undefined : block('write the changelog first'))] }],
  });
  const scribe = { description: 'writes', prompt: 'Write.' };
  const client = await connect(there, host, { args: acceptEdits, initialize: { agents: { scribe } } });
  expect(client.info.agents.map(({ name }) => name)).toEqual(['general-purpose', 'scribe']);
  const messages = await ask(client, 'go');

  expect([
    there.has('denied.txt'),
    there.has('original.txt'),
    there.has('rewritten.txt'),
    there.has('made.txt'),
  ]).toEqual([false, false, true, true]);
  const [first, second, third, ...more] = there.asked.map(({ text }) => text);
  expect(more).toEqual([]);
  expect(first).toContain('it is Sunday');
  expect(second).toContain('not this one');
  expect(second?.match(/the disk is nearly full/g)).toHaveLength(1);
  expect(third).toContain('write the changelog first');
  expect(result(messages)).toMatchObject({
    subtype: 'success',
    is_error: false,
    result: 'Done.',
    num_turns: 3,
    permission_denials: [{ tool_name: 'Write', tool_input: { file_path: 'denied.txt' } }],
  });
  expect(messages[0]).toMatchObject({ subtype: 'init', permissionMode: 'acceptEdits', cwd: there.folder });
  expect((await client.close()).exitCode).toBe(0);
});

test('hooks for one type of agent run for its agents alone, and its messages name the call it came from', async () => {
  const there = await place({
    main: [{ tools: [agent('reviewer'), agent('general-purpose')] }, { text: 'Done.' }],
    reviewer: [{ tools: [write('reviewer.txt')] }, { text: 'looks fine' }, { text: 'looks fine indeed' }],
    'general-purpose': [{ tools: [write('other.txt')] }, { text: 'ready' }],
  });
  const host = createHost();
  const seen: string[] = [];
  const note = ({ hook_event_name, agent_type }: { hook_event_name: string; agent_type?: string | undefined }) =>
    void seen.push(`${hook_event_name} ${agent_type}`);
  host.register({ SubagentStart: [{ hooks: [note] }], SubagentStop: [{ hooks: [note] }] });
  const client = await connect(there, host, {
    args: acceptEdits,
    initialize: { agents: { reviewer: { description: 'reviews', prompt: 'You review.', tools: ['Write'] } } },
    spawnHooks: {
      reviewer: {
        PreToolUse: [{ hooks: [() => deny('A reviewer writes nothing.')] }],
        SubagentStop: [{ hooks: [({ stop_hook_active }) => (stop_hook_active ? undefined : block('look again'))] }],
      },
    },
  });
  const messages = await ask(client, 'go');

  expect([there.has('reviewer.txt'), there.has('other.txt')]).toEqual([false, true]);
  expect(
    there.asked.filter(({ agent: who }) => who === 'reviewer').map(({ text }) => text.includes('look again')),
  ).toEqual([false, false, true]);
  expect(seen.sort()).toEqual([
    'SubagentStart general-purpose',
    'SubagentStart reviewer',
    'SubagentStop general-purpose',
    'SubagentStop reviewer',
    'SubagentStop reviewer',
  ]);
  const calls = messages
    .filter(({ type }) => type === 'assistant')
    .map((m) => [m['subagent_type'], m['parent_tool_use_id']]);
  expect(calls).toContainEqual([undefined, null]);
  expect(calls).toContainEqual(['reviewer', 'toolu_main_0_0']);
  expect(calls).toContainEqual(['general-purpose', 'toolu_main_0_1']);
});

test('the driver’s person allows, rewrites and denies; a PermissionRequest hook is asked once and before', async () => {
  const there = await place({
    main: [
      { tools: [write('allowed.txt'), write('denied.txt'), write('hook.txt'), bash('git push')] },
      { text: 'Done.' },
    ],
  });
  const host = createHost();
  const asked: unknown[] = [];
  const requests: unknown[] = [];
  host.register({
    PermissionRequest: [
      {
        hooks: [
          ({ tool_input }) => {
            requests.push((tool_input as { file_path: string }).file_path);
            return isPath(tool_input, 'hook.txt') ? deny('the hook says no') : undefined;
          },
        ],
      },
    ],
  });
  const client = await connect(there, host, {
    canUseTool: (tool, input, { toolUseID, signal }) => {
      asked.push([tool, input['file_path'], toolUseID, signal.aborted]);
      if (input['file_path'] === 'denied.txt') return { behavior: 'deny', message: 'the person says no' };
      return { behavior: 'allow', updatedInput: { ...input, file_path: 'renamed.txt' } };
    },
  });
  const messages = await ask(client, 'go');

  expect(['allowed.txt', 'renamed.txt', 'denied.txt', 'hook.txt'].map(there.has)).toEqual([false, true, false, false]);
  // The renamed call is judged again, and what the person allowed is not asked twice.
  expect(asked).toEqual([
    ['Write', 'allowed.txt', 'toolu_main_0_0', false],
    ['Write', 'denied.txt', 'toolu_main_0_1', false],
  ]);
  expect(requests).toEqual(['allowed.txt', 'denied.txt', 'hook.txt']);
  const told = there.asked[1]?.text;
  for (const words of ['the person says no', 'the hook says no', 'This agent never pushes.'])
    expect(told).toContain(words);
  expect(result(messages)['permission_denials']).toHaveLength(3);
});

test('nobody to ask: what would be asked is denied', async () => {
  const there = await place({ main: [{ tools: [write('made.txt')] }, { text: 'Done.' }] });
  const client = await connect(there, createHost());
  expect(result(await ask(client, 'go'))).toMatchObject({
    subtype: 'success',
    permission_denials: [{ tool_name: 'Write' }],
  });
  expect(there.has('made.txt')).toBe(false);
});

test('an interruption ends the tool that runs, and the session goes on with the next prompt', async () => {
  const marker = `sleep 43.${process.pid}`;
  const there = await place({ main: [{ text: 'Wait.', tools: [bash(marker)] }, { text: 'Here again.' }] });
  const host = createHost();
  const failed: unknown[] = [];
  host.register({ PostToolUseFailure: [{ hooks: [({ is_interrupt }) => void failed.push(is_interrupt)] }] });
  const client = await connect(there, host, { canUseTool: () => ({ behavior: 'allow' }) });
  const first: ClaudeMessage[] = [];
  for await (const message of client.query('go')) {
    first.push(message);
    if (message.type === 'assistant') {
      await until(() => running(marker));
      expect(await client.interrupt()).toEqual({ still_queued: [] });
    }
  }
  expect(result(first)).toMatchObject({
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'aborted_tools',
  });
  expect(failed).toEqual([true]);
  await until(() => !running(marker));

  const second = await ask(client, 'and now?');
  expect(result(second)).toMatchObject({
    subtype: 'success',
    result: 'Here again.',
    session_id: result(first)['session_id'],
  });
  expect(there.asked[1]?.text).toContain('The tool call was interrupted.');
});

test('an interruption ends a question to the model too', async () => {
  const there = await place({ main: [{ text: 'Never said.' }] });
  const client = await connect(there, createHost());
  there.silence();
  const turn = ask(client, 'go');
  await until(() => there.asked.length > 0);
  await client.interrupt();
  expect(result(await turn)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' });
});

test.each(['main', 'helper'])('a person who denies a call of %s and interrupts ends the whole turn', async (who) => {
  const calls = { tools: [write('made.txt')] };
  const there = await place({
    main: [who === 'main' ? calls : { tools: [agent('helper')] }, { text: 'Never said.' }],
    helper: [calls, { text: 'Never said.' }],
  });
  const client = await connect(there, createHost(), {
    initialize: { agents: { helper: { description: 'helps', prompt: 'You help.' } } },
    canUseTool: () => ({ behavior: 'deny', message: 'stop it', interrupt: true }),
  });
  expect(result(await ask(client, 'go'))).toMatchObject({
    subtype: 'error_during_execution',
    terminal_reason: 'aborted_tools',
  });
  expect(there.asked.map((one) => one.agent)).toEqual(who === 'main' ? ['main'] : ['main', 'helper']);
  expect(there.has('made.txt')).toBe(false);
});

test('prompts are turns of one session, in the mode and with the model that were set meanwhile', async () => {
  const there = await place({
    main: [{ text: 'One.' }, { tools: [write('made.txt')] }, { text: 'Two.' }],
  });
  const host = createHost();
  const events: string[] = [];
  const note = ({ hook_event_name, session_id }: { hook_event_name: string; session_id: string }) =>
    void events.push(`${hook_event_name} ${session_id}`);
  host.register({ SessionStart: [{ hooks: [note] }], SessionEnd: [{ hooks: [note] }] });
  const client = await connect(there, host, { args: ['--model', 'first'] });
  await expect(client.setPermissionMode('anything')).rejects.toMatchObject({ code: 'CONTROL_REFUSED' });
  async function* prompts() {
    yield 'the first prompt';
    await client.setPermissionMode('acceptEdits');
    await client.setModel('second');
    yield { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'the second prompt' }] } };
  }
  const messages = await all(client.query(prompts()));

  expect(messages.filter(({ type }) => type === 'result').map((m) => m['result'])).toEqual(['One.', 'Two.']);
  expect(there.has('made.txt')).toBe(true);
  expect(there.asked.map(({ model }) => model)).toEqual(['first', 'second', 'second']);
  expect(there.asked[1]?.text).toMatch(/the first prompt.*One\..*the second prompt/);
  const inits = messages.filter((m) => m['subtype'] === 'init');
  expect(inits.map((m) => [m['model'], m['permissionMode']])).toEqual([
    ['first', 'default'],
    ['second', 'acceptEdits'],
  ]);
  expect(new Set(messages.map((m) => m['session_id'])).size).toBe(1);
  await client.close();
  const id = result(messages)['session_id'];
  expect(events).toEqual([`SessionStart ${id}`, `SessionEnd ${id}`]);
});

test('a model that cannot be reached is the end of the turn, not of the session', async () => {
  const there = await place({ main: [] });
  const host = createHost();
  const stopped: unknown[] = [];
  host.register({ StopFailure: [{ hooks: [({ error }) => void stopped.push(error)] }] });
  const client = await connect(there, host);
  await there.closeModel();
  for (const prompt of ['go', 'and again'])
    expect(result(await ask(client, prompt))).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  expect(stopped).toEqual(['unknown', 'unknown']);
  expect((await client.close()).exitCode).toBe(0);
});

import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../../src/claude-code/control/client/permission.js';
import { deny, rewrite } from '../../../src/events/output/helpers.js';
import type { HookAlarm } from '../../../src/host/alarms/alarms.js';
import { anyHooks, deferred, testHost, until } from '../../host/kit.js';
import { quiet } from './ends.js';
import { BASE, bash, connect, serve } from './kit.js';
import { type Json, request } from './puppet.js';

/** A host whose guard denies `rm`, makes `ls -l` of `ls`, and says nothing of anything else. */
function guarded() {
  const alarms: HookAlarm[] = [];
  const { host, reports } = testHost({ onAlarm: (alarm) => void alarms.push(alarm) });
  const guard = ({ tool_input: { command } }: { tool_input: { command: string } }) => {
    if (command.startsWith('rm')) return deny('no rm');
    return command === 'ls' ? rewrite({ command: 'ls -l' }) : undefined;
  };
  host.register(anyHooks({ PreToolUse: [{ hooks: [guard] }] }));
  const kinds = () => alarms.map(({ alarm }) => alarm);
  return { host, reports, alarms, kinds };
}

const ran = (command: string, id?: string): Json => ({ ...bash(command, id), tool_response: { stdout: '' } });
const results = (...blocks: Json[]): Json => ({
  type: 'user',
  session_id: BASE.session_id,
  message: { role: 'user', content: blocks },
  parent_tool_use_id: null,
});
const result = (tool_use_id: string, is_error?: boolean): Json => ({ type: 'tool_result', tool_use_id, is_error });

describe('a client that does what was decided', () => {
  it('has no alarm', async () => {
    const { host, alarms, reports } = guarded();
    const { claude, fire } = await connect(host);
    await fire('PreToolUse', bash('rm x', 't1'));
    await claude.say(results(result('t1', true)));
    await fire('PreToolUse', bash('ls', 't2'));
    await fire('PostToolUse', ran('ls -l', 't2'));
    await fire('PreToolUse', bash('echo a', 't3'));
    await fire('PostToolUse', ran('echo a', 't3'));
    await claude.say(results(result('t2'), result('t3', false), { type: 'text', text: 'x' }));
    await fire('PreToolUse', { ...bash('rm x', 't4'), agent_id: 'a', agent_type: 'w' });
    await fire('PostToolUseFailure', { ...bash('rm x', 't4'), agent_id: 'a', agent_type: 'w', error: 'denied' });
    await quiet();
    expect(alarms).toEqual([]);
    expect(reports).toEqual([]);
  });
});

describe('a client that does not', () => {
  it('runs what was denied: told by PostToolUse, or by a result that is no error', async () => {
    const { host, alarms } = guarded();
    const { claude, fire } = await connect(host);
    await fire('PreToolUse', bash('rm x', 't1'));
    await fire('PostToolUse', ran('rm x', 't1'));
    await claude.say(results(result('t1')));
    await fire('PreToolUse', bash('rm y', 't2'));
    await claude.say(results(result('t2')));
    await until(() => alarms.length === 2);
    expect(alarms).toMatchObject([
      { alarm: 'not_honoured', tool_use_id: 't1', evidence: 'PostToolUse', denied_by: 'hook', reason: 'no rm' },
      { alarm: 'not_honoured', tool_use_id: 't2', evidence: 'result', tool_name: 'Bash' },
    ]);
  });

  it('runs something else: the original that was rewritten, a rewrite of somebody else’s, in an agent too', async () => {
    const { host, kinds } = guarded();
    const { fire } = await connect(host);
    await fire('PreToolUse', bash('ls', 't1'));
    await fire('PostToolUse', ran('ls', 't1'));
    await fire('PreToolUse', bash('echo a', 't2'));
    await fire('PostToolUse', ran('curl x', 't2'));
    const agent = { agent_id: 'a', agent_type: 'w' };
    await fire('PreToolUse', { ...bash('echo a', 't3'), ...agent });
    await fire('PostToolUse', { ...ran('echo b', 't3'), ...agent });
    expect(kinds()).toEqual(['other_input', 'other_input', 'other_input']);
  });

  it('begins to ask while a session starts: of a call that had run there by then there is nothing to tell', async () => {
    const { host, alarms, kinds } = guarded();
    const started = deferred<void>();
    const slow = ({ session_id }: Json) => (session_id === 'S2' ? started.promise : undefined);
    host.register(anyHooks({ SessionStart: [{ hooks: [slow] }] }));
    const { claude, asking, fire } = await connect(host);
    await claude.say(request('ran', asking('PostToolUse', { ...ran('echo a', 't1'), session_id: 'S2' })));
    await fire('PreToolUse', bash('echo b', 't2'));
    started.resolve();
    await until(() => claude.answersTo('ran').length === 1);
    expect(alarms).toEqual([]);
    await fire('PostToolUse', { ...ran('echo a', 't3'), session_id: 'S2' });
    expect(kinds()).toEqual(['unasked']);
  });

  it('runs what it did not ask about', async () => {
    const { host, alarms } = guarded();
    const { fire } = await connect(host);
    // Not before it is known to ask: a program may know no PreToolUse at all.
    await fire('PostToolUse', ran('echo a', 't0'));
    await fire('PreToolUse', { ...bash('echo a', 't9'), agent_id: 'a' });
    await fire('PostToolUse', ran('echo a', 't1'));
    await fire('PostToolUse', ran('echo a', 't1'));
    expect(alarms).toMatchObject([{ alarm: 'unasked', tool_use_id: 't1', ran_input: '{"command":"echo a"}' }]);
  });

  it('is seen on a host without any hooks, too', async () => {
    const { host, reports } = testHost();
    const { fire } = await connect(host);
    await fire('PreToolUse', bash('echo a', 't1'));
    await fire('PostToolUse', ran('echo b', 't1'));
    await fire('PostToolUse', ran('echo a', 't2'));
    expect(reports.map((text) => /\((\w+)\)/.exec(text)?.[1])).toEqual(['other_input', 'unasked']);
  });
});

describe('who answers for the user', () => {
  const can = (command: string, id: string): Json => ({
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command },
    tool_use_id: id,
  });
  const person: CanUseTool = (_, { command }) =>
    command === 'no'
      ? { behavior: 'deny', message: 'I said no' }
      : { behavior: 'allow', updatedInput: { command: 'given' } };

  it('a person’s no that is not honoured, an input that a person gave', async () => {
    const { host, alarms } = guarded();
    const { claude, fire } = await connect(host, { canUseTool: person });
    await fire('PreToolUse', bash('no', 't1'));
    await claude.ask('c1', can('no', 't1'));
    await fire('PostToolUse', ran('no', 't1'));
    await fire('PreToolUse', bash('yes', 't2'));
    await claude.ask('c2', can('yes', 't2'));
    await fire('PostToolUse', ran('given', 't2'));
    await fire('PreToolUse', bash('yes', 't3'));
    await claude.ask('c3', can('yes', 't3'));
    await fire('PostToolUse', ran('something else', 't3'));
    expect(alarms).toMatchObject([
      { alarm: 'not_honoured', tool_use_id: 't1', denied_by: 'person', reason: 'I said no' },
      { alarm: 'other_input', tool_use_id: 't3' },
    ]);
  });

  it('a PermissionRequest hook’s no that is not honoured', async () => {
    const { host, kinds } = guarded();
    host.register({ PermissionRequest: [{ hooks: [() => deny('nobody may')] }] });
    const { fire } = await connect(host);
    await fire('PreToolUse', bash('echo a', 't1'));
    await fire('PermissionRequest', bash('echo a', 't1'));
    await fire('PostToolUse', ran('echo a', 't1'));
    expect(kinds()).toEqual(['not_honoured']);
  });

  it('the other side of serveControl: its hook’s no, its person’s no and its person’s input', async () => {
    const { host, alarms } = guarded();
    const { server, sdk } = await serve(host);
    const answers: Json[] = [
      { behavior: 'deny', message: 'no' },
      { behavior: 'allow', updatedInput: { command: 'given' } },
    ];
    for (const [i, answer] of answers.entries()) {
      const id = `t${i}`;
      await host.fireAny('PreToolUse', bash('echo a', id));
      const asking = server.canUseTool({ tool_name: 'Bash', input: { command: 'echo a' }, tool_use_id: id });
      const asked = await sdk.hear(({ type }) => type === 'control_request');
      await sdk.say({
        type: 'control_response',
        response: { subtype: 'success', request_id: asked['request_id'], response: answer },
      });
      await asking;
      await host.fireAny('PostToolUse', ran(i === 0 ? 'echo a' : 'given', id));
    }
    await host.fireAny('PreToolUse', bash('rm x', 't9'));
    await server.send({ ...results(result('t9')), session_id: undefined });
    expect(alarms).toMatchObject([
      { alarm: 'not_honoured', tool_use_id: 't0', denied_by: 'person' },
      { alarm: 'not_honoured', tool_use_id: 't9', evidence: 'result' },
    ]);
  });
});

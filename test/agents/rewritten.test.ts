import { describe, expect, test } from 'vitest';
import { agentCodec, TABLES } from '../../src/agents/agents.js';
import { inputToOurs } from '../../src/agents/as-theirs.js';
import type { Decoded } from '../../src/agents/codec.js';
import { findRow } from '../../src/agents/rows.js';
import type { AgentTable, EventRow } from '../../src/agents/table.js';
import { createHost } from '../../src/create-host.js';
import { deny, rewrite } from '../../src/events/output/helpers.js';
import { compileRule } from '../../src/matching/rule.js';

// What a hook is given of a call under names of ours, and what the agent is given of what the hook wants instead.

type Call = Readonly<Record<string, unknown>>;
const patch = (...files: string[]): string =>
  `*** Begin Patch\n${files.map((file) => `*** Update File: ${file}\n@@\n-a\n+b\n`).join('')}*** End Patch`;

const EVENTS: Readonly<Record<string, string>> = { copilot: 'preToolUse', gemini: 'BeforeTool', cursor: 'preToolUse' };

function decoded(agent: string, tool: string, call: Call, event = EVENTS[agent] ?? 'PreToolUse'): Decoded {
  const args = event === 'permissionRequest' ? 'toolInput' : 'toolArgs';
  const payload = /^[a-z]/.test(event) && agent === 'copilot' ? { sessionId: 's', toolName: tool, [args]: call } : {};
  const usual = { hook_event_name: event, session_id: 's', tool_name: tool, tool_input: call };
  const given = Object.keys(payload).length > 0 ? payload : usual;
  return agentCodec(agent).decode(JSON.stringify({ cwd: '/p', ...given }), {}, [event]);
}

/** The input that the agent is told, where it is told one; else what it is told. */
function told(agent: string, { as, input }: Decoded, updatedInput: Call) {
  const { stdout, losses } = agentCodec(agent).encode({ verdict: 'allow', updatedInput }, as, { input });
  const said = JSON.parse(stdout === '' ? '{}' : stdout);
  const inner = said.hookSpecificOutput ?? {};
  const call = said.modifiedArgs ?? said.updated_input ?? inner.tool_input ?? inner.updatedInput;
  return { call, said: stdout, losses };
}

describe('the folder of a search, under the name that another version of the agent reads', () => {
  const SEARCHES = [
    ['copilot', 'preToolUse', 'grep', 'paths'],
    ['copilot', 'preToolUse', 'glob', 'paths'],
    ['copilot', 'PreToolUse', 'Grep', 'paths'],
    ['copilot', 'permissionRequest', 'grep', 'paths'],
    ['gemini', 'BeforeTool', 'glob', 'dir_path'],
    ['gemini', 'BeforeTool', 'grep_search', 'dir_path'],
    ['gemini', 'BeforeTool', 'list_directory', 'dir_path'],
  ] as const;
  const call = { pattern: 'x', path: 'secret' };

  test.each(SEARCHES)('is the text that the agent gave: %s %s %s', async (agent, event, tool) => {
    const { event: ours, input } = decoded(agent, tool, call, event);
    expect(input['tool_input']).toEqual(call);
    for (const path of ['secret', 'secret/a']) {
      const host = createHost({ logger: () => undefined });
      const guard = ({ tool_input }: { tool_input: unknown }) =>
        (tool_input as { path: string }).path.startsWith('secret') ? deny('no') : undefined;
      host.register({ [ours]: [{ hooks: [guard] }] } as never);
      const given = decoded(agent, tool, { ...call, path }, event).input;
      expect(await host.fireAny(ours, given)).toMatchObject({ verdict: 'deny' });
      await host.close();
    }
  });

  test.each(SEARCHES)('is asked about beside the current one by rules: %s %s %s', async (agent, event, tool) => {
    const { event: ours, input } = decoded(agent, tool, { ...call, path: '/elsewhere' }, event);
    const asked: string[] = [];
    const host = createHost({ logger: () => undefined });
    const rules = ['Read(//elsewhere/**)', 'Read(/**)', 'Read(//other/**)', 'Edit(//elsewhere/**)'];
    host.register({ [ours]: rules.map((rule) => ({ if: rule, hooks: [() => void asked.push(rule)] })) } as never);
    await host.fireAny(ours, input);
    expect(asked).toEqual(['Read(//elsewhere/**)', 'Read(/**)']);
    await host.close();
  });

  test.each(SEARCHES.filter(([, event]) => event !== 'permissionRequest'))(
    'is what a hook makes of it, and stays where it makes nothing of it: %s %s %s',
    (agent, event, tool, own) => {
      const given = decoded(agent, tool, call, event);
      expect(told(agent, given, { pattern: 'y', path: 'secret' }).call).toEqual({ pattern: 'y', path: 'secret' });
      expect(told(agent, given, { ...call, path: 'src' }).call).toEqual({ pattern: 'x', path: 'src', [own]: 'src' });
      expect(told(agent, given, { pattern: 'x' }).call).toEqual({ pattern: 'x' });
      const both = decoded(agent, tool, { ...call, [own]: 'ok' }, event);
      expect(told(agent, both, { pattern: 'x' }).call).toEqual({ pattern: 'x' });
    },
  );
});

describe('what the agent cannot be told of is denied, with the loss', () => {
  const path = (input: Call) => ({ ...input, file_path: 'src/b' });
  const url = (input: Call) => ({ ...input, url: 'https://b' });
  test.each([
    ['gemini', 'read_many_files', { include: ['secret/a'] }, path],
    ['gemini', 'read_many_files', { include: ['secret/*'] }, path],
    ['gemini', 'web_fetch', { prompt: 'p', url: 'https://a' }, url],
    ['gemini', 'web_fetch', { prompt: 'p' }, url],
    ['copilot', 'apply_patch', { input: patch('secret/a') }, path],
    ['copilot', 'apply_patch', { input: patch('a', 'b') }, path],
    ['codex', 'apply_patch', { command: patch('secret/a') }, path],
    ['cursor', 'Read', { path: 'secret/a', file_path: 'x' }, path],
    ['cursor', 'Delete', { path: 'secret/a', target_file: 'x' }, path],
    ['cursor', 'Read', { path: 'secret/a', file_path: 'x' }, (input: Call) => ({ ...input, path: 'src/b' })],
    ['cursor', 'Read', { path: 'secret/a', file_path: 'x' }, ({ path: _, ...input }: Call) => input],
  ] as const)('%s %s %j', (agent, tool, call, change) => {
    const given = decoded(agent, tool, call);
    const { said, losses, call: sent } = told(agent, given, change(given.input['tool_input'] as Call));
    expect(sent).toBeUndefined();
    expect(said).toContain('"deny"');
    expect(said).not.toContain('"allow"');
    expect(losses).toContainEqual({ what: 'rewrite', why: expect.stringMatching(/another "(file_path|path|url)"/) });
  });

  test('a path that is the one there was, or the one of the new patch, is none', () => {
    const given = decoded('codex', 'apply_patch', { command: patch('a') });
    for (const file_path of ['a', 'b', undefined])
      expect(told('codex', given, { command: patch('b'), file_path }).call).toEqual({ command: patch('b') });
    const list = decoded('gemini', 'read_many_files', { include: ['a'] });
    expect(told('gemini', list, { include: ['b'], file_path: 'a' }).call).toEqual({ include: ['b'] });
  });

  test('what else a hook wants of a call with two such keys is told', () => {
    const given = decoded('cursor', 'Read', { path: 'a', file_path: 'x', limit: 1 });
    expect(told('cursor', given, { path: 'a', limit: 2 }).call).toEqual({ path: 'a', file_path: 'x', limit: 2 });
  });

  test('Codex is not told to allow a call by a hook that wants another file', async () => {
    const { event, as, input } = decoded('codex', 'apply_patch', { command: patch('secret/a') });
    const host = createHost({ logger: () => undefined });
    host.register({
      PreToolUse: [{ hooks: [({ tool_input }) => rewrite({ ...(tool_input as Call), file_path: 'b' })] }],
    });
    const { stdout } = agentCodec('codex').encode(await host.fireAny(event, input), as, { input });
    expect(stdout).toContain('"permissionDecision":"deny"');
    await host.close();
  });
});

describe('the files of a rewritten call are those that it now names', () => {
  const CALLS = [
    ['codex', 'apply_patch', (...files: string[]) => ({ command: patch(...files) })],
    ['copilot', 'apply_patch', (...files: string[]) => ({ input: patch(...files) })],
    ['gemini', 'read_many_files', (...files: string[]) => ({ include: files })],
  ] as const;
  const CASES = [
    [['src/a'], ['secret/a'], 'secret/a'],
    [['src/a'], ['src/a', 'secret/a'], undefined],
    [['src/a', 'src/b'], ['secret/a'], 'secret/a'],
    [['src/a', 'src/b'], ['src/c', 'secret/a'], undefined],
  ] as const;
  const all = CALLS.flatMap((call) => CASES.map((one) => [call[0], call[1], ...one, call[2]] as const));
  const named = ({ file_path, ...rest }: Call) => (file_path === undefined ? rest : { file_path, ...rest });

  test.each(all)('%s %s: %j becomes %j', async (agent, tool, from, to, path, call) => {
    const given = decoded(agent, tool, call(...from));
    const ours = given.input['tool_name'] as string;
    for (const keeps of [true, false]) {
      const host = createHost({ logger: () => undefined });
      const first = given.input['tool_input'] as Call;
      host.register({
        PreToolUse: [
          { hooks: [() => rewrite(keeps ? { ...first, ...call(...to) } : call(...to))], stage: -1 },
          { if: `${ours}(secret/**)`, hooks: [() => deny('guarded by a rule')] },
        ],
      } as never);
      expect(await host.fireAny('PreToolUse', given.input)).toMatchObject({
        verdict: 'deny',
        reason: 'guarded by a rule',
        updatedInput: named({ ...call(...to), file_path: path }),
      });
      await host.close();
    }
  });

  test.each(CALLS)('%s %s: callbacks are given them, also in the wave of the rewrite, and once more', async (...of) => {
    const [agent, tool, call] = of;
    const given = decoded(agent, tool, call('src/a'));
    const seen: unknown[] = [];
    const see = ({ tool_input }: { tool_input: unknown }): void => void seen.push((tool_input as Call)['file_path']);
    const host = createHost({ logger: () => undefined });
    const swap = (to: string) => (input: { tool_input: unknown }) =>
      rewrite({ ...(input.tool_input as Call), ...call(to) });
    host.register({ PreToolUse: [{ hooks: [see, swap('src/b'), swap('src/c')] }] } as never);
    const decision = await host.fireAny('PreToolUse', given.input);
    expect(decision).toMatchObject({ updatedInput: { ...call('src/c'), file_path: 'src/c' } });
    expect([seen[0], seen.at(-1)]).toEqual(['src/a', 'src/c']);
    const { stdout } = agentCodec(agent).encode(decision, given.as, { input: given.input });
    expect(stdout).toContain('src/c');
    expect(stdout).not.toMatch(/file_path|deny/);
    await host.close();
  });

  test('a path of the hook alone stays its own, and the answer after the call has none', async () => {
    const { input } = decoded('gemini', 'read_many_files', { include: ['a'] });
    const host = createHost({ logger: () => undefined });
    host.register({
      PreToolUse: [{ hooks: [() => rewrite({ include: ['a'], file_path: 'b' })] }],
      PostToolUse: [{ hooks: [() => rewrite({ include: ['b'] })] }],
    });
    expect(await host.fireAny('PreToolUse', input)).toMatchObject({
      updatedInput: { include: ['a'], file_path: 'b' },
    });
    const after = { ...input, hook_event_name: 'PostToolUse', tool_response: { include: ['a'] } };
    expect(await host.fireAny('PostToolUse', after)).toMatchObject({ updatedOutput: { include: ['b'] } });
    await host.close();
  });
});

describe("an answer of the agent's own hook goes back as it was said", () => {
  const table = TABLES.find(({ name }) => name === 'copilot') as AgentTable;
  test.each([
    [
      'grep',
      { pattern: 'x', path: 'secret' },
      { pattern: 'x', path: 'src' },
      { pattern: 'x', path: 'src', paths: 'src' },
    ],
    ['grep', { pattern: 'x', path: 'secret' }, { pattern: 'y', path: 'secret' }, { pattern: 'y', path: 'secret' }],
    ['grep', { pattern: 'x', path: 'secret' }, { pattern: 'x' }, { pattern: 'x' }],
    ['grep', { pattern: 'x', paths: ['secret'] }, { pattern: 'x', paths: ['src'] }, { pattern: 'x', paths: ['src'] }],
    ['apply_patch', { input: patch('a', 'b') }, { input: patch('c') }, { input: patch('c') }],
    ['apply_patch', { input: patch('a') }, { input: patch('c', 'd') }, { input: patch('c', 'd') }],
    ['view', { path: 'a' }, { path: 'b' }, { path: 'b' }],
  ] as const)('%s %j: %j', (tool, call, answer, expected) => {
    const given = decoded('copilot', tool, call);
    const ours = inputToOurs(table, findRow(table, 'preToolUse') as EventRow, given.input, answer);
    expect(told('copilot', given, ours)).toMatchObject({ call: expected, losses: [] });
    expect(told('copilot', given, ours).call).toEqual(expected);
  });
});

describe("a patch under Claude's name of a tool", () => {
  const asked = (agent: string, call: Call): string[] => {
    const { input } = decoded(agent, 'Edit', call, 'PreToolUse');
    return ['secret', 'src', 'other'].filter((folder) =>
      compileRule(`Edit(${folder}/**)`, { dialect: 'code', where: 'if' }).rule?.matches(input),
    );
  };
  test('counts, whatever path stands beside it', () => {
    expect(asked('copilot', { input: patch('secret/a') })).toEqual(['secret']);
    expect(asked('copilot', { input: patch('secret/a'), file_path: 'src/a' })).toEqual(['secret']);
    expect(asked('codex', { command: patch('secret/a'), file_path: 'src/a' })).toEqual(['secret']);
    expect(asked('copilot', { path: 'src/a', old_str: 'a', new_str: 'b' })).toEqual(['src']);
  });
  test('and a path that the other tool reads may either be meant: rules ask', () => {
    const call = { input: patch('secret/a'), path: 'src/a', old_str: 'a' };
    expect(asked('copilot', call)).toEqual(['secret', 'src', 'other']);
    expect(asked('copilot', { ...call, file_path: 'src/a' })).toEqual(['secret', 'src', 'other']);
    const given = decoded('copilot', 'Edit', { ...call, file_path: 'src/a' }, 'PreToolUse');
    expect(agentCodec('copilot').payload(given)).toMatchObject({ tool_input: { ...call, file_path: 'src/a' } });
    expect(told('copilot', given, { ...call, file_path: 'b' }).said).toContain('"deny"');
  });
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSources } from '../../src/check/check.js';
import { readSource } from '../../src/check/files/source-file.js';
import { readSettings } from '../../src/claude-code/files/settings.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { CLAUDE_KINDS } from '../../src/events/handler-kinds.js';
import { fireAny, fires, registerAs, testHost, watch } from '../host/kit.js';
import { generated, randomFrom, SEED } from '../seed.js';

const MACHINE = { cwd: '/project', home: '/nobody', path: '', managed: '/nowhere' };
const cwd = mkdtempSync(join(tmpdir(), 'duplicates-'));

type Hook = Readonly<Record<string, unknown>>;

/** Two ways to write each field of a hook, by type. The first ones are the same hook where they are equal; the last ones never matter. */
const FIELDS: Readonly<Record<string, { readonly same: Hook; readonly keys: Hook; readonly free: Hook }>> = {
  command: { same: { command: 'true' }, keys: { command: ':', args: ['x'], shell: 'bash' }, free: { async: true } },
  http: {
    same: { url: 'http://127.0.0.1:1/a' },
    keys: { url: 'http://127.0.0.1:1/b' },
    free: { headers: { a: 'b' }, allowedEnvVars: ['B'] },
  },
  mcp_tool: {
    same: { server: 's', tool: 't' },
    keys: { server: 'S', tool: 'T', input: { a: [1, { b: 2 }] } },
    free: {},
  },
  prompt: { same: { prompt: 'ok?' }, keys: { prompt: 'no?', model: 'small', continueOnBlock: true }, free: {} },
  agent: { same: { prompt: 'ok?' }, keys: { prompt: 'no?', model: 'small', continueOnBlock: true }, free: {} },
};
const RULES = ['Bash(git *)', ' Bash(git *) ', 'Bash(npm *)', 'Edit(**/*.ts)', 'Bash', 'Bash('];
/** No two patterns here are about one call, since only lists of names are compared with patterns. */
const TOOLS = [
  '',
  '*',
  'Bash',
  'Edit|Write',
  'Write, Bash',
  'Task',
  'Agent|Bash',
  '^Ba',
  '^(Task|Agent)$',
  'Read|',
  '(',
];
const SOURCES = ['', '*', 'startup', 'startup|resume', 'clear, resume', '^start', '['];

const CALLS: readonly Hook[] = [
  { tool_name: 'Bash', tool_input: { command: 'git push' } },
  { tool_name: 'Bash', tool_input: { command: 'npm ci' } },
  { tool_name: 'Edit', tool_input: { file_path: join(cwd, 'a.ts'), old_string: 'a', new_string: 'b' } },
  { tool_name: 'Write', tool_input: { file_path: join(cwd, 'a.ts'), content: 'a' } },
  { tool_name: 'Read', tool_input: { file_path: join(cwd, 'a.ts') } },
  { tool_name: 'Agent', tool_input: { prompt: 'x', description: 'x', subagent_type: 'x' } },
];
const INPUTS: Readonly<Record<string, readonly Hook[]>> = {
  PreToolUse: CALLS.map((call) => ({ ...call, tool_use_id: 't' })),
  PermissionRequest: CALLS,
  Stop: [{ stop_hook_active: false }],
  SessionStart: ['startup', 'resume', 'clear'].map((source) => ({ source })),
};

/** Whether some call of the file's hooks runs one of the two as a copy of the other. */
async function runsOneOfTwo(text: string, event: string): Promise<boolean> {
  const { hooks } = await readSettings(text, '/project/a.json', { events: HOOK_EVENTS, onInvalid: 'drop' });
  const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd } });
  const seen = watch(host);
  registerAs(host, hooks, { dialect: 'claude', source: { kind: 'project' } });
  for (const input of INPUTS[event] ?? []) await fireAny(host, event, { ...input });
  await host.close();
  return fires(seen).some(({ handlers }) => {
    const ran = handlers.filter(({ status }) => status !== 'skipped').length;
    return ran === 1 && handlers.some(({ reason }) => reason === 'duplicate');
  });
}

async function isReported(text: string): Promise<boolean> {
  const file = readSource('/project/a.json', text, { kind: 'project', project: '/project', plugin: undefined });
  const { findings } = await checkSources(file ? [file] : [], MACHINE);
  return findings.some(({ rule }) => rule === 'duplicate');
}

test('two hooks are reported exactly if a call runs only one of them', async () => {
  const random = randomFrom(SEED);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const found = new Map<string, number>();
  for (let i = 0; i < generated(400); i++) {
    const event = pick(Object.keys(INPUTS));
    const kind = pick(CLAUDE_KINDS);
    const matchers = event === 'SessionStart' ? SOURCES : TOOLS;
    const [rule, matcher] = [pick(RULES), pick(matchers)];
    const hook = (type: string): Hook => {
      const { same, keys, free } = FIELDS[type] as (typeof FIELDS)[string];
      const more = Object.entries({ ...free, timeout: 5 }).filter(() => random() < 0.4);
      const other = random() < 0.2 ? [pick(Object.entries(keys))] : [];
      const ifs = random() < 0.5 ? [['if', random() < 0.8 ? rule : pick(RULES)]] : [];
      return { type, ...same, ...Object.fromEntries([...more, ...other, ...ifs]) };
    };
    const group = (type: string): object =>
      random() < 0.2
        ? { hooks: [hook(type)] }
        : { matcher: random() < 0.6 ? matcher : pick(matchers), hooks: [hook(type)] };
    const text = JSON.stringify({
      hooks: { [event]: [group(kind), group(random() < 0.9 ? kind : pick(CLAUDE_KINDS))] },
    });
    const isOne = await runsOneOfTwo(text, event);
    expect(await isReported(text), `seed ${SEED}: ${text}`).toBe(isOne);
    if (isOne) found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  expect([...found.keys()].sort()).toEqual([...CLAUDE_KINDS].sort());
});

test.each([
  ['http hooks of one URL with different rules', { type: 'http', url: 'http://127.0.0.1:1/a' }],
  ['commands with different rules', { type: 'command', command: 'true' }],
  ['calls of one tool with different rules', { type: 'mcp_tool', server: 's', tool: 't' }],
])('%s both run, and neither is reported', async (_, hook) => {
  const hooks = ['Bash', 'Bash(git *)'].map((rule) => ({ ...hook, if: rule }));
  const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });
  expect([await runsOneOfTwo(text, 'PreToolUse'), await isReported(text)]).toEqual([false, false]);
});

test("the same hook twice in hookscope's own files runs twice, and is not reported", async () => {
  const hook = { type: 'command', command: 'true' };
  const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook, hook] }] } });
  const file = readSource('/project/guards.hooks.json', text, {
    kind: 'hooks-file',
    project: undefined,
    plugin: undefined,
  });
  const { findings } = await checkSources(file ? [file] : [], MACHINE);
  expect(findings.filter(({ rule }) => rule === 'duplicate')).toEqual([]);
});

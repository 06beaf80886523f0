import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkCommand } from '../../src/cli/check.js';
import { explainCommand } from '../../src/cli/explain.js';
import { fireCommand } from '../../src/cli/fire.js';
import { listCommand } from '../../src/cli/list.js';
import { runCommand } from '../../src/cli/run/run.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { trustCommand } from '../../src/cli/trust.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { randomFrom, SEED } from '../seed.js';

/** Escapes, colours, C1, bidirectional, zero-width and tag characters, a title, and line ends that begin a line of their own. */
const NASTY =
  'x\u001b[2J\u001b]0;t\u0007\u009b31m\u202e\u2066\u200b\u200d\u{e0041}\u00ad\u2028\b\u007f\r\u0085SPOOF\nSPOOF: a line of ours\ufeff';
/** How many commands look at each field; HOOKSCOPE_GENERATED asks for more. */
const LOOKS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 1);
const random = randomFrom(SEED);

/** What no line of ours may hold, and none begins with. */
const RANGES = '0-9 b-1f 7f-9f ad-ad 200b-200f 2028-202e 2060-206f feff-feff e0000-e007f'.split(' ');
const HIDDEN = RANGES.map((range) => range.replace(/\w+/g, (code) => `\\u{${code}}`)).join('');
const RAW = new RegExp(`[${HIDDEN}]|^ *SPOOF`, 'mu');

const handlers = [
  {
    type: 'command',
    command: 'true',
    shell: 'bash',
    if: 'Bash(ls *)',
    statusMessage: 'm',
    rewakeMessage: 'r',
    rewakeSummary: 's',
    env: { A: 'b' },
    cwd: '.',
  },
  { type: 'command', command: './guard.sh', args: ['a'] },
  { type: 'http', url: 'http://127.0.0.1:1/', headers: { A: 'b' }, allowedEnvVars: ['A'] },
  { type: 'prompt', prompt: 'p', model: 'm' },
  { type: 'agent', prompt: 'p', model: 'm' },
  { type: 'mcp_tool', server: 's', tool: 't', input: { a: 'b' } },
];
const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: handlers }], Stop: [{ hooks: [handlers[0]] }] };
const own = {
  PreToolUse: [
    {
      matcher: 'Bash',
      hooks: [
        { type: 'command', command: 'echo a >&2; exit 2', name: 'n', if: 'Bash(ls *)' },
        { type: 'rule', decision: 'deny', reason: 'r', name: 'm' },
      ],
    },
  ],
};
const frontmatter = (fields: object): string =>
  `---\n${Object.entries(fields)
    .map(([key, value]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}\n`)
    .join('')}---\nbody\n`;
const json = (value: unknown): string => JSON.stringify(value);

/** What may be found or named, and how it is written. */
const FILES: Readonly<Record<string, readonly [base: object, write: (value: object) => string]>> = {
  'p/.claude/settings.json': [
    {
      hooks,
      enabledPlugins: { 'a@b': true },
      allowedHttpHookUrls: ['http://a/*'],
      httpHookAllowedEnvVars: ['A'],
      disableAllHooks: 'no',
    },
    json,
  ],
  'p/.claude/agents/a.md': [
    { name: 'a', description: 'd', tools: 'Bash', model: 'm', hooks: { Stop: [{ hooks: [handlers[1]] }] } },
    frontmatter,
  ],
  'p/.claude/skills/s/SKILL.md': [
    { name: 's', description: 'd', 'allowed-tools': 'Bash', hooks: { Stop: [{ hooks: [handlers[1]] }] } },
    frontmatter,
  ],
  'plugin/.claude-plugin/plugin.json': [
    { name: 'n', version: '1', description: 'd', author: { name: 'a' }, hooks: './hooks/more.json' },
    json,
  ],
  'plugin/hooks/hooks.json': [{ description: 'd', hooks }, json],
  'own.json': [own, json],
  'config.json': [{ hooks: own, spawnHooks: { r: own }, session: { session_id: 's' } }, json],
  'input.json': [
    { ...LS, session_id: 's', agent_id: 'a', agent_type: 't', cwd: '/', permission_mode: 'default' },
    json,
  ],
};

type Path = readonly (string | number)[];
/** The same data with one string, or one key, made hostile; a name for each. */
function* spoilt(value: unknown, path: Path = []): Generator<[name: string, value: unknown]> {
  if (typeof value === 'string') yield [path.join('.'), value.length > 4 ? `${value} ${NASTY}` : NASTY];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const put = (name: string, other: unknown): unknown =>
      Array.isArray(value)
        ? value.map((old, i) => (String(i) === key ? other : old))
        : Object.fromEntries(Object.entries(value).map(([k, old]) => (k === key ? [name, other] : [k, old])));
    if (!Array.isArray(value)) yield [`key ${[...path, key].join('.')}`, put(key + NASTY, child)];
    for (const [name, other] of spoilt(child, [...path, key])) yield [name, put(key, other)];
  }
}

let folder: Folder;
/** The commands that have printed something of it. */
const seen = new Set<string>();
const OWN = { ...process.env };
beforeAll(() => {
  folder = createFolder();
  folder.write('p/guard.sh', `#!/bin/sh\n# ${NASTY}\nexit 0\n`, 0o755);
});
beforeEach(() => {
  for (const [path, [base, write]] of Object.entries(FILES)) folder.write(path, write(base));
  Object.assign(process.env, { HOME: join(folder.path, 'home'), XDG_CONFIG_HOME: join(folder.path, 'config') });
});
afterEach(() => {
  for (const key of ['HOME', 'XDG_CONFIG_HOME']) delete process.env[key];
  Object.assign(process.env, OWN);
});
afterAll(() => folder.remove());

const at = (path: string): string => join(folder.path, path);
type Command = (terminal: Terminal) => Promise<number>;
function commands(): Readonly<Record<string, Command>> {
  const claude = { claudeCode: at('p'), pluginDir: [at('plugin')], agent: [at('p/.claude/agents/a.md')] };
  const all = { config: at('config.json'), hooks: [at('own.json')], ...claude };
  const event = ['PreToolUse'];
  const input = at('input.json');
  const one = (flags: object): Readonly<Record<string, Command>> => ({
    list: (terminal) => listCommand([], flags, terminal),
    'list --json': (terminal) => listCommand([], { ...flags, json: true }, terminal),
    explain: (terminal) => explainCommand(event, { ...flags, input }, terminal),
    fire: (terminal) => fireCommand(event, { ...flags, input }, terminal),
    'fire --json': (terminal) => fireCommand(event, { ...flags, input, json: true }, terminal),
    run: (terminal) => runCommand([at('s.jsonl')], flags, terminal),
    'run --json': (terminal) => runCommand([at('s.jsonl')], { ...flags, json: true }, terminal),
  });
  return {
    ...one(all),
    ...Object.fromEntries(
      Object.entries(one({ config: false, ...claude })).map(([name, run]) => [`${name} (claude)`, run]),
    ),
    check: (terminal) => checkCommand([folder.path], { hooks: [at('own.json')] }, terminal),
    'check --json': (terminal) => checkCommand([folder.path], { json: true }, terminal),
    'check --sarif': (terminal) => checkCommand([folder.path], { sarif: true }, terminal),
    trust: (terminal) => trustCommand([at('p')], { pluginDir: [at('plugin')], agent: claude.agent }, terminal),
    'trust --list': (terminal) => trustCommand([at('p')], { pluginDir: [at('plugin')], list: true }, terminal),
  };
}

/** All that a command writes before the terminal has made it plain once more. */
async function told(run: Command): Promise<string[]> {
  const lines: string[] = [];
  const add = (text: string): void => void lines.push(text);
  const terminal: Terminal = {
    ...{ color: false, live: true, columns: 80, gone: false, signal: new AbortController().signal },
    print: async (text) => add(text),
    write: (text) => add(text.replace('\r\u001b[K', '')),
    writeError: add,
    written: async () => {},
    // The terminal makes one line of it.
    tell: (text) => add(text.replace(/[^ -~]+|SPOOF/g, '')),
    ask: async (question) => {
      add(question);
      return '';
    },
  };
  await run(terminal).catch((error: unknown) => add((error as Error).message));
  return lines;
}

test.each(Object.keys(FILES))('no command prints what a string or key of %s would have a terminal do', async (path) => {
  const [base, write] = FILES[path] as (typeof FILES)[string];
  const found: string[] = [];
  for (const [field, value] of spoilt(base)) {
    folder.write(path, write(value as object));
    const input = path === 'input.json' ? value : FILES['input.json']?.[0];
    folder.write('s.jsonl', `${json({ at_ms: 0, event: 'PreToolUse', input })}\n`);
    const all = Object.entries(commands());
    const from = Math.floor(random() * all.length);
    // The next ones, so that all come in turn, from anywhere.
    for (let i = 0; i < Math.min(LOOKS, all.length); i++) {
      const [name, run] = all[(from + i * 7) % all.length] as [string, Command];
      const lines = await told(run);
      if (lines.some((text) => text.includes('SPOOF'))) seen.add(name);
      for (const text of lines)
        if (RAW.test(text))
          found.push(
            `${field}: ${name}: ${JSON.stringify(RAW.exec(text)?.[0])}: ${JSON.stringify(text).slice(0, 300)}`,
          );
    }
  }
  expect(found).toEqual([]);
});

test('what was made hostile was printed by most commands', () => {
  expect(seen.size).toBeGreaterThan(8);
});

import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import {
  command,
  createHost,
  definePlugin,
  deny,
  mcpTool,
  type Plugin,
  type PluginScope,
  prompt,
} from '../../src/index.js';
import { type ContractOptions, contract, payload } from '../../src/testing.js';
import { useBuilt } from '../built.js';

const built = useBuilt({ 'contract-testing': 'src/testing.ts', 'contract-index': 'src/index.ts' });

const RM = ['PreToolUse', payload.preToolUse.bash('rm -rf /')] as const;
const LS = ['PreToolUse', payload.preToolUse.bash('ls')] as const;
const GUARD = { denies: [RM], passes: [LS] };
/** A prompt that denies what its input says. */
const REFUSES_RM = '{"ok": false, "reason": "no"}';

const pluginOf = (apply: (scope: PluginScope) => unknown): Plugin => ({ name: 'under-test', apply: apply as never });

/** The names of the cases that it fails, and why. */
async function broken(plugin: Plugin, options: ContractOptions = {}): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, run } of contract(plugin, { patience: 0.5, ...options }))
    await run().catch((error: Error) => {
      found[name.slice(0, 22)] = error.message;
    });
  return found;
}

const noListeners = () => expect.poll(() => process.listenerCount('SIGHUP'), { timeout: 5000 }).toBe(0);

const silent = (): void => undefined;

const guarding = pluginOf((scope) =>
  scope.on('PreToolUse', command('input=$(cat); case $input in *rm*) echo no >&2; exit 2; esac; exit 0'), {
    matcher: 'Bash',
    onFailure: 'block',
  }),
);

test('a plugin whose hooks are commands keeps the contract, however often its cases run', async () => {
  for (const patience of [1.5, 3]) expect(await broken(guarding, { ...GUARD, patience })).toEqual({});
});

test("also in Node's own runner, whose processes have not used their standard input yet", async () => {
  const file = join(built, 'guard.test.mjs');
  const lines = [
    "import { test } from 'node:test';",
    "import { contract } from './contract-testing.js';",
    "import { command } from './contract-index.js';",
    "const apply = (scope) => scope.on('PreToolUse', command('exit 0'), { onFailure: 'block' });",
    "for (const { name, run } of contract({ name: 'p', apply }, { patience: 0.5 })) test(name, run);",
  ];
  writeFileSync(file, lines.join('\n'));
  // Within a test runner's process Node's runner would not start another.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], {
    env,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(stdout).toMatch(/^# pass [1-9]/m);
});

test.each(['/dev/null', 'a file', 'a pipe'])(
  'a plugin that leaves nothing fails nothing where standard input is %s',
  async (input) => {
    const file = join(built, 'sound.mjs');
    writeFileSync(
      file,
      `import { contract } from './contract-testing.js';
     const plugin = { name: 'sound', apply: (scope) => scope.on('Stop', () => undefined) };
     for (const { name, run } of contract(plugin, { patience: 0.1 }))
       await run().catch((error) => console.log(name + ': ' + error.message));
     console.log('done');
     process.exit();`,
    );
    const fd = input === 'a pipe' ? 'pipe' : openSync(input === 'a file' ? file : input, 'r');
    const child = spawn(process.execPath, [file], { stdio: [fd, 'pipe', 'inherit'] });
    let said = '';
    for await (const part of child.stdout as Readable) said += String(part);
    if (typeof fd === 'number') closeSync(fd);
    expect(said).toBe('done\n');
  },
);

test('also beside a host whose own command runs on', async () => {
  const host = createHost({ logger: () => undefined });
  host.on('Stop', command('sleep 20', { async: true }));
  const cases = contract(guarding, { patience: 0.5 });
  const left = cases.find(({ name }) => name.startsWith('nothing is left behind'));
  await noListeners();
  const running = left?.run();
  await host.fire('Stop', { stop_hook_active: false });
  await running;
  await host.close();
});

test('a listener that such a plugin leaves itself is found, also for a signal that we listen to', async () => {
  const left: (() => void)[] = [];
  const plugin = pluginOf((scope) => {
    const listen = (): void => undefined;
    process.on('SIGTERM', listen);
    left.push(listen);
    scope.on('PreToolUse', command('exit 0'), { onFailure: 'block' });
  });
  const found = contract(plugin, { patience: 0.5 }).find(({ name }) => name.startsWith('nothing is left behind'));
  const why = await found?.run().catch((error: Error) => error.message);
  for (const listen of left) process.off('SIGTERM', listen);
  expect(why).toMatch(/process\.on\(SIGTERM\) is/);
  expect(why).not.toMatch(/SIGINT|process\.emit|reallyExit/);
});

test.each<[string, () => void, () => void]>([
  ['a listener', () => process.stdin.on('end', silent), () => process.stdin.off('end', silent)],
  ['a reading', () => process.stdin.resume(), () => process.stdin.pause()],
])(
  '%s of standard input that such a plugin leaves is found, since it keeps the process alive',
  async (_, leave, end) => {
    const plugin = pluginOf((scope) => {
      leave();
      scope.on('PreToolUse', () => undefined);
    });
    const found = contract(plugin, { patience: 0.5 }).find(({ name }) => name.startsWith('nothing is left behind'));
    const why = await found?.run().catch((error: Error) => error.message);
    end();
    expect(why).toContain('process.stdin');
  },
);

test('a host takes back all that it has put on the process for commands', async () => {
  await noListeners();
  const keys = Reflect.ownKeys(process);
  const host = createHost({ logger: () => undefined });
  host.on('Stop', command('exit 0'));
  await host.fire('Stop', { stop_hook_active: false });
  await host.close();
  await noListeners();
  expect(Reflect.ownKeys(process)).toEqual(keys);
});

test('its hooks may need a model and tools, which are given to the hosts of the cases', async () => {
  const plugin = pluginOf((scope) => {
    scope.register({
      PreToolUse: [
        {
          matcher: 'Bash',
          onFailure: 'block',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the hook's own variable
          hooks: [mcpTool('policy', 'check', { command: '${tool_input.command}' }), prompt('Is it safe? $ARGUMENTS')],
        },
      ],
    });
  });
  const host: ContractOptions['host'] = {
    callTool: (_server, _tool, { command: line }) => (String(line).startsWith('rm ') ? JSON.stringify(deny('no')) : ''),
    model: async ({ prompt: text }) => (text.includes('rm -rf') ? REFUSES_RM : '{"ok": true}'),
  };
  expect(await broken(plugin, { ...GUARD, host })).toEqual({});
  expect(await broken(plugin, GUARD)).toMatchObject({
    'survives odd inputs: n': expect.stringMatching(/is not connected/),
  });
});

test('a server that the hosts start themselves is not left behind', async () => {
  const script = fileURLToPath(new URL('../fixtures/programs/mcp-server.mjs', import.meta.url));
  const plugin = pluginOf((scope) => scope.on('PostToolUse', mcpTool('policy', 'pid')));
  const host: ContractOptions['host'] = { mcpServers: { policy: { command: process.execPath, args: [script] } } };
  expect(await broken(plugin, { host, patience: 3 })).toEqual({});
});

test('wrong options of those hosts are refused at once', () => {
  const plugin = pluginOf(() => undefined);
  expect(() => contract(plugin, { host: { modle: 1 } as never })).toThrow(/modle.*model/);
  expect(() => contract(plugin, { host: { timeout: 5 } as never })).toThrow(/contract: host\.timeout.*patience/);
  expect(() => contract(plugin, { host: 5 as never })).toThrow(/host.*object/);
});

test('hooks that are made for each agent of a type are run, and what is wrong with them is found', async () => {
  const budget = definePlugin({
    name: 'budget',
    apply(scope) {
      scope.spawnHooks('researcher', () => {
        let searches = 0;
        const count = () => (++searches > 1 ? deny('One search is enough.') : undefined);
        return { PreToolUse: [{ matcher: 'WebSearch', onFailure: 'block', hooks: [count] }] };
      });
    },
  }) as Plugin;
  expect(await broken(budget)).toEqual({});
  expect(await broken(pluginOf(() => undefined))).toMatchObject({ 'has hooks': 'the plugin registers no hooks' });
  const trusts = ({ tool_input }: { tool_input: unknown }) =>
    (tool_input as { command: string }).command.startsWith('rm') ? deny('no') : undefined;
  for (const hooks of [{ PreToolUse: [{ hooks: [trusts] }] }, () => ({ PreToolUse: [{ hooks: [trusts] }] })]) {
    const careless = pluginOf((scope) => scope.spawnHooks('researcher', hooks as never));
    expect(await broken(careless)).toMatchObject({
      'survives odd inputs: n': expect.stringMatching(/PreToolUse \{.*failed \(threw\)/),
    });
  }
});

test('what is said of a call that must pass without a word is named', async () => {
  const noServer = pluginOf((scope) => scope.on('PreToolUse', mcpTool('policy', 'check'), { name: 'policy' }));
  expect(await broken(noServer, { passes: [LS] })).toMatchObject({
    'lets through what it m': expect.stringMatching(/"ls".*: .*policy failed \(connection\): MCP server "policy"/),
  });
  const inBackground = pluginOf((scope) =>
    scope.register({
      PostToolUse: [{ hooks: [{ handler: () => ({ systemMessage: 'm' }), async: true, name: 'late' }] }],
    }),
  );
  expect(await broken(inBackground, { passes: [['PostToolUse']] })).toMatchObject({
    'lets through what it m': expect.stringMatching(/late says in the background/),
  });
});

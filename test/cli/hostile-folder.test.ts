import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { cli, type Finished, spawnCli } from './cli.js';

let folder: Folder;
let outside: Folder;
beforeEach(() => {
  folder = createFolder();
  outside = createFolder();
});
afterEach(() => {
  folder.remove();
  outside.remove();
});

/** A program that says by a file of its own that it ran, wherever it is loaded. */
const esm = (id: string): string => `import { writeFileSync } from 'node:fs';
writeFileSync(process.env.CANARY + '/${id}', '');
export default { name: '${id}', apply() { writeFileSync(process.env.CANARY + '/${id}-applied', ''); } };`;
const cjs = (id: string): string =>
  `require('node:fs').writeFileSync(process.env.CANARY + '/${id}', ''); module.exports = {};`;
const shell = (id: string): { type: 'command'; command: string } => ({
  type: 'command',
  command: `: > "$CANARY/${id}"`,
});
const hooks = (id: string): object => ({
  PreToolUse: [{ hooks: [shell(id)] }],
  SessionStart: [{ hooks: [shell(`${id}-start`)] }],
  SessionEnd: [{ hooks: [shell(`${id}-end`)] }],
});

/** What somebody may have put into a folder that one only looks at. */
function writeHostile(): void {
  for (const end of ['ts', 'mts', 'mjs', 'js']) folder.write(`hookscope.config.${end}`, esm(`config-${end}`));
  for (const end of ['cts', 'cjs']) folder.write(`hookscope.config.${end}`, cjs(`config-${end}`));
  folder.write('hookscope.config.json', { plugins: ['./p.mjs', 'hookscope-plugin-evil'], hooks: hooks('json') });
  for (const rc of ['.hookscoperc', '.hookscoperc.json', '.config/hookscoperc.json'])
    folder.write(rc, { plugins: ['./p.mjs'], hooks: hooks('rc') });
  for (const rc of [
    '.hookscoperc.js',
    '.hookscoperc.cjs',
    '.config/hookscope.config.js',
    'jiti.config.js',
    'index.js',
    'acorn.js',
    'hookscope.js',
  ])
    folder.write(rc, cjs(rc.replaceAll('/', '-')));
  folder.write('p.mjs', esm('plugin'));
  folder.install('hookscope-plugin-evil', esm('package'));
  // A copy of what the program itself loads.
  for (const name of ['commander', 'acorn', 'jiti', 'zod']) folder.install(name, esm(`copy-${name}`));
  folder.write('package.json', {
    name: 'evil',
    type: 'module',
    main: './index.js',
    hookscope: { plugins: ['./p.mjs'] },
    scripts: Object.fromEntries(['preinstall', 'prepare', 'test', 'lint'].map((name) => [name, `: > $CANARY/${name}`])),
  });
  folder.write('tsconfig.json', {
    extends: './p.mjs',
    compilerOptions: { plugins: [{ name: 'hookscope-plugin-evil' }] },
  });
  folder.write('hooks.json', { hooks: hooks('hooks-file') });
  folder.write('.claude/settings.json', { hooks: hooks('project') });
  folder.write('.claude/settings.local.json', { hooks: hooks('local') });
  folder.write(
    '.claude/agents/evil.md',
    `---\nname: evil\ndescription: d\nhooks: ${JSON.stringify(hooks('agent'))}\n---\n`,
  );
  folder.write(
    '.claude/skills/evil/SKILL.md',
    `---\nname: evil\ndescription: d\nhooks: ${JSON.stringify(hooks('skill'))}\n---\n`,
  );
  folder.write('.claude/hooks/guard.sh', '#!/bin/sh\n: > "$CANARY/script"\n', 0o755);
  folder.write('plugin/.claude-plugin/plugin.json', { name: 'evil' });
  folder.write('plugin/hooks/hooks.json', { hooks: hooks('claude-plugin') });
  folder.write('.mcp.json', { mcpServers: { evil: { command: 'sh', args: ['-c', ': > $CANARY/mcp'] } } });
  folder.write('.env', 'NODE_OPTIONS=--require=./acorn.js');
}

let runs = 0;
async function ran(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program: typeof spawnCli = cli,
): Promise<Finished & { canaries: string[] }> {
  const canary = join(outside.path, `canary-${runs++}`);
  mkdirSync(canary);
  const finished = await program(args, {
    cwd: folder.path,
    env: { CANARY: canary, HOME: outside.path, XDG_CONFIG_HOME: join(outside.path, 'config'), ...env },
  });
  return { ...finished, canaries: readdirSync(canary) };
}

test('nothing of a folder runs because somebody looks at it, whatever the command', async () => {
  writeHostile();
  const input = outside.write('input.json', { ...LS, cwd: folder.path, session_id: 's' });
  const session = outside.write(
    's.jsonl',
    `${JSON.stringify({ at_ms: 0, event: 'PreToolUse', input: { ...LS, session_id: 's' } })}\n`,
  );
  const looks = [
    'list',
    'explain PreToolUse --json --tool Bash --claude-code',
    `fire PreToolUse --input ${input} --claude-code`,
    `fire PreToolUse --exit-code --input ${input}`,
    `run ${session}`,
  ];
  const commands = [
    ...looks,
    'check',
    'trust',
    'trust --yes --plugin-dir plugin',
    'list --hooks hooks.json --plugin-dir plugin',
  ];
  const told: string[] = [];
  // What is loaded when a process starts is told by two that are started there.
  const started = [looks[2], looks[4]];
  const look = async (command: string): Promise<void> => {
    const { canaries, stderr } = await ran(command.split(' '), {}, started.includes(command) ? spawnCli : cli);
    expect({ command, canaries }).toEqual({ command, canaries: [] });
    if (looks.includes(command)) told.push(stderr);
  };
  await Promise.all(commands.map(look));
  for (const stderr of told) {
    const held = stderr.split('\n').filter((line) => /^hookscope: held: .*hookscope\.config/.test(line));
    expect(held.map((line) => /hookscope\.config\.\w+/.exec(line)?.[0])).toEqual([
      'hookscope.config.ts',
      'hookscope.config.mjs',
      'hookscope.config.js',
      'hookscope.config.json',
    ]);
    expect(held[0]).toMatch(/is not accepted; see hookscope trust, or name it: --config hookscope\.config\.ts$/);
  }
});

test('the canaries would have sung: what is named runs', async () => {
  writeHostile();
  const input = outside.write('input.json', LS);
  const config = await ran(['list', '--config', 'hookscope.config.json']);
  expect(config.canaries.sort()).toEqual(['package', 'package-applied', 'plugin', 'plugin-applied']);
  const fired = await ran(['fire', 'PreToolUse', '--input', input, '--no-config', '--hooks', 'hooks.json']);
  expect(fired.canaries).toEqual(['hooks-file']);
});

describe('explain and list, given --config,', () => {
  test('know its hooks, and no handler runs in them, nor what handlers would start', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    folder.write(
      'evil.mjs',
      `import { writeFileSync } from 'node:fs';
const ran = (id) => () => { writeFileSync(process.env.CANARY + '/' + id, ''); return id; };
const trap = { get name() { return 'x'; }, toString: ran('toString'), [Symbol.toPrimitive]: ran('toPrimitive'), toJSON: ran('toJSON') };
const callback = Object.assign(ran('callback'), { toString: ran('own-toString'), toJSON: ran('own-toJSON'), [Symbol.toPrimitive]: ran('own-toPrimitive') });
const every = [
  callback,
  { handler: ran('handler'), async: true },
  { handler: ran('two-phase'), async: 'two-phase' },
  { type: 'command', command: ': > "$CANARY/command"' },
  { type: 'http', url: '${url}' },
  { type: 'mcp_tool', server: 'evil', tool: 'x' },
];
const groups = [{ hooks: every }, { phase: 'observe', hooks: [ran('observer')] }, { matcher: 'Bash', phase: 'rewrite', hooks: [ran('rewriter')] }];
export default {
  mcpServers: { evil: { command: 'sh', args: ['-c', ': > $CANARY/mcp'] } },
  model: ran('model'),
  callTool: ran('callTool'),
  onWake: ran('onWake'),
  plugins: [{ name: 'evil', apply(scope) { scope.register({ PreToolUse: groups }); scope.spawnHooks('r', { PreToolUse: groups }); } }],
  hooks: { PreToolUse: groups, SessionStart: [{ hooks: [ran('start')] }], SessionEnd: [{ hooks: [ran('end')] }] },
  spawnHooks: { r: { PreToolUse: groups } },
};`,
    );
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['explain', 'PreToolUse', '--tool', 'Bash', '--input', '{"command":"ls"}'],
      ['explain', 'PreToolUse', '--json', '--input', JSON.stringify({ ...LS, agent_id: 'a', agent_type: 'r' })],
    ]) {
      const { canaries, code, stdout, stderr } = await ran([...args, '--config', 'evil.mjs']);
      expect({ args, canaries, code, stderr: code === 0 ? '' : stderr }).toEqual({
        args,
        canaries: [],
        code: 0,
        stderr: '',
      });
      expect(stderr).toBe('hookscope: using evil.mjs, which runs as code\n');
      expect(stdout).toContain('callback');
    }
    expect(requests).toBe(0);
    expect(
      (await ran(['fire', 'PreToolUse', '--input', outside.write('input.json', LS), '--config', 'evil.mjs'])).canaries,
    ).toContain('callback');
    server.close();
  });
});

test('a folder that holds the store of consent cannot accept itself', async () => {
  folder.write('hookscope.config.mjs', esm('config'));
  const inside = join(folder.path, 'config');
  // Also where somebody has made the user's home a part of it.
  for (const env of [
    { XDG_CONFIG_HOME: inside, HOME: outside.path },
    { XDG_CONFIG_HOME: inside, HOME: join(folder.path, 'home') },
    { XDG_CONFIG_HOME: undefined, HOME: join(folder.path, 'home') },
    { XDG_CONFIG_HOME: undefined, HOME: folder.path },
  ]) {
    const { canaries, code, stderr } = await ran(['fire', 'PreToolUse', '--input', outside.write('in.json', LS)], env);
    expect({ env, canaries, code }).toEqual({ env, canaries: [], code: 1 });
    expect(stderr).toMatch(/it lies in the project .*\. Set XDG_CONFIG_HOME to a folder outside of the project\.\n$/);
  }
  expect(existsSync(inside)).toBe(false);
  const helped = await ran(['list'], { XDG_CONFIG_HOME: join(outside.path, 'config'), HOME: folder.path });
  expect(helped.code).toBe(0);
});

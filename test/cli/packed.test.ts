import { readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install, pack, packed } from '../package/install.js';
import { ROOT } from '../package/sources.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { type Finished, start } from './cli.js';

let folder: Folder;

const run = (program: string, args: readonly string[], cwd = folder.path): Promise<Finished> =>
  start(program, args, { cwd, stdin: '', env: { ...process.env, NO_COLOR: '1' } });

beforeAll(async () => {
  folder = createFolder();
  folder.write('package.json', { name: 'somebody', private: true });
  await install(folder.path, (await packed()).tarball, 'hookscope');
  const plugin = await pack(folder.path, join(ROOT, 'examples/plugin-package'));
  await install(folder.path, plugin, 'hookscope-plugin-protected-paths');
});
afterAll(() => folder.remove());

const hookscope = (...args: string[]) => run(join(folder.path, 'node_modules/.bin/hookscope'), args);

test('the packed program runs where it was installed, with a packed plugin and a configuration in TypeScript', async () => {
  folder.write(
    'hookscope.config.ts',
    `import { defineConfig, deny } from 'hookscope';
     export default defineConfig({
       plugins: [['hookscope-plugin-protected-paths', { paths: ['dist/**'] }]],
       hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [(input) => deny(\`no \${input.tool_name} here\`)] }] },
     });`,
  );
  folder.write('bash.json', LS);
  folder.write('write.json', { ...LS, tool_name: 'Write', tool_input: { file_path: 'dist/a.js', content: '' } });
  const fired = async (input: string) =>
    JSON.parse(
      (await hookscope('fire', 'PreToolUse', '--config', 'hookscope.config.ts', '--input', input, '--json')).stdout,
    );
  expect((await fired('bash.json')).decision).toMatchObject({ verdict: 'deny', reason: 'no Bash here' });
  const written = await fired('write.json');
  expect(written.decision).toMatchObject({ verdict: 'deny', reason: 'dist/a.js is protected (dist/**)' });
  expect(written.handlers[0]).toMatchObject({ plugin: 'hookscope-plugin-protected-paths', status: 'ran' });
});

test('the packed library and its schemas are found by their names', async () => {
  folder.write(
    'use.mjs',
    `import { createHost, deny } from 'hookscope';
     import schema from 'hookscope/schemas/PreToolUse.input.json' with { type: 'json' };
     const host = createHost();
     host.register({ PreToolUse: [{ hooks: [() => deny('used')] }] });
     console.log((await host.fire('PreToolUse', ${JSON.stringify(LS)})).reason, schema.type);`,
  );
  const { stdout, stderr } = await run(process.execPath, ['--no-warnings', 'use.mjs']);
  expect([stdout, stderr]).toEqual(['used object\n', '']);
});

test('the packed example of an agent runs with no more than what its README says to install', async () => {
  const own = createFolder();
  try {
    own.write('package.json', { name: 'somebody', private: true });
    await install(own.path, (await packed()).tarball, 'hookscope');
    own.write('node_modules/@anthropic-ai/.keep', '');
    for (const name of ['yaml', '@anthropic-ai/sdk'])
      symlinkSync(join(ROOT, 'node_modules', name), join(own.path, 'node_modules', name));
    const agent = 'node_modules/hookscope/examples/agent/agent.mjs';
    const { code, stdout, stderr } = await run(process.execPath, [agent, '--yes'], own.path);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^main: Done: report\.md/m);
  } finally {
    own.remove();
  }
});

test('a new plugin is tested, packed and used by what its package.json says', async () => {
  // What this run of the tests was started with is not what somebody's `npm test` has: a runner within another prints nothing, and without scripts nothing is built.
  const env = {
    ...process.env,
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    NO_COLOR: '1',
    NODE_TEST_CONTEXT: undefined,
    npm_config_ignore_scripts: undefined,
  };
  const npm = (...args: string[]) => start('npm', args, { cwd: join(folder.path, 'no-force'), stdin: '', env });
  expect((await hookscope('new', 'plugin', '@me/no-force')).code).toBe(0);
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder.path, 'node_modules/@types'));
  const tested = await npm('test');
  // As Node 20 says it, or Node 24.
  expect(tested).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^[#ℹ] pass 1[0-9]$(?=[\s\S]*^[#ℹ] fail 0$)/m),
  });
  const made = join(folder.path, 'no-force');
  expect((await hookscope('list', '--no-config', '--plugin', made)).stdout).toContain('@me/no-force');
  // What its build makes has been seen. That packing it builds it is: nothing else puts it back.
  renameSync(join(made, 'dist'), join(folder.path, 'built'));
  const builder = folder.write(
    'instead/tsc',
    `#!/bin/sh\n[ $# = 0 ] && mv '${join(folder.path, 'built')}' dist\n`,
    0o755,
  );
  env.PATH = `${dirname(builder)}:${env.PATH}`;
  const filled = await npm('pack', '--silent', '--pack-destination', folder.path);
  expect([filled.code, filled.stdout.trim().split('\n').at(-1)]).toEqual([0, 'me-no-force-0.1.0.tgz']);
  await install(folder.path, join(folder.path, 'me-no-force-0.1.0.tgz'), '@me/no-force');
  expect(readdirSync(join(folder.path, 'node_modules/@me/no-force/dist')).sort()).toEqual(['index.d.ts', 'index.js']);
  const push = { ...LS, tool_input: { command: 'git push --force' } };
  folder.write('push.json', push);
  const { stdout } = await hookscope('fire', 'PreToolUse', '--plugin', '@me/no-force', '--input', 'push.json');
  expect(stdout).toMatch(/^PreToolUse:Bash {2}deny by @me\/no-force\/words: "/);
  const manifest = JSON.parse(readFileSync(join(folder.path, 'node_modules/@me/no-force/package.json'), 'utf8'));
  expect(manifest.publishConfig).toEqual({ access: 'public' });
});

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { completeFiles } from '../../src/claude-code/files/places.js';
import { judgeMcpServers } from '../../src/claude-code/trust/mcp-servers.js';
import { homeOf, tableOf } from '../../src/connect/agent-hooks.js';
import { joinedFile } from '../../src/fleet/has-joined.js';
import { usualAllowFile } from '../../src/fleet/policy/allowed.js';
import { describeForeign } from '../../src/foreign/describe.js';
import { findForeign } from '../../src/foreign/places.js';
import { environment } from '../../src/handlers/command/environment.js';
import { fillVariables } from '../../src/handlers/http/rules.js';
import { createMcpServers } from '../../src/handlers/mcp/servers.js';
import { serviceFile } from '../../src/server/client/service.js';
import { thinCommand, thinScript } from '../../src/server/client/thin.js';
import { placesOf } from '../../src/server/places.js';
import { defaultSocket } from '../../src/store/place.js';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { defaultTrustFile } from '../../src/trust/store.js';
import { keptOutputs, stateFolder } from '../../src/values/user-folders.js';
import { cli, start } from '../cli/cli.js';
import { ROOT } from '../package/sources.js';

const NAMES = ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'] as const;
type Folders = Partial<Record<(typeof NAMES)[number], string | undefined>>;

/** Sets the variables, or deletes those without a value. */
function set(values: Folders): void {
  for (const name of NAMES) {
    if (values[name] === undefined) delete process.env[name];
    else process.env[name] = values[name];
  }
}

const OWN: Folders = { ...process.env };
afterEach(() => set(OWN));

/** All that is found by the home and the folders of the XDG specification. */
const places = () => ({
  settings: completeFiles({}, []).home,
  consent: defaultTrustFile(),
  server: placesOf(),
  socket: defaultSocket(),
  state: stateFolder(),
  outputs: keptOutputs(),
  fleet: [joinedFile(), usualAllowFile()],
  agent: homeOf(tableOf('gemini').connect, process.env),
  service: ['linux', 'darwin'].map((platform) => {
    const { path } = serviceFile({ platform: platform as 'linux', env: process.env, argv: ['/node'], cwd: '/' }) ?? {};
    return path;
  }),
  command: /^XDG_STATE_HOME=\S* XDG_RUNTIME_DIR=\S* XDG_CONFIG_HOME=\S*/.exec(thinCommand('Stop'))?.[0],
});

const NO_PATHS = [undefined, '', '.', 'rel', '../up', '~'];

test.each(NO_PATHS)('a HOME of %j gives the places of the account', (home) => {
  set({ HOME: userInfo().homedir });
  const expected = places();
  set({ HOME: home });
  expect(places()).toEqual(expected);
});

test.each(NO_PATHS)('XDG variables of %j give the places in the home folder', (value) => {
  set({ HOME: '/h' });
  const expected = places();
  expect(JSON.stringify(expected)).not.toContain(userInfo().homedir);
  set({ HOME: '/h', XDG_CONFIG_HOME: value, XDG_STATE_HOME: value, XDG_RUNTIME_DIR: value });
  expect(places()).toEqual(expected);
});

/** A folder with these files, which are executable. */
function folderWith(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-home-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  return folder;
}

test.each(NO_PATHS)("a project's hooks do not run as the user's where HOME is %j", async (home) => {
  const hooks = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch ../ran' }] }] } });
  const homes = ['', 'project', 'project/rel', 'project/~', 'up'];
  const folder = folderWith(Object.fromEntries(homes.map((at) => [join(at, '.claude/settings.json'), hooks])));
  const stdin = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'a' });
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: '' };
  const asked = async (HOME: string | undefined): Promise<boolean> => {
    await cli(['hook', 'PreToolUse', '--claude-code', '.'], {
      cwd: join(folder, 'project'),
      stdin,
      env: { ...env, HOME },
    });
    return existsSync(join(folder, 'ran'));
  };
  expect([await asked(home), await asked(folder)]).toEqual([false, true]);
});

test.each(NO_PATHS)('the thin command leaves the call to Node where HOME is %j', async (home) => {
  const cwd = folderWith({ node: '#!/bin/sh\necho 0 >&4; echo "$*"\n' });
  const env = { PATH: process.env['PATH'], ...(home === undefined ? {} : { HOME: home }) };
  const args = [thinScript(), '--node', join(cwd, 'node'), 'Stop'];
  const { stdout } = await start('/bin/sh', args, { cwd, stdin: '{}', env });
  expect(stdout).toMatch(/ hook Stop\n$/);
});

test.each(NO_PATHS)('with a HOME of %j a hook that runs has the home in which its file was found', (home) => {
  const call = { input: {}, projectDir: '/', eventName: 'Stop', scope: 'host', fireId: 'f' } as never;
  set({ HOME: home });
  const { HOME } = environment({ command: 'true' } as never, {} as never, call);
  expect(HOME).toBe(userInfo().homedir);
  const listed = environment({ command: 'true', env: ['HOME'] } as never, {} as never, call);
  expect(listed['HOME']).toBe(userInfo().homedir);
  const command = { type: 'command', command: 'bash ~/guard.sh; cd; . ./b.sh' } as never;
  expect(JSON.stringify(namedFiles(command, { projectDir: '/p' } as never))).toContain(
    `${userInfo().homedir}/guard.sh`,
  );
  const own = environment({ command: 'true', env: { HOME: 'own' } } as never, {} as never, call);
  expect([own['HOME'], environment({ command: 'true', env: ['PATH'] } as never, {} as never, call)['HOME']]).toEqual([
    'own',
    undefined,
  ]);
});

test.each(NO_PATHS)(
  'with a HOME of %j all that fills in variables or passes them on has the same home',
  async (home) => {
    set({ HOME: home });
    const { homedir } = userInfo();
    const projectDir = folderWith({
      '.mcp.json': JSON.stringify({ mcpServers: { s: { command: `\${HOME}/s`, env: { A: `\${HOME:-x}` } } } }),
    });
    const { servers } = judgeMcpServers({ projectDir, home: '/h' }, 'all');
    expect(servers['s']).toMatchObject({ command: `${homedir}/s`, env: { A: homedir } });
    const rules = { allowedUrls: undefined, allowedEnvVars: undefined, lookup: undefined };
    expect(fillVariables(`$HOME \${HOME}`, ['HOME'], rules)).toBe(`${homedir} ${homedir}`);
    const handler = { type: 'command', command: 'x', env: { A: `$HOME/a`, B: `\${HOME}/b` } };
    const foreign = describeForeign(tableOf('gemini'), { handler } as never, { file: '/f', place: 'user' });
    expect(foreign).toMatchObject({ description: { env: { A: `${homedir}/a`, B: `${homedir}/b` } } });
    const program = join(ROOT, 'test/fixtures/programs/mcp-server.mjs');
    const tools = createMcpServers({ s: { command: process.execPath, args: [program] } });
    onTestFinished(async () => void (await tools.close()));
    const { signal } = new AbortController();
    const answer = await tools.call({ server: 's', tool: 'env', input: { text: 'HOME' }, signal } as never);
    expect(JSON.stringify(answer)).toContain(homedir);
  },
);

test.each(['.', 'own', '.codex'])("a CODEX_HOME of %j makes no file of the project the user's", (folder) => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-home-')));
  onTestFinished(() => rmSync(project, { recursive: true }));
  mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, folder, 'hooks.json'), '{"hooks":{}}');
  process.env['CODEX_HOME'] = folder;
  onTestFinished(() => void delete process.env['CODEX_HOME']);
  const { found } = findForeign(tableOf('codex'), { projectDir: project, home: '/h' });
  expect(found.filter(({ place }) => place === 'user')).toEqual([]);
});

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heldMcpServers } from '../../src/claude-code/trust/mcp-servers.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore, type TrustStore } from '../../src/trust/store.js';
import { cli } from '../cli/cli.js';
import { ROOT } from '../package/sources.js';
import { createFolder, type Folder } from '../plugins/folder.js';

const PROGRAM = join(ROOT, 'test/fixtures/programs/mcp-server.mjs');
/** A folder in the project whose name looks like something to fill in. */
const ODD = `\${CLAUDE_PROJECT_DIR}`;
const FOLDERS = ['rel', 'other', ODD, 'rel}'];

let home: Folder;
let project: Folder;
let store: TrustStore;
beforeEach(() => {
  home = createFolder();
  project = createFolder();
  store = createTrustStore(join(home.path, 'config/hookscope/trust.json'));
  project.write('hooks.json', {
    hooks: { Stop: [{ hooks: [{ type: 'mcp_tool', server: 's', tool: 'hookish', input: { text: '{}' } }] }] },
  });
  write('accepted', project, FOLDERS);
});
afterEach(() => {
  vi.unstubAllEnvs();
  home.remove();
  project.remove();
});

/** Writes scripts that say which they are, and in what state, and some of which then are the server. */
function write(state: string, folder: Folder, names: readonly string[]): void {
  for (const name of names.flatMap((at) => [`${at}/srv.mjs`, `${at}/pre.mjs`])) {
    const path = join(folder.path, name);
    const says = [join(home.path, 'ran'), `${state} ${path}\n`].map((text) => JSON.stringify(text)).join(', ');
    const serves = name.endsWith('srv.mjs') ? `await import(${JSON.stringify(PROGRAM)});` : '';
    const text = `#!${process.execPath}\nimport { appendFileSync } from 'node:fs';\nappendFileSync(${says});\n${serves}\n`;
    folder.write(name, text, 0o755);
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** The scripts that a call of the server runs, each with its state. */
async function called(env: Env): Promise<string[]> {
  await cli(['fire', 'Stop', '--json', '--hooks', 'hooks.json', '--input', '{"stop_hook_active":false}'], {
    cwd: project.path,
    env: { XDG_CONFIG_HOME: join(home.path, 'config'), CLAUDE_PROJECT_DIR: home.path, ...env },
  });
  const ran = join(home.path, 'ran');
  const lines = existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : [];
  rmSync(ran, { force: true });
  return lines;
}

function accept(env: Env): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  for (const { request } of heldMcpServers(project.path, store)) acceptTrust(request, store);
}

/** Where a server may name a script in a folder. */
const PLACES: Readonly<Record<string, (folder: string) => object>> = {
  command: (folder) => ({ command: `${folder}/srv.mjs` }),
  args: (folder) => ({ command: process.execPath, args: [`${folder}/srv.mjs`] }),
  option: (folder) => ({ command: process.execPath, args: [`--import=${folder}/pre.mjs`, PROGRAM] }),
  line: (folder) => ({ command: 'sh', args: ['-c', `exec "${process.execPath}" '${folder}/srv.mjs'`] }),
  env: (folder) => ({
    command: process.execPath,
    args: [PROGRAM],
    env: { NODE_OPTIONS: `--import=${folder}/pre.mjs` },
  }),
  'env of a line': (folder) => ({
    command: 'sh',
    args: ['-c', `exec "${process.execPath}" "$SCRIPT"`],
    env: { SCRIPT: `${folder}/srv.mjs` },
  }),
};

/** Ways to write a folder, the variables at the time of consent, and others that lead to another folder. */
const SPELLINGS: readonly (readonly [string, Env, Env])[] = [
  [`./\${A}`, { A: 'rel' }, { A: 'other' }],
  [`./\${A:-rel}`, { A: undefined }, { A: 'other' }],
  [`./\${A:-other}`, { A: 'rel' }, { A: undefined }],
  [`./\${A}\${B:-l}`, { A: 're', B: undefined }, { A: 'othe', B: 'r' }],
  [`./\${A:-\${CLAUDE_PROJECT_DIR}}`, { A: undefined }, { A: 'other' }],
  [`\${CLAUDE_PROJECT_DIR}/\${A}`, { A: 'rel' }, { A: 'other' }],
  [`./\${A:-\${B:-rel}}`, { A: 'rel', B: undefined }, { A: 'other', B: undefined }],
  [`./\${A}`, { A: ODD }, { A: 'rel' }],
];

describe('consent to MCP servers binds what runs once variables are filled in', () => {
  const cases = Object.keys(PLACES).flatMap((place) => SPELLINGS.map((spelling) => [place, ...spelling] as const));
  test.each(cases)('%s with %s, %j, or %j', async (place, folder, env, others) => {
    project.write('.mcp.json', { mcpServers: { s: PLACES[place]?.(folder) } });
    accept(env);
    const ran = await called(env);
    expect(ran).toHaveLength(1);
    write('changed', project, FOLDERS);
    expect(await called(env)).toEqual([]);
    write('accepted', project, FOLDERS);
    expect(await called(env)).toEqual(ran);
    expect(await called(others)).toEqual([]);
  });

  test('$CLAUDE_PROJECT_DIR in a line is the folder of the project whose servers they are', async () => {
    const line = `exec "${process.execPath}" "$CLAUDE_PROJECT_DIR/rel/srv.mjs"`;
    project.write('.mcp.json', { mcpServers: { s: { command: 'sh', args: ['-c', line] } } });
    write('accepted', home, ['rel']);
    accept({});
    expect(await called({})).toEqual([`accepted ${join(project.path, 'rel/srv.mjs')}`]);
    write('changed', project, ['rel']);
    expect(await called({})).toEqual([]);
  });

  test('an address, and a line that names no file, are refused with other values; env and headers hold secrets that are renewed', () => {
    const held = (server: object, before: string, after: string): boolean => {
      project.write('.mcp.json', { mcpServers: { s: server } });
      accept({ A: before });
      vi.stubEnv('A', after);
      return heldMcpServers(project.path, store).length > 0;
    };
    expect(held({ type: 'http', url: `http://\${A:-127.0.0.1}/mcp` }, 'one', 'two')).toBe(true);
    expect(held({ command: 'sh', args: ['-c', `\${A}`] }, 'true', 'false')).toBe(true);
    expect(held({ command: `\${A}` }, 'node', 'bun')).toBe(true);
    expect(held({ type: 'http', url: 'http://h/mcp', headers: { a: `\${A}` } }, 'one', 'two')).toBe(false);
    expect(held({ command: 'x', env: { TOKEN: `\${A}` } }, 'some/secret', 'two/secrets')).toBe(false);
    const stored = readFileSync(join(home.path, 'config/hookscope/trust.json'), 'utf8');
    expect(stored).not.toMatch(/http:\/\/one|secret/);
  });

  test('consent given to servers that no variable changes stays as it is stored', () => {
    const mcpServers = { s: { command: 'node', args: [`\${CLAUDE_PROJECT_DIR}/rel/srv.mjs`, `\${A:-x}`] } };
    project.write('.mcp.json', { mcpServers });
    vi.stubEnv('A', undefined);
    const [held] = heldMcpServers(project.path, store);
    expect(held?.request.definition).toBe(JSON.stringify({ mcpServers }, undefined, 2));
    expect(Object.keys(held?.request.files ?? {})).toEqual([join(project.path, 'rel/srv.mjs')]);
  });

  test('a script that is gone since is missed, and one that was not there is not run when it is', async () => {
    const server = { command: process.execPath, args: [`./\${A}/srv.mjs`] };
    project.write('.mcp.json', { mcpServers: { s: server } });
    const state = (): (string | undefined)[] => heldMcpServers(project.path, store).map(({ why }) => why);
    accept({ A: 'new' });
    write('changed', project, ['new']);
    expect(await called({ A: 'new' })).toEqual([]);
    accept({ A: 'new' });
    rmSync(join(project.path, 'new'), { recursive: true });
    expect(state()).toEqual([expect.stringContaining('new/srv.mjs, which')]);
    expect(state()).toEqual([expect.stringContaining('is missing')]);
  });

  const stored = (): string => join(home.path, 'config/hookscope/trust.json');
  /** What earlier versions stored, which bound no variables. */
  const forgetVariables = (): void =>
    writeFileSync(stored(), readFileSync(stored(), 'utf8').replace(/,\\n {2}\\"variables\\": \{.*?\}/g, ''));

  test.each([
    [{ type: 'http', url: `https://\${A:-a.example}/x` }, 'b.example', 'c.example', `https://\${A}/x`],
    [{ type: 'http', url: `https://\${A:-a.example}/x` }, undefined, 'c.example', `https://\${A}/x`],
    [{ command: 'node', args: [`\${A:-rel/srv.mjs}`] }, 'other/srv.mjs', undefined, '"rel/srv.mjs"'],
    [{ command: `\${A}`, args: [`\${CLAUDE_PROJECT_DIR}/rel/srv.mjs`] }, 'node', 'bun', '"bun"'],
    [{ command: 'node', args: [`\${A:-rel}/srv.mjs`, `\${AB}`] }, 'rel', 'other', '"other/srv.mjs"'],
  ])('%j with %s, then %s: the variable is named, and what runs is shown', async (server, before, after, shown) => {
    project.write('.mcp.json', { mcpServers: { fixed: { command: 'node' }, s: server } });
    const names = JSON.stringify(server).includes('AB') ? 'A, AB' : 'A';
    const why = `a variable that the MCP server s of ${join(project.path, '.mcp.json')} uses (${names}) has another value than when it was accepted`;
    accept({ A: before });
    for (const older of [() => undefined, forgetVariables]) {
      older();
      vi.stubEnv('A', after);
      expect(heldMcpServers(project.path, store).map((held) => held.why)).toEqual([`${why}; see hookscope trust`]);
      const { stdout } = await cli(['trust'], {
        cwd: project.path,
        env: { XDG_CONFIG_HOME: join(home.path, 'config'), A: after },
      });
      expect(stdout).toContain(`\n  ${why}; see hookscope trust\n`);
      const lines = stdout.split('it runs or asks:\n')[1]?.split('\n  what')[0] ?? '';
      expect(lines).toContain(shown);
      expect(lines.split('\n')).toHaveLength(1);
    }
  });

  test('values are not stored; a changed file is not blamed on variables', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    project.write('.mcp.json', { mcpServers: { s: { type: 'http', url: `https://h/\${A}/\${B}` } } });
    accept({ A: 'seen', B: secret });
    expect(readFileSync(stored(), 'utf8')).not.toMatch(/seen|ghp_/);
    project.write('.mcp.json', { mcpServers: { s: { type: 'http', url: `https://h/\${A}` } } });
    expect(heldMcpServers(project.path, store).map(({ why }) => why)).toEqual([
      `${join(project.path, '.mcp.json')} has changed since it was accepted; see hookscope trust`,
    ]);
  });

  const VALUES = { KEY: 'correct-horse-battery', PLAIN: 'postgres://u:pa"ss@h/db', LINE: 'echo "$(hunter22x)" $OTHER' };
  const PARTS = Object.values(VALUES).flatMap((value) =>
    value.match(/correct-horse-battery|pa"|ss@h|hunter22x|OTHER/g),
  );
  const USES = Object.keys(VALUES).flatMap((name) => [`\${${name}}`, `X-Auth: \${${name}:-d}`, `--k=\${${name}}`]);
  test.each(
    USES.flatMap((use) => [
      { command: 'node', args: ['srv.mjs', '--db', use] },
      { command: 'sh', args: ['-c', `x ${use} "$(cat y)"`] },
      { command: 'sh', args: ['-c', `node "$Q/${use}"`], env: { Q: use } },
      { command: `run ${use}` },
      { type: 'http', url: `https://h/${use}/x?k=${use}` },
    ]),
  )('%j: no command that shows it shows the values', async (server) => {
    project.write('.mcp.json', { mcpServers: { s: server } });
    const config = { XDG_CONFIG_HOME: join(home.path, 'config') };
    const show = async (args: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await cli(args, { cwd: project.path, env: { ...config, ...VALUES } });
      return stdout + stderr;
    };
    const first = await show(['trust']);
    expect(first).toContain('it runs or asks:\n  s  {');
    accept({ KEY: 'other', PLAIN: 'other', LINE: 'other' });
    const shown = [first, await show(['trust']), await show(['trust', '--list']), await show(['list'])].join('\n');
    for (const part of PARTS) expect(shown).not.toContain(part);
  });

  test('a variable that names a file or a program is shown as what it names, unless its name is that of a secret', async () => {
    const args = [`\${A}/srv.mjs`, `\${API_TOKEN}/srv.mjs`, `\${A}/none.mjs`];
    project.write('.mcp.json', { mcpServers: { s: { command: `\${P}`, args } } });
    const env = { XDG_CONFIG_HOME: join(home.path, 'config'), A: 'rel', API_TOKEN: 'other', P: 'node' };
    const { stdout } = await cli(['trust'], { cwd: project.path, env });
    expect(stdout).toContain(`s  {"command":"node","args":["rel/srv.mjs","\${API_TOKEN}/srv.mjs","\${A}/none.mjs"]`);
  });
});

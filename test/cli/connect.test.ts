import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tableOf } from '../../src/connect/agent-hooks.js';
import { CATALOGUE, CLAUDE_EVENTS } from '../../src/events/catalogue.js';
import { type FakeCodex, writeFakeCodex } from '../connect/fake-codex.js';
import { NO_FILES } from '../no-files.js';
import { until } from '../server/kit.js';
import { cli } from './cli.js';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'connect it’s ')));
  mkdirSync(join(folder, 'project'));
  env = {
    ...process.env,
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    CODEX_HOME: join(folder, 'codex'),
    COPILOT_HOME: join(folder, 'copilot'),
    GEMINI_CLI_HOME: join(folder, 'gemini'),
    // No Codex of whoever runs the tests.
    PATH: join(folder, 'bin'),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hookscope = (...args: string[]) => cli(args, { cwd: join(folder, 'project'), env });
const user = (): string => join(folder, 'claude/settings.json');

interface Handler {
  readonly type: string;
  readonly command: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly timeout: number;
  readonly onFailure?: string;
}
const handlers = (file: string): Map<string, Handler> => {
  const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Record<string, { hooks: Handler[] }[]> };
  return new Map(Object.entries(hooks).map(([event, groups]) => [event, groups.at(-1)?.hooks[0] as Handler]));
};

const AGENTS = [
  ['claude-code', 'claude/settings.json', '.claude/settings.local.json', 'PreToolUse'],
  ['codex', 'codex/hooks.json', '.codex/hooks.json', 'PreToolUse'],
  ['copilot', 'copilot/hooks/hookscope.json', '.github/hooks/hookscope.json', 'preToolUse'],
  ['gemini', 'gemini/.gemini/settings.json', '.gemini/settings.json', 'BeforeTool'],
  ['cursor', '.cursor/hooks.json', '.cursor/hooks.json', 'preToolUse'],
] as const;

test.each([
  [['connect', 'claude-code'], false],
  [['connect', 'claude-code', '--write'], true],
])('settings that switch all hooks off are told by %j', async (args, isWritten) => {
  mkdirSync(dirname(user()), { recursive: true });
  writeFileSync(user(), '{ "disableAllHooks": true }');
  const { stdout, stderr, code } = await hookscope(...args);
  expect([code, stdout.includes('Connected:')]).toEqual([0, isWritten]);
  expect(stderr).toMatch(/not in force: .*settings\.json says "disableAllHooks": true, so Claude Code does not run/);
});

test('a Claude Code that has comments in its settings loads none of them: they stay, and that no hook is in force is told', async () => {
  const texts = {
    '// mine': '{\n  // mine\n  "model": "opus"\n}\n',
    'at the end': '{ "model": "opus" } /* mine */\n',
    'a comma': '{\n  "env": { "A": "1", }\n}\n',
  };
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(user()), { recursive: true });
    writeFileSync(user(), text);
    for (const args of [[], ['--write'], ['--write']]) {
      const { code, stderr } = await hookscope('connect', 'claude-code', ...args);
      expect([name, code, stderr]).toEqual([
        name,
        0,
        expect.stringMatching(/not in force: .*settings\.json, line \d+: /),
      ]);
    }
    expect(readFileSync(user(), 'utf8').includes('mine')).toBe(text.includes('mine'));
    const doctor = await hookscope('doctor');
    expect([name, doctor.code, doctor.stdout]).toEqual([
      name,
      1,
      expect.stringMatching(/problem {2}.*settings\.json.* is not read by Claude Code: line \d+: /),
    ]);
    await hookscope('connect', 'claude-code', '--undo');
    expect(readFileSync(user(), 'utf8')).toBe(text);
  }
  writeFileSync(user(), '\uFEFF{ "model": "opus" }\n');
  expect((await hookscope('connect', 'claude-code', '--write')).stderr).not.toContain('in force');
});

describe.each(AGENTS)('hookscope connect %s', (agent, ofUser, ofProject, event) => {
  test.each([
    ['--user', ofUser],
    ['--project', join('project', ofProject)],
  ])('%s shows, writes, says what the agent itself asks for, and restores', async (whose, path) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const before = '{\r\n\t"hooks": {}\r\n}';
    writeFileSync(file, before);
    const shown = await hookscope('connect', agent, whose);
    expect(shown.stdout).toContain(`+\t\t"${event}": [`);
    expect(shown.stderr).toContain('--write');
    expect(readFileSync(file, 'utf8')).toBe(before);
    const { stdout, stderr, code } = await hookscope('connect', agent, whose, '--write');
    expect(code).toBe(0);
    expect(stdout).toContain(
      `Connected: ${file}. hookscope connect ${agent} ${whose === '--user' ? '' : '--project '}--undo`,
    );
    expect(stdout).toContain(tableOf(agent).files.trust);
    expect(stderr.includes('not tried')).toBe(agent === 'cursor');
    expect(stderr.includes('paths of this machine')).toBe(whose === '--project' && agent !== 'claude-code');
    expect(readFileSync(file, 'utf8')).toContain(`${event} --timeout 600"`);
    const { stdout: undone } = await hookscope('connect', agent, whose, '--undo');
    expect(undone).toBe(`${file} is as it was before, byte for byte.\n`);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('hookscope connect codex', () => {
  const file = (): string => join(folder, 'codex/hooks.json');
  const connect = (fake: FakeCodex, ...more: string[]) =>
    hookscope('connect', 'codex', '--codex', writeFakeCodex(join(folder, 'fake-codex'), file(), fake), ...more);

  test('undoing where nothing is connected names the option with which something is', async () => {
    const local = join(folder, 'project/.claude/settings.local.json');
    await hookscope('connect', 'claude-code', '--project', '--write');
    expect((await hookscope('connect', 'claude-code', '--undo')).stdout).toBe(
      `Nothing is connected there; nothing was changed. ${local} is connected: undo it with --project.\n`,
    );
    await hookscope('connect', 'claude-code', '--project', '--undo');
    await hookscope('connect', 'claude-code', '--write');
    expect((await hookscope('connect', 'claude-code', '--project', '--undo')).stdout).toContain('undo it with --user.');
  });

  test('tells of each hook whether Codex trusts it, and what to do', async () => {
    const { stdout } = await connect({ trust: { '*': 'untrusted', stop: 'trusted' } }, '--write');
    expect(stdout).toMatch(/^ {2}PreToolUse +not trusted: it does not run$/m);
    expect(stdout).toMatch(/^ {2}Stop +trusted: it runs$/m);
    expect(stdout).toContain('13 of 14 do not run yet. Start codex in a terminal and choose "Trust all and continue"');
    const { stdout: later } = await connect({ trust: { '*': 'trusted' } });
    expect(later).toContain('is connected already');
    expect(later).not.toContain('do not run');
    const { stderr, code } = await connect({ instead: 'error' });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/fake-codex could not be asked which hooks it trusts: .*no such method/),
    ]);
  });

  test('does not ask before anything is written', async () => {
    const { stdout, stderr } = await connect({ trust: { '*': 'untrusted' } });
    expect([stdout.includes('trusted'), stderr]).toEqual([false, expect.stringContaining('nothing was changed')]);
  });

  test('tells of a config.toml with hooks beside it, of which Codex runs both', async () => {
    mkdirSync(join(folder, 'codex'));
    const toml = join(folder, 'codex/config.toml');
    writeFileSync(toml, '[hooks.state."x:stop:0:0"]\ntrusted_hash = "sha256:0"\n');
    expect((await hookscope('connect', 'codex')).stderr).not.toContain('runs both');
    writeFileSync(toml, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n');
    expect((await hookscope('connect', 'codex')).stderr).toContain(`${toml} has hooks too: Codex runs both`);
  });

  test('leaves a file alone that Codex does not read, and says why', async () => {
    mkdirSync(join(folder, 'codex'));
    writeFileSync(file(), '{ "$schema": "x" }');
    const { stderr, code } = await hookscope('connect', 'codex', '--write');
    expect([code, stderr]).toEqual([1, expect.stringContaining('"$schema" voids it, and none of its hooks run')]);
    expect(readFileSync(file(), 'utf8')).toBe('{ "$schema": "x" }');
  });
});

test('an agent that reads Claude Code’s files too asks twice, and that is said', async () => {
  await hookscope('connect', 'claude-code', '--project', '--write');
  const { stderr } = await hookscope('connect', 'copilot');
  expect(stderr).toMatch(/GitHub Copilot CLI reads .*settings\.local\.json too, which is connected for claude-code/);
  expect((await hookscope('connect', 'gemini')).stderr).not.toContain('too, which');
});

test('Gemini, where a person sits, asks', async () => {
  const { stdout } = await hookscope('connect', 'gemini', '--attended');
  expect(stdout).toContain(' --as gemini BeforeTool --attended --timeout 600');
});

test.each(Object.keys(NO_FILES))('%s in the place of the settings is left alone, and not waited for', async (what) => {
  const place = join(folder, 'gemini/.gemini/settings.json');
  mkdirSync(dirname(place), { recursive: true });
  NO_FILES[what]?.(place);
  const look = () => [lstatSync(place).ino, lstatSync(place).mtimeMs];
  const before = look();
  const { code, stderr } = await hookscope('connect', 'gemini', '--write');
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/: is .*nothing was changed/) as string,
  });
  expect(look()).toEqual(before);
  expect((await hookscope('disconnect', '--all')).stdout).toMatch(/Nothing is connected/);
});

describe('a settings file whose links have changed since', () => {
  const real = (): string => join(folder, 'real/s.json');
  const text = '{\n  "model": "x" // mine\n}\n';
  beforeEach(() => {
    for (const path of ['claude', 'real']) mkdirSync(join(folder, path));
  });
  const ours = (file: string) => readFileSync(file, 'utf8').match(/"(?:command|url)": ".*/g) ?? [];
  const isolate = (): void => {
    copyFileSync(user(), `${user()}.new`);
    renameSync(`${user()}.new`, user());
  };
  const link = (): void => {
    renameSync(user(), real());
    symlinkSync('../real/s.json', user());
  };

  test.each([
    ['connect', 'claude-code', '--undo'],
    ['disconnect', '--all'],
    ['disconnect', 'claude-code'],
  ])('%s %s %s takes our hooks out where they are now', async (...undo) => {
    writeFileSync(real(), text);
    symlinkSync('../real/s.json', user());
    await hookscope('connect', 'claude-code', '--write');
    isolate();
    const first = await hookscope(...undo);
    expect([first.code, readFileSync(user(), 'utf8'), readFileSync(real(), 'utf8')]).toEqual([0, text, text]);
    const said = [user(), real()].map((file) => `${file} is as it was before, byte for byte.`);
    expect(first.stdout.trim().split('\n').sort()).toEqual(said.sort());
    rmSync(real());
    await hookscope('connect', 'claude-code', '--write');
    link();
    const { code, stdout } = await hookscope(...undo);
    expect([code, stdout]).toEqual([0, `${real()} is as it was before, byte for byte.\n`]);
    expect([readFileSync(user(), 'utf8'), lstatSync(user()).isSymbolicLink()]).toEqual([text, true]);
    expect((await hookscope(...undo)).stdout).toBe('Nothing is connected there; nothing was changed.\n');
  });

  test.each([
    ['connect', 'claude-code', '--undo'],
    ['disconnect', '--all'],
  ])('%s %s does it without its journal, and does not say that it is as it was', async (...undo) => {
    for (const how of [['--http', '--port', '4711'], []]) {
      writeFileSync(user(), text);
      chmodSync(user(), 0o600);
      for (let times = 0; times < 2; times++) {
        const { code } = await hookscope('connect', 'claude-code', '--write', ...how);
        expect([code, ours(user()).length > 20]).toEqual([0, true]);
        expect(ours(user()).length).toBe(new Set(ours(user())).size);
        rmSync(join(folder, 'state/hookscope/connections.json'));
      }
      const { code, stdout } = await hookscope(...undo);
      expect([code, readFileSync(user(), 'utf8')]).toEqual([0, text]);
      expect(stdout).toMatch(
        /settings\.json had hooks that connect had written, .* taken out; how it was .* not known/,
      );
    }
  });

  test('with what cannot be edited is an error that says what is still in it', async () => {
    writeFileSync(user(), text);
    await hookscope('connect', 'claude-code', '--write');
    link();
    writeFileSync(user(), readFileSync(user(), 'utf8').slice(0, -3));
    for (const undo of [
      ['connect', 'claude-code', '--undo'],
      ['disconnect', '--all'],
    ]) {
      const { code, stderr } = await hookscope(...undo);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/real\/s\.json: .*; \d\d hooks .* are still in it/)]);
    }
  });
});

test('two commands at once are both kept, and undone', async () => {
  const journal = join(folder, 'state/hookscope/connections.json');
  await hookscope('connect', 'gemini', '--write');
  const theirs = readFileSync(journal);
  await hookscope('disconnect', 'gemini');
  writeFileSync(join(folder, 'theirs'), theirs, { mode: 0o600 });
  // The other one has read the journal, and writes it after a moment.
  const script =
    'printf %s $$ >"$0.lock"; read -r go; sleep 0.3; cp -p theirs "$0.new"; mv "$0.new" "$0"; rm "$0.lock"';
  const other = spawn('/bin/sh', ['-c', script, journal], { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(other, 'exit');
  await until(() => existsSync(`${journal}.lock`) && readFileSync(`${journal}.lock`, 'utf8') !== '');
  other.stdin.end('go\n');
  await once(other.stdin, 'finish');
  expect(await hookscope('connect', 'cursor', '--write')).toMatchObject({ code: 0 });
  await ended;
  expect((JSON.parse(readFileSync(journal, 'utf8')) as { connections: unknown[] }).connections).toHaveLength(2);
  await hookscope('disconnect', '--all');
  expect(existsSync(join(folder, '.cursor'))).toBe(false);
});

test('all five are disconnected together', async () => {
  for (const [agent] of AGENTS) await hookscope('connect', agent, '--write');
  const { stdout } = await hookscope('disconnect', '--all');
  expect(stdout.match(/has been removed/g)).toHaveLength(5);
  for (const [, path] of AGENTS) expect(existsSync(join(folder, path))).toBe(false);
});

describe('hookscope connect claude-code', () => {
  test('shows what it would change, and changes nothing', async () => {
    const { stdout, stderr, code } = await hookscope('connect', 'claude-code');
    expect(stdout).toContain('+    "PreToolUse": [');
    expect(stderr).toContain('--write');
    expect(code).toBe(0);
    expect(existsSync(user())).toBe(false);
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });

  test('writes the thin command for every event that it can, blocking on failure where something can be denied', async () => {
    writeFileSync(join(folder, 'project/hooks.json'), '{}');
    const { stdout, stderr, code } = await hookscope('connect', 'claude-code', '--write', '--hooks', 'hooks.json');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Connected: ') });
    expect(stderr).toContain('WorktreeCreate is not connected');
    const found = handlers(user());
    expect([...found.keys()].toSorted()).toEqual(CLAUDE_EVENTS.filter((e) => e !== 'WorktreeCreate').toSorted());
    for (const [event, { type, command, timeout, onFailure }] of found) {
      expect(type).toBe('command');
      const script = / \/bin\/sh ('[^']*'|\S+)/.exec(command)?.[1]?.replaceAll("'", '') as string;
      expect(statSync(script).isFile()).toBe(true);
      expect(script.startsWith('/')).toBe(true);
      expect(command).toContain(` ${event} `);
      expect(command).toContain(`hooks.json' --timeout ${timeout}`);
      expect(onFailure).toBe(CATALOGUE[event as 'PreToolUse'].fold === 'gate' ? 'block' : undefined);
    }
    const again = await hookscope('connect', 'claude-code', '--write', '--hooks', 'hooks.json');
    expect(again.stdout).toContain('connected already');
  });

  test('what was written is undone by --undo, and by disconnect, byte for byte', async () => {
    const text = '{\r\n\t// mine\r\n\t"model": "x",\r\n}';
    mkdirSync(join(folder, 'claude'));
    for (const undo of [
      ['connect', 'claude-code', '--undo'],
      ['disconnect', '--all'],
      ['disconnect', 'claude-code'],
    ]) {
      writeFileSync(user(), text);
      await hookscope('connect', 'claude-code', '--write');
      expect(readFileSync(user(), 'utf8')).toContain('// mine');
      expect(readFileSync(user(), 'utf8')).not.toBe(text);
      const { stdout, code } = await hookscope(...undo);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining('is as it was before, byte for byte'),
      });
      expect(readFileSync(user(), 'utf8')).toBe(text);
    }
    expect((await hookscope('disconnect', '--all')).stdout).toContain('Nothing is connected');
  });

  test('of a project writes the settings that are not shared; both are undone together', async () => {
    await hookscope('connect', 'claude-code', '--write', '--project');
    await hookscope('connect', 'claude-code', '--write');
    const file = join(folder, 'project/.claude/settings.local.json');
    expect(handlers(file).size).toBe(handlers(user()).size);
    // What cannot be undone does not keep the rest from it.
    writeFileSync(file, '{ "hooks": ');
    const { stdout, stderr, code } = await hookscope('disconnect', '--all');
    expect([code, existsSync(user())]).toEqual([1, false]);
    expect(stderr).toMatch(/settings\.local\.json: line 1/);
    expect(stdout).toContain('has been removed');
    writeFileSync(file, '{}');
    expect((await hookscope('disconnect', '--all')).code).toBe(0);
    expect(existsSync(join(folder, 'project/.claude'))).toBe(false);
  });

  test('by HTTP asks a port with the token to fire alone, and says what that costs', async () => {
    const { stderr } = await hookscope('connect', 'claude-code', '--write', '--http', '--port', '4711');
    expect(stderr).toMatch(/warning: with HTTP, whatever listens at the port is obeyed/);
    expect(stderr).toMatch(/SessionStart is not connected: Claude Code does not send it to HTTP hooks/);
    const found = handlers(user());
    expect([found.has('SessionStart'), found.has('Setup'), found.has('PreToolUse')]).toEqual([false, false, true]);
    const { fire, read, admin } = JSON.parse(readFileSync(join(folder, 'state/hookscope/tokens.json'), 'utf8'));
    expect(found.get('PreToolUse')).toMatchObject({
      type: 'http',
      url: 'http://127.0.0.1:4711/hooks/PreToolUse',
      headers: { Authorization: `Bearer ${fire}` },
      onFailure: 'block',
    });
    expect(readFileSync(user(), 'utf8')).not.toContain(read);
    expect(readFileSync(user(), 'utf8')).not.toContain(admin);
    expect(statSync(user()).mode & 0o777).toBe(0o600);
  });

  test('--http writes the token into no file that other users may read', async () => {
    mkdirSync(join(folder, 'claude'));
    const connect = ['connect', 'claude-code', '--http', '--port', '4711'];
    const why = `${user()}: other users of this machine may read it, and the token would be in it; run chmod 600 on it first`;
    for (const mode of [0o644, 0o640, 0o604]) {
      writeFileSync(user(), '{}');
      chmodSync(user(), mode);
      const shown = await hookscope(...connect);
      expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining(`warning: ${why}\n`)]);
      const { code, stderr, stdout } = await hookscope(...connect, '--write');
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${why}; nothing was changed.\n`)]);
      expect([readFileSync(user(), 'utf8'), statSync(user()).mode & 0o777]).toEqual(['{}', mode]);
    }
    chmodSync(user(), 0o600);
    expect(await hookscope(...connect, '--write')).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('may read'),
    });
    const told = 'holds the token that fires events, and other users of this machine may read it.';
    expect((await hookscope('doctor')).stdout).not.toContain(told);
    chmodSync(user(), 0o644);
    expect((await hookscope('doctor')).stdout).toContain(`${user()} ${told}`);
  });

  test.each([
    [['connect', 'claude'], /"claude" is not an agent.*claude-code/],
    [['connect', 'claude-code', '--write', '--undo'], /--undo/],
    [['connect', 'claude-code', '--user', '--project'], /--user.*--project/],
    [['connect', 'claude-code', '--port', '1'], /--port.*--http/],
    [['connect', 'claude-code', '--http'], /--port.*port of hookscope serve/],
    [['connect', 'claude-code', '--http', '--port', '0'], /--port/],
    [['connect', 'claude-code', '--http', '--port', '1', '--hooks', 'x.json'], /--http.*the server is what names them/],
    [['connect', 'claude-code', '--write', '--hooks', 'gone.json'], /gone\.json: there is no such file/],
    [
      ['connect', 'claude-code', '--write', '--hooks', 'PreToolUze.json'],
      /PreToolUze\.json: PreToolUze: .*"PreToolUse"/,
    ],
    [
      ['connect', 'gemini', '--write', '--hooks', 'AfterAgent.json'],
      /is Gemini's name of Stop; .* hookscope serve --from gemini FILE/,
    ],
    [
      ['connect', 'claude-code', '--write', '--hooks', 'cursor.json'],
      /is Cursor's name of PreToolUse; for Cursor's own file use hookscope serve --from cursor FILE/,
    ],
    [['connect', 'claude-code', '--write', '--hooks', 'settings.json'], /use hookscope serve --settings/],
    [['connect', 'claude-code', '--write', '--plugin', './gone.mjs'], /gone\.mjs.*There is no such file/],
    [['connect', 'codex', '--write', '--project', '--plugin', join(tmpdir(), 'gone.js')], /gone\.js.*no such file/],
    [['connect', 'claude-code', '--write', '--plugin', 'gone-package'], /"gone-package" was not found/],
    [['connect', 'claude-code', '--plugin', '.'], /is a folder without a package\.json/],
    [['connect', 'gemini', '--http', '--port', '1'], /--http.*claude-code alone/],
    [['connect', 'codex', '--attended'], /--attended.*with gemini alone/],
    [['connect', 'gemini', '--codex', 'x'], /--codex.*with codex alone/],
    [['connect', 'geminy'], /"geminy" is not an agent.*codex, copilot, gemini, cursor/],
    [['disconnect'], /name one agent \(.*codex.*\), or every agent with --all/],
    [['disconnect', 'claude-code', '--all'], /name one agent \(.*codex.*\), or every agent with --all/],
  ])('%j is refused, and nothing is written', async (args, message) => {
    for (const event of ['PreToolUze', 'AfterAgent'])
      writeFileSync(join(folder, 'project', `${event}.json`), JSON.stringify({ [event]: [] }));
    const cursor = { version: 1, hooks: { beforeShellExecution: [] } };
    writeFileSync(join(folder, 'project', 'cursor.json'), JSON.stringify(cursor));
    writeFileSync(join(folder, 'project', 'settings.json'), JSON.stringify({ permissions: {}, hooks: {} }));
    const { stderr, code } = await hookscope(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
    expect(existsSync(user())).toBe(false);
  });

  test.each([
    ['Deploy', false],
    ['PreToolUze', true],
  ])('%s, which a configuration may define, is connected with a warning; one is here: %j', async (event, isHere) => {
    writeFileSync(join(folder, 'project', 'own.json'), JSON.stringify({ [event]: [] }));
    if (isHere) writeFileSync(join(folder, 'project', 'hookscope.config.mjs'), 'export default {};');
    const { stderr, code } = await hookscope('connect', 'claude-code', '--write', '--hooks', 'own.json');
    expect(stderr).toMatch(new RegExp(`warning: .*own\\.json: ${event}: is not a known event`));
    expect(code).toBe(0);
    expect(existsSync(user())).toBe(true);
  });
});

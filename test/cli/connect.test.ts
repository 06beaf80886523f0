import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE, CLAUDE_EVENTS } from '../../src/events/catalogue.js';
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
      const script = / sh ('[^']*'|\S+)/.exec(command)?.[1]?.replaceAll("'", '') as string;
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
        stdout: expect.stringContaining('has the bytes that it had before'),
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
    expect(stdout).toContain('is gone again');
    writeFileSync(file, '{}');
    expect((await hookscope('disconnect', '--all')).code).toBe(0);
    expect(existsSync(join(folder, 'project/.claude'))).toBe(false);
  });

  test('by HTTP asks a port with the token to fire alone, and says what that costs', async () => {
    const { stderr } = await hookscope('connect', 'claude-code', '--write', '--http', '--port', '4711');
    expect(stderr).toMatch(/warning: by HTTP a stranger who listens at the port is obeyed/);
    expect(stderr).toMatch(/SessionStart is not connected: the client sends it to no HTTP hook/);
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

  test.each([
    [['connect', 'claude'], /"claude" is not an agent.*claude-code/],
    [['connect', 'claude-code', '--write', '--undo'], /--undo/],
    [['connect', 'claude-code', '--user', '--project'], /--user.*--project/],
    [['connect', 'claude-code', '--port', '1'], /--port.*--http/],
    [['connect', 'claude-code', '--http'], /--port.*port of hookscope serve/],
    [['connect', 'claude-code', '--http', '--port', '0'], /--port/],
    [['connect', 'claude-code', '--http', '--port', '1', '--hooks', 'x.json'], /--http.*the server is what names them/],
    [['connect', 'claude-code', '--write', '--hooks', 'gone.json'], /gone\.json: there is no such file/],
    [['disconnect'], /--all/],
    [['disconnect', 'claude-code', '--all'], /--all/],
  ])('%j is refused, and nothing is written', async (args, message) => {
    const { stderr, code } = await hookscope(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
    expect(existsSync(user())).toBe(false);
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: hooks are written like this
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClaudeProblem } from '../../src/claude-code/files/findings.js';
import { closeAll, createProject, hooksOn, type Project, skipped } from './project.js';

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(closeAll);

/** What a command of a source prints on stderr before it blocks. */
async function printed(kind: 'project' | 'plugin', handler: object, input: object = {}): Promise<string> {
  const hooks = hooksOn('PreToolUse', { type: 'command', ...handler });
  if (kind === 'project') project.write('project/.claude/settings.json', hooks);
  else {
    project.write('my plug/.claude-plugin/plugin.json', {
      name: 'plug',
      userConfig: { level: { type: 'string', default: 'low' }, token: { type: 'string' } },
    });
    project.write('my plug/hooks/hooks.json', hooks);
  }
  const loaded = await project.load(kind === 'plugin' ? { plugins: [join(project.path, 'my plug')] } : {});
  const record = await loaded.fire('PreToolUse', input as Record<string, unknown>);
  return record.decision.reason ?? JSON.stringify(skipped(record));
}

const SAY = 'exit 2; : ';
const show = (text: string) => ({ command: `printf '%s' "${text}" >&2; ${SAY}` });
const NODE_SAYS = ['-e', 'process.stderr.write(process.argv.slice(1).join("|")); process.exit(2)', '--'];
const exec = (...args: string[]) => ({ command: process.execPath, args: [...NODE_SAYS, ...args] });

describe('the environment of a hook', () => {
  test('holds what the client’s holds', async () => {
    const names = [
      'CLAUDE_PROJECT_DIR',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDECODE',
      'CLAUDE_EFFORT',
      'CLAUDE_PLUGIN_ROOT',
      'CLAUDE_ENV_FILE',
    ];
    const text = names.map((name) => `\${${name}-none}`).join('|');
    const input = { effort: { level: 'high' } };
    expect(await printed('project', show(text), input)).toBe(`${project.dir}|s|1|high|none|none`);
  });

  test('of a plugin names its folder and its data, which is made', async () => {
    const data = join(project.home, '.claude/plugins/data/plug-inline');
    expect(await printed('plugin', show('$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA|$CLAUDE_PLUGIN_OPTION_LEVEL'))).toBe(
      `${join(project.path, 'my plug')}|${data}|low`,
    );
    expect(existsSync(data)).toBe(true);
  });

  test.each(['SessionStart', 'Setup', 'CwdChanged', 'FileChanged'])(
    'on %s names a file of its own for variables',
    async (event) => {
      const write = { type: 'command', command: 'echo "export A=$HOOKSCOPE_EVENT" >> "$CLAUDE_ENV_FILE"' };
      project.write(
        'home/.claude/settings.json',
        hooksOn(event, write, { ...write, command: `${write.command}; true` }),
      );
      const { fire, envFiles, host } = await project.load();
      await fire(event, {
        source: 'startup',
        trigger: 'init',
        old_cwd: '/',
        new_cwd: '/',
        file_path: '/x',
        event: 'add',
      });
      const files = envFiles('s');
      expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual([`export A=${event}\n`, `export A=${event}\n`]);
      expect(files[1]).toMatch(new RegExp(`/s/${event.toLowerCase()}-hook-1\\.sh$`));
      expect(envFiles('other')).toEqual([]);
      await host.close();
      expect(existsSync(files[0] as string)).toBe(false);
    },
  );

  test('names the files that hooks have written, which a shell can source', async () => {
    const write = { type: 'command', command: 'echo "export A=$(basename "$CLAUDE_ENV_FILE")" >> "$CLAUDE_ENV_FILE"' };
    const quiet = { type: 'command', command: 'true' };
    project.write('home/.claude/settings.json', hooksOn('SessionStart', quiet, write, { ...quiet, timeout: 9 }, write));
    const { fire, envFiles } = await project.load();
    expect(envFiles('s')).toEqual([]);
    await fire('SessionStart', { source: 'startup' });
    expect(envFiles('s').map((file) => basename(file))).toEqual(['sessionstart-hook-1.sh']);
    const sourced = envFiles('s').map((file) => `. '${file}'; `);
    expect(execFileSync('sh', ['-c', `${sourced.join('')}echo "$A"`], { encoding: 'utf8' })).toBe(
      'sessionstart-hook-1.sh\n',
    );
  });
});

describe('what `env` of settings sets', () => {
  const env = { HOOKSCOPE_TEAM: 'a', HOME: '/elsewhere', NF: '1', PATH: process.env['PATH'] };
  const about = (problems: readonly ClaudeProblem[]) =>
    problems.map(({ file, where, message }) => `${basename(dirname(dirname(file)))} ${where}: ${message}`);

  test('does not reach hooks, and a problem says of each that uses it which file and key set it', async () => {
    project.write('project/.claude/settings.json', { env });
    project.write('home/.claude/settings.json', {
      env: { OTHER: 'b' },
      ...hooksOn(
        'PreToolUse',
        { type: 'command', command: 'printf "%s" "${HOOKSCOPE_TEAM-none}|$HOME" >&2; exit 2' },
        { type: 'command', command: 'sh', args: ['-c', ': "$OTHER"'] },
        { type: 'http', url: 'http://127.0.0.1:9/', headers: { a: 'Bearer $OTHER' }, if: 'Read(x)' },
      ),
    });
    const { fire, problems } = await project.load();
    const settings = join(project.dir, '.claude/settings.json');
    const fix = 'which hooks do not get here; set it where the host runs, or in the command';
    expect(about(problems)).toEqual([
      `home hooks.PreToolUse[0].hooks[0].command: $HOOKSCOPE_TEAM is set by env.HOOKSCOPE_TEAM of ${settings}, ${fix}`,
      `home hooks.PreToolUse[0].hooks[0].command: $HOME is set by env.HOME of ${settings}, ${fix}`,
      `home hooks.PreToolUse[0].hooks[1].args: $OTHER is set by env.OTHER of ${join(project.home, '.claude/settings.json')}, ${fix}`,
      `home hooks.PreToolUse[0].hooks[2].headers: $OTHER is set by env.OTHER of ${join(project.home, '.claude/settings.json')}, ${fix}`,
    ]);
    expect((await fire('PreToolUse', {})).decision.reason).toBe(`none|${process.env['HOME']}`);
  });

  test.each([
    'true',
    'echo "$PATH"',
    'HOOKSCOPE_TEAM=b; echo $HOOKSCOPE_TEAM',
    'export HOOKSCOPE_TEAM=b && ./x "$HOOKSCOPE_TEAM"',
    'echo "\\$HOOKSCOPE_TEAM"',
    'echo $HOOKSCOPE_TEAMS',
  ])('is not a problem of a hook that does without: %s', async (command) => {
    project.write('project/.claude/settings.json', { env, ...hooksOn('PreToolUse', { type: 'command', command }) });
    const { problems } = await project.load();
    expect(about(problems)).toEqual([]);
  });
});

describe('placeholders', () => {
  test('are filled in exec form, where no shell reads them, as they are', async () => {
    const args = [
      '${CLAUDE_PROJECT_DIR}/a b',
      '${CLAUDE_PLUGIN_ROOT}',
      '${CLAUDE_PLUGIN_DATA}',
      '${user_config.level}',
      '$HOME',
      '${OTHER}',
    ];
    const data = join(project.home, '.claude/plugins/data/plug-inline');
    expect(await printed('plugin', exec(...args))).toBe(
      [`${project.dir}/a b`, join(project.path, 'my plug'), data, 'low', '$HOME', '${OTHER}'].join('|'),
    );
  });

  test('take settings’ values for a plugin before its defaults', async () => {
    project.write('home/.claude/settings.json', {
      pluginConfigs: { 'plug@market': { options: { level: 'high', token: 't' } } },
    });
    expect(await printed('plugin', exec('${user_config.level}', '${user_config.token}'))).toBe('high|t');
  });

  test('without a value keep the hook from running, and say which', async () => {
    expect(await printed('plugin', exec('${user_config.token}'))).toMatch(
      /invalid: hooks\.PreToolUse\[0\]\.hooks\[0\] in .*: \$\{user_config\.token\} has no value/,
    );
  });

  test('of the user’s configuration are not for a shell to read', async () => {
    expect(await printed('plugin', show('${user_config.level}'))).toMatch(
      /has a value in exec form only; give \\"args\\"/,
    );
  });

  test('in shell form are the shell’s own, also with a space in the path', async () => {
    expect(
      await printed('plugin', {
        command: `"\${CLAUDE_PLUGIN_ROOT}/x" 2>/dev/null; printf '%s' "\${CLAUDE_PLUGIN_ROOT}" >&2; ${SAY}`,
      }),
    ).toBe(join(project.path, 'my plug'));
  });

  test('in shell form never make a program of a folder’s name', async () => {
    const folder = 'p$(touch pwned)`touch pwned`';
    project.write(
      `${folder}/hooks/hooks.json`,
      hooksOn('PreToolUse', { type: 'command', ...show('${CLAUDE_PLUGIN_ROOT}') }),
    );
    const { fire } = await project.load({ plugins: [join(project.path, folder)] });
    expect((await fire()).decision.reason).toBe(join(project.path, folder));
    expect(existsSync(join(project.dir, 'pwned'))).toBe(false);
  });

  test('of a plugin’s plain path are put in before the shell reads the line, so that it may stand in single quotes', async () => {
    project.write(
      'plug/hooks/hooks.json',
      hooksOn('PreToolUse', { type: 'command', command: `printf %s '\${CLAUDE_PLUGIN_ROOT}' >&2; ${SAY}` }),
    );
    const { fire } = await project.load({ plugins: [join(project.path, 'plug')] });
    const { decision, handlers } = await fire();
    expect(decision.reason).toBe(join(project.path, 'plug'));
    expect(handlers[0]?.name).toContain("'${CLAUDE_PLUGIN_ROOT}'");
  });
});

describe('times', () => {
  test.each<[string, object, number]>([
    ['PreToolUse', { type: 'command', command: 'true' }, 600],
    ['PreToolUse', { type: 'command', command: 'true', timeout: 0.5 }, 0.5],
    ['PreToolUse', { type: 'http', url: 'http://127.0.0.1:9/' }, 600],
    ['PreToolUse', { type: 'prompt', prompt: 'ok?' }, 30],
    ['PreToolUse', { type: 'agent', prompt: 'ok?' }, 60],
    ['UserPromptSubmit', { type: 'command', command: 'true' }, 30],
    ['SessionEnd', { type: 'command', command: 'true' }, 1.5],
    ['SessionEnd', { type: 'command', command: 'true', timeout: 300 }, 60],
  ])('%s %j: %d s', async (event, handler, seconds) => {
    project.write('home/.claude/settings.json', hooksOn(event, handler));
    const { host } = await project.load();
    expect(host.describe().children[0]?.hooks.map(({ timeout }) => timeout)).toEqual([seconds]);
  });

  test('a background hook has its own time there too', async () => {
    project.write(
      'home/.claude/settings.json',
      hooksOn('PreToolUse', { type: 'command', command: 'sleep 20', async: true, timeout: 0.2 }),
    );
    const { fire, host } = await project.load();
    await fire();
    const ended = new Promise((resolve) =>
      host.events$.subscribe((record) => record.type === 'system' && resolve(record)),
    );
    expect(await ended).toMatchObject({ subtype: 'hook_response', failure: { cause: 'timeout' } });
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: hooks are written like this
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkHookFiles, type HookFinding } from '../../src/check/check.js';
import { fireFile } from '../../src/testing/fire-file.js';
import { payload } from '../../src/testing/payload.js';

/** The project, in which each script that is named here denies. */
let project: string;
const SCRIPTS = ['.claude/hooks/g.sh', 'hooks/g.sh', 'g.sh', 'my guard.sh', '-d/g.sh'];
beforeEach(() => {
  project = join(realpathSync(mkdtempSync(join(tmpdir(), 'hookscope advice-'))), 'p');
  for (const script of SCRIPTS) write(script, '#!/bin/bash\necho no >&2\nexit 2\n');
  mkdirSync(join(project, 'sub'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dirname(project), { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

interface Command {
  readonly command: string;
  readonly args?: readonly string[];
}

const OWN = 'hooks.json';
const THEIRS = '.claude/settings.json';
const writeHook = (file: string, hook: Command): void =>
  write(file, JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', ...hook }] }] } }));

/** What a check in the folder above finds. */
async function findingsIn(file: string): Promise<readonly HookFinding[]> {
  const cwd = dirname(project);
  return (await checkHookFiles({ paths: [join('p', file)], cwd, home: cwd, managedDir: cwd })).findings;
}

const adviceOf = async (rule: string, file: string): Promise<string> =>
  (await findingsIn(file)).find((finding) => finding.rule === rule)?.fix ?? '';

async function verdictFrom(folder: string, file: string): Promise<string> {
  const input = { ...payload.preToolUse.bash('ls'), cwd: join(project, folder) };
  return (await fireFile(join(project, file), 'PreToolUse', input, { projectDir: project })).decision.verdict;
}

test.each<[file: string, command: string, written: string, advice: string]>([
  [THEIRS, '"$CLAUDE_PROJECT_DIR"/.claude/hooks/g.sh', '', 'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/g.sh'],
  [THEIRS, '"$CLAUDE_PROJECT_DIR/my guard.sh"', '', 'bash "$CLAUDE_PROJECT_DIR/my guard.sh"'],
  [THEIRS, 'timeout 5 "$CLAUDE_PROJECT_DIR"/g.sh', '"$CLAUDE_PROJECT_DIR"/g.sh', 'bash "$CLAUDE_PROJECT_DIR"/g.sh'],
  [THEIRS, 'cd "$CLAUDE_PROJECT_DIR" && hooks/g.sh', 'hooks/g.sh', 'bash hooks/g.sh'],
  [THEIRS, 'cd "$CLAUDE_PROJECT_DIR" && -d/g.sh', '-d/g.sh', 'bash ./-d/g.sh'],
  [OWN, './g.sh', '', 'bash ./g.sh'],
  [OWN, './my\\ guard.sh', '', 'bash ./my\\ guard.sh'],
  [OWN, 'cd hooks && ./g.sh', './g.sh', 'bash ./g.sh'],
])('in %s, %s that is not executable runs with the advised words', async (file, command, written, advice) => {
  writeHook(file, { command });
  const fix = await adviceOf('script-not-executable', file);
  expect(fix).toMatch(/^chmod \+x '?p\//);
  expect(/name what reads it: (.*)\.$/.exec(fix)?.[1]).toBe(advice);
  writeHook(file, { command: command.replace(written === '' ? command : written, () => advice) });
  const from = file === OWN ? '' : 'sub';
  expect(await verdictFrom(from, file)).toBe('deny');
});

test.each<[string, Command]>([
  [THEIRS, { command: `\${CLAUDE_PROJECT_DIR}/my guard.sh`, args: [] }],
  [OWN, { command: './my guard.sh', args: [] }],
])('in %s, a program without a shell is advised to be an argument: %j', async (file, { command, args = [] }) => {
  writeHook(file, { command, args });
  const fix = await adviceOf('script-not-executable', file);
  expect(fix).toContain(`, or make "bash" the program and ${JSON.stringify(command)} its first argument.`);
  writeHook(file, { command: 'bash', args: [command, ...args] });
  expect(await verdictFrom(file === OWN ? '' : 'sub', file)).toBe('deny');
});

test.each<[string, Command, Command | 'absolute', RegExp]>([
  [THEIRS, { command: './hooks/g.sh' }, { command: '"$CLAUDE_PROJECT_DIR"/hooks/g.sh' }, /^Write (.*)\.$/],
  [THEIRS, { command: '"./my guard.sh"' }, { command: '"$CLAUDE_PROJECT_DIR"/"./my guard.sh"' }, /^Write (.*)\.$/],
  [THEIRS, { command: './g.sh', args: [] }, { command: `\${CLAUDE_PROJECT_DIR}/g.sh`, args: [] }, /^Write (.*)\.$/],
  [
    THEIRS,
    { command: 'cd hooks && ./g.sh' },
    { command: 'cd "$CLAUDE_PROJECT_DIR" && ' },
    /^Begin the line with (.*)\.$/,
  ],
  [OWN, { command: 'cd hooks && ./g.sh' }, { command: "cd 'HERE' && " }, /^Begin the line with (.*)\.$/],
  [OWN, { command: './hooks/g.sh' }, { command: '"$CLAUDE_PROJECT_DIR"/hooks/g.sh' }, /, or (.*) if each project/],
  [OWN, { command: './g.sh', args: [] }, 'absolute', /^(Write its absolute path\.)$/],
])('in %s, the advice for the relative path in %j works from another folder', async (file, hook, mended, words) => {
  for (const script of SCRIPTS) chmodSync(join(project, script), 0o755);
  writeHook(file, hook);
  const [, advice] = words.exec(await adviceOf('script-relative', file)) ?? [];
  if (mended === 'absolute') {
    expect(advice).toBeDefined();
    writeHook(file, { ...hook, command: join(project, hook.command) });
  } else {
    const command = mended.command.replace('HERE', project);
    expect(advice).toBe(command.trimEnd());
    writeHook(file, { ...hook, command: command.endsWith(' ') ? command + hook.command : command });
  }
  expect(await verdictFrom('sub', file)).toBe('deny');
  expect(await adviceOf('script-relative', file)).toBe('');
});

const UNREAD = 'Write the whole path, or one line for a shell in "command", without "args".';
const NAMES = ['CLAUDE_PROJECT_DIR', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_SKILL_DIR', 'CLAUDE_ENV_FILE', 'HOME'];

test.each([THEIRS, OWN])(
  'in %s, a placeholder that nothing fills in where no shell reads it has advice that works',
  async (file) => {
    for (const name of NAMES) {
      for (const word of [`$${name}/g.sh`, `\${${name}}/g.sh`]) {
        const isFilled = file === THEIRS && name === 'CLAUDE_PROJECT_DIR';
        for (const hook of [
          { command: 'bash', args: [word] },
          { command: word, args: [] },
          { command: 'env', args: [`GUARD=${word}`, 'bash', '-c', 'bash "$GUARD"'] },
        ]) {
          writeHook(file, hook);
          const fix = await adviceOf('placeholder-literal', file);
          expect([hook, fix]).toEqual([hook, isFilled ? (word.includes('{') ? '' : `Write \${${name}}.`) : UNREAD]);
        }
      }
    }
    writeHook(file, { command: 'bash', args: [join(project, 'g.sh')] });
    expect(await verdictFrom('sub', file)).toBe('deny');
    writeHook(file, { command: 'bash "$CLAUDE_PROJECT_DIR"/g.sh' });
    expect(await verdictFrom('sub', file)).toBe('deny');
    expect(await findingsIn(file)).toEqual([]);
  },
);

test.each<Command>([
  ...['sh', 'bash', '/bin/bash'].map((command) => ({ command, args: ['-c', '"$CLAUDE_PROJECT_DIR"/g.sh'] })),
  { command: 'timeout', args: ['5', 'bash', '-lc', '"$CLAUDE_PROJECT_DIR"/g.sh'] },
  { command: 'node', args: ['-e', '$HOME/x'] },
  { command: 'node', args: ['--title', 'x', '--input-type', 'module', '-e', '$HOME/x'] },
  { command: 'true', args: ['fish', '-c', '$HOME/x'] },
  { command: 'true', args: ['pwsh', '-NoProfile', '-c', '$HOME/x'] },
  { command: 'true', args: ['$OWN/x'] },
  { command: 'awk', args: ['{print $HOME}', '/dev/null'] },
  { command: 'awk', args: ['$NF', '/dev/null'] },
  { command: 'sed', args: ['$d', '/dev/null'] },
])('code in a word is no placeholder that stays as it is: %j', async (hook) => {
  for (const script of SCRIPTS) chmodSync(join(project, script), 0o755);
  for (const file of [THEIRS, OWN]) {
    writeHook(file, hook);
    expect(await findingsIn(file)).toEqual([]);
    if (hook.args?.at(-1)?.endsWith('/g.sh') === true) expect(await verdictFrom('sub', file)).toBe('deny');
  }
});

test.each<Command>([
  { command: 'node', args: ['--import', 'file://$CLAUDE_PROJECT_DIR/h.mjs', 'g.js'] },
  { command: 'curl', args: ['-d', '@$HOME/x.json', 'http://x'] },
  { command: 'cc', args: ['-I$HOME/inc'] },
  { command: 'python3', args: ['g.py', '-c', '$HOME/cfg.toml'] },
  { command: 'python3', args: ['-u', 'g.py', '-c', '$HOME/cfg.toml'] },
  { command: 'bash', args: ['-x', 'g.sh', '-c', '$HOME/cfg'] },
  { command: 'node', args: ['--title', 'x', 'g.js', '-e', '$HOME/cfg'] },
])('within a word, and in an option of a script, a placeholder stays as it is: %j', async (hook) => {
  writeHook(OWN, hook);
  expect(await adviceOf('placeholder-literal', OWN)).toBe(UNREAD);
});

test.each<Command>(
  ['$OWN_DIR/', `\${OWN_DIR}/`, `./$OWN_DIR/`].flatMap((folder) => [
    { command: `${folder}g.sh`, args: [] },
    { command: 'bash', args: [`${folder}g.sh`] },
    { command: 'bash', args: ['-x', '-o', 'pipefail', `${folder}g.sh`, 'x'] },
    { command: 'env', args: ['A=1', `${folder}g.sh`] },
    { command: 'timeout', args: ['5', 'bash', `${folder}g.sh`] },
  ]),
)('no variable is read in the path of what starts without a shell: %j', async (hook) => {
  vi.stubEnv('OWN_DIR', project);
  chmodSync(join(project, 'g.sh'), 0o755);
  for (const file of [THEIRS, OWN]) {
    writeHook(file, hook);
    expect([await adviceOf('placeholder-literal', file), await verdictFrom('sub', file)]).toEqual([UNREAD, 'none']);
  }
});

test.each<[string, readonly string[]]>([
  ['env', ['MODE=strict']],
  ['timeout', ['5']],
  ['nice', ['-n', '5']],
])('an argument of %s that is not executable is advised to have bash before it', async (command, before) => {
  for (const [file, script] of [
    [THEIRS, `\${CLAUDE_PROJECT_DIR}/my guard.sh`],
    [OWN, './my guard.sh'],
  ] as const) {
    writeHook(file, { command, args: [...before, script] });
    expect(await adviceOf('script-not-executable', file)).toMatch(
      new RegExp(`, or put "bash" as an argument before ${JSON.stringify(script).replace('$', '\\$')}\\.$`),
    );
    writeHook(file, { command, args: [...before, 'bash', script] });
    expect(await verdictFrom('', file)).toBe('deny');
  }
});

test.each<Command>([
  { command: 'bash', args: ['-c', './g.sh'] },
  { command: 'bash', args: ['-c', 'cd hooks && ./g.sh'] },
  { command: "sh -c './g.sh'" },
  { command: 'sh -c "./g.sh"' },
  { command: 'sh -c "\\"$CLAUDE_PROJECT_DIR\\"/g.sh"' },
])('a text within a text gets advice, and no words to paste: %j', async (hook) => {
  for (const file of [THEIRS, OWN]) {
    writeHook(file, hook);
    for (const { fix } of await findingsIn(file)) {
      const [general] =
        /^(?:chmod \+x \S+, or write bash before its path|Let its path, or the cd before it, begin with \$CLAUDE_PROJECT_DIR, quoted for the inner shell|Write its absolute path)\.$/.exec(
          fix,
        ) ?? [];
      expect(fix).toBe(general);
    }
  }
});

test.each<Command>([
  { command: './cd/g.sh', args: [] },
  { command: './ci-cd/g.sh', args: [] },
  { command: './ci-cd/g.sh' },
  { command: 'bash', args: ['./cd/g.sh'] },
  { command: 'bash', args: ['./g.sh', 'cd'] },
])('only a line that changes the folder is to begin with cd: %j', async (hook) => {
  for (const script of ['cd/g.sh', 'ci-cd/g.sh']) write(script, '#!/bin/bash\n');
  for (const file of [THEIRS, OWN]) {
    writeHook(file, hook);
    expect(await adviceOf('script-relative', file)).toMatch(/^Write /);
  }
});

test.each<[string, string]>([
  [THEIRS, `\${CLAUDE_PROJECT_DIR}/my guard.sh`],
  [OWN, './my guard.sh'],
])('in %s, the name of a script that is there may hold a blank: %s', async (file, command) => {
  writeHook(file, { command, args: [] });
  expect(await adviceOf('exec-form-shell', file)).toBe('');
  writeHook(file, { command: `${command} x.txt`, args: [] });
  expect(await adviceOf('exec-form-shell', file)).not.toBe('');
});

test('the advice for a path that leads out of the folder of the file names none outside the project', async () => {
  for (const command of ['../g.sh', 'bash ../g.sh', 'sub/../../g.sh']) {
    writeHook(`sub/${OWN}`, { command });
    expect(await adviceOf('script-relative', `sub/${OWN}`)).toBe('Write its absolute path.');
  }
});

test.each([
  '-C "$CLAUDE_PROJECT_DIR"/sub',
  '-C"$CLAUDE_PROJECT_DIR"/sub',
  '--chdir="$CLAUDE_PROJECT_DIR"/sub',
  '--chdir "$CLAUDE_PROJECT_DIR"/sub',
  '-i -C sub',
])('a script in the folder to which env %s goes is not missed', async (options) => {
  write('sub/own.sh', '#!/bin/bash\necho no >&2\nexit 2\n');
  chmodSync(join(project, 'sub/own.sh'), 0o755);
  for (const run of ['./own.sh', 'bash own.sh', 'A=1 ./own.sh']) {
    writeHook(THEIRS, { command: `env ${options} ${run}` });
    expect([await findingsIn(THEIRS), await verdictFrom('.', THEIRS)]).toEqual([[], 'deny']);
  }
});

test('a script whose lines end in carriage returns is found where they count, and runs when it is converted as advised', async () => {
  const found = async (command: string): Promise<HookFinding | undefined> => {
    writeHook(THEIRS, { command: `cd "$CLAUDE_PROJECT_DIR" && ${command}` });
    return (await findingsIn(THEIRS)).find(({ rule }) => rule === 'script-line-ends');
  };
  for (const [name, first] of [
    ['crlf.sh', '#!/bin/bash'],
    ['crlf.py', '#!/usr/bin/env python3'],
  ] as const) {
    write(name, [first, 'exit(2)', ''].join('\r\n'));
    chmodSync(join(project, name), 0o755);
    expect((await found(`./${name}`))?.level).toBe('error');
  }
  expect(await found('python3 crlf.py')).toBeUndefined();
  for (const first of ['#!/usr/bin/perl -w', '#!/usr/bin/env -S node']) {
    write('passes.pl', [first, 'exit(2)', ''].join('\r\n'));
    chmodSync(join(project, 'passes.pl'), 0o755);
    expect(await found('./passes.pl')).toBeUndefined();
  }
  for (const reader of ['bash', 'sh', '.']) expect((await found(`${reader} ./crlf.sh`))?.level).toBe('error');
  write('mixed.sh', '#!/bin/sh\r\necho no >&2\nexit 2\n');
  expect(await found('sh ./mixed.sh')).toBeUndefined();

  write('my guard.sh', '#!/bin/bash\r\nif true; then\r\n  echo no >&2\r\n  exit 2\r\nfi\r\n');
  const { fix = '' } = (await found('bash "./my guard.sh"')) ?? {};
  const [, line = ''] = /, or (sed .*)\.$/.exec(fix) ?? [];
  execFileSync('sh', ['-c', line], { cwd: dirname(project) });
  expect(await found('bash "./my guard.sh"')).toBeUndefined();
  expect(await verdictFrom('sub', THEIRS)).toBe('deny');
});

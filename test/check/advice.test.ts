import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { fireFile } from '../../src/testing/fire-file.js';
import { payload } from '../../src/testing/payload.js';

/** The project, in which each script that is named here denies. */
let project: string;
const SCRIPTS = ['.claude/hooks/g.sh', 'hooks/g.sh', 'g.sh', 'my guard.sh', '-d/g.sh'];
beforeEach(() => {
  project = join(realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-advice-'))), 'p');
  for (const script of SCRIPTS) write(script, '#!/bin/bash\necho no >&2\nexit 2\n');
  mkdirSync(join(project, 'sub'));
});
afterEach(() => rmSync(dirname(project), { recursive: true, force: true }));

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

/** The advice of a rule, from a check in the folder above. */
async function adviceOf(rule: string, file: string): Promise<string> {
  const cwd = dirname(project);
  const { findings } = await checkHookFiles({ paths: [join('p', file)], cwd, home: cwd, managedDir: cwd });
  return findings.find((finding) => finding.rule === rule)?.fix ?? '';
}

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
  [THEIRS, `sh -c '"$CLAUDE_PROJECT_DIR"/g.sh'`, '"$CLAUDE_PROJECT_DIR"/g.sh', 'bash "$CLAUDE_PROJECT_DIR"/g.sh'],
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
  [OWN, { command: 'cd hooks && ./g.sh' }, { command: 'cd HERE && ' }, /^Begin the line with (.*)\.$/],
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../package/sources.js';
import { start } from './cli.js';

const run = (program: string, args: readonly string[], cwd: string) =>
  start(program, args, { cwd, stdin: '', env: { ...process.env, NO_COLOR: '1', NODE_TEST_CONTEXT: undefined } });

test('npm run demo shows who was denied what, and by which hook', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const { stdout, code } = await run('sh', ['-c', scripts['demo'] as string], ROOT);
  expect(code).toBe(0);
  const denied = [...stdout.matchAll(/^ \+\S+ {2}(.+) {2}(\w+) {2}(.+) {2}DENIED$/gm)].map(([, ...words]) => words);
  expect(denied).toEqual([
    ['builder a9e488', 'PreToolUse', 'Write out/summary.txt'],
    ['surveyor a4b31e', 'PreToolUse', 'Bash grep -rn export src'],
    ['main', 'PreToolUse', 'Bash node -e "process.exit(4)"'],
  ]);
  const by = [...stdout.matchAll(/^ {6}✗ (\S+) +(.+?) {2,}deny: /gm)].map(([, name, why]) => [name, why]);
  expect(by).toEqual([
    ['protectPaths', 'everyone, plugin protected-paths, on Edit|Wri…'],
    ['readOnlyShell', 'every surveyor, on Bash'],
    ['no-inline-node.sh', 'everyone, config, on Bash'],
  ]);
});

test('npm run demo begins with a title and who has which hooks, and says why a hook did not run', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const { stdout } = await run('sh', ['-c', scripts['demo'] as string], ROOT);
  const [title, ...lines] = stdout.split('\n');
  expect(title).toBe('two-parallel-subagents.jsonl: 50 events of main, surveyor a4b31e and builder a9e488');
  expect(lines.slice(0, 3).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['everyone', 'protectPaths on Edit|Write|NotebookEdit, no-inline-node.sh on Bash, sayWhatIsProtected'],
    ['every surveyor', 'briefing, readOnlyShell on Bash, hint on Read'],
    ['every builder', 'briefing, onlyTheReport on Edit|Write, inTime on Bash'],
  ]);
  expect(stdout).toMatch(/^ {6}- did not run, its matcher did not match: no-inline-node\.sh, inTime$/m);
});

test('the example plugin passes its own tests', async () => {
  const { stdout, code } = await run(
    process.execPath,
    ['--test', '--test-reporter=tap'],
    join(ROOT, 'examples/plugin-package'),
  );
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(4);
  expect(code).toBe(0);
});

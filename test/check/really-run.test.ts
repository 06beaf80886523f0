import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSource, type SourceFile } from '../../src/check/files/source-file.js';
import { SCRIPT_RULES } from '../../src/check/rules/scripts.js';
import { runsOf } from '../../src/check/scripts/runs.js';
import { generated, randomFrom, SEED } from '../seed.js';

/** What stands before a script's name, or around it. Each folder has a script of this name, which says where it is. */
const BEFORE = [
  '',
  'x=1; ',
  'cd sub; ',
  'cd sub && cd deeper && ',
  'cd -P "$CLAUDE_PROJECT_DIR/sub"; ',
  '(cd sub); ',
  'cd sub | cat; ',
  '{ cd sub; }; ',
  'y=$(cd sub); ',
  'if cd sub; then :; fi; ',
  'cd sub; cd ..; ',
  'cd sub; cd - >/dev/null; ',
  'f() { cd sub; }; ',
  'f() { cd sub; }; f; ',
  'cd nowhere 2>/dev/null; ',
  'cd sub && test -d deeper && ',
  'cd sub && test -d other || ',
  'test -d nowhere || cd sub; ',
  'CLAUDE_PROJECT_DIR=$PWD/sub; ',
  'cd "$CLAUDE_PROJECT_DIR"/sub || exit 2; ',
];
const AROUND = [
  'RUN',
  'sh RUN',
  '. RUN',
  'RUN | cat',
  'echo x | RUN',
  '! RUN',
  '( RUN )',
  '{ RUN; }',
  'z=$(RUN); echo "$z"',
  'echo "$(sh RUN)"',
  'if RUN; then :; fi',
  'if test -d nowhere; then :; else RUN; fi',
  'case "$(RUN)" in *) RUN;; esac',
  'env A=1 RUN',
  'eval RUN',
  "sh -c 'RUN'",
  "sh -c 'cd sub; RUN'",
  'true && RUN',
  '[ -x RUN ] && RUN',
  'while RUN; do break; done',
];
const NAMES = ['./say.sh', '"$CLAUDE_PROJECT_DIR"/say.sh', '"$CLAUDE_PROJECT_DIR/sub"/say.sh', '$PWD/say.sh'];

test('what a line is said to run is what a shell runs', () => {
  const project = mkdtempSync(join(tmpdir(), 'runs-'));
  for (const folder of ['', 'sub', 'sub/deeper', 'sub/deeper/sub', 'sub/sub']) {
    const file = join(project, folder, 'say.sh');
    mkdirSync(join(project, folder), { recursive: true });
    writeFileSync(file, `echo '${file}' >>"$RAN"\n`);
    chmodSync(file, 0o755);
  }
  const random = randomFrom(SEED);
  const share = generated(240) / (BEFORE.length * AROUND.length * NAMES.length);
  const lines = BEFORE.flatMap((before) =>
    AROUND.flatMap((around) => NAMES.map((name) => before + around.replaceAll('RUN', name))),
  ).filter(() => random() < share);
  const said = lines.map((command) => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
    const place = { kind: 'project', project, plugin: undefined } as const;
    const file = readSource(join(project, 'settings.json'), text, place) as SourceFile;
    const [hook] = file.handlers;
    const runs = hook === undefined ? [] : runsOf(hook, file, { home: '/home/dev', cwd: '/elsewhere' });
    return runs.flatMap(({ certain, path }) => (certain && path?.endsWith('say.sh') ? [path] : []));
  });
  // A process for each line would take a minute.
  const each = lines.map(
    (line, i) => `(RAN='ran-${i}'; RAN="$CLAUDE_PROJECT_DIR/$RAN"; export RAN; :>"$RAN"\n${line}\n)\n`,
  );
  writeFileSync(join(project, 'all'), each.join(''));
  spawnSync('sh', ['all'], {
    cwd: project,
    env: { PATH: process.env['PATH'], CLAUDE_PROJECT_DIR: project },
    stdio: 'ignore',
  });
  let known = 0;
  const wrong = lines.filter((_, i) => {
    const ran = readFileSync(join(project, `ran-${i}`), 'utf8').split('\n');
    known += (said[i] as string[]).length;
    return !(said[i] as string[]).every((path) => ran.includes(path));
  });
  expect(wrong).toEqual([]);
  expect(known / lines.length).toBeGreaterThan(0.4);
});

test.each(['sh', 'bash', 'node'])('the rule says with which code %s ends without its script', (program) => {
  const { status } = spawnSync(program, ['./missing'], { cwd: tmpdir(), stdio: 'ignore' });
  const { why } = SCRIPT_RULES['script-missing'];
  const words: Record<string, RegExp> = {
    '127': /does not find the script it is to run ends with 127/,
    '2': /sh may end with 2 where it cannot find or read one/,
    '1': /missing, python3 and node end with 2 or 1/,
  };
  expect(why).toMatch(words[`${status}`] ?? /no such code/);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { accountHome } from '../../src/values/user-folders.js';

const before = process.env['HOME'];
let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-homes-')));
  for (const folder of ['home', 'home/in', 'other', 'other/in', 'project', 'project/other'])
    mkdirSync(join(dir, folder));
  chmodSync(dir, 0o755);
  process.env['HOME'] = join(dir, 'home');
});
afterAll(() => {
  process.env['HOME'] = before;
  rmSync(dir, { recursive: true });
});

type Env = Readonly<Record<string, string>> | readonly string[];

const isList = (env: Env | undefined): env is readonly string[] => Array.isArray(env);

/** Where a line that runs `b.sh` finds it: the shell prints its path in place of running it. */
function found(shell: string, line: string, env: Env | undefined): readonly string[] {
  const projectDir = join(dir, 'project');
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const listed = isList(env) ? env : ['PATH', 'HOME'];
  const kept = Object.fromEntries(Object.entries(inherited).filter(([name]) => listed.includes(name)));
  const { stdout } = spawnSync(
    shell,
    ['-c', line.replaceAll('. ./b.sh', 'echo "$(pwd)/b.sh"').replace(/\. (?=[~$])/g, 'echo ')],
    {
      ...{
        ...user,
        cwd: projectDir,
        env: { ...kept, ...(isList(env) ? {} : env), CLAUDE_PROJECT_DIR: projectDir, O: join(dir, 'other') },
      },
      encoding: 'utf8',
      timeout: 20_000,
    },
  );
  const account = user.uid === undefined ? userInfo().homedir : '/nonexistent';
  return stdout
    .split('\n')
    .filter((path) => path !== '')
    .map((path) =>
      resolve(projectDir, path.startsWith(`${account}/`) ? accountHome() + path.slice(account.length) : path),
    );
}

/** Ways to run what is in the home, and what they do in a shell of their own. */
const RUNS = [
  ...['cd', 'cd --', 'cd -P', 'cd -L', 'cd -LP --', 'command cd', 'command -p cd', 'builtin cd', '\\cd', '"cd"'],
  ...[
    'X=1 cd',
    'HOME=$O cd',
    'cd >/dev/null',
    '>/dev/null cd',
    '! cd',
    'c=cd; $c',
    'x=; cd $x',
    'x=; cd "$x"',
    'eval cd',
  ],
  ...[
    'chdir',
    'command chdir',
    'cd ~',
    'cd -- ~',
    'cd $HOME',
    'cd "$HOME"',
    'cd ~/in',
    'cd; cd in',
    'pushd ~ >/dev/null',
    'cd; cd ..; cd other',
  ],
].map((goes) => `${goes}; . ./b.sh`);
RUNS.push(
  ...[
    'cd && . ./b.sh',
    '{ cd; . ./b.sh; }',
    '(cd; . ./b.sh)',
    'if cd; then . ./b.sh; fi',
    'if true; then cd; fi; . ./b.sh',
  ],
  ...[
    'f() { cd; }; f; . ./b.sh',
    'while cd; do . ./b.sh; break; done',
    'true | { cd; . ./b.sh; }',
    'time cd; . ./b.sh',
  ],
  ...['. ~/b.sh', '. $HOME/b.sh', '. "$HOME"/b.sh', '. ${HOME}/b.sh', '. ~/in/../b.sh', 'x=~; . $x/b.sh'],
);

/** Ways to give the line, in place of `@`, another home, or none. */
const HOMES: readonly string[] = [
  ...[
    '@',
    'HOME=$O; @',
    'export HOME=$O; @',
    'HOME=$O true; @',
    'false && HOME=$O; @',
    'true && HOME=$O; @',
    'HOME=../other; @',
  ],
  ...[
    'HOME=; @',
    'unset HOME; @',
    'unset -v HOME; @',
    'HOME+=/in; @',
    'HOME=${HOME%/home}/other; @',
    'readonly HOME=$O; @',
  ],
  ...['f() { HOME=$O; }; f; @', 'if true; then HOME=$O; fi; @', ': ${HOME:=$O}; @', 'unset HOME; : ${HOME:=$O}; @'],
  ...[
    'declare HOME=$O; @',
    'printf -v HOME %s $O; @',
    'for HOME in $O; do @; done',
    'eval HOME=$O; @',
    'read HOME <<E\n../other\nE\n@',
  ],
  ...['HOME=$CLAUDE_PROJECT_DIR/other; @', 'HOME=$(echo $O); @', 'HOME=$O; HOME=$CLAUDE_PROJECT_DIR/other; @'],
  ...["env HOME=$O SH -c '@'", "HOME=$O SH -c '@'", "env -i SH -c '@'", "env - SH -c '@'", "env -u HOME SH -c '@'"],
  ...[
    "env -uHOME SH -c '@'",
    "env --unset=HOME SH -c '@'",
    "env --unset HOME SH -c '@'",
    "env --ignore-environment SH -c '@'",
  ],
  ...["/usr/bin/env -i SH -c '@'", "command env -i SH -c '@'", "env -i O=$O HOME=$O SH -c '@'", "(exec -c SH -c '@')"],
];
const ENVS: readonly Env[] = [{ HOME: '../other' }, { HOME: '' }, ['PATH'], ['PATH', 'HOME']];

const CASES = RUNS.flatMap((run) => [
  ...HOMES.map((home) => ({ run, home, env: undefined })),
  ...ENVS.flatMap((env) => HOMES.slice(0, 2).map((home) => ({ run, home, env }))),
]);

test.each(['bash', 'dash'])(
  'the file that %s runs from its home is bound, or the home is said to be unknown',
  (shell) => {
    const missed: string[] = [];
    let ran = 0;
    for (const { run, home, env } of CASES) {
      const line = home
        .replace('SH', shell)
        .replace('@', () => run)
        .replaceAll('$O', () => join(dir, 'other'));
      const projectDir = join(dir, 'project');
      const { files, unresolved } = namedFiles({ type: 'command', command: line, env }, { projectDir });
      const bound = new Set(files.map((file) => resolve(projectDir, file)));
      const paths = found(shell, line, env);
      ran += paths.length;
      if (unresolved.length > 0) continue;
      for (const path of paths) if (!bound.has(path)) missed.push(`${JSON.stringify(env)} ${line} => ${path}`);
    }
    expect(ran).toBeGreaterThan(CASES.length / 2);
    expect(missed).toEqual([]);
  },
);

test('a line whose home is known is not said to be unknown', () => {
  for (const run of RUNS) {
    const { unresolved } = namedFiles({ type: 'command', command: run.replace('$O', '/o') }, { projectDir: '/p' });
    expect([run, unresolved]).toEqual([run, []]);
  }
});

test.each<[string, object?]>([
  ['OLDPWD=$O; cd -; . ./b.sh'],
  ['cd -; . ./b.sh', { OLDPWD: '$O' }],
  ['cd -- -; . ./b.sh', { OLDPWD: '$O' }],
  ['cd $O; cd /; cd -; . ./b.sh'],
])('%s with env %j: what is behind a way back is bound', (line, env) => {
  const handler = JSON.parse(JSON.stringify({ type: 'command', command: line, env }).replaceAll('$O', '/o'));
  const { files, unresolved } = namedFiles(handler, { projectDir: '/p' });
  // Whether it has gone anywhere before, only the run can tell.
  expect([files.includes('/o/b.sh'), unresolved]).toEqual([true, ['cd -']]);
});

test('where a line goes back to that has gone nowhere is not known', () => {
  const unknown = (command: string) => namedFiles({ type: 'command', command }, { projectDir: '/p' }).unresolved;
  for (const back of ['cd -', 'command cd -', 'cd -P -', '{ cd -; }'])
    expect(unknown(`${back}; . ./b.sh`)).toEqual(['cd -']);
  expect(unknown('cd in && cd - && . ./b.sh')).toEqual([]);
});

const read = (command: string) => namedFiles({ type: 'command', command }, { projectDir: '/p' });

test('a cd that is only asked about, or given to another program, goes nowhere', () => {
  const asked = [
    'command -v',
    'command -V',
    'type',
    'which',
    'hash',
    'sudo',
    'xargs',
    'nohup',
    'env',
    'env -i',
    'exec',
  ];
  for (const ask of asked)
    expect([ask, read(`${ask} cd; ./x.sh`).files]).toEqual([
      ask,
      expect.not.arrayContaining([join(`${process.env['HOME']}`, 'x.sh')]),
    ]);
});

test('a folder that is not known counts for each relative name, wherever it is read', () => {
  for (const lost of ['cd -', 'HOME=$(date); cd']) {
    const word = lost.split('; ').at(-1);
    for (const line of ['@; ~/hooks/x.sh', '@', '(@; /a/x.sh)'])
      expect([line, read(line.replace('@', lost).replace('~', '/h')).unresolved]).toEqual([line, []]);
    for (const line of ['@; ./x.sh', './x.sh; @', './x.sh && @ && ls', '@; make', 'PATH=bin; @; x', 'PATH=bin; x; @'])
      expect([line, read(line.replace('@', lost)).unresolved]).toEqual([line, [word]]);
    for (const line of ['f() { ./x.sh; }; @; f', 'while(./x.sh)do @; done', 'for((;;)) { ./x.sh; @; }'])
      expect([line, read(line.replace('@', lost)).unresolved]).toEqual([line, [word]]);
  }
});

const names = [...'abcdefghijkl'];
test('a line may go to many folders', () => {
  const apart = read(names.map((name) => `(cd ${name} && ./x.sh)`).join(' && '));
  expect(apart).toMatchObject({ files: [...names.map((name) => `${name}/x.sh`), 'x.sh'].sort(), unresolved: [] });
  for (const line of [
    'cd a; cd b; cd c; cd d; cd e; cd f; cd g; ./x.sh',
    names.map((n) => `(cd ${n}; (cd in; ./x.sh))`).join(';'),
  ])
    expect([line, read(line).unresolved]).toEqual([line, []]);
  expect(read(`(cd a; cd b; ./x.sh); cd c; ./y.sh`).files).toEqual(expect.arrayContaining(['a/b/x.sh', 'c/y.sh']));
  const deep = names.map((name) => `cd ${name}`).join('; ');
  expect(read(`${deep}; /x.sh`).unresolved).toEqual([]);
  expect(read(`${deep}; ./x.sh`).unresolved).toEqual(names.slice(7));
});

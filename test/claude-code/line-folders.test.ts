// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { growth } from '../growth.js';
import { generated, SEED } from '../seed.js';

const FOLDERS = ['.', 'a', 'b', 'a/a', 'a/b', 'b/a', 'b/b', '-', '-/a', '-v', 'v', 'v/x', 'v/x/in', 'v/x/a', 'hooks'];
const before = process.env['HOME'];
let dir: string;
let project: string;
let log: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-folders-')));
  [project, log] = [join(dir, 'p'), join(dir, 'log')];
  const others = ['home', 'home/a', 'old', 'old/a', 'o', 'o/a', 'p'].map((name) => join(dir, name));
  for (const folder of [...others, ...FOLDERS.map((name) => join(project, name))]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'x.sh'), `#!/bin/sh\necho '${join(folder, 'x.sh')}' >>'${log}'\n`);
    chmodSync(join(folder, 'x.sh'), 0o755);
  }
  symlinkSync('v/x/in', join(project, 'link'));
  symlinkSync('../v/x/in', join(project, 'hooks/in'));
  writeFileSync(log, '');
  chmodSync(log, 0o666);
  chmodSync(dir, 0o755);
  process.env['HOME'] = join(dir, 'home');
});
afterAll(() => {
  process.env['HOME'] = before;
  rmSync(dir, { recursive: true });
});

/** The scripts that a line runs. */
function ran(shell: string, line: string, env: Readonly<Record<string, string>>): readonly string[] {
  writeFileSync(log, '');
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const inherited = { PATH: process.env['PATH'], HOME: join(dir, 'home'), OLDPWD: join(dir, 'old') };
  spawnSync(shell, ['-c', line], { ...user, cwd: project, env: { ...inherited, ...env }, timeout: 10_000, input: '' });
  return [...new Set(readFileSync(log, 'utf8').split('\n'))].filter((path) => path !== '');
}

/** The scripts that a line runs and that consent neither binds nor tells as known only at run time. */
function missed(shell: string, line: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const own = line.replaceAll('/o', join(dir, 'o'));
  const { files, unresolved } = namedFiles({ type: 'command', command: own, env }, { projectDir: project });
  if (unresolved.length > 0) return [];
  const bound = new Set(
    files
      .map((file) => resolve(project, file))
      .filter(existsSync)
      .map((file) => realpathSync(file)),
  );
  return ran(shell, own, env).filter((path) => !bound.has(realpathSync(path)));
}

/** `COUNT` stands for the end of a loop, `T` for what runs a script only where there is no home. */
const LINES = [
  ...[
    'for((i=0;i<2;i++)); do ./x.sh; cd - ; done',
    'i=0; while(./x.sh)do cd - ; COUNT; done',
    'i=0; until(./x.sh; false)do cd - ; COUNT; done',
    'for((i=0;i<2;i++)) { ./x.sh; cd -; }',
    'i=0; w\\\nhile ./x.sh; do cd - ; COUNT; done',
    'export BASH_ENV=./x.sh; cd - >/dev/null; bash -c true',
    'export ENV=./x.sh; cd -; sh -ic true',
    'export BASH_ENV=./x.sh; HOME=$(printf /o); cd; bash -c true',
  ],
  ...[
    'export BASH_ENV=./x.sh; HOME=$(printf %s /o ""); cd; bash -c true',
    'hash -p ./x.sh foo; cd -; foo',
    "PS4='$(./x.sh)'; set -x; cd -; :",
    'DEBUG=; env $DEBUG -i T',
    'env ${DEBUG:+-v} -i T',
    'x=; env $x -u HOME T',
    'x="-v -i"; env $x T',
    'x="env -i"; $x T',
  ],
  ...[
    'x="exec -c"; $x T',
    'for w in nice env; do $w -i T; done',
    'x=nice; x=env; $x -i T',
    'env --chd . -i T',
    "env --chd a sh -c '. ./x.sh'",
    "env --ch=a sh -c '. ./x.sh'",
    'env --uns HOME T',
    'env --uns=HOME T',
  ],
  ...[
    `env --split "-i sh -c '. \\$HOME./a/x.sh'"`,
    'env -vi T',
    'command cd >-v; . ./x.sh',
    'c=hash; c=command; $c cd; . ./x.sh',
    'CDPATH=- ; cd a; . ./x.sh',
    'eval cd b; . ./x.sh',
    'cd $(pwd)/b; . ./x.sh',
    'cd a; cd $(pwd)/b; . ./x.sh',
  ],
  ...[
    '$(cd; pwd)/x.sh',
    '$(cd a; pwd)/x.sh',
    '$(cd nix; pwd)/x.sh',
    '$(cd -P a && pwd)/x.sh',
    '$(cd - >/dev/null; pwd)/x.sh',
    'cd a; $(cd b; pwd)/x.sh',
    'sh ./hooks/in/../x.sh',
    './link/../x.sh',
  ],
  ...[
    'cat link/../x.sh | sh',
    'PATH=link/..:$PATH x.sh',
    'cd link; . ../x.sh',
    'cd -P link/..; . ./x.sh',
    'cd -P link; cd ..; . ./x.sh',
    'cd link; cd ..; . ./x.sh',
    'cd -P link; cd -P ..; . ./x.sh',
    'env -C link ../x.sh',
  ],
  ...[
    'env -C link/.. ./x.sh',
    'd=link/..; sh $d/x.sh',
    "cd link && sh -c '../x.sh'",
    'sh < link/../x.sh',
    'eval cd a; . ./x.sh',
    'eval unset HOME; . $HOME./a/x.sh',
    "eval 'cd' 'a' ';' . ./x.sh",
    'x=-; cd $x; . ./x.sh',
  ],
  ...[
    'x=-; cd "$x"; . ./x.sh',
    'x=-; cd -- $x; . ./x.sh',
    'x=-; pushd $x; . ./x.sh',
    'for d in -; do cd $d; . ./x.sh; done',
    'f="cd -"; $f; . ./x.sh',
    'f="cd a"; $f; . ./x.sh',
    'f="command cd"; $f a; . ./x.sh',
    'for i in 1 2; do cd a; . ./x.sh; done',
  ],
  ...[
    'f() { cd a; }; f; f; . ./x.sh',
    'f() { cd b; . ./x.sh; }; cd a; f',
    'g() { (cd b; . ./x.sh); }; cd a; g',
    'trap "cd b; . ./x.sh" EXIT; cd a',
    'function f { cd b; . ./x.sh; }; cd a; f',
    'function f\n{ cd b; . ./x.sh; }; cd a; f',
    'f() { env -C b ./x.sh; }; cd a; f',
    'shopt -s expand_aliases; alias g="cd a"\ng; g; . ./x.sh',
  ],
  ...[
    'alias g="cd a"\ng\ng\n. ./x.sh',
    "x=HOME=/o; env $x sh -c 'cd; . ./x.sh'",
    "env $(echo HOME=/o) sh -c 'cd; . ./x.sh'",
    'x=HOME=/o; export "$x"; cd; . ./x.sh',
    'x=HOME=/o; export $x; . ~/x.sh',
    'x=HOME; declare "$x=/o"; cd; . ./x.sh',
    'x=HOME; printf -v "$x" %s /o; cd; . ./x.sh',
    'x=HOME; printf -v $x %s /o; . ~/x.sh',
  ],
  ...[
    'x=-vHOME; printf $x %s /o; . ~/x.sh',
    'x=HOME; read "$x" <<< /o; . ~/x.sh',
    'x=HOME; unset $x; . $HOME./a/x.sh',
    'unset H{O,X}ME; . $HOME./a/x.sh',
    'export -n HOME; T',
    'declare +x HOME; T',
    'x=HOME; unset HOME; : ${!x:=/o}; . ~/x.sh',
    'HOME[0]=/o; . ~/x.sh',
  ],
  ...[
    'exec {HOME}</dev/null; . $HOME/../a/x.sh',
    'A=a; f() { . $A/x.sh; }; A=b; f',
    "A=a; trap '. $A/x.sh' EXIT; A=b",
    'f() { . ~/x.sh; }; HOME=/o; f',
    'f() { . ~/x.sh; }; x=HOME; export "$x=/o"; f',
    'cd missing; cd -; . ./x.sh',
    '(cd a); cd -; . ./x.sh',
    'f() { cd a; }; cd -; . ./x.sh',
  ],
  ...[
    'cd a | true; cd -; . ./x.sh',
    '! cd missing && cd -; . ./x.sh',
    'env cd a && cd -; . ./x.sh',
    'OLDPWD=/o true; cd -; . ./x.sh',
    'cd $OLDPWD; . ./x.sh',
    'cd ~-; . ./x.sh',
    'cd -- -v; . ./x.sh',
    "mapfile -C 'cd a; . ./x.sh' -c 1 <<< x",
  ],
  ...["PS4='$(cd b; ./x.sh)'; cd a; set -x; :", 'x=; $x cd a; . ./x.sh', "x='bash x.sh'; $x"],
].map((line) =>
  line.replace('COUNT', 'i=1$i; case $i in 111*) break;; esac').replace(/\bT$|\bT(?=;)/, "sh -c '. $HOME./a/x.sh'"),
);

test.each(['bash', 'dash'])(
  'what %s runs in a folder or a home that a line changes is bound, or the line is told',
  (shell) => {
    expect(LINES.flatMap((line) => missed(shell, line).map((path) => [line, path]))).toEqual([]);
  },
);

test.each(
  [
    'if true; then LOOP; fi',
    'if false; then :; else LOOP; fi',
    'for i in 1; do LOOP; done',
    'while ! LOOP; do :; done',
    '{ LOOP; }',
    'f() { LOOP; }; f',
    '( LOOP )',
    'true && { LOOP; }',
    '! LOOP',
    'case x in x) LOOP;; esac',
  ].flatMap((around) =>
    ['for d in a; do sh "$d/x.sh"; done', 'for d in b a; do sh $d/x.sh; done', 'for d do sh $d/x.sh; done'].map(
      (loop) => [`d=b; set -- a; ${around.replace('LOOP', loop)}`],
    ),
  ),
)('the variable of a loop has the values of the loop, wherever it stands: %s', (line) => {
  expect([...missed('bash', line), ...missed('dash', line)]).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['cd - >/dev/null; bash -c true', { BASH_ENV: './x.sh' }],
  ['cd -; sh -ic true', { ENV: './x.sh' }],
  ['cd -; bash -xc true', { PS4: '$(./x.sh)' }],
  ['HOME=/o bash -c true', { BASH_ENV: '$HOME/x.sh' }],
])('the same of %s with the variables %j of the hook', (line, env) => {
  expect(missed('bash', line, env)).toEqual([]);
});

const part = fc.constantFrom<string[]>;
const moves = part(
  ...['cd a', 'cd b', 'cd', 'cd -', 'cd ..', 'cd $A', 'cd "$B"', 'cd link', 'cd -P link/..', 'pushd a', 'popd'],
  ...['$C', '$C a', 'cd a/..', '{ cd a; }', '(cd a)', 'cd a && cd -', 'cd no || cd b', 'command cd b', 'eval cd a'],
  ...['cd $(pwd)/a', 'CDPATH=b', 'f', 'cd -- -v'],
);
const sets = part(
  ...['A=a', 'A=b', 'A=-', 'A=', 'A=HOME', 'A="-i -v"', 'B=..', 'B=$A', 'B=HOME=/o', 'C=cd', 'C="cd b"', 'C="cd -"'],
  ...['C="env -i"', 'C=env', 'HOME=/o', 'HOME=a', 'HOME=', 'unset HOME', 'unset $A', 'export "$B"', 'export $A=/o'],
  ...['export -n HOME', 'export BASH_ENV=./x.sh', 'OLDPWD=/o', 'PATH=.:$PATH', 'PATH=$A:$PATH', 'f() { cd a; }'],
  ...['f() { . ./x.sh; }', 'f() { cd b; . $A/x.sh; }', 'trap ". ./x.sh" EXIT', "trap 'cd a; . $A/x.sh' EXIT"],
);
const reads = part(
  ...['. ./x.sh', './x.sh', 'sh ./a/x.sh', '. ../x.sh', '. $A/x.sh', '. ~/x.sh', '. $HOME./a/x.sh', './link/../x.sh'],
  ...['x.sh', 'f', 'bash -c true', '$(cd a; pwd)/x.sh', "env -C a sh -c '. ./x.sh'", "env $A sh -c 'cd; . ./x.sh'"],
  ...["env -u HOME sh -c '. $HOME./a/x.sh'", "$C sh -c '. $HOME./a/x.sh'"],
);
const around = part(
  ...['@', '@', '@', '(@)', '{ @; }', 'for i in 1 2; do @; done', 'if true; then @; fi', 'g() { @; }; g; g'],
  ...['eval "@"', 'true && { @; }', '! { @; }', 'for((i=0;i<2;i++)) { @; }', '@ | cat'],
);
const steps = fc.array(fc.oneof(moves, sets, reads, reads), { minLength: 1, maxLength: 3 });
const group = fc.tuple(around, steps).map(([outer, inner]) => {
  const text = inner.join('; ');
  return outer.replace('@', () => (outer.includes('"') ? text.replace(/["$]/g, '\\$&') : text));
});
const line = fc
  .tuple(fc.array(sets, { maxLength: 2 }), fc.array(group, { minLength: 1, maxLength: 3 }))
  .map((all) => all.flat().join('; '));

test.each(['bash', 'dash'])(
  'the same of any line for %s',
  (shell) => {
    const lines = fc.sample(line, { numRuns: generated(60), seed: SEED });
    expect(lines.flatMap((one) => missed(shell, one).map((path) => [one, path]))).toEqual([]);
  },
  600_000,
);

test.each<[string, ((i: number) => string)[]]>([
  ['HOME=$(x); for i in 1; do :; done; ', [(i) => `./${i};`, (i) => `cd >${i};`]],
  ['f() { :; }; ', [(i) => `cd ${i};`, (i) => `../${i};`]],
  ['x="env -i"; ', [() => '$x ']],
  ['', [() => 'env ']],
  ['x=a; export ', [() => '$x ']],
])('what reading %j and the like costs grows with its length, and not faster', async (first, parts) => {
  const read = (count: number) => {
    const many = parts.map((text) => Array.from({ length: count }, (_, i) => text(i)).join('')).join('');
    namedFiles({ type: 'command', command: first + many }, { projectDir: project });
  };
  // At most eight times as much; sixty-four or more if every one looked at all the others.
  expect(await growth(read, { few: 40, many: 320, most: 24 })).toBeLessThan(24);
});

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
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-assigned-')));
  mkdirSync(join(dir, 'hooks'));
  for (const name of ['d', 'ad', 'dd', 'add', '2', '3', 'y'])
    writeFileSync(join(dir, `hooks/${name}.sh`), `echo 'hooks/${name}.sh' >> "$RAN"\n`, { mode: 0o755 });
  chmodSync(dir, 0o777);
});
afterAll(() => rmSync(dir, { recursive: true }));

/** The files that a line runs. */
function ran(shell: string, line: string): readonly string[] {
  const file = join(dir, 'ran');
  rmSync(file, { force: true });
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = { PATH: process.env['PATH'], HOME: dir, RAN: file };
  spawnSync(shell, ['-c', line], { ...user, cwd: dir, env, input: '', timeout: 20_000 });
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Every way to give a variable a value. */
const WAYS = [
  ...[
    'x=d',
    'x+=d',
    'x+="$x"d',
    'x=$x"d"',
    'x=${x}d',
    'x+=$(echo d)',
    'x+=`echo d`',
    "x+='d'",
    'x+=d; x+=d',
    'export x+=d',
  ],
  ...[
    'declare x=d',
    'declare x+=d',
    'declare -g x+=d',
    'typeset x+=d',
    'readonly x=d',
    'export x=d',
    'eval x+=d',
    "eval 'x=$x'd",
  ],
  ...[
    'printf -v x d',
    'printf -vx d',
    'printf -v x %s d',
    "printf -v 'x[0]' d",
    'builtin printf -v x d',
    'p=printf; $p -v x d',
  ],
  ...[
    'read x <<< d',
    'read -r x <<< d',
    'read -rax <<< d',
    'IFS= read -r x <<< d',
    'read -d. x <<< d.',
    'r=read; $r x <<< d',
  ],
  ...[
    'read x <<E\nd\nE',
    'mapfile -t x <<< d',
    'readarray -tO0 x <<< d',
    'while read -r x; do break; done <<< d',
    'getopts d x -d',
  ],
  ...[
    '((x=2))',
    '(( x = 1 + 1 ))',
    'let x=2',
    'let "x = 1 + 1"',
    ': $((x=2))',
    ': $((x = 2))',
    'echo $[x=2]',
    'x=1; ((x++))',
  ],
  ...[
    'x=1; let x++',
    'x=1; let ++x y=1',
    'x=1; : $(( x += 2 ))',
    'x=1; ((x<<=1))',
    'for ((x=2; x<2; x++)); do :; done',
    '((y=1, x=2))',
  ],
  ...[
    'declare -i x; x=1+1',
    'declare -i x=1+1',
    'declare -l x; x=D',
    'declare -n x=y; y=d',
    'y=a; declare -n z=x; z=d',
    'typeset -l x=D',
  ],
  ...[
    ': ${x:=d}',
    ': "${x=d}"',
    'unset x; x=$x"d"',
    'unset x; : ${x:=d}',
    'echo "$((x=2))"',
    'cat <<E\n$((x=2))\nE',
    'cat <<E\n${x:=d}\nE',
  ],
  ...[
    'x=(d)',
    'x=(a); x[0]=d',
    'x[0]=d',
    'x=([0]=d)',
    'x+=(d)',
    'declare -a x=(d)',
    'declare x[0]=d',
    'x=; x[0]+=d',
    'unset x; x+=(d)',
  ],
  ...[
    'for x in d; do :; done',
    'for i in d d; do x+=$i; done',
    'for i in d d; do x=$x$i; done',
    'select x in d; do break; done <<< 1',
  ],
  ...[
    'while [ "$x" != dd ]; do x+=d; [ ${#x} -gt 2 ] && break; done',
    'f() { x+=d; }; f; f',
    'function f { x=$x"d"; }; f; f',
  ],
  ...[
    'f() { local x; x+=d; sh hooks/$x.sh; }; f',
    'if true; then x+=d; fi',
    'true && x+=d',
    'false || x+=d',
    'case a in a) x+=d;; esac',
  ],
  ...[
    '{ x+=d; }',
    'y=d; x+=$y',
    'y=x; y+=d; x=${y#x}',
    'y=d; y+=; x+=${y:-a}',
    `${[...Array(20).keys()].map((i) => `x=n${i}`).join('; ')}; x=d`,
  ],
];
const BEFORE = ['', 'x=; ', 'x=a; ', 'unset x; '];
const USES = ['sh hooks/$x.sh', '. "hooks/${x}.sh"', 'y=hooks; y+=/$x; y+=.sh; . "$y"', 'cd hooks; sh ${x}.sh'];
const quoted = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;
const AROUND: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `( ${line}\n)`,
  (line) => `if true; then\n${line}\nfi`,
];

it.each(WAYS.map((way, i) => [way, i] as const))(
  'what runs by a value of %j is bound, or something is listed',
  (way, i) => {
    const lines = BEFORE.flatMap((before, b) =>
      USES.flatMap((use, u) => {
        const around = AROUND[(i + b + u) % AROUND.length] as (line: string) => string;
        return [`${before}${way}\n${use}`, around(`${before}${way}\n${use}`)];
      }),
    );
    const hidden = lines.filter((line) => {
      const { files, unresolved } = namedFiles({ type: 'command', command: line }, { projectDir: dir });
      if (unresolved.length > 0) return false;
      const bound = new Set(files.map((file) => resolve(dir, file)));
      return ['bash', 'dash'].some((shell) => ran(shell, line).some((file) => !bound.has(join(dir, file))));
    });
    expect(hidden).toEqual([]);
  },
);

it('what is added to a value that the line says lists nothing', () => {
  for (const line of [
    'x=c; x+=.sh; sh $x',
    'h=hooks; h+=/d.sh; . "$h"',
    'CMD="node a.js"; if true; then CMD+=" --v"; fi; $CMD',
    'ARGS+=" --v"; node x.js $ARGS',
    'for f in a b; do ARGS+=" $f"; done; ./x.sh $ARGS',
    'n=0; for f in a b; do ((n++)); done; ./x.sh $n',
    'f() { PATH=$PWD/bin:$PATH; ls; }; PATH+=:./bin; ./x.sh',
    'local_() { local out; out=$(cat); echo "$out"; }; local_; ./x.sh',
  ])
    expect([line, namedFiles({ type: 'command', command: line }, { projectDir: '/p' }).unresolved]).toEqual([line, []]);
});

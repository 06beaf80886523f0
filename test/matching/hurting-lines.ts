const LENGTH = 9_990;
const fill = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
/** `sh -c 'sh -c '\''…'\'''`, as deep as it fits. */
function nested(): string {
  for (let line = 'a b'; ; ) {
    const next = `sh -c '${line.replaceAll("'", "'\\''")}'`;
    if (next.length > LENGTH) return line;
    line = next;
  }
}

/** What is repeated over the whole line, by itself … */
const REPEATED = [
  ...[
    'a ',
    'a;',
    'a|',
    'a&',
    'a\n',
    '`a`',
    "'a b' ",
    '"a b" ',
    '$a ',
    '"$a" ',
    `\${a:-b}`,
    '$(a) ',
    '<(a) ',
    '{a,b}',
    '*?[a]',
    '\\a',
    ' ',
  ],
  ...[
    '/a/b/c ',
    "$'\\x41' ",
    '#a\n',
    '>a ',
    '<<a ',
    '<<<a ',
    '<<a\na\n',
    "'a b;c $(d)' ",
    "a='b c d' ",
    "a='b c'; ",
    'f() { a; };',
    '(',
  ],
  ...[
    'case a in a) b;; esac;',
    'if a; then b; fi;',
    'while a; do b; done;',
    '$(',
    `\${a`,
    '"$(',
    '! ',
    'a && ',
    'echo "a b" > s; sh s; ',
  ],
  ...['A=$B;', 'A=$B B=$C ', 'a > $1 > $A ', 'A=/bin/a; a > $1; '],
  ...['ls a >b ', 'cat a >b ', 'exec 3>exec ', 'mv 3>mv ', 'echo 3>a b ', 'foo a &>b '],
  ...[
    'xargs ',
    'sudo ',
    'env A=1 ',
    'eval ',
    'time ',
    'busybox ',
    'tmux xargs ',
    "foo 'bar baz' | ",
    'xargs -I{} ',
    "trap 'a b' ",
  ],
];
/** … and behind a program that takes it for something. */
const BEHIND: readonly (readonly [before: string, repeated: string, after: string])[] = [
  ...['a b;\n', 'a b; ', 'e a;', '=a b!', '`a b` ', '$(a b) ', '\\x41 ', '\\n'].flatMap((text) =>
    ['foo', 'git', 'sed', 'eval', 'echo x | sh -c', 'tmux', 'ssh h', 'make'].map(
      (name) => [`${name} '`, text, "'"] as const,
    ),
  ),
  ...['a ', "'a b' ", "'x=y z' ", '{} '].flatMap((text) =>
    ['tmux', 'git', 'parallel', 'xargs -I%', 'docker exec c', 'find .', 'tar', 'pwsh'].map(
      (name) => [`${name} `, text, ''] as const,
    ),
  ),
  ['find . ', '-exec a \\; ', ''],
  ...['tar -I=a ', 'tar -IF ', 'split --filter=a ', 'fd -xa ', 'cp a b* ', 'cp a{b,c} '].flatMap((text) =>
    ['nodemon ', 'echo y | docker run --odd a ', 'foo -- '].map((before) => [before, text, ''] as const),
  ),
  ...['tee a* ', 'cp $a b;', 'cp b* c;', 'a=./b c;'].map((text) => ['echo a > b;', text, ';sh c'] as const),
  ...['bundle exec', 'watchexec', 'nodemon', 'su'].map((name) => [`${name} `, '--a=b ', ''] as const),
  ['sh <<E\n', 'a b;\n', '\nE'],
  ...['a b;\n', '`a b` ', "'a b' ", 'a ', 'r* ', '"r?" ', '\nr{m,n} x', 'a/bin/r? ', '-', '*a', '{a,b}', 'a\\x41 '].map(
    (text) => ["cat > a.py <<'E'\n", text, '\nE\npython3 a.py'] as const,
  ),
  ['echo $((', '1+', '1))'],
  ...["'print>a' a=s ", "'print>a' "].map((text) => ['awk ', text, ''] as const),
  ...['print /a[/]/ > "s";', '/[', '" \\', '#\n', '(', 'print>"a"|'].map((text) => ["awk '{", text, "}'"] as const),
  ...['1w', '1w a\n', 's/[/]/x/;', 's/[[:', '/[:a', 'a\\\n', '{', '\\a'].map((text) => ["sed '", text, "'"] as const),
  ["awk '{", '/[[:a/', "]}' a; sh s"],
  ["sed '", 's/[[./p;', "' a; sh s"],
  ...['sed ', 'sed -i ', 'find . -exec sed -i '].map((before) => [before, '1w\\ s ', ''] as const),
  ...['uniq', 'xxd'].flatMap((name) => ['a ', '-f ', '-c1 '].map((text) => [`${name} `, text, ''] as const)),
  ...["sed p 'w a' ", "awk '{print>a}' ", 'uniq a b '].map((text) => ['tmux ', text, ''] as const),
  ...['$a<r? b; ', 'r?<r? '].map((text) => ["perl -e '", text, "'"] as const),
  ["foo '", 'a<{b,c} d?<e ', "'"],
];
const many = (word: string, count: number): string =>
  Array.from({ length: count }, (_, i) => word.replace('#', String(i))).join(' ');

const LONG_BRACKETS = ['cp # a', 'cp a #', 'install # a', 'split #', 'sed -i s/a/b/ #', 'find . -exec cp # {} \\;'];
/** What is read piece by piece must not be searched again from each of its characters. */
export const SEARCHED: readonly string[] = [
  ...LONG_BRACKETS.flatMap((line) => ['[', '{', '}', '$', '{a,', '.git/modules/'].map((text) => ({ line, text }))).map(
    ({ line, text }) => line.replace('#', () => fill(text).slice(0, LENGTH - line.length)),
  ),
  `cp ${'['.repeat(4_900)} ${'['.repeat(4_900)}`,
  `docker run --odd a ${'cp '.repeat(60)}${'['.repeat(9_700)} a`,
  `nodemon ${'cp '.repeat(30)}${'['.repeat(9_800)} a`,
  `> "${'}'.repeat(9_900)}"`,
  `split --filter=${'1'.repeat(9_900)}`,
  `split --filter='${'1'.repeat(4_900)}${'<'.repeat(4_900)}'`,
  ...[50, 100, 200].map(
    (count) => `docker run --odd a ${'tar '.repeat(count)}--to-command=${'1'.repeat(9_900 - count * 4)}`,
  ),
  `${many(`>${'a'.repeat(96)}#;`, 90)} ${many('mv *a*a*a!# b;', 10)}`,
  `foo '${'[!'.repeat(4_900)} r? x'`,
  `foo '${'{'.repeat(100)}${','.repeat(9_800)} r?'`,
  ...['bwrap --bind a r* ', 'tmux r* ', 'ssh h r* ', 'find -exec r? '].map(
    (text) => `foo '${fill(text).slice(0, LENGTH - 6)}'`,
  ),
  `foo '${many('\n*a*a*a!# x', 700)}'`,
  `foo '${many(`\n${'[a-z]'.repeat(11)}*# x`, 150)}'`,
];

/** Texts in one another, and words behind which commands may begin. */
const NESTED: readonly string[] = [
  ...['x ${ y ', 'a [b]${ c/d; ', 'mv ${ cp '].flatMap((text) =>
    [900, 5_000, 9_900].flatMap((length) => [
      `foo '${fill(text).slice(0, length)}'`,
      `node -e '${fill(text).slice(0, length)}'`,
    ]),
  ),
  ...['$((1 + ', '$((<(b ', '$((a > ', '"$((b ', '$[', '$((2 ? $[3 '].flatMap((text) =>
    [2_000, 5_000, 9_900].map((length) => `foo <<Q\n${fill(text).slice(0, length)}\nQ`),
  ),
  ...['a: scp h:f r? x ', 'a: cp f g r? x ', 'b: sed -e x r? x ', '>o r? x ', '0 1 * * * r? ', 'A[1]= r? x\n'].map(
    (text) => `foo '${fill(text).slice(0, LENGTH - 6)}'`,
  ),
  ...[
    '> r? ',
    'a=b=r? ',
    'a=',
    'k: r? ',
    'sudo r? ',
    'sudo --odd r? ',
    '@a=sudo k=r? ',
    '{} r?\n',
    '> > - k=v r* x\n',
    'r? {x}\n',
  ].map((text) => `foo '${fill(text).slice(0, LENGTH - 9)}r?'`),
  ...['{a,{b,c}}r? x ', 'r? "x" ', 'if a: scp h:f r? x\n', 'a exec -- r? '].map(
    (text) => `foo '${fill(text).slice(0, LENGTH - 6)}'`,
  ),
];

const numbered = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('');
/** Scripts and operands of filters, with variables that the line sets. */
export const FILTERED: readonly string[] = [
  `sed p ${'{,,,,a}'.repeat(1_400)}; sh s`,
  `sed p ${'{a,'.repeat(3_200)}; sh s`,
  `${numbered(850, (at) => `A${at}=$A${at + 1};`)}sed "s/a/$A0/" b; sh s`,
  `${'A=b$A;'.repeat(400)}sed "s/a/${'$A'.repeat(3_000)}/" b; sh s`,
  `${numbered(120, (at) => `f${at}() { sed "s/a/$${at}/"; }; f${at} '$1$2$3' "$${at + 1}$2";`)}sh s`,
  `sed "s/a/${numbered(1_500, (at) => `$A${at}`)}/" b; sh s`,
  `N='${'/w'.repeat(2_000)}'; sed "s/a/${'$N'.repeat(2_800)}/" b; sh s`,
  `${'read N;'.repeat(1_000)}${'N=1;'.repeat(500)}sed "s/a/$N/" b; sh s`,
  `${'find '.repeat(1_600)}| xargs sed p; sh s`,
  `find a${' '.repeat(9_900)}| xargs sed p; sh s`,
  `awk '{${'i++ /2/ 1;'.repeat(900)}}' a; sh s`,
  `awk '{${'length/'.repeat(1_400)}1}' a; sh s`,
  `sed -n ':a;${'b a;\n'.repeat(1_600)}p' a; sh s`,
  `echo${'\t'.repeat(9_900)}; sed "s/a/$N/" b; sh s`,
  `${'read '.repeat(1_900)}; sed "s/a/$N/" b; sh s`,
  `${'sed "s/[$A]/$B/;s/[$C]/$D/;" b;'.repeat(300)}sh s`,
  `${'sed "s/[/]/$A/;s/[/]/$B/;$C$D" b;'.repeat(290)}sh s`,
];

/** Filters beside what their words depend on, in loops and without. `#`: another text each time. */
export const LOOPED: readonly string[] = [
  '',
  'for f in *;do ',
  'for f in *#;do ',
  'f=#;',
  'find . -exec true +;',
].flatMap((before) =>
  ['sed p ', 'uniq ', 'sed "s/a/$f/" ', 'awk "{print $f}" '].flatMap((filter) =>
    ['$f "$f"', '*', '"$@" $1', `$PWD "\${f:-#}"`, '$f#'].map((operands) => {
      const one = `${before}${filter}${operands};${before.endsWith('do ') ? 'done;' : ''}`;
      return `${numbered(Math.floor((LENGTH - 9) / one.replaceAll('#', '###').length), (at) => one.replaceAll('#', String(at)))}sh s`;
    }),
  ),
);

/** Lines of 10,000 characters, each of one thing that a shell reads, over and over. */
export const HURTING = [
  ...SEARCHED,
  ...FILTERED,
  ...LOOPED,
  ...NESTED,
  ...REPEATED.map(fill),
  ...BEHIND.map(([before, text, after]) => before + fill(text).slice(0, LENGTH - before.length - after.length) + after),
  nested(),
  `tee ${many('f#', 900)}; cp ${many('f#*', 700)} g; sh g`,
  `${'('.repeat(4_000)}a${')'.repeat(4_000)}`,
  `${'{ '.repeat(1_900)}a${'; }'.repeat(1_900)}`,
];

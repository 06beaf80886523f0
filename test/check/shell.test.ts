import { describe, expect, test } from 'vitest';
import { bashismsOf } from '../../src/check/scripts/bashisms.js';
import { parseShell, type Shell } from '../../src/check/scripts/shell.js';

const read = (source: string): Shell => {
  const shell = parseShell(source);
  if (!shell) throw new Error(`not read: ${source}`);
  return shell;
};

/** What dash 0.5.12 was seen to do: give up with exit code 2, or go on and do something else. */
describe('what sh does not know', () => {
  test.each([
    ['a=(1 2)', 'a=(1 2)'.slice(2)],
    ['cat <<< hi', '<<< hi'],
    ['diff <(echo a) b', '<(echo a)'],
    ['function f { echo a; }', 'function'],
    ['function f() { echo a; }', 'function'],
    [`echo \${x//a/b}`, `\${x//a/b}`],
    [`echo \${x:0:2}`, `\${x:0:2}`],
    [`echo \${x^^}`, `\${x^^}`],
    [`echo \${x[0]}`, `\${x[0]}`],
    [`echo \${#x[@]}`, `\${#x[@]}`],
    [`echo \${!x}`, `\${!x}`],
    [`echo \${x@Q}`, `\${x@Q}`],
    ['echo a |& cat', '|&'],
    ['for ((i=0;i<2;i++)); do echo $i; done', 'for ((i=0;i<2;i++)); do echo $i; done'],
    ['set -euo pipefail', 'set -o pipefail'],
    ['export -f f', 'export -f'],
    ['case a in a) echo 1;& esac', ';&'],
    ['[[ $x =~ \\.(ts|tsx)$ ]]', '[[ … ]]'],
    ['echo "$(cat <<< hi)"', '<<< hi'],
    ['if true; then x=$(diff <(a) b); fi', '<(a)'],
  ])('%s ends it with 2', (source, what) => {
    expect(bashismsOf(read(source)).filter((one) => one.fatal)[0]?.what).toBe(what);
  });

  test.each([
    ['[[ a == a ]]', '[[ … ]]'],
    ['[[ -f x && ! -d "$(y)" ]]', '[[ … ]]'],
    ['((x=1))', '(( … ))'],
    ["echo $'a'", "$'a'"],
    ['echo {a,b}', '{a,b}'],
    ['make &> log', '&>'],
    ['source x.sh', 'source'],
    ['declare -a x', 'declare'],
    ['shopt -s nullglob', 'shopt'],
    ['mapfile -t x', 'mapfile'],
    ['[ a == a ]', '[ … == …'],
    ['read -t 1 x', 'read -t'],
    ['read -ra x', 'read -ra'],
    ['trap x ERR', 'trap … ERR'],
    ['echo -e "a"', 'echo -e'],
    ['printf -v x a', 'printf -v'],
    ['x+=1', '+='],
    ['echo $RANDOM', '$RANDOM'],
  ])('%s is read otherwise', (source, what) => {
    expect(bashismsOf(read(source))).toMatchObject([{ what, fatal: false }]);
  });

  test.each([
    `f() { echo "\${x:-y}" "\${x%.*}" "\${#x}" $((1 + 1)); }; f`,
    'if [ "$a" = b ] && [ -n "$c" ]; then cat <<EOF\n$x {a,b} [[ ]]\nEOF\nfi',
    "bash -c 'a=(1 2); [[ a == b ]]'",
    'set -eu; trap x EXIT; read -r x; export A=b; echo a >&2; printf "%s" a',
    'case "$x" in *.ts | *.js) echo y ;; [!a]*) ;; esac',
    `\${user_config.path}`,
    "awk '{ x[1] = $2 } END { print x[1] }'",
  ])('%s is the same for both', (source) => {
    expect(bashismsOf(read(source))).toEqual([]);
  });
});

test.each([
  ["echo 'a", 0],
  ['if a; then b', 0],
  ['a | | b', 0],
  ['echo $(', 0],
])('%s is no shell text', (source) => {
  expect(read(source).errors).not.toEqual([]);
});

test('names that the text gives a value are known, however it does', () => {
  const source = `A=1; for B in x; do read -r C; done; : "\${D:=1}"; export E=2; local F; printf -v G x; H=1 cmd`;
  expect(
    [...read(source).assigned]
      .filter((name) => /^[A-Z]$/.test(name))
      .sort()
      .join(''),
  ).toBe('ABCDEFGH');
});

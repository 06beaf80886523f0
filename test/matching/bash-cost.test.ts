import { Session } from 'node:inspector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBash } from '../../src/matching/bash/bash.js';

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
  ['sh <<E\n', 'a b;\n', '\nE'],
  ['echo $((', '1+', '1))'],
];
const HURTING = [
  ...REPEATED.map(fill),
  ...BEHIND.map(([before, text, after]) => before + fill(text).slice(0, LENGTH - before.length - after.length) + after),
  nested(),
  `${'('.repeat(4_000)}a${')'.repeat(4_000)}`,
  `${'{ '.repeat(1_900)}a${'; }'.repeat(1_900)}`,
];

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}
const session = new Session();
/** The engine counts how often each piece of code is entered: the work itself, however fast the machine is. */
function post(method: string, options: object = {}): Coverage {
  let answer: Coverage = { result: [] };
  session.post(method, options, (error, value) => {
    if (error) throw error;
    answer = value as Coverage;
  });
  return answer;
}
beforeAll(() => {
  session.connect();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(() => session.disconnect());

function stepsOf(line: string): number {
  readBash('another one');
  post('Profiler.takePreciseCoverage');
  readBash(line);
  const { result } = post('Profiler.takePreciseCoverage');
  const counts = result
    .filter(({ url }) => /src\/matching\/bash|unbash/.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  return counts.reduce((sum, count) => sum + count, 0);
}

test.each(HURTING.map((line) => [line.slice(0, 40), line] as const))('%j… is read in few steps', (_, line) => {
  expect(line.length).toBeLessThanOrEqual(10_000);
  // A few milliseconds. Where it would be more the reader says that nobody can tell, and the hook is asked.
  expect(stepsOf(line)).toBeLessThan(450_000);
});

test('an ordinary line costs steps too, and long ones of them are still read', () => {
  const script = Array.from(
    { length: 120 },
    (_, i) => `cp "src/file-${i}.ts" "dist/lib/file-${i}.ts" && echo "copied ${i}"`,
  ).join('\n');
  expect(stepsOf(script)).toBeGreaterThan(1_000);
  expect(readBash(script)?.commands.length).toBeGreaterThan(240);
  expect(readBash(`git add ${Array.from({ length: 800 }, (_, i) => `src/f${i}.ts`).join(' ')}`)).toBeDefined();
  expect(readBash(`cat > a.md <<'E'\n${'some words of text; and more\n'.repeat(300)}E\n`)).toBeDefined();
});

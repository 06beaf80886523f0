import { Session } from 'node:inspector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBash } from '../../src/matching/bash/bash.js';
import { compileRule } from '../../src/matching/rule.js';
import { FILTERED, HURTING, LOOPED, SEARCHED } from './hurting-lines.js';

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
  post('Profiler.takePreciseCoverage');
});
afterAll(() => session.disconnect());

function stepsOf(line: string): number {
  // The reader remembers the latest line. What this costs counts too; each look begins the counts anew.
  readBash('another one');
  readBash(line);
  return countedIn(/src\/matching\/bash|unbash/);
}

function countedIn(files: RegExp): number {
  const { result } = post('Profiler.takePreciseCoverage');
  const counts = result
    .filter(({ url }) => files.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  return counts.reduce((sum, count) => sum + count, 0);
}

test.each(HURTING.map((line) => [line.slice(0, 40), line] as const))('%j… is read in few steps', (_, line) => {
  expect(line.length).toBeLessThanOrEqual(10_000);
  // A few milliseconds. Where it would be more the reader says that nobody can tell, and the hook is asked. The engine counts a tenth more or less from run to run.
  expect(stepsOf(line)).toBeLessThan(550_000);
});

// Regular expressions that go back take no steps that the engine counts.
test.each([...SEARCHED, ...FILTERED, ...LOOPED].map((line) => [line.slice(0, 40), line] as const))(
  '%j… is read in a short time',
  (_, line) => {
    // Milliseconds of the processor. On a machine with other work some readings take several times as long.
    let least = Number.POSITIVE_INFINITY;
    for (let reading = 0; reading < 20 && least >= 50; reading++) {
      readBash('another one');
      const started = process.cpuUsage();
      readBash(line);
      const { user, system } = process.cpuUsage(started);
      least = Math.min(least, (user + system) / 1000);
    }
    expect(least).toBeLessThan(50);
  },
);

/** How often regular expressions begin to search nearly all of a line. */
function searchesOf(line: string): number {
  const { exec } = RegExp.prototype;
  let searches = 0;
  RegExp.prototype.exec = function (text) {
    const isBegun = this.sticky || (this.global && this.lastIndex > 0) || this.source.startsWith('^');
    if (!isBegun && text.length > line.length * 0.9) searches++;
    return exec.call(this, text);
  };
  try {
    readBash(line);
  } finally {
    RegExp.prototype.exec = exec;
  }
  return searches;
}

// Each search is one step, and takes as long as the line.
test.each([...FILTERED, ...LOOPED].map((line) => [line.slice(0, 40), line.length, line] as const))(
  '%j…, %d characters, is searched as a whole a few times only',
  (_, __, line) => {
    readBash('another one');
    expect(searchesOf(line)).toBeLessThan(250);
  },
);

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

const OPENED: readonly (readonly [open: string, close: string])[] = [
  [`\${a:-`, '}'],
  [`"\${a:-`, '}"'],
  [`\${a/`, '}'],
  [`\${a[`, ']}'],
  [`\${a#`, '}'],
  [`\${ `, '; }'],
  ['$(', ')'],
  ['"$(', ')"'],
  ['$(a "', '")'],
  ['<(', ')'],
  ['$((', '))'],
  ['@(a|', ')'],
  ['{a,', '}'],
  ['a[', ']'],
  ['`', '`'],
  ['\\`', '\\`'],
  ['[[ a', ' ]]'],
];
const NESTINGS = OPENED.flatMap(([open, close]) =>
  ['$X patc ', 'rm x; : ', 'apply_pat "'].flatMap((before) =>
    [300, 2_000, 9_900].flatMap((length) => {
      const depth = (size: number): number => Math.floor((length - before.length - 1) / size);
      const both = depth(open.length + close.length);
      return [
        before + open.repeat(depth(open.length)),
        `${before}${open.repeat(depth(open.length + 1))}${' '.repeat(depth(open.length + 1))}`,
        `${before}${open.repeat(both)}b${close.repeat(both)}`,
        `${before}${open.repeat(both)}b c${close.repeat(both)}`,
      ];
    }),
  ),
);
const REPEATED_NAMES = ['x$A*a*p*p ', 'x patc x$A*a*p*p ', '"x $A*a*p*p" ', 'patc* ', '{x,y}$A*app '].map((text) =>
  text.repeat(9_900 / text.length),
);

test.each([...NESTINGS, ...REPEATED_NAMES].map((line) => [line.slice(0, 40), line.length, line] as const))(
  'the line of Codex %j…, %d characters, is read in few steps',
  (_, __, command) => {
    const rule = compileRule('Edit(secret/**)', { dialect: 'code', where: 'if' }).rule;
    const via = { patches: 'command' };
    rule?.matches({ tool_name: 'Bash', tool_input: { command: 'another $X patch' }, via, cwd: '/p' });
    post('Profiler.takePreciseCoverage');
    rule?.matches({ tool_name: 'Bash', tool_input: { command }, via, cwd: '/p' });
    expect(countedIn(/src\/(?:events\/named-files|matching)|unbash/)).toBeLessThan(1_500_000);
  },
);

const document = (line: string): string => `apply_patch <<'EOF'\n${line}\nEOF`;
test.each(
  [
    'patc* '.repeat(1600),
    `\${A}patch '*** Add File: a' `.repeat(350),
    `$X <<'E'\n${'*** Add File: a\n'.repeat(600)}E`,
    document('*** Add File: a\n'.repeat(600)),
    document(`${'*** Add File: a\n'.repeat(300)}EOF\n${'patc* '.repeat(800)}`),
    ['bash', '-lc', "patc* 'a' ".repeat(800)],
  ].map((command) => [[command].flat().join(' ').slice(0, 40), command] as const),
)('200 rules about files read a line of Codex, %j…, once', (_, command) => {
  const rules = Array.from({ length: 200 }, (_, i) =>
    compileRule(`Edit(secret${i}/**)`, { dialect: 'code', where: 'if' }),
  );
  const via = { patches: 'command' };
  const stepsOfRules = (count: number): number => {
    rules[0]?.rule?.matches({ tool_name: 'Bash', tool_input: { command: 'another $X patch' }, via, cwd: '/p' });
    post('Profiler.takePreciseCoverage');
    for (const { rule } of rules.slice(0, count))
      rule?.matches({ tool_name: 'Bash', tool_input: { command }, via, cwd: '/p' });
    return countedIn(/src\/(?:events\/named-files|matching\/(?:shell-patch|wildcard|bash))|unbash/);
  };
  const one = stepsOfRules(1);
  expect(one).toBeGreaterThan(100);
  // Each only compares it with the last one.
  expect(stepsOfRules(200) - one).toBeLessThan(200 * 40);
});

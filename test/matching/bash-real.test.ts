import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';
import { SEED } from '../seed.js';
import { anyRunner, anySpelling, CARRIED } from './spellings.js';

/** How many spellings; HOOKSCOPE_GENERATED asks for more, HOOKSCOPE_SEED for the same ones again. */
const COUNT = Number(process.env['HOOKSCOPE_GENERATED'] ?? 600);
/** Generated lines never run as root, but as a user whose processes are all of this test. */
const ID = 60_000 + (process.pid % 5000);
const SOMEBODY = process.getuid?.() === 0 ? { uid: ID, gid: ID } : undefined;
/** A line may start itself again and again. */
const AT_MOST = SOMEBODY && 'ulimit -u 300; ';

const rule = compileRule('Bash(rm *)', { dialect: 'code', where: 'if' }).rule;
const asks = (command: string): boolean =>
  rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;

const permitted = compileRule('Bash(echo *)', { dialect: 'code', where: 'if', permits: true }).rule;
const permits = (command: string): boolean =>
  permitted?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;

/** Runs a line where there is a file `x`; whether it is gone afterwards. */
async function removes(dir: string, command: string): Promise<boolean> {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, 'x'), '', { mode: 0o666 });
  await new Promise((done) => {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: dir, BIN: '/bin', R: 'rm', F: 'x', E: '' };
    const bash = ['bash', '--norc', '-c', command];
    const child = spawn('bash', ['--norc', '-c', `${AT_MOST ?? ''}exec "$@"`, 'bash', ...bash], {
      cwd: dir,
      env,
      stdio: 'ignore',
      detached: true,
      ...SOMEBODY,
    });
    const end = (): void => {
      // In whatever group they are.
      if (SOMEBODY) spawnSync('kill', ['-9', '--', '-1'], SOMEBODY);
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    };
    const kill = setTimeout(end, 240_000);
    child.on('close', () => {
      clearTimeout(kill);
      // A coprocess may have started others without end.
      end();
      done(undefined);
    });
    child.on('error', done);
  });
  return !existsSync(join(dir, 'x'));
}

it(`asks about every line by which a real bash removes the file (seed ${SEED}, ${COUNT} lines)`, {
  timeout: 60_000 + COUNT * 200,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  chmodSync(dir, 0o777);
  const unseen: string[] = [];
  const ran: boolean[] = [];
  try {
    for (const [at, command] of fc.sample(anySpelling, { numRuns: COUNT, seed: SEED }).entries()) {
      const asked = asks(command);
      // Of those that are asked about some are run to know that the generator writes what really removes.
      if (asked && at % 6 > 0) continue;
      const removed = await removes(dir, command);
      if (removed && !asked) unseen.push(command);
      if (asked) ran.push(removed);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
  expect(unseen, `seed ${SEED}`).toEqual([]);
  expect(ran.filter(Boolean).length).toBeGreaterThan(ran.length / 2);
});

it('asks about every line by which a program that runs another removes the file, whatever its words', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  chmodSync(dir, 0o777);
  const unseen: string[] = [];
  try {
    for (const command of fc.sample(anyRunner, { numRuns: 2 * COUNT, seed: SEED }))
      if (!asks(command) && (await removes(dir, command))) unseen.push(command);
  } finally {
    rmSync(dir, { recursive: true });
  }
  expect(unseen, `seed ${SEED}`).toEqual([]);
});

it('asks about every line by which another program removes the file, as a text says', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  chmodSync(dir, 0o777);
  const unseen: string[] = [];
  const ran: boolean[] = [];
  try {
    for (const [at, command] of CARRIED.entries()) {
      const asked = asks(command);
      if (asked && at % 10 > 0) continue;
      const removed = await removes(dir, command);
      if (removed && !asked) unseen.push(command);
      if (asked) ran.push(removed);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
  expect(unseen).toEqual([]);
  expect(ran.filter(Boolean).length).toBeGreaterThan(ran.length / 4);
});

/** Where a word with a process substitution may stand. */
const PLACES = [
  ...[
    'echo @',
    'echo a @ b',
    '@',
    '@ echo',
    'A=1 @',
    "! echo @''#",
    'echo @a',
    'echo @"$E"',
    'echo @ | cat',
    'echo "@"',
  ],
  ...[
    'echo $(echo @)',
    'echo "$(echo @)"',
    'echo `echo @`',
    'cat <(echo @)',
    '(echo @)',
    '{ echo @; }',
    'f() { echo @; }; f',
  ],
  ...[
    'for i in @; do :; done',
    'select i in @; do break; done',
    'case @ in *) ;; esac',
    'case a in @) ;; esac',
    'if echo @; then :; fi',
  ],
  ...[
    'a=(@)',
    'a=@',
    'a[@]=1',
    '[[ a == @ ]]',
    '[[ -e @ ]]',
    'test -e @',
    'declare a=@',
    'cat <<< @',
    'echo >@',
    'echo > @',
    'cat 0<@',
  ],
  ...[
    `echo \${E:-@}`,
    `echo "\${E:-@}"`,
    'cat <<Q\n@\nQ',
    'echo $((@))',
    'eval "echo @"',
    "bash -c 'echo @'",
    'echo {a,@}',
    'echo *@',
    'time echo @',
  ],
];
const BEFORE = [
  '',
  '2',
  '0',
  '12',
  '123456789012',
  '{v}',
  '{v[1]}',
  '{v[}]}',
  '{v[{}]}',
  'a',
  'a2',
  '2a',
  '-2',
  '=2',
  '"2"',
  '\\2',
  '$E',
  '$E2',
  '2&',
  '2>&1 2',
];

it('asks about every line by which a process substitution removes the file, wherever it stands', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  chmodSync(dir, 0o777);
  const lines = PLACES.flatMap((place) =>
    BEFORE.flatMap((before) =>
      ['>(rm x)', '<(rm x)', '>(\nrm x)'].map((made) => place.replaceAll('@', () => before + made)),
    ),
  );
  const unseen: string[] = [];
  const ran: boolean[] = [];
  try {
    for (const [at, command] of lines.entries()) {
      const isSeen = asks(command) && !permits(command);
      if (isSeen && at % 80 > 0) continue;
      // The shell does not wait for it.
      const removed = await removes(dir, `${command}\nsleep .1`);
      if (removed && !isSeen) unseen.push(command);
      if (isSeen) ran.push(removed);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
  expect(unseen).toEqual([]);
  expect(ran.filter(Boolean).length).toBeGreaterThan(ran.length / 4);
});

const SED =
  'w s|}|{|/x/|/[/]/|\\,x,|s/x/x/|saxaxa|s,x,w s,|g|I|1|$|!|,|0~2|;|\n|a w s|a\\\n|i\\|\\|[|]|/|b|t x|:a|r x|N|/w s/|[^]]|W s|h;G;';
const AWK =
  '{|}|print|print $0| > "s"| >> "s"|>|"s"|"a"|"|\\"|/x/|/"/|/[/]/|/|(|)|[|]|1|$1| |\n|;|,|pipe|"cat>s"|if|(1)|else|++|f="s"|f|#|!|~|in|getline|?|:|==|/=|{print > "s"}|"\\n"|-|1>0';
const UNIQ = '-|s|list|-c|-uf 0|-w 20|--group|--|-0|+0|--skip-fields 0|--skip-chars=0|$E|{-,s}|[s]';
const anyFilter = fc.oneof(
  ...(
    [
      ['sed -n', SED, "'", '\nw s'],
      ['sed -n -e p -e', SED, "'", 'w s'],
      ['awk', AWK, "'", '{print > "s"}'],
      ['uniq', UNIQ.replaceAll('|', '| '), '', ' - s'],
    ] as const
  ).map(([name, pieces, quote, last]) =>
    fc
      .array(fc.constantFrom(...pieces.split('|').map((piece) => (piece === 'pipe' ? '|' : piece))), { maxLength: 7 })
      .map((all) => `echo "$R $F" | ${name} ${quote}${all.join('')}${last}${quote}; sh s`),
  ),
);

it(`asks about every line in which a filter writes the script that removes the file (seed ${SEED})`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  chmodSync(dir, 0o777);
  const unseen: string[] = [];
  const ran: boolean[] = [];
  try {
    for (const [at, command] of [...new Set(fc.sample(anyFilter, { numRuns: 6 * COUNT, seed: SEED }))].entries()) {
      const asked = asks(command);
      if (asked && at % 60 > 0) continue;
      const removed = await removes(dir, command);
      if (removed && !asked) unseen.push(command);
      if (asked) ran.push(removed);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
  expect(unseen, `seed ${SEED}`).toEqual([]);
  expect(ran.some(Boolean)).toBe(true);
});

/** What lines are made of by chance, each as likely as the others. */
const PIECES = [
  ...[
    'echo',
    'echo a',
    'echo rm x',
    'rm x',
    'a',
    'x',
    '-n',
    'bash -c',
    'eval',
    'cd',
    'A=1',
    '2>&1',
    '>/dev/null',
    '~',
    '# c',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '\n',
    '$(',
    '`',
    ')',
    '"',
    "'",
    '>',
    '<',
    '{',
    '}',
    ',',
    '*',
    '?',
    '$',
    '(',
    '\\',
    '[',
    ']',
    '!',
    '<<',
    '=',
  ],
];
const anyPieces = fc
  .tuple(fc.constantFrom('echo ', 'echo a', ''), fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }))
  .map(([start, rest]) => start + rest.join(''));

it(`permits echo alone no line by which a real bash removes or writes a file (seed ${SEED}, ${COUNT * 20} lines)`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  chmodSync(dir, 0o777);
  const wrong: string[] = [];
  let ran = 0;
  try {
    const lines = new Set(fc.sample(anyPieces, { numRuns: COUNT * 20, seed: SEED }));
    for (const command of lines) {
      if (!permits(command)) continue;
      // Some of them: most are alike.
      if (ran > COUNT / 4) break;
      ran++;
      if ((await removes(dir, command)) || readdirSync(dir).length > 1) wrong.push(command);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
  expect(wrong, `seed ${SEED}`).toEqual([]);
  expect(ran).toBeGreaterThan(COUNT / 10);
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { type HandlerNode, readSource, type SourceFile } from '../../src/check/files/source-file.js';
import { runsOf } from '../../src/check/scripts/runs.js';

/** Stands for the path of a script: one that is there, and one that is not. */
const SCRIPT = 'SCRIPT';
/** Stands for code, which holds what looks like a path and like a variable. */
const CODE = 'CODE';
/** Stands for a program that no machine has. */
const NOSUCH = 'NOSUCH';

type Form = readonly string[];
/** Forms, of which `|` stands between two. */
const forms = (text: string): Form[] => text.split('|').map((form) => form.split(' ').filter((word) => word !== ''));

interface Language {
  readonly programs: string;
  /** What the end of a script's name is, and what it holds. */
  readonly script: readonly [end: string, body: string];
  readonly code: string;
  /** Options behind which a script plainly stands. */
  readonly plain: string;
  /** Options behind which code stands. */
  readonly inline: string;
  /** Options behind which is neither, or not plainly. */
  readonly other: string;
}

const LANGUAGES: readonly Language[] = [
  {
    programs: 'bash /bin/bash',
    script: ['.sh', 'echo ran'],
    code: 'x=$HOME/b.sh;echo ran',
    plain:
      '| -e | -eu | -x -e | +e | --norc | -- | -o pipefail | -euo pipefail | +o posix | -O extglob | --rcfile /dev/null',
    inline:
      '-c | -ec | -lc | -c -e | +e -c | --norc -c | -c -- | -euo pipefail -c | -eo pipefail -c | +o posix -c | -ceuo pipefail',
    other: '-s -- | --wordexp',
  },
  {
    programs: 'sh dash',
    script: ['.sh', 'echo ran'],
    code: 'x=$HOME/b.sh;echo ran',
    plain: '| -e | -eu | +e | -o errexit | -eo nounset',
    inline: '-c | -ec | -c -e | -eo nounset -c | -o errexit -c',
    other: '-s --',
  },
  {
    programs: 'python3',
    script: ['.py', 'print("ran")'],
    code: '"$HOME/b.py";print("ran")',
    plain: '| -u | -uB | -W ignore | -Wignore | -uW ignore | -X utf8 | --',
    inline: '-c | -uc | -u -c | -W ignore -c',
    other: '-m json.tool | -',
  },
  {
    programs: 'node',
    script: ['.js', 'console.log("ran")'],
    code: '$HOME=1/1;console.log("ran")',
    plain:
      '| --no-warnings | --enable-source-maps | --max-old-space-size=64 | --title x | --redirect-warnings warnings.log | -C x | --import fs | -r fs',
    inline: '-e | -p | -pe | --eval | --print | --title x -e | --no-warnings -e | -p -e',
    other: '--diagnostic-dir . | --report-dir . | --cpu-prof-dir . | --trace-event-categories v8',
  },
  {
    programs: 'perl',
    script: ['.pl', 'print "ran\\n";'],
    code: '$HOME=1/1;print"ran\\n"',
    plain: '| -w | -Mstrict | -MList::Util=sum | -Mre | -I lib | -Ilib | -l | -CS | --',
    inline:
      '-e | -we | -E | -le | -l012e | -0777e | -w -e | -MList::Util=sum -e | -ne | -pe | -lane | -F: -lane | -i.bak -pe | -I lib -e | -e 1; -e',
    other: '-S | -x.',
  },
  {
    programs: 'ruby',
    script: ['.rb', 'puts "ran"'],
    code: '$HOME=1/1;puts"ran"',
    plain: '| -w | -r json | -rjson | -I lib | --disable=gems',
    inline: '-e | -ne | -ane | -rjson -e | -rre -e',
    other: '-S | -C sub',
  },
  {
    programs: 'php',
    script: ['.php', '<?php echo "ran";'],
    code: '$HOME=1/1;echo"ran";',
    plain: '| -n | -d display_errors=0 | -ddisplay_errors=0',
    inline: '-r | -R | -nr | -B | --run | -d x=1 -r | -B 1 -R',
    other: '-- | -S localhost:80 -t',
  },
  {
    programs: 'bun',
    script: ['.ts', ''],
    code: '$HOME=1/1;console.log("ran")',
    plain: '| run | --bun run | run --silent | --env-file=.env | -r ./x.ts',
    inline: '-e | --eval | -p | --print',
    other: '--inspect-wait-for x | test',
  },
  {
    programs: 'deno',
    script: ['.ts', ''],
    code: '$HOME=1/1;console.log("ran")',
    plain: '| run | run -A | run --allow-read=. --no-check | run --config deno.json',
    inline: 'eval | eval -p',
    other: 'run --preload | test',
  },
  {
    programs: 'tsx ts-node',
    script: ['.ts', ''],
    code: '$HOME=1/1;console.log("ran")',
    plain: '| --no-warnings | --tsconfig tsconfig.json | --tsconfig=tsconfig.json | -P tsconfig.json',
    inline: '-e | -pe',
    other: 'watch | --cwd sub',
  },
  { programs: 'lua', script: ['.lua', ''], code: '$HOME/1', plain: '| -l x', inline: '-e', other: '-' },
  { programs: 'Rscript', script: ['.R', ''], code: '$HOME/1', plain: '', inline: '-e | --vanilla -e', other: '--x' },
];
const UV = 'run | run --with rich | run -q | -q run | run --script | run --project sub';
/** Options of PowerShell. Which of its words are code is not known here. */
const POWERSHELL =
  '| -c | -C | -Command | -NoProfile -c | -EncodedCommand | -enc | -CommandWithArgs | -ExecutionPolicy Bypass -Command | -File';

/** What runs the program behind it. */
const WRAPPERS = forms(
  'env | /usr/bin/env | env A=b | env -i | env -u FOO | env -uFOO A=b B= | timeout 5 | timeout --signal KILL 5 | timeout -s KILL -k 1 5s | timeout -sKILL 5 | ' +
    'stdbuf -o L | stdbuf -oL -e 0 | nice | nice -n 5 | nice -5 | nohup | setsid -w | env timeout 5 | timeout 5 env A=b | sudo -u me | sudo -n',
);
/** The same, of which only a shell knows. */
const OF_SHELLS = forms('exec | exec -a me | exec -c');
/** Options that change the folder to `sub`. */
const FOLDERS = forms(
  'env -C sub | env -Csub | env --chdir=sub | env --chdir sub | env -iC sub | sudo -D sub | sudo --chdir=sub',
);
/** Wrappers with what is not known here. */
const UNKNOWN = forms('env --nosuch x | timeout --nosuch 5 | sudo -R x | nice -x 1');

interface Case {
  readonly words: Form;
  /** Whether what is missing of it is told. */
  readonly told: boolean;
  /** Whether it runs what is there. */
  readonly runs?: boolean;
  readonly isOfShell?: boolean;
  readonly end?: string;
  readonly code?: string;
}

const SHELL_CODE = 'x=$HOME/b.sh;echo ran';
const CASES: readonly Case[] = [
  ...LANGUAGES.flatMap(({ programs, script: [end], code, plain, inline, other }) =>
    programs.split(' ').flatMap((program): Case[] => [
      ...forms(plain).map((options) => ({
        words: [program, ...options, SCRIPT],
        told: true,
        runs: true,
        end,
      })),
      ...forms(inline).map((options) => ({ words: [program, ...options, CODE], told: false, runs: true, code })),
      ...forms(other).map((options) => ({ words: [program, ...options, SCRIPT], told: false, end })),
    ]),
  ),
  ...forms(UV).map((options): Case => ({ words: ['uv', ...options, SCRIPT], told: true, end: '.py' })),
  ...forms(POWERSHELL).flatMap((options) => [
    { words: ['pwsh', ...options, SCRIPT], told: false, end: '.ps1' },
    { words: ['powershell', ...options, CODE], told: false, code: '$HOME/b.ps1' },
  ]),
  ...[...WRAPPERS, ...OF_SHELLS].flatMap((words): Case[] => {
    const isOfShell = OF_SHELLS.includes(words);
    return [
      { words: [...words, SCRIPT], told: true, runs: true, end: '.sh', isOfShell },
      { words: [...words, 'bash', SCRIPT], told: true, runs: true, end: '.sh', isOfShell },
      { words: [...words, '/bin/bash', '-e', SCRIPT], told: true, runs: true, end: '.sh', isOfShell },
      { words: [...words, 'bash', '-c', CODE], told: false, runs: true, code: SHELL_CODE, isOfShell },
    ];
  }),
  ...FOLDERS.flatMap((words): Case[] => [
    { words: [...words, SCRIPT], told: true, runs: true, end: '.sh' },
    { words: [...words, 'bash', SCRIPT], told: true, runs: true, end: '.sh' },
    ...forms('./own.sh | bash own.sh | bash -c ./own.sh').map((own) => ({
      words: [...words, ...own],
      told: false,
      runs: true,
    })),
  ]),
  ...forms(
    'env | timeout 5 | nice | env -u FOO | stdbuf -oL | env -C sub | env -Csub | env --chdir=sub | env --chdir sub',
  ).map((words): Case => ({ words: [...words, NOSUCH], told: true })),
  ...UNKNOWN.flatMap((words): Case[] => [
    { words: [...words, SCRIPT], told: false, end: '.sh' },
    { words: [...words, NOSUCH], told: false },
  ]),
  ...forms(
    'bash HERE/own.sh --lang bash $P/x.sh | bash HERE/a$b.sh | bash HERE/$HOME.sh | HERE/a$b.sh | bash on-path.sh | ' +
      'node plain | node ./plain | node ./folder | node . | python3 ./folder',
  ).map((words): Case => ({ words, told: false, runs: true })),
  ...forms(
    'env node --loader ts-node/esm HERE/plain.js | su me -c $HOME/x.sh | jq -n --arg bash $b $HOME | true --arg bash $b | true --lang python3 $P/x.py | ' +
      'uv run --directory sub own.py | uv run --directory=sub own.py | uv run --directory=sub python own.py | uv run https://x.example/own.py | ' +
      'uv run --index-strategy x nosuch/x.py | uv pip install -r nosuch/x.txt | bun --cwd=sub own.ts | bun --cwd sub run ./own.ts | ' +
      'deno run https://x.example/own.ts | deno run -A npm:own/cli.js | deno run jsr:@x/own | tsx ./only-typed.js | ' +
      'tsx --tsconfig nosuch/tsconfig.json HERE/only-typed.ts | npx --prefix=sub tsx own.ts',
  ).map((words): Case => ({ words, told: false })),
  { words: ['env', '-S', 'bash x.sh'], told: false },
  { words: ['env', '-S', 'nosuch-x # y'], told: false },
];

/** Programs that may not be installed where this runs. */
const STUBS = 'ruby php bun deno uv tsx ts-node lua Rscript pwsh powershell sudo su jq npx'.split(' ');
const TOLD = /^(?:script-missing|program-missing|placeholder-literal|exec-form-shell|script-relative)$/;
const quoted = (word: string): string => (/^[\w./=:+-]+$/.test(word) ? word : `'${word}'`);

function project(): string {
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'forms-'))), 'project');
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  };
  for (const { script } of LANGUAGES)
    write(`there${script[0]}`, script[0] === '.sh' ? `#!/bin/sh\n${script[1]}\n` : script[1]);
  for (const name of ['sub/own.sh', 'own.sh', 'a$b.sh', '$HOME.sh']) write(name, '#!/bin/sh\necho ran\n');
  for (const name of ['plain.js', 'index.js', 'folder/index.js', 'only-typed.ts', 'sub/own.ts'])
    write(name, 'console.log("ran")');
  for (const name of ['folder/__main__.py', 'sub/own.py']) write(name, 'print("ran")');
  write('../bin/on-path.sh', '#!/bin/sh\necho ran\n');
  write('there.ps1', '');
  for (const name of STUBS) write(`../bin/${name}`, '#!/bin/sh\n');
  return folder;
}

/** The forms of which a check says something. */
async function toldOf(all: readonly Written[], cwd: string): Promise<Form[]> {
  mkdirSync(join(cwd, '.claude'), { recursive: true });
  const home = join(cwd, '../home');
  const path = `/usr/bin:/bin:${join(cwd, '../bin')}`;
  const told: Form[] = [];
  // No more are told of one file.
  for (let from = 0; from < all.length; from += 100) {
    const hooks = all.slice(from, from + 100).map(({ hook }) => ({ type: 'command', ...hook }));
    writeFileSync(join(cwd, '.claude/settings.json'), JSON.stringify({ hooks: { Stop: [{ hooks }] } }));
    const { findings } = await checkHookFiles({ paths: ['.claude'], cwd, home, managedDir: home, path });
    const found = findings.filter(({ rule }) => TOLD.test(rule)).map(({ where }) => where);
    told.push(
      ...hooks.flatMap((_, i) =>
        found.some((where) => where.startsWith(`hooks.Stop[0].hooks[${i}].`)) ? [all[from + i]?.form ?? []] : [],
      ),
    );
  }
  return told;
}

interface Written {
  readonly hook: object;
  readonly form: Form;
  readonly told: boolean;
  readonly runs: boolean;
}

/** Each case as words and as a line. */
function written(isThere: boolean, cwd: string): Written[] {
  return CASES.flatMap(({ words, told, runs = false, isOfShell, end = '', code = '' }, i) => {
    if (words.includes(isThere ? NOSUCH : CODE) || !(isThere || told || words.includes(SCRIPT))) return [];
    const form = words.map((word) =>
      word
        .replace('HERE', cwd)
        .replace(SCRIPT, join(cwd, `${isThere ? 'there' : 'missing'}${end}`))
        .replace(CODE, () => code)
        .replace(NOSUCH, `nosuch-${i}`),
    );
    const [command = '', ...args] = form;
    const line = form.map(quoted).join(' ');
    // A program that is missing is told once.
    const alone = isOfShell === true || words.includes(NOSUCH);
    return [
      ...(alone ? [] : [{ hook: { command, args }, form, told, runs }]),
      { hook: { command: line }, form: [line], told, runs: runs && alone },
    ];
  });
}

test('nothing is said of what is there, and of code', async () => {
  const cwd = project();
  expect(await toldOf(written(true, cwd), cwd)).toEqual([]);
});

test('what is missing is told where its form is plain, and nowhere else', async () => {
  const cwd = project();
  const all = written(false, cwd);
  const told = all.filter((form) => form.told).map(({ form }) => form);
  expect(await toldOf(all, cwd)).toEqual(told);
});

test('code is read as code, by the other checks too', () => {
  for (const { programs, inline, code } of LANGUAGES) {
    for (const options of programs.split(' ').flatMap((program) => forms(inline).map((form) => [program, ...form]))) {
      const form = [...options, code];
      const hooks = [{ type: 'command', command: form.map(quoted).join(' ') }];
      const place = { kind: 'project', project: '/project', plugin: undefined } as const;
      const file = readSource('settings.json', JSON.stringify({ hooks: { Stop: [{ hooks }] } }), place) as SourceFile;
      const runs = runsOf(file.handlers[0] as HandlerNode, file, { home: undefined, cwd: '/' });
      expect([form, runs.some(({ inline: text }) => text !== undefined)]).toEqual([form, true]);
    }
  }
});

test('what is there, and code, really runs', () => {
  const cwd = project();
  const here = written(true, cwd).filter(({ runs, form }) => runs && !STUBS.some((name) => form.includes(name)));
  const env = { PATH: `${process.env['PATH']}:${join(cwd, '../bin')}`, HOME: cwd };
  const ran = here.filter(({ form: [program = '', ...args] }) => {
    const words = program.includes(' ') ? ['bash', '-c', program] : [program, ...args];
    const { stdout } = spawnSync(words[0] as string, words.slice(1), { cwd, env, input: 'x\n', encoding: 'utf8' });
    return stdout.includes('ran');
  });
  expect(ran.map(({ form }) => form)).toEqual(here.map(({ form }) => form));
});

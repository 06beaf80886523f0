// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { SEED } from '../seed.js';

const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 60);

let root: string;
let dir: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-named-')));
  dir = join(root, 'project');
  chmodSync(root, 0o755);
  for (const [path, language] of Object.entries(TREE)) {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, LANGUAGES[language]?.(path) ?? language, { mode: 0o755 });
  }
  chmodSync(dir, 0o777);
});
afterAll(() => rmSync(root, { recursive: true }));

/** What a file must hold to leave its name where `RAN` says. */
const LANGUAGES: Readonly<Record<string, (path: string) => string>> = {
  sh: (path) => `#!/bin/sh\necho '${path}' >> "$RAN"\n`,
  js: (path) => `require('node:fs').appendFileSync(process.env.RAN, '${path}\\n');\n`,
  mjs: (path) => `import { appendFileSync } from 'node:fs';\nappendFileSync(process.env.RAN, '${path}\\n');\n`,
  py: (path) => `import os\nopen(os.environ['RAN'], 'a').write('${path}\\n')\n`,
  pl: (path) => `open(my $f, '>>', $ENV{RAN}); print $f '${path}', "\\n"; close($f); 1;\n`,
  make: (path) => `all:\n\t@echo '${path.replace('$', '$$$$')}' >> "$$RAN"\n`,
  json: (path) => JSON.stringify({ main: 'own.js', scripts: { hook: `echo '${path}' >> "$RAN"` } }),
};

/** A guard for every way in which its name may be completed. */
const TREE: Readonly<Record<string, string>> = Object.fromEntries(
  ['', 'hooks/', 'hooks/in/', 'my hooks/', '$h/'].flatMap((folder) => [
    [`${folder}guard`, 'sh'],
    [`${folder}guard.sh`, 'sh'],
    [`${folder}plain.js`, 'js'],
    [`${folder}common.cjs`, 'js'],
    [`${folder}module.mjs`, 'mjs'],
    [`${folder}folder/index.js`, 'js'],
    [`${folder}package/package.json`, 'json'],
    [`${folder}package/own.js`, 'js'],
    [`${folder}mod.py`, 'py'],
    [`${folder}pack/__main__.py`, 'py'],
    [`${folder}pack/__init__.py`, 'py'],
    [`${folder}Mod.pm`, 'pl'],
    [`${folder}script.pl`, 'pl'],
    [`${folder}Makefile`, 'make'],
    [`${folder}rules.mk`, 'make'],
    [`${folder}package.json`, 'json'],
    [`${folder}node_modules/.bin/tool`, 'sh'],
    [`${folder}node_modules/dep/index.js`, 'js'],
  ]),
);

interface Form {
  readonly line: string;
  /** It runs something that only the run itself can tell. */
  readonly open: boolean;
}
/** A program's name, and the languages it is for. */
type Runner = readonly [line: (path: string) => string, paths: readonly string[]];

const SHELL = ['guard', 'guard.sh'];
const NODE = ['plain', 'plain.js', 'common.cjs', 'folder', 'package', 'module.mjs'];
const REQUIRED = ['plain', 'plain.js', 'common.cjs', 'folder', 'package'];
const RUNNERS: readonly Runner[] = [
  [(p) => p, SHELL],
  [(p) => `sh ${p}`, SHELL],
  [(p) => `bash -eu ${p} arg`, SHELL],
  [(p) => `bash -o pipefail ${p}`, SHELL],
  [(p) => `. ${p}`, SHELL],
  [(p) => `source ${p}`, SHELL],
  [(p) => `< ${p} sh`, SHELL],
  [(p) => `sh < ${p}`, SHELL],
  [(p) => `cat ${p} | sh`, SHELL],
  [(p) => `cat < ${p} | bash -s -- a`, SHELL],
  [(p) => `eval "$(cat ${p})"`, SHELL],
  // What reads it is not what it is given to.
  [(p) => `{ true; sh; } < ${p}`, SHELL],
  [(p) => `( sh ) < ${p}`, SHELL],
  [(p) => `if sh; then :; fi < ${p}`, SHELL],
  [(p) => `read() { sh; }; read < ${p}`, SHELL],
  [(p) => `exec < ${p}; sh`, SHELL],
  [(p) => `exec 3< ${p}; sh <&3`, SHELL],
  [(p) => `sh -c sh < ${p}`, SHELL],
  [(p) => `sh -c 'cat | sh' < ${p}`, SHELL],
  [(p) => `. /dev/stdin < ${p}`, SHELL],
  [(p) => `sh /dev/fd/3 3< ${p}`, SHELL],
  [(p) => `cat ${p} | cat | sh`, SHELL],
  [(p) => `cat < ${p} | head -n 99 | tac | tac | sh`, SHELL],
  [(p) => `cat ${p} | { true; sh; }`, SHELL],
  [(p) => `cat < ${p} | (cd .; sh)`, SHELL],
  [(p) => `(cat ${p}; cat /dev/null) | sh`, SHELL],
  [(p) => `{ cat ${p}; cat /dev/null; } | sh`, SHELL],
  [(p) => `cat ${p} > >(sh); wait $!`, SHELL],
  [(p) => `tee >(sh) < ${p} > out.log; wait; sleep 0.1`, SHELL],
  [(p) => `while read -r l; do eval "$l"; done < ${p}`, SHELL],
  [(p) => `mapfile a < ${p}; eval "\${a[*]}"`, SHELL],
  [(p) => `bash -c "$(< ${p})"`, SHELL],
  [(p) => `sh <<< "$(cat ${p})"`, SHELL],
  [(p) => `dd if=${p} 2> out.log | sh`, SHELL],
  [(p) => `sort -s -k 99 ${p} | sh`, SHELL],
  [(p) => `node /dev/stdin < ${p}`, ['plain.js']],
  [(p) => `cat ${p} | { true; python3 -; }`, ['mod.py']],
  [(p) => `bash --rcfile ${p} -i -c true`, SHELL],
  [(p) => `BASH_ENV=${p} bash -c true`, SHELL],
  [(p) => `exec -a other ${p}`, SHELL],
  [(p) => `command ${p}`, SHELL],
  [(p) => `timeout -s KILL 20 ${p}`, SHELL],
  [(p) => `nice -n 1 sh ${p}`, SHELL],
  [(p) => `echo arg | xargs -n 1 ${p}`, SHELL],
  [(p) => `echo ${p} | xargs sh`, SHELL],
  [(p) => `find . -maxdepth 0 -exec ${p} {} ';'`, SHELL],
  [(p) => `trap ${p} EXIT`, SHELL],
  [(p) => `if true; then ${p}; fi`, SHELL],
  [(p) => `f() { ${p}; }; f`, SHELL],
  [(p) => `! ${p} > out.log 2>&1`, SHELL],
  [(p) => `case a in b) false;; a) ${p};; esac`, SHELL],
  [(p) => `x=$(${p})`, SHELL],
  [(p) => `true && { ${p} & wait; }`, SHELL],
  [(p) => `node ${p}`, NODE],
  [(p) => `node --no-warnings ${p} arg`, NODE],
  [(p) => `node -r ${p} -e 1`, REQUIRED],
  [(p) => `node --require=${p} -e 1`, REQUIRED],
  [(p) => `node --import ${p} -e 1`, ['module.mjs', 'plain.js']],
  [(p) => `NODE_OPTIONS="--require ${p}" node -e 1`, REQUIRED],
  [(p) => `env NODE_OPTIONS=--require=${p} node -e 1`, REQUIRED],
  [(p) => `node < ${p}`, ['plain.js']],
  [(p) => `python3 ${p}`, ['mod.py', 'pack']],
  [(p) => `python3 -u -W ignore ${p}`, ['mod.py', 'pack']],
  [(p) => `perl -w ${p}`, ['script.pl']],
  [(p) => `perl -e 'require shift' ${p}`, ['script.pl']],
  [(p) => `make -s -f ${p}`, ['Makefile', 'rules.mk']],
  [(p) => `make -sf${p}`, ['Makefile', 'rules.mk']],
];

/** Where something is found by less than its path. */
const FOUND: readonly string[] = [
  'NODE_OPTIONS="--require ./\\$h/common.cjs" node -e 1',
  'python3 -m mod',
  'python3 -m hooks.mod',
  'python3 -um hooks.pack',
  'python3 -mpack',
  'cd hooks && python3 -m in.mod',
  'PYTHONPATH=hooks/in python3 -m pack',
  'env PYTHONPATH="$PWD/hooks" python3 -m mod',
  'perl -I hooks -MMod -e 1',
  'perl -Ihooks/in -mMod -e 1',
  'PERL5LIB=hooks perl -MMod -e 1',
  'PERL5OPT="-I. -MMod" perl -e 1',
  'PATH=hooks:$PATH guard',
  'PATH="$PWD/hooks/in:$PATH" guard.sh arg',
  'export PATH=$PATH:hooks; guard',
  'env PATH="hooks:$PATH" guard',
  'cd hooks; PATH=in:$PATH; guard',
  'PATH=:$PATH guard',
  'cd hooks; PATH=.:$PATH sh guard',
  'node -r dep -e 1',
  'NODE_PATH=hooks node -r plain -e 1',
  'make -s -C hooks',
  'make -s --directory=hooks/in',
  'cd hooks && make -s',
  'make -s',
  'npm run -s hook',
  'npm run -s hook --prefix hooks',
  'npm --prefix=hooks/in -s run hook',
  'cd hooks && npm run -s hook',
  'npx --no-install tool',
  'cd hooks; npx tool',
  'bash <<< ./guard',
  'bash <<E\nhooks/guard\nE',
  "sh <<'E'\ncd hooks\n. ./guard.sh\nE",
  'env -C hooks ./guard',
  'env -C hooks -S "sh guard"',
  'pushd hooks > /dev/null; ./guard; popd',
  '(cd hooks; ./guard.sh); ./guard',
  'cd hooks\ncd in\n./guard',
  'cd -P -- hooks && cd .. && ./guard',
  'set -- hooks/guard; "$@"',
  'a=(sh hooks/guard); "${a[@]}"',
  'for f in hooks/*.sh; do . "$f"; done',
  'for f in hooks/guard guard.sh; do sh $f; done',
  'ls hooks/guard.sh | while read f; do sh "$f"; done',
  'ls hooks/guard.sh | xargs sh',
  'find hooks -name guard.sh -exec sh {} +',
  'printf "%s\\n" hooks/guard | sh',
  'base64 hooks/guard | base64 -d | sh',
  'read f <<< hooks/guard; "$f"',
  'sh -c \'. "$1"\' _ hooks/guard.sh',
  'sh -c \'"$0"\' hooks/guard',
  'x=hooks/guard; y=x; ${!y}',
  './hooks/gu?rd',
  'hooks/{guard,guard.sh}',
  'sh hooks/g[u]ard',
  'alias g=./hooks/guard; shopt -s expand_aliases\ng',
  'eval hooks/guard',
  'eval "$(echo "./hooks/guard")"',
  'source <(cat hooks/guard)',
  'python3 - < mod.py',
  "python3 -c 'import hooks.mod'",
  "python3 -c 'from hooks import mod'",
  `node -e 'require("./hooks/plain")'`,
  `node -p "require('dep')"`,
  "perl -I. -e 'use Mod;'",
  'env -S sh guard',
  'env -S "sh -e" guard',
  "git -c alias.z='!./guard' z",
  "git -c 'alias.z=!sh hooks/guard' z",
  'cp hooks/guard .; run-parts hooks/in',
  'cat <<E | sh\n./gu?rd\nE',
  'cat gu?rd > >(sh); wait $!',
  'cat < gu?rd |\n\n  sh',
  'cat <<< "./gu?rd" | cat | sh',
  '{ true; sh; } <<E\n./hooks/gu?rd\nE',
  "echo './gu?rd' | { true; sh; }",
  'true | (true; sh) < gu*d.sh',
  'for f in gu?rd; do cat < $f; done | sh',
  'cat < {guard,guard} | sh; { true; sh; } < "${UNSET-gu}ard"',
  'cat < "$(ls gu?rd)" | (true; sh)',
];

/** What is not on every machine: what it would run is bound, or named in the question. */
const ELSEWHERE: readonly (readonly [line: string, file: string | undefined])[] = [
  ['node --run hook', 'package.json'],
  ['cd hooks && node --run hook', 'hooks/package.json'],
  ['php -d auto_prepend_file=hooks/guard x.php', 'hooks/guard'],
  ['php -dauto_prepend_file=guard x.php', 'guard'],
  ["sqlite3 db '.read hooks/guard'", 'hooks/guard'],
  ["sqlite3 -cmd '.read guard' db", 'guard'],
  ['git -c core.hooksPath=hooks commit', undefined],
  ['git -c core.editor=./guard commit', 'guard'],
  ['docker run --rm image guard', undefined],
  ['sudo docker compose up', undefined],
  ['nix run .#guard', undefined],
  ['run-parts hooks', undefined],
  ['docker run image sh ./guard', 'guard'],
];

const quotings: readonly ((path: string) => string)[] = [
  (p) => `"${p}"`,
  (p) => `'${p}'`,
  (p) => p.replace(/[ $]/g, '\\$&'),
  (p) => `$'${p}'`,
  (p) => `"${p.slice(0, 2)}"'${p.slice(2)}'`,
];

/** Ways to write a path, given the folder it is in. */
const SPELLINGS: readonly ((folder: string, name: string) => { before?: string; word: string; open?: true })[] = [
  (folder, name) => ({ word: `./${folder}${name}` }),
  (folder, name) => ({ word: `${folder}../${folder}${name}` }),
  (folder, name) => ({ word: `"$CLAUDE_PROJECT_DIR"/${folder}${name}` }),
  (folder, name) => ({ word: `"\${CLAUDE_PROJECT_DIR%/}/${folder}${name}"` }),
  (folder, name) => ({ word: `"\${CLAUDE_PROJECT_DIR:-.}/${folder}${name}"` }),
  (folder, name) => ({ word: `\${CLAUDE_PROJECT_DIR:?no}/${folder}${name}` }),
  (folder, name) => ({ word: `"$PWD/${folder}${name}"` }),
  (folder, name) => ({ word: `$(pwd)/${folder}${name}` }),
  (folder, name) => ({ word: `~+/${folder}${name}` }),
  (folder, name) => ({ before: `h=./${folder}`, word: `"$h/${name}"` }),
  (folder, name) => ({ before: `h=./${folder}${name}.bak; g=\${h%.bak}`, word: '"$g"' }),
  (folder, name) => ({ before: `h=x./${folder}${name}`, word: '"${h#x}"' }),
  (folder, name) => ({ before: `h=@${folder}${name}`, word: '"${h/@/./}"' }),
  (folder, name) => ({ before: `export h="$CLAUDE_PROJECT_DIR/"; g=$h${folder}`, word: `$g${name}` }),
  (folder, name) => ({ word: `\${UNSET:-./${folder}${name}}`, open: true }),
  (folder, name) => ({ word: `\${UNSET}./${folder}${name}`, open: true }),
  (folder, name) => ({ word: `$(echo ./${folder}${name})` }),
  (folder, name) => ({ word: `\`echo ./${folder}${name}\`` }),
  (folder, name) => ({ word: `"$(dirname ./${folder}${name})/${name}"` }),
  (folder, name) => ({ word: `"$(realpath ./${folder}${name})"` }),
  (folder, name) => ({ before: `[ -n "$h" ] || h=./${folder}`, word: `$h/${name}`, open: true }),
  (folder, name) => ({ before: `h=$(ls -d ./${folder}${name})`, word: '"$h"', open: true }),
  (folder, name) => ({ word: `./${folder}${name.slice(0, -1)}?`, open: true }),
  (folder, name) => ({ before: `cd ./${folder || '.'}`, word: `./${name}` }),
  (folder, name) => ({ before: `cd "$CLAUDE_PROJECT_DIR" && cd ./${folder || '.'}`, word: `./${name}` }),
];
const WRAPS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `( ${line} )`,
  (line) => `sh -c ${`'${line.replaceAll("'", "'\\''")}'`}`,
  (line) => `bash -ec "${line.replace(/[\\"$`]/g, '\\$&')}"`,
  (line) => `set -u; true; ${line}\n`,
  (line) => `# it's a guard\n${line}`,
  (line) => `echo x >> seen.log && { ${line}; }`,
];

const anyForm: fc.Arbitrary<Form> = fc
  .tuple(
    fc.constantFrom(...RUNNERS),
    fc.nat(),
    fc.constantFrom('', 'hooks/', 'hooks/in/'),
    fc.constantFrom(...SPELLINGS),
    fc.constantFrom(...WRAPS),
  )
  .map(([[runner, names], at, folder, spell, wrap]) => {
    const { before, word, open = false } = spell(folder, names[at % names.length] as string);
    const line = runner(word);
    return { line: wrap(before === undefined ? line : `${before}; ${line}`), open };
  });
const anyQuoted: fc.Arbitrary<Form> = fc
  .tuple(fc.constantFrom(...RUNNERS), fc.nat(), fc.constantFrom('my hooks/', '$h/'), fc.constantFrom(...quotings))
  .map(([[runner, names], at, folder, quote]) => ({
    line: runner(quote(`./${folder}${names[at % names.length]}`)),
    // In double quotes, or where the shell reads it twice, it is a variable.
    open: folder === '$h/' && (quote('$').startsWith('"') || /^(?:trap|.*xargs)/.test(runner(''))),
  }));

/** The names that the scripts of the tree leave when a real shell runs the command. */
function scriptsThatRan(command: string, args?: readonly string[]): string[] {
  const ran = join(dir, 'ran');
  rmSync(ran, { force: true });
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    RAN: ran,
    CLAUDE_PROJECT_DIR: dir,
    npm_config_update_notifier: 'false',
  };
  const options = { ...user, cwd: dir, env, input: '', timeout: 20_000 } as const;
  if (args) spawnSync(command, args, options);
  else spawnSync('bash', ['-c', command], options);
  return existsSync(ran) ? [...new Set(readFileSync(ran, 'utf8').trim().split('\n'))] : [];
}

/** What ran and is neither bound nor said to be open. */
function missed({ line, open }: Form, args?: readonly string[]): string[] {
  const { files, unresolved } = namedFiles(
    { type: 'command', command: line, ...(args && { args }) },
    { projectDir: dir },
  );
  const bound = new Set(files.map((file) => resolve(dir, file)));
  // What the line itself writes is never bound.
  expect([line, files.filter((file) => /(?:out|seen)\.log/.test(file))]).toEqual([line, []]);
  if (open && unresolved.length > 0) return [];
  return scriptsThatRan(line, args).filter((path) => !bound.has(join(dir, path)));
}

it('binds or names every script that a command really runs', () => {
  let ran = 0;
  for (const form of fc.sample(fc.oneof({ weight: 4, arbitrary: anyForm }, { weight: 1, arbitrary: anyQuoted }), {
    numRuns: RUNS,
    seed: SEED,
  })) {
    const found = missed(form);
    expect({ seed: SEED, form, missed: found }).toEqual({ seed: SEED, form, missed: [] });
    ran += 1;
  }
  expect(ran).toBe(RUNS);
});

it.each(FOUND)('%s', (line) => {
  expect(scriptsThatRan(line).length).toBeGreaterThan(0);
  expect(missed({ line, open: true })).toEqual([]);
});

it.each(ELSEWHERE)('%s', (line, file) => {
  const { files, unresolved } = namedFiles({ type: 'command', command: line }, { projectDir: dir });
  if (file === undefined) expect(unresolved.length).toBeGreaterThan(0);
  else expect(files.map((path) => resolve(dir, path))).toContain(join(dir, file));
});

it('an ordinary use of the same programs leaves nothing open', () => {
  for (const line of [
    'docker ps',
    'command -v node > /dev/null || exit 0; cat x-* < y-* | wc -l',
    'git -c color.ui=never diff',
    'node guard.js',
    'sqlite3 db "select 1"',
  ])
    expect([line, namedFiles({ type: 'command', command: line }, { projectDir: dir }).unresolved]).toEqual([line, []]);
});

it.each<readonly [string, readonly string[]]>([
  ['sh', ['$h/guard']],
  ['$h/guard', []],
  ['node', ['$h/plain']],
  ['node', ['-r', './$h/folder', '-e', '1']],
  ['python3', ['-m', 'hooks.mod']],
  ['env', ['PATH=hooks:/usr/bin:/bin', 'guard']],
  ['env', ['-C', '$h', './guard']],
  ['bash', ['-c', 'h=hooks; $h/guard']],
  ['make', ['-s', '-C', '$h']],
])('in exec form: %s %j', (command, args) => {
  expect(scriptsThatRan(command, args).length).toBeGreaterThan(0);
  expect(missed({ line: command, open: false }, args)).toEqual([]);
});

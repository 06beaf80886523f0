import { every, type ProgramOptions } from './program.js';

/** The manifest of a package, as a suffix of its folder. */
export const MANIFEST = '/package.json';
const SCRIPTS = ['', '.js', '.cjs', '.mjs', '.json', '.node', '/index.js', '/index.cjs', '/index.json', MANIFEST];
const TYPED = ['.ts', '.mts', '.cts', '.tsx', '.jsx', '/index.ts', '/index.mjs', '/index.tsx'];

export const SHELLS = 'sh bash dash ash zsh ksh mksh pdksh oksh rksh yash osh posh fish rbash';
export const shell: ProgramOptions = {
  operands: 'code',
  scripts: true,
  shell: true,
  checks: '-n',
  line: '-c --command',
  code: '--rcfile --init-file',
  value: '-o -O +o +O',
  flags:
    '-e -u -x -v -l -i -n -f -a -s -p -r -m --login --norc --noprofile --posix -- +e +u +x +v +f +a +m +b +h +k +B +C +E +H +P +T',
  stdin: true,
  always: /^-[a-z]*s[a-z]*$/,
};
export const node: ProgramOptions = {
  operands: 'code',
  scripts: true,
  checks: '--check -c --test',
  code: '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --test-reporter --snapshot-blob',
  text: '-e --eval -p --print',
  script: '--run',
  value: '-C --conditions --input-type --title --stack-trace-limit --max-old-space-size',
  flags: '--no-warnings --enable-source-maps --test --watch --experimental-strip-types --check -c -i --',
  ends: SCRIPTS,
  packages: 'node_modules',
  verbs: 'inspect',
  stdin: true,
};
export const typed: ProgramOptions = {
  ...node,
  checks: `${node.checks} test`,
  code: `${node.code} --tsconfig -P --project --preload --config --import-map`,
  folder: '--cwd --dir',
  ends: [...SCRIPTS, ...TYPED],
  verbs: 'run watch x exec test task',
};
export const python: ProgramOptions = {
  operands: 'code',
  scripts: true,
  module: '-m',
  text: '-c',
  value: '-W -X --check-hash-based-pycs',
  flags: '-u -B -E -I -O -OO -P -s -S -b -q -v -i -x -d',
  ends: ['', '/__main__.py'],
  modules: { separator: '.', ends: ['.py', '.pyc', '/__main__.py', '/__init__.py', '.so'] },
  stdin: true,
};
const perl: ProgramOptions = {
  operands: 'code',
  scripts: true,
  checks: '-c',
  module: '-M -m',
  folder: '-I',
  text: '-e -E',
  value: '-F -i',
  flags: '-w -W -n -p -l -a -t -T -s -c --',
  modules: { separator: '::', ends: ['.pm'] },
  stdin: true,
};
const ruby: ProgramOptions = {
  operands: 'code',
  scripts: true,
  checks: '-c',
  module: '-r --require',
  folder: '-I -C --directory',
  text: '-e',
  value: '-E -W -x',
  flags: '-w -n -p -l -a -s -S -c -v --',
  modules: { separator: '/', ends: ['', '.rb', '.so', '/lib.rb'] },
  stdin: true,
};
const php: ProgramOptions = {
  operands: 'code',
  scripts: true,
  checks: '-l --syntax-check',
  code: '-f -F -c --file --php-ini -z',
  text: '-r -B -R -E',
  setting: '-d',
  folder: '-t',
  stdin: true,
};
const lua: ProgramOptions = {
  operands: 'code',
  scripts: true,
  module: '-l',
  text: '-e',
  flags: '-i -v -E -W',
  modules: { separator: '.', ends: ['', '.lua', '/init.lua', '.so'] },
  stdin: true,
};
const java: ProgramOptions = {
  operands: 'code',
  scripts: true,
  code: '-jar -javaagent -agentpath',
  folder: '-cp -classpath --class-path -p --module-path',
  value: '-m --module --add-modules --add-opens',
  ends: ['', '.class', '.java'],
  modules: { separator: '.', ends: ['.class'] },
};
const awk: ProgramOptions = {
  operands: 'data',
  scripts: true,
  code: '-f --file -E --exec -i --include',
  value: '-v -F',
};
const lisp: ProgramOptions = {
  operands: 'code',
  scripts: true,
  code: '-l --load -s --script',
  text: '-e --eval',
  stdin: true,
};
const powershell: ProgramOptions = {
  operands: 'code',
  scripts: true,
  code: '-File -f -file',
  line: '-Command -c -command',
  value: '-ExecutionPolicy -ep -Ex',
  flags: '-NoProfile -nop -NonInteractive',
  ends: ['', '.ps1'],
  stdin: true,
};
export const script: ProgramOptions = { operands: 'code', scripts: true, stdin: true };
/** Programs that run code from a file or an argument, by name. */
export const INTERPRETERS: Readonly<Record<string, ProgramOptions>> = {
  ...every(SHELLS, shell),
  ...every('source .', script),
  ...every('node nodejs', node),
  bun: { ...typed, unasked: ['package.json', 'bunfig.toml'] },
  deno: { ...typed, unasked: ['deno.json', 'deno.jsonc'] },
  ...every('tsx ts-node esno jiti vite-node swc-node babel-node', typed),
  ...every('python pypy py', python),
  perl,
  ...every('ruby jruby', ruby),
  php,
  ...every('lua luajit texlua', lua),
  java,
  ...every('awk gawk mawk nawk original-awk', awk),
  ...every('emacs guile sbcl racket clisp', lisp),
  ...every('pwsh powershell', powershell),
  ...every('csh tcsh', { ...script, line: '-c', flags: '-b -e -f -v -x -X -V' }),
  ...every(
    'tclsh wish expect Rscript julia osascript dotnet swift elixir escript groovy scala kotlin nu elvish xonsh raku wasmtime crystal bc gdb psql zx bb rust-script jbang',
    script,
  ),
  sqlite: { operands: 'texts', code: '-init', text: '-cmd', stdin: true },
  go: {
    operands: 'code',
    folder: '-C',
    ends: ['', '/main.go'],
    scripts: true,
    checks: 'test build vet generate',
    verbs: 'run test build generate tool',
    unasked: ['go.mod'],
  },
};

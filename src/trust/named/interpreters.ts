import { every, type ProgramOptions } from './program.js';

/** The manifest of a package, as a suffix of its folder. */
export const MANIFEST = '/package.json';
const SCRIPTS = ['', '.js', '.cjs', '.mjs', '.json', '.node', '/index.js', '/index.cjs', '/index.json', MANIFEST];
const TYPED = ['.ts', '.mts', '.cts', '.tsx', '.jsx', '/index.ts', '/index.mjs', '/index.tsx'];

const shell: ProgramOptions = {
  operands: 'code',
  scripts: true,
  checks: '-n',
  line: '-c --command',
  code: '--rcfile --init-file',
  value: '-o -O +o +O',
  flags: '-e -u -x -v -l -i -n -f -a -s -p -r -m --login --norc --noprofile --posix --',
  stdin: true,
  always: /^-[a-z]*s[a-z]*$/,
};
const node: ProgramOptions = {
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
const typed: ProgramOptions = {
  ...node,
  checks: '--check --test test',
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
const bun: ProgramOptions = {
  ...typed,
  checks:
    'test build install i add remove rm update outdated link unlink publish patch pm info why init create upgrade repl audit',
  code: '-r --require --preload --import --config -c --tsconfig-override --env-file',
  flags: '-b --bun --watch --hot --silent --smol --if-present --no-install --inspect --inspect-brk -i -v --',
  verbs: 'run x exec',
  tasks: true,
  unasked: ['package.json', 'bunfig.toml'],
};
const deno: ProgramOptions = {
  ...typed,
  checks:
    'test bench task lint fmt check doc info compile cache install add remove uninstall upgrade types coverage completions init jupyter lsp publish repl bundle vendor outdated update clean eval deploy',
  code: '--preload --import --require --import-map --config -c --env-file',
  value: '--lock --ext --v8-flags --location --seed --log-level -L --cert --port --host',
  flags:
    '-A --allow-all -q --quiet -r --reload --check --watch --cached-only --frozen --inspect --inspect-brk --node-modules-dir --allow-read --allow-write --allow-net --allow-env --allow-run --allow-sys --allow-ffi --allow-import --deny-read --deny-write --deny-net --deny-env --deny-run -R -W -N -E -S -I --unstable --unstable-kv --unstable-sloppy-imports --parallel --',
  verbs: 'run serve',
  tasks: true,
  unasked: ['deno.json', 'deno.jsonc'],
};
const script: ProgramOptions = { operands: 'code', scripts: true, stdin: true };
/** What these read is no script for a computer, but for what they are connected to. */
const texts: ProgramOptions = { operands: 'code', stdin: true };
/** Programs that run code from a file or an argument, by name. */
export const INTERPRETERS: Readonly<Record<string, ProgramOptions>> = {
  ...every('sh bash dash ash zsh ksh mksh yash fish rbash', shell),
  ...every('source .', { ...script, environments: true }),
  ...every('node nodejs', node),
  bun,
  deno,
  ...every('tsx ts-node esno jiti vite-node swc-node babel-node', typed),
  ...every('python pypy py', python),
  perl,
  ...every('ruby jruby', ruby),
  php,
  ...every('lua luajit texlua', lua),
  java,
  ...every('awk gawk mawk nawk', awk),
  ...every('emacs guile sbcl racket clisp', lisp),
  ...every('pwsh powershell', powershell),
  ...every(
    'tclsh wish expect Rscript julia osascript elixir escript groovy scala kotlin nu elvish xonsh raku zx bb rust-script jbang',
    script,
  ),
  ...every('csh tcsh', { ...script, line: '-c', flags: '-b -e -f -v -x -X -V' }),
  ...every('wasmtime crystal', { ...script, verbs: 'run', checks: 'spec build tool compile', tasks: true }),
  ...every('dotnet swift', {
    ...script,
    checks: 'run build test format publish restore pack clean tool sln add new package watch msbuild vstest',
    tasks: true,
  }),
  ...every('bc gdb psql', texts),
  sqlite: { operands: 'texts', code: '-init', text: '-cmd', stdin: true },
  go: {
    operands: 'code',
    folder: '-C',
    ends: ['', '/main.go'],
    scripts: true,
    whole: '.go',
    checks: 'test build vet generate fmt list mod tool get install doc env work clean fix version telemetry bug',
    value: '-tags -ldflags -gcflags -asmflags -mod -modfile -exec -p -o -coverpkg -overlay -pgo',
    flags: '-race -v -x -n -a -work -trimpath -cover -msan -asan',
    verbs: 'run test build generate tool',
    unasked: ['go.mod'],
  },
};

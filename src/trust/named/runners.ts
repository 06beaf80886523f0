import { MANIFEST, python } from './interpreters.js';
import { every, type ProgramOptions } from './program.js';

const make: ProgramOptions = {
  operands: 'none',
  scripts: true,
  code: '-f --file --makefile',
  folder: '-C --directory -I --include-dir',
  unasked: ['GNUmakefile', 'makefile', 'Makefile'],
};
export const packages: ProgramOptions = {
  operands: 'none',
  folder: '--prefix -C --dir --cwd --workspace -w',
  line: '-c --call',
  verbs: 'exec x dlx',
  unasked: ['package.json'],
};
export const runner: ProgramOptions = {
  operands: 'code',
  code: '',
  folder: '--prefix --cwd -C',
  line: '-c --call',
  value: '-p --package',
  flags: '-y --yes --no-install --no --quiet -q --',
  ends: ['', MANIFEST],
  binaries: 'node_modules/.bin',
  verbs: 'exec x run dlx',
};
export const wrapper: ProgramOptions = { operands: 'command' };
export const project = (...unasked: string[]): ProgramOptions => ({
  operands: 'command',
  module: '-m --module',
  ...(python.modules && { modules: python.modules }),
  verbs: 'run exec x shell --',
  unasked,
  ends: [''],
  code: '--env-file',
  folder: '--directory --project -C',
});
const environment = project(
  ...['mise.toml', '.mise.toml', '.tool-versions', '.envrc', '.env', 'devbox.json', 'shell.nix'],
);
const builder = (folder: string, ...unasked: string[]): ProgramOptions => ({
  operands: 'none',
  code: '-f --file --justfile --rakefile -t --taskfile --config',
  folder,
  unasked,
});
/** A long option as it may be shortened. */
const shortened = (option: string): string => Array.from(option.slice(2), (_, i) => option.slice(0, i + 3)).join(' ');
const reader: ProgramOptions = { operands: 'data', code: '-f --file', value: '-n -e' };

/** Programs that run other programs or the tasks of a project file, and programs that run nothing, by name. */
export const RUNNERS: Readonly<Record<string, ProgramOptions>> = {
  ...every('make gmake', make),
  just: builder('-d --working-directory', 'justfile', 'Justfile', '.justfile'),
  rake: builder('-C --directory', 'Rakefile', 'rakefile', 'Rakefile.rb'),
  task: builder('-d --dir', 'Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'Taskfile.dist.yml'),
  ...every('gradle gradlew', builder('-p --project-dir', 'build.gradle', 'build.gradle.kts', 'settings.gradle')),
  ...every('invoke inv', builder('-r --search-root', 'tasks.py')),
  cargo: builder('-C', 'Cargo.toml', 'build.rs'),
  composer: builder('-d --working-dir', 'composer.json'),
  'pre-commit': builder('-C', '.pre-commit-config.yaml'),
  lefthook: builder('-C', 'lefthook.yml', 'lefthook.yaml'),
  tox: builder('--workdir', 'tox.ini', 'pyproject.toml'),
  pytest: {
    ...builder('--rootdir', 'conftest.py', 'pytest.ini', 'pyproject.toml'),
    module: '-p',
    ...(python.modules && { modules: python.modules }),
  },
  ...every('npm yarn pnpm', { ...packages }),
  ...every('npx bunx pnpx', runner),
  ...every('vi vim nvim view ex', { operands: 'data', code: '-S -u -s', value: '-c --cmd' }),
  ...every('uv uvx poetry pdm hatch rye pipenv pipx conda', project('pyproject.toml')),
  bundle: project('Gemfile'),
  ...every('mise asdf dotenv devbox nix-shell', environment),
  // `direnv exec DIRECTORY COMMAND`
  direnv: { ...environment, skips: 1 },
  env: {
    operands: 'command',
    folder: `-C ${shortened('--chdir')}`,
    value: `-u ${shortened('--unset')}`,
    line: `-S ${shortened('--split-string')}`,
    flags: '-i -0 -v - --',
    cleans: /^-$|^-[a-zA-Z0]*[iS]|^--[is]|^(?:-[a-zA-Z0]*u|--u[a-z]*=)?HOME$/,
  },
  exec: { operands: 'command', value: '-a', flags: '-c -l', cleans: /^-[a-z]*c/ },
  sudo: {
    operands: 'command',
    value: '-u -g -p -h --user --group',
    folder: '-D --chdir',
    flags: '-E -n -H -S -i -s --',
  },
  doas: { operands: 'command', value: '-u -C' },
  timeout: {
    operands: 'command',
    skips: 1,
    value: '-s -k --signal --kill-after',
    flags: '--foreground --preserve-status',
  },
  nice: { operands: 'command', value: '-n --adjustment' },
  ionice: { operands: 'command', value: '-c -n -p' },
  taskset: { ...wrapper, skips: 1 },
  chroot: { ...wrapper, skips: 1 },
  flock: { operands: 'command', skips: 1, line: '-c --command', value: '-w -E', flags: '-n -x -s' },
  time: { operands: 'command', value: '-o -f', flags: '-p', builtins: true },
  stdbuf: { operands: 'command', value: '-i -o -e' },
  watch: { operands: 'lines', value: '-n -d' },
  xargs: {
    operands: 'command',
    value: '-I -n -P -L -d -s -E --max-args --max-procs --delimiter',
    code: '-a --arg-file',
    flags: '-0 -r -t --null --no-run-if-empty',
    stdin: true,
  },
  parallel: { operands: 'command', shell: true, value: '-j --jobs', code: '-a --arg-file', stdin: true },
  find: { operands: 'none', command: '-exec -execdir -ok -okdir' },
  fd: { operands: 'none', command: '-x --exec -X --exec-batch' },
  ...every('command builtin', { ...wrapper, builtins: true }),
  ...every('nohup setsid unbuffer chronic caffeinate strace ltrace valgrind winpty coproc', wrapper),
  // What is not named like a program may be a script of the applet before it.
  busybox: { ...wrapper, ends: [''] },
  script: { operands: 'data', line: '-c --command' },
  ...every('su sg', { operands: 'none', line: '-c --command' }),
  eval: { operands: 'lines', stdin: true },
  trap: { operands: 'lines' },
  alias: { operands: 'lines', takes: 'each' },
  ...every('cd chdir pushd', { operands: 'folder', flags: '-P -L -e -@ --' }),
  git: { operands: 'none', folder: '-C --git-dir --work-tree --exec-path', setting: '-c' },
  ...every('docker podman nerdctl docker-compose', { operands: 'none', open: 'run exec start up compose' }),
  nix: { operands: 'none', open: 'run shell develop' },
  'run-parts': { operands: 'folder', open: '' },
  sed: {
    operands: 'data',
    scripts: true,
    code: '-f --file',
    value: '-e --expression -l --line-length',
    flags: '-n -E -r -s -u -z --quiet --silent --posix --debug --sandbox --separate --unbuffered --null-data',
  },
  // Not base64 or m4: what they make of a text cannot be read in the line.
  ...every('cat tac head tail zcat gunzip xxd rev nl envsubst cpp', reader),
  ...every('export declare local readonly typeset', { operands: 'command', flags: '-x -g -r -p -i -n -a -A' }),
  ...every(
    'case [ [[ test echo printf ls rm mkdir touch cp mv ln chmod date tee wc tr cut sort uniq return exit logger notify-send say curl read',
    { operands: 'none' },
  ),
  ...every('jq grep egrep rg', { operands: 'none', code: '-f --file --from-file' }),
};

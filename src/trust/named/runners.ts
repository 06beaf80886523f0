import { MANIFEST, python } from './interpreters.js';
import { every, type ProgramOptions } from './program.js';

const make: ProgramOptions = {
  operands: 'none',
  scripts: true,
  code: '-f --file --makefile',
  folder: '-C --directory -I --include-dir',
  unasked: ['GNUmakefile', 'makefile', 'Makefile'],
};
const packages: ProgramOptions = {
  operands: 'none',
  folder: '--prefix -C --dir --cwd --workspace -w',
  line: '-c --call',
  value: '-p --package',
  flags: '-y --yes -s --silent -q --quiet --offline --prefer-offline --',
  verbs: 'exec x dlx',
  unasked: ['package.json'],
};
const runner: ProgramOptions = {
  operands: 'code',
  code: '',
  folder: '--prefix --cwd -C',
  line: '-c --call',
  value: '-p --package',
  flags:
    '-y --yes --no-install --no --quiet -q --offline --prefer-offline --prefer-online --silent -s --bun --verbose --',
  ends: ['', MANIFEST],
  binaries: 'node_modules/.bin',
  verbs: 'exec x run dlx',
};
const wrapper: ProgramOptions = { operands: 'command' };
const project = (...unasked: string[]): ProgramOptions => ({
  operands: 'command',
  module: '-m --module',
  ...(python.modules && { modules: python.modules }),
  verbs: 'run exec x shell --',
  unasked,
  ends: [''],
  code: '--env-file',
  folder: '--directory --project -C',
  value:
    '--with --with-editable --with-requirements --group --only-group --extra --python -p --index --default-index --index-url --extra-index-url --find-links --package --cache-dir --color --config-file --spec --from --python-version --env --prefix --name --cwd --prerelease --resolution --upgrade-package --refresh-package --link-mode',
  flags:
    '-q --quiet -v -vv --verbose --frozen --locked --isolated --active --offline --all-extras --all-groups --all-packages --dev --only-dev --exact --refresh -s --script --managed-python --native-tls --pre --system --no-cache --no-capture-output --live-stream --clear -n --no-interaction --ansi --',
});
const builder = (folder: string, ...unasked: string[]): ProgramOptions => ({
  operands: 'none',
  code: '-f --file --justfile --rakefile -t --taskfile --config',
  folder,
  unasked,
});
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
  ...every('uv uvx poetry pdm hatch rye pipenv pipx', project('pyproject.toml')),
  ...every('conda mamba micromamba', {
    operands: 'command',
    verbs: 'run',
    value: '-n --name -p --prefix --cwd',
    flags: '--no-capture-output --live-stream -v',
  }),
  bundle: project('Gemfile'),
  ...every(
    'mise asdf devbox nix-shell',
    project('mise.toml', '.mise.toml', '.tool-versions', '.envrc', '.env', 'devbox.json', 'shell.nix'),
  ),
  direnv: { operands: 'command', verbs: 'exec', skips: 1, unasked: ['.envrc', '.env'] },
  dotenv: {
    operands: 'command',
    value: '-e -v -c -p -f --file',
    flags: '-o --override --',
    verbs: 'run',
    unasked: ['.env'],
  },
  ...every('doppler op', {
    operands: 'command',
    verbs: 'run',
    value: '--env-file -p --project -c --config',
    flags: '--',
  }),
  env: {
    operands: 'command',
    folder: '-C --chdir',
    value: '-u --unset',
    line: '-S --split-string',
    flags: '-i -0 -v - --',
  },
  exec: { operands: 'command', value: '-a', flags: '-c -l' },
  sudo: {
    operands: 'command',
    value: '-u -g -p -h --user --group',
    folder: '-D --chdir',
    flags: '-E -n -H -S -i -s --',
  },
  doas: { operands: 'command', value: '-u -C' },
  ...every('timeout gtimeout', {
    operands: 'command',
    skips: 1,
    value: '-s -k --signal --kill-after',
    flags: '--foreground --preserve-status -v --verbose',
  }),
  nice: { operands: 'command', value: '-n --adjustment' },
  chrt: { operands: 'command', skips: 1, value: '-T -P -D', flags: '-a -b -d -f -i -o -r -R -v' },
  setpriv: {
    operands: 'command',
    value:
      '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --selinux-label --apparmor-profile',
    flags: '--clear-groups --keep-groups --init-groups --no-new-privs --reset-env',
  },
  unshare: {
    operands: 'command',
    flags: '-f --fork -m -u -i -n -p -U -C -T -r -c --mount --net --pid --user --map-root-user',
  },
  ...every('prlimit choom', { operands: 'command', value: '-n --adjust' }),
  ...every('setarch linux arch', {
    operands: 'command',
    flags: '-R -B -F -I -L -S -T -X -Z -3 -v -arm64 -x86_64',
    verbs: 'x86_64 i386 i686 aarch64 arm64 linux32 linux64',
  }),
  runuser: { operands: 'command', value: '-u -g -G', flags: '-l -m -p -f --' },
  ionice: { operands: 'command', value: '-c -n -p', flags: '-t' },
  setsid: { ...wrapper, flags: '-c -f -w --ctty --fork --wait' },
  taskset: { ...wrapper, skips: 1, flags: '-a -c' },
  chroot: { ...wrapper, skips: 1 },
  flock: { operands: 'command', skips: 1, line: '-c --command', value: '-w -E', flags: '-n -x -s' },
  ...every('time gtime', { operands: 'command', value: '-o -f', flags: '-p -v -a -q' }),
  ...every('strace ltrace', {
    operands: 'command',
    value: '-o -e -p -s -E -u -P -a -O -S',
    flags: '-f -ff -q -qq -c -C -t -tt -ttt -T -v -x -xx -y -yy -i -k -r -w -F -D',
  }),
  stdbuf: { operands: 'command', value: '-i -o -e' },
  watch: { operands: 'lines', value: '-n -d' },
  xargs: {
    operands: 'command',
    value: '-I -n -P -L -d -s -E --max-args --max-procs --delimiter',
    code: '-a --arg-file',
    flags: '-0 -r -t --null --no-run-if-empty',
    stdin: true,
  },
  parallel: { operands: 'command', value: '-j --jobs', code: '-a --arg-file', stdin: true },
  find: { operands: 'none', command: '-exec -execdir -ok -okdir' },
  fd: { operands: 'none', command: '-x --exec -X --exec-batch' },
  ...every('command builtin nohup unbuffer chronic caffeinate valgrind winpty coproc busybox fakeroot', {
    ...wrapper,
    flags: '-p -d -i -s -m -u -e -q --',
  }),
  script: { operands: 'data', line: '-c --command' },
  ...every('su sg', { operands: 'none', line: '-c --command' }),
  eval: { operands: 'lines', stdin: true },
  trap: { operands: 'lines' },
  alias: { operands: 'lines' },
  ...every('cd pushd', { operands: 'folder', flags: '-P -L -e -@ --' }),
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
  ...every('cat tac head tail zcat gunzip base64 xxd rev nl envsubst m4 cpp', reader),
  ...every('export declare local readonly typeset', { operands: 'command', flags: '-x -g -r -p -i -n -a -A' }),
  ...every(
    'case [ [[ test echo printf ls rm mkdir touch cp mv ln chmod date tee wc tr cut sort uniq return exit logger notify-send say curl read',
    { operands: 'none' },
  ),
  ...every('grep egrep rg', { operands: 'none', code: '-f --file' }),
  jq: { operands: 'none', scripts: true, code: '-f --from-file' },
};

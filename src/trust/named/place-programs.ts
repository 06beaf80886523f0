import { INTERPRETERS, node, SHELLS, script, shell, typed } from './interpreters.js';
import { every, type ProgramOptions } from './program.js';
import { packages, project, RUNNERS, runner, wrapper } from './runners.js';

const tools: ProgramOptions = {
  ...project(),
  value:
    '--with --with-editable --with-requirements --group --only-group --extra --python -p --index --default-index --index-url --extra-index-url --find-links --package --cache-dir --color --config-file --spec --from --python-version --env --prefix --name --cwd --prerelease --resolution --upgrade-package --refresh-package --link-mode',
  flags:
    '-q --quiet -v -vv --verbose --frozen --locked --isolated --active --offline --all-extras --all-groups --all-packages --dev --only-dev --exact --refresh -s --script --managed-python --native-tls --pre --system --no-cache --no-capture-output --live-stream --clear -n --no-interaction --ansi --',
};
/** What these read is no script for a computer, but for what they are connected to. */
const texts: ProgramOptions = { operands: 'code', stdin: true };

/**
 * The entries of programs that are read in another way where scripts are bound to their places. There a word too many refuses a hook
 * that only reads files, so options are known whose values are no scripts. Consent does not use these entries: it counts what stands
 * behind an option that it does not know, and a file too many does no harm.
 */
export const PLACE_PROGRAMS: Readonly<Record<string, ProgramOptions>> = {
  ...every(SHELLS, {
    ...shell,
    verbs: '-',
    flags: `${shell.flags} -b -h -k -t -B -C -D -E -H -P -T`,
  }),
  ...every('source .', { ...script, shell: true, environments: true }),
  ...every('node nodejs', {
    ...node,
    flags: `${node.flags} --inspect --inspect-brk --inspect-wait --trace-warnings --trace-uncaught --trace-deprecation --no-deprecation --throw-deprecation --expose-gc --use-strict --preserve-symlinks --preserve-symlinks-main --experimental-vm-modules --experimental-transform-types --watch-preserve-output`,
    value: `${node.value} --inspect-port --unhandled-rejections --dns-result-order --icu-data-dir --max-http-header-size --max-semi-space-size --watch-path`,
  }),
  bun: {
    ...typed,
    checks:
      'test build install i add remove rm update outdated link unlink publish patch pm info why init create upgrade repl audit',
    code: '-r --require --preload --import --config -c --tsconfig-override --env-file',
    flags: '-b --bun --watch --hot --silent --smol --if-present --no-install --inspect --inspect-brk -i -v --',
    verbs: 'run x exec',
    tasks: true,
  },
  deno: {
    ...typed,
    checks:
      'test bench task lint fmt check doc info compile cache install add remove uninstall upgrade types coverage completions init jupyter lsp publish repl bundle vendor outdated update clean eval deploy',
    code: '--preload --import --require --import-map --config -c --env-file',
    value: '--lock --ext --v8-flags --location --seed --log-level -L --cert --port --host',
    flags:
      '-A --allow-all -q --quiet -r --reload --check --watch --cached-only --frozen --inspect --inspect-brk --node-modules-dir --allow-read --allow-write --allow-net --allow-env --allow-run --allow-sys --allow-ffi --allow-import --deny-read --deny-write --deny-net --deny-env --deny-run -R -W -N -E -S -I --unstable --unstable-kv --unstable-sloppy-imports --parallel --',
    verbs: 'run serve',
    tasks: true,
  },
  ...every('tsx ts-node esno jiti vite-node swc-node babel-node', { ...typed, checks: '--check --test test' }),
  ...every('csh tcsh', { ...INTERPRETERS['csh'], operands: 'code', shell: true }),
  ...every('wasmtime crystal', { ...script, verbs: 'run', checks: 'spec build tool compile', tasks: true }),
  ...every('dotnet swift', {
    ...script,
    checks: 'run build test format publish restore pack clean tool sln add new package watch msbuild vstest',
    tasks: true,
  }),
  ...every('bc gdb psql', texts),
  go: {
    ...INTERPRETERS['go'],
    operands: 'code',
    whole: '.go',
    checks: 'test build vet generate fmt list mod tool get install doc env work clean fix version telemetry bug',
    value: '-tags -ldflags -gcflags -asmflags -mod -modfile -exec -p -o -coverpkg -overlay -pgo',
    flags: '-race -v -x -n -a -work -trimpath -cover -msan -asan',
  },
  ...every('npm yarn pnpm', {
    ...packages,
    value: '-p --package',
    flags: '-y --yes -s --silent -q --quiet --offline --prefer-offline --',
  }),
  ...every('npx bunx pnpx', {
    ...runner,
    flags: `${runner.flags} --offline --prefer-offline --prefer-online --silent -s --bun --verbose`,
  }),
  ...every('uv uvx poetry pdm hatch rye pipenv pipx bundle', tools),
  ...every('mise asdf devbox', tools),
  'nix-shell': { ...tools, line: '--run --command', value: `${tools.value} -A --attr -I`, flags: '--pure --impure' },
  nix: { operands: 'none', command: '-c --command' },
  ...every('conda mamba micromamba', {
    operands: 'command',
    verbs: 'run',
    value: '-n --name -p --prefix --cwd',
    flags: '--no-capture-output --live-stream -v',
  }),
  direnv: { operands: 'command', verbs: 'exec', skips: 1 },
  ...every('rbenv pyenv nodenv', { operands: 'command', verbs: 'exec' }),
  'cross-env': wrapper,
  'cross-env-shell': { operands: 'lines' },
  dotenv: { operands: 'command', value: '-e -v -c -p -f --file', flags: '-o --override --', verbs: 'run' },
  ...every('doppler op', {
    operands: 'command',
    verbs: 'run',
    value: '--env-file -p --project -c --config',
    flags: '--',
  }),
  ...every('timeout gtimeout', {
    ...RUNNERS['timeout'],
    operands: 'command',
    flags: '--foreground --preserve-status -v --verbose',
  }),
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
  ...every('gosu su-exec s6-setuidgid setuidgid', { ...wrapper, skips: 1 }),
  ...every('tini dumb-init catatonit', { ...wrapper, flags: '-s -g -v -c --single-child --' }),
  ...every('chpst softlimit', { ...wrapper, value: '-u -U -e -n -l -L -m -d -o -p -f -c -/' }),
  runuser: { operands: 'command', value: '-u -g -G', flags: '-l -m -p -f --' },
  'systemd-run': {
    operands: 'command',
    value: '-u --unit -p --property -E --setenv --slice --uid --gid --nice --description -H --host -M --machine',
    folder: '--working-directory',
    flags:
      '--user --system --scope --wait -P --pipe -t --pty -q --quiet -G --collect -d --same-dir -S --shell -r --no-block --no-ask-password --slice-inherit --remain-after-exit --',
  },
  'xvfb-run': {
    operands: 'command',
    value: '-e -f -n -p -s -w --error-file --auth-file --server-num --xauth-protocol --server-args --wait',
    flags: '-a -l --auto-servernum --auto-display --listen-tcp --',
  },
  ionice: { ...RUNNERS['ionice'], operands: 'command', flags: '-t' },
  setsid: { ...wrapper, flags: '-c -f -w --ctty --fork --wait' },
  taskset: { ...wrapper, skips: 1, flags: '-a -c' },
  ...every('time gtime', { operands: 'command', value: '-o -f', flags: '-p -v -a -q' }),
  ...every('strace ltrace', {
    operands: 'command',
    value: '-o -e -p -s -E -u -P -a -O -S',
    flags: '-f -ff -q -qq -c -C -t -tt -ttt -T -v -x -xx -y -yy -i -k -r -w -F -D',
  }),
  ...every('command builtin nohup unbuffer chronic caffeinate valgrind winpty coproc busybox fakeroot', {
    ...wrapper,
    flags: '-p -d -i -s -m -u -e -q --',
  }),
  watch: {
    operands: 'lines',
    value: '-n --interval -q --equexit',
    flags:
      '-b -c -C -d -e -g -p -r -t -w -x --beep --color --no-color --differences --errexit --chgexit --precise --no-title --no-wrap --exec',
  },
  trap: { operands: 'lines', takes: 'first' },
  jq: { operands: 'none', scripts: true, code: '-f --from-file' },
};

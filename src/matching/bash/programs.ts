import { readUniq, readXxd } from './filters/columns.js';
import {
  anywhere,
  awk,
  bubble,
  command,
  containers,
  editors,
  guessed,
  host,
  packageCommand,
  packages,
  projectTools,
  REMOTE_NAME,
  SSH,
  sed,
  shell,
  shown,
  start,
  URL_NAME,
} from './kinds.js';
import type { BashProgram } from './program.js';

/** Programs by name. A program without an entry is assumed to run only commands that are evident from its words. */
export const TABLE: Readonly<Record<string, BashProgram>> = {
  // Shells, and programs that pass a command line to one.
  'sh bash rbash zsh dash ash ksh mksh pdksh oksh yash osh posh rksh fish csh tcsh elvish nu xonsh': shell,
  eval: { rest: 'line' },
  trap: { short: 'lpP', rest: 'first' },
  'source .': { short: 'p:', rest: 'file' },
  alias: { rest: 'lines', hidden: true },
  'mapfile readarray': { short: 'd:n:O:s:tu:c:C!' },
  'complete compgen': { short: 'C!W!F:A:G:P:S:X:o:abcdefgjksuv' },
  'pwsh powershell cmd': anywhere,
  // Shell builtins that run the words after them.
  exec: { short: 'cla:', rest: 'command' },
  command: { short: 'pv/V/', rest: 'command' },
  'builtin noglob nocorrect coproc': command,
  hash: { short: 'ldtrp', rest: 'anywhere' },
  jobs: { short: 'lnprsx', rest: 'command' },
  // Runs lines of the history.
  fc: { short: 'e!lnrs', hidden: true },
  repeat: { operands: 1, rest: 'command' },
  // Programs that run a command as another user.
  sudo: {
    short: 'ABbEeHKklNnPSsViv/C:D:g:h:p:R:r:T:t:U:u:',
    long:
      'askpass background bell preserve-env? edit set-home login non-interactive preserve-groups stdin shell close-from: chdir: group: host: ' +
      'prompt: chroot: role: command-timeout: type: other-user: user: remove-timestamp reset-timestamp validate list no-update',
    ...start,
  },
  doas: { short: 'La:C:nsu:', ...start },
  'su runuser': {
    short: 'c!s:lmpPfg:G:u:w:TC:',
    long: 'command! session-command! shell: login preserve-environment pty fast group: supp-group: user: whitelist-environment:',
    rest: 'anywhere',
    input: true,
  },
  'gosu su-exec setuidgid': { operands: 1, ...start },
  chpst: { short: 'u:U:b:e:n:l:L:m:d:o:p:f:c:r:t:vP012', ...start },
  pkexec: { long: 'user: disable-internal-agent keep-cwd', ...start },
  sg: { operands: 1, short: 'c!', rest: 'lines', input: true },
  newgrp: { input: true },
  // Programs that change the environment of a command.
  env: {
    short: 'i0vu:C:S%',
    long: 'ignore-environment null unset: chdir: split-string% block-signal? default-signal? ignore-signal? list-signal-handling debug',
    rest: 'command',
  },
  timeout: {
    short: 's:k:vfp',
    long: 'signal: kill-after: foreground preserve-status verbose',
    operands: 1,
    rest: 'command',
  },
  time: { short: 'pvaqVf:o:', long: 'format: output: portability verbose append quiet', rest: 'command' },
  nice: { short: 'n:0123456789', long: 'adjustment:', rest: 'command' },
  'nohup catchsegv linux32 linux64 i386 i486 i586 i686 x86_64 uname26 ia64 sparc sparc32 sparc64 ppc ppc32 ppc64 s390 s390x eatmydata ifne':
    command,
  'setarch ssh-agent prlimit choom uclampset coresched pipesz run-one logsave start-stop-daemon ld.so cmake cgexec runcon openvt':
    { rest: 'anywhere' },
  // Runs the files of a folder.
  'run-parts': { hidden: true },
  stdbuf: { short: 'i:o:e:', long: 'input: output: error:', rest: 'command' },
  setsid: { short: 'cfw', long: 'ctty fork wait', rest: 'command' },
  ionice: { short: 'c:n:p:P:u:t', long: 'class: classdata: pid: pgid: uid: ignore', rest: 'command' },
  chrt: { short: 'abdfiormpvRT:P:D:', rest: 'command', operands: 1 },
  taskset: { short: 'acp', long: 'all-tasks cpu-list pid', operands: 1, rest: 'command' },
  flock: {
    short: 'sexnuoFw:E:c!v',
    long: 'shared exclusive unlock nonblock nb wait: timeout: conflict-exit-code: close no-fork command! verbose',
    operands: 1,
    rest: 'command',
  },
  chroot: { long: 'groups: userspec: skip-chdir', operands: 1, ...start },
  unshare: {
    short: 'muinpUCTfrcS:G:R:w:',
    long:
      'mount? uts? ipc? net? pid? user? cgroup? time? fork kill-child? mount-proc? map-user: map-group: map-root-user map-current-user ' +
      'map-auto propagation: setgroups: root: wd: setuid: setgid: keep-caps monotonic: boottime:',
    ...start,
  },
  nsenter: {
    short: 'at:m?u?i?n?p?C?U?T?S:G:r?w?W:FZe',
    long: 'all target: mount? uts? ipc? net? pid? cgroup? user? time? setuid: setgid: preserve-credentials root? wd? wdns: no-fork env',
    ...start,
  },
  script: {
    short: 'c!qeafE:I:O:B:T:m:o:t?',
    long: 'command! quiet return append flush force echo: log-in: log-out: log-io: log-timing: logging-format: output-limit: timing?',
    rest: 'anywhere',
    input: true,
  },
  strace: { short: 'a:Ab:cCdDe:E:fFh/iI:kno:O:p:P:qrs:S:tTu:U:vV/wxX:yYzZ', rest: 'command' },
  ltrace: { short: 'a:A:bcCD:e:fF:h/iLl:n:o:p:rs:StTu:V/w:x:X:', rest: 'command' },
  'valgrind perf gdb systemd-run systemd-inhibit setpriv capsh firejail proot fakeroot fakechroot xvfb-run dbus-run-session':
    {
      rest: 'anywhere',
      input: true,
    },
  bwrap: bubble,
  // A command may begin at the value of `--exec=`.
  nodemon: {
    short: 'e:w:i:d:s:',
    long: 'ext: watch: ignore: delay: signal: config: cwd: env-file: inspect? inspect-brk?',
    rest: 'anywhere',
  },
  'entr watchexec hyperfine concurrently screen tmux unbuffer caffeinate chronic torsocks torify proxychains proxychains4 proxychains-ng tsocks numactl cpulimit trickle tini dumb-init dotenv retry parallel-ssh':
    anywhere,
  'sotruss memusage gpg-agent debconf heaptrack rr gdbserver lldb scan-build bear ccache sccache distcc rlwrap sem niceload timelimit multitime':
    guessed,
  'systemd-cat systemd-socket-activate dbus-launch srun sbatch salloc mpirun mpiexec orterun pdsh clush pssh tsp nq pueue pm2 daemonize daemon dtach abduco zellij':
    guessed,
  'xterm uxterm urxvt gnome-terminal konsole xfce4-terminal kitty alacritty wezterm foot reflex onchange guix flox':
    guessed,
  'envdir softlimit setlock s6-setuidgid s6-softlimit s6-envdir s6-setlock lckdo run-this-one apply rvm chruby-exec env-cmd sandbox-exec xcrun flatpak-spawn':
    guessed,
  'qemu-x86_64 qemu-i386 qemu-aarch64 qemu-arm qemu-riscv64': guessed,
  'please sudo-rs gksudo gksu kdesu kdesudo su-rs rvmsudo arch-chroot schroot distrobox-host-exec distrobox-enter ddev sail':
    {
      rest: 'anywhere',
      input: true,
    },
  'run0 systemd-nspawn lxc-attach lxc-execute lima mosh': { rest: 'anywhere', input: true },
  // On macOS: `arch -arm64 rm`.
  arch: { long: 'x86_64 x86_64h arm64 arm64e i386 ppc ppc64 32 64 c h arch: d: e:', rest: 'command' },
  'cross-env nocache steam-run prime-run gamemoderun mullvad-exclude': command,
  'cross-env-shell': { rest: 'line' },
  launchctl: { under: { 'asuser bsexec': { operands: 1, rest: 'command' }, submit: guessed } },
  ip: { under: { 'netns netn net vrf vr v': { under: { 'exec exe ex e': { ...command, operands: 1, bare: true } } } } },
  'machinectl toolbox distrobox multipass lxc incus wsl adb vagrant nix nix-shell': {
    rest: 'anywhere',
    input: true,
  },
  faketime: { short: 'fmp:', operands: 1, rest: 'command' },
  'busybox toybox': command,
  ...projectTools,
  'doppler op infisical dotenvx aws-vault chamber heroku foreman honcho lerna apptainer singularity crictl runc buildah xdotool swaymsg':
    { under: { 'run exec': guessed, shell: { input: true } } },
  'minikube microk8s k3s docker-machine limactl': {
    under: { kubectl: containers, 'ssh shell': { rest: 'guessed', input: true } },
  },
  // Programs that run a command for each of many items.
  xargs: {
    short: '0a:d:E:e?I@i&J@L:l?n:P:prs:txo',
    long:
      'null arg-file: delimiter: eof? replace& max-lines? max-args: max-procs: interactive no-run-if-empty max-chars: show-limits verbose ' +
      'exit open-tty process-slot-var:',
    rest: 'command',
    fills: true,
  },
  parallel: {
    short: 'j:P:n:N:I@i&a:d:L:l?C:mXku0tvrq',
    long: 'jobs: max-args: max-replace-args: arg-file: delimiter: colsep: joblog: results: keep-order ungroup null verbose quote bar eta progress dry-run halt: retries: timeout: delay: load: memfree: workdir: tmpdir: group tag line-buffer no-run-if-empty xargs pipe will-cite citation',
    rest: 'line',
    input: true,
    fills: true,
  },
  find: { after: '-exec -execdir -ok -okdir', fills: true },
  'fd fdfind': { short: 'd:E:t:e:S:o:c:j:C:', after: '-x -X --exec --exec-batch', fills: true },
  watch: {
    short: 'n:d?tbegcpxq:hvw',
    long: 'interval: differences? no-title beep errexit chgexit color exec precise',
    rest: 'line',
  },
  // On another machine, in a container, or later.
  'ssh slogin': { short: `M${SSH}`, ...host },
  autossh: { short: `M:${SSH}`, ...host },
  scp: { short: '346ABCOpqRrTvc:D!F:i:J:l:o=P:S!X:', targets: REMOTE_NAME, moves: 'last', takes: 'cDFiJloPSX' },
  sftp: { short: '46AaCfNpqrvB:b:c:D!F:i:J:l:o=P:R:S!s:X:' },
  sshpass: { short: 'p:f:d:eP:v', rest: 'command' },
  'docker podman nerdctl kubectl oc docker-compose podman-compose k': {
    ...containers,
    under: { ...containers.under, compose: containers, container: containers },
  },
  // The words are the time.
  'at batch': { input: true, short: 'c/l/r/f.q:mMt:vV/u:d/b' },
  crontab: { rest: 'file', input: true, short: 'l/r/u:i' },
  // Programs that print or store their words.
  'echo cat': { rest: 'shown', writes: true },
  tee: { rest: 'shown', writes: true, targets: /^([^-].*)$/s },
  'grep egrep fgrep ls ll head tail wc cut tr diff cmp jq yq basename dirname touch mkdir stat file true false pwd which whereis type od base64 sha256sum md5sum du df cd pushd sleep seq date printenv whatis apropos tree column nl fold paste join comm strings logger wall notify-send say xdg-open set':
    shown,
  'pgrep pkill kill ps top rmdir realpath readlink chmod chown': shown,
  'cp mv ln': { rest: 'shown', moves: 'last', takes: 'St' },
  install: { moves: 'last', takes: 'gmoSt', long: 'strip-program*' },
  dd: { targets: /^of=(.+)$/s },
  wget: { short: 'O>', long: 'output-document>', targets: URL_NAME },
  aria2c: { short: 'o>', long: 'out>', targets: URL_NAME },
  openssl: { long: 'out>' },
  'gpg gpg2 iconv shuf': { short: 'o>', long: 'output>' },
  perl: { moves: /^-\w*i/ },
  printf: { short: 'v:', rest: 'shown', writes: true },
  'tar bsdtar': {
    reads: true,
    bundle: true,
    short: 'I*F*f:b:C:g:H:K:L:N:T:V:X:',
    long: 'use-compress-program* to-command* checkpoint-action* info-script* new-volume-script* rsh-command* rmt-command*',
  },
  'split csplit': { reads: true, moves: 'some', long: 'filter*' },
  rsync: { reads: true, targets: REMOTE_NAME, moves: 'last', takes: 'BefMT@', short: 'e*', long: 'rsh* rsync-path*' },
  man: { short: 'P*', long: 'pager*' },
  'nc ncat netcat': { short: 'e*c*', long: 'exec* sh-exec*' },
  ansible: { short: 'a*', long: 'args*' },
  svn: { long: 'diff-cmd* diff3-cmd* merge-cmd* editor-cmd*' },
  hg: { short: 'e*', long: 'ssh* remotecmd*' },
  go: { long: 'exec* toolexec*' },
  // These run the program that they have built, with the following words as arguments.
  cargo: { under: { watch: guessed } },
  'deno dotnet': {},
  'pandoc enscript': { long: 'filter* pdf-engine*' },
  'bat batcat': { long: 'pager*' },
  'make gmake': { reads: true, unasked: 'Makefile makefile GNUmakefile' },
  just: { reads: true, unasked: 'justfile Justfile .justfile' },
  sed,
  'awk gawk mawk nawk original-awk': awk,
  'curl http https xh': { short: 'o>', long: 'output>', rest: 'shown', targets: URL_NAME },
  'ag ack': { long: 'pager*', rest: 'shown' },
  rg: { long: 'pre! hostname-bin!', rest: 'shown' },
  sort: { short: 'o>', long: 'compress-program! output>', rest: 'shown' },
  patch: { short: 'o>', long: 'output>', rest: 'shown', targets: /^([^-].*)$/s },
  uniq: { rest: 'shown', filter: readUniq },
  xxd: { rest: 'shown', filter: readXxd },
  'npm bun': { ...packages, unasked: 'package.json' },
  'yarn pnpm': { ...packages, unasked: 'package.json', under: { exec: packageCommand, '*': packages } },
  'npx pytest jest vitest mocha claude codex': packages,
  git: {
    reads: true,
    unasked: '.git .gitconfig',
    short: 'C:c:pP',
    long: 'git-dir: work-tree: namespace: exec-path? config-env: paginate no-pager bare no-replace-objects literal-pathspecs no-optional-locks',
    under: {
      'commit tag notes stash merge cherry-pick revert': {
        ...editors,
        short: 'm~F~C:c:at~nvsS?',
        long: 'message~ author~ date~ trailer~ fixup: file~ template~',
      },
      'log show shortlog blame whatchanged rev-list diff add status branch for-each-ref checkout switch restore rm reset clean ls-files':
        shown,
      mv: { rest: 'shown', moves: 'last' },
      grep: { short: 'O!e~', long: 'open-files-in-pager!', rest: 'shown' },
      bisect: { under: { run: command } },
      submodule: { short: 'q', long: 'quiet recursive', under: { foreach: { long: 'recursive', rest: 'line' } } },
      rebase: { short: 'x!', long: 'exec!' },
      clone: { short: 'u*', long: 'upload-pack*' },
      'fetch pull ls-remote fetch-pack': { long: 'upload-pack* exec*' },
      'push send-pack': { long: 'receive-pack* exec*' },
      archive: { long: 'exec*' },
      difftool: { short: 'x*', long: 'extcmd*' },
      'filter-branch': {
        long: 'setup* env-filter* tree-filter* index-filter* parent-filter* msg-filter* commit-filter* tag-name-filter*',
      },
      'send-email': { long: 'sendmail-cmd* smtp-server* to-cmd* cc-cmd* header-cmd*' },
      config: { short: 'f:', long: 'file: blob: type: default:', rest: 'maybe' },
    },
  },
  'gh glab hub tea': {
    short: 'b~t~n~m~d~c~S~q~f~F~',
    long: 'body~ title~ notes~ message~ description~ comment~ search~ jq~ field~ raw-field~ template~ subject~',
    rest: 'shown',
  },
};

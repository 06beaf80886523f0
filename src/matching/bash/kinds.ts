import { readAwk } from './filters/awk.js';
import { readSed } from './filters/sed.js';
import type { BashProgram } from './program.js';

// Entries that several programs of the table share.

export const shell: BashProgram = {
  short: 'c$s<o:O:',
  long: 'rcfile. init-file. version/ help/ norc noprofile login posix verbose restricted noediting command! init-command! emulate:',
  shell: true,
  unasked:
    '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout config.fish',
  rest: 'file',
  input: true,
};
export const command: BashProgram = { rest: 'command' };
export const anywhere: BashProgram = { rest: 'anywhere' };
export const guessed: BashProgram = { rest: 'guessed' };
export const shown: BashProgram = { rest: 'shown' };
/** Runs a command, or starts a shell if none is given. */
export const start: BashProgram = { rest: 'command', input: true };

const container: BashProgram = {
  short: 'dite:u:w:c:n:v:p:h:m:PqTx',
  long:
    'detach interactive tty env: env-file: user: workdir: privileged detach-keys: container: namespace: stdin context: kubeconfig: quiet ' +
    'rm name: volume: publish: network: hostname: mount: label: platform: pull: memory: cpus: restart: add-host: init no-deps service-ports ' +
    'build index: cap-add: security-opt: read-only gpus: shm-size: tmpfs: ulimit: userns: pid: ipc: cidfile: image: overrides: attach ' +
    'no-TTY remove-orphans entrypoint^',
  operands: 1,
  ...start,
};
/** `-l` takes a value here, but not in `podman exec`, where it means the latest container. */
const newContainer: BashProgram = { ...container, short: `${container.short}l:` };
export const containers: BashProgram = {
  short: 'H:l:c:Df:p:n:s:',
  long:
    'host: log-level: context: config: debug tls file: project-name: profile: env-file: project-directory: namespace: kubeconfig: cluster: ' +
    'user: server: ansi: url: connection:',
  under: {
    exec: container,
    run: newContainer,
    create: newContainer,
    'debug rsh': container,
    attach: { input: true },
    commit: { short: 'm~a~', long: 'message~ author~' },
  },
};
/** The name under which a downloaded file is stored. */
export const URL_NAME = /:\/\/.*\/([^/?#]+)/s;
export const REMOTE_NAME = /:(?:.*\/)?([^/]+)$/s;
export const SSH = '46AaCfGgKkNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o=p:P:Q:R:S:W:w:';
/** Runs a command line on another machine. */
export const host: BashProgram = { operands: 1, rest: 'line', input: true };
export const editors: BashProgram = { short: 'm~', long: 'message~' };

export const packages: BashProgram = {
  short: 'm~t~k~g~p~c!C:F:',
  long: 'message~ testNamePattern~ grep~ prompt~ print~ call! cwd: dir: filter: filter-prod: recursive silent prefix:',
};
export const packageCommand: BashProgram = {
  short: 'c$rC:F:',
  long: 'shell-mode$ recursive parallel dir: filter: resume-from: report-summary no-bail workspace-concurrency:',
  rest: 'command',
};
/** Options that say where a project and its settings are. */
const projects: BashProgram = {
  short: 'C:qvE:',
  long: 'directory: project: config-file: config: env: cd: manifest-path: python: quiet verbose offline no-cache',
};
/** Runs a command in the environment of a project, for uv. */
const uvCommand: BashProgram = {
  short: 'w:p:i:f:P:C:qvUn',
  long:
    'extra: group: no-group: only-group: no-extra: env-file: with: with-editable: with-requirements: package: no-editable-package: index: ' +
    'default-index: index-url: extra-index-url: find-links: upgrade-package: index-strategy: keyring-provider: resolution: prerelease: ' +
    'fork-strategy: exclude-newer: link-mode: reinstall-package: no-binary-package: no-build-package: no-build-isolation-package: ' +
    'refresh-package: cache-dir: python: config-setting: directory: project: config-file: color: python-platform: allow-insecure-host: ' +
    'all-extras all-groups all-packages no-dev dev only-dev no-default-groups no-editable inexact frozen locked no-sync isolated exact active ' +
    'no-project no-env-file no-config no-index no-build no-binary compile-bytecode upgrade refresh reinstall offline no-cache no-progress ' +
    'native-tls managed-python no-managed-python no-python-downloads verbose quiet',
  rest: 'anywhere',
  sure: true,
  activates: true,
};
/** The same for other tools. `-n` takes a name in conda, and nothing in poetry. */
const projectCommand: BashProgram = {
  short: 'n,p:P:C:svqT',
  long:
    'name, prefix: cwd: project: directory: venv: pyproject: python: gemfile: no-capture-output live-stream dev debug-wrapper-scripts ' +
    'site-packages skip keep-file-descriptors no-plugins no-cache ansi no-ansi verbose quiet no-interaction',
  rest: 'anywhere',
  sure: true,
  activates: true,
};
const condaCommand: BashProgram = {
  ...projectCommand,
  short: 'n:p:v',
  long: projectCommand.long?.replaceAll(',', ':') ?? '',
};
const projectAnywhere: BashProgram = { rest: 'anywhere', activates: true };
/** Gives a command its own file system. */
export const bubble: BashProgram = {
  long:
    'args: argv0: unshare-all share-net unshare-user unshare-user-try unshare-ipc unshare-pid unshare-net unshare-uts unshare-cgroup ' +
    'unshare-cgroup-try userns: userns2: disable-userns assert-userns-disabled pidns: uid: gid: hostname: chdir: clearenv setenv; unsetenv: ' +
    'lock-file: sync-fd: bind; bind-try; dev-bind; dev-bind-try; ro-bind; ro-bind-try; bind-fd; ro-bind-fd; remount-ro: overlay-src: ' +
    'tmp-overlay: ro-overlay: exec-label: file-label: proc: dev: tmpfs: mqueue: dir: file; bind-data; ro-bind-data; symlink; seccomp: ' +
    'add-seccomp-fd: block-fd: userns-block-fd: info-fd: json-status-fd: new-session die-with-parent as-pid-1 cap-add: cap-drop: perms: size: chmod;',
  rest: 'anywhere',
  input: true,
  sure: true,
};
/** Tools that manage projects, or versions of programs, and run commands in their environment. */
export const projectTools: Readonly<Record<string, BashProgram>> = {
  uv: { ...projects, under: { run: uvCommand, x: guessed, tool: { under: { run: guessed } } } },
  'conda mamba micromamba': {
    ...projects,
    under: { 'run exec': condaCommand, x: guessed, 'tool env': { under: { run: guessed } } },
  },
  'poetry pipenv bundle rye pdm': {
    ...projects,
    under: { 'run exec': projectCommand, x: guessed, 'tool env': { under: { run: guessed } } },
  },
  // The .envrc file in the folder sets the PATH.
  direnv: {
    ...projects,
    under: { exec: { ...projectAnywhere, operands: 1, folder: true, anyPath: true } },
  },
  'mise devbox hatch': {
    ...projects,
    under: { 'run exec': projectAnywhere, x: guessed, 'tool env': { under: { run: guessed } } },
  },
  'pixi tox asdf rbenv pyenv nodenv jenv goenv rustup volta fnm nvm': {
    ...projects,
    under: { 'run exec x': guessed },
  },
};

export const sed: BashProgram = {
  reads: true,
  moves: /^-\w*i|^--in-place/,
  filter: readSed,
  only: /(?:^|[^A-Za-z_])e(?!\w)|^[\d,$]+!?e|[^\w\s][gpiImM\d]*e[gpiImM\d]*\s*(?:[;}\n]|$)/,
};
export const awk: BashProgram = {
  filter: readAwk,
  only: /system|getline|^(?:(?!print).)*print.*\|/s,
};

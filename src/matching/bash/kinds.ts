import type { BashProgram } from './program.js';

// What several programs of the table have in common.

export const shell: BashProgram = {
  short: 'c$s<o:O:',
  long: 'rcfile. init-file. version/ help/ norc noprofile login posix verbose restricted noediting command! init-command! emulate:',
  shell: true,
  unasked: '.bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile config.fish',
  rest: 'file',
  input: true,
};
export const command: BashProgram = { rest: 'command' };
export const anywhere: BashProgram = { rest: 'anywhere' };
export const guessed: BashProgram = { rest: 'guessed' };
export const shown: BashProgram = { rest: 'shown' };
/** Without a command it starts a shell. */
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
/** `-l` of `podman exec` is the latest container. */
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
/** The name under which a file of another machine is stored. */
export const URL_NAME = /:\/\/.*\/([^/?#]+)/s;
export const REMOTE_NAME = /:(?:.*\/)?([^/]+)$/s;
export const SSH = '46AaCfGgKkNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o=p:P:Q:R:S:W:w:';
/** On another machine. */
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
/** Where a project and its settings are. */
export const projects: BashProgram = {
  short: 'C:qvE:',
  long: 'directory: project: config-file: config: env: cd: manifest-path: python: quiet verbose offline no-cache',
};

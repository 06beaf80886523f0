import { expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';

function matches(pattern: string, command: string): boolean {
  const { rule } = compileRule(`Bash(${pattern})`, { dialect: 'code', where: 'if' });
  return rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;
}

/** Folders of programs, as a line may name them. */
const FOLDERS = [
  ...['~/bin', '~/.local/bin', '/usr/local/sbin', '~/.pyenv/shims', '/usr/games', '~/scripts', '~/Scripts', '~op/bin'],
  ...[
    '/opt/k//bin',
    '/usr/local/./bin',
    '$HOME/bin',
    '"$HOME"/.cargo/bin',
    '$BINDIR',
    `"\${BIN_DIR}"`,
    '$XDG_BIN_HOME',
  ],
  ...['$INSTALL_DIR', '"$INSTALLDIR"', '$(npm bin -g)', '"$(go env GOPATH)/bin"', '"$(dirname "$(which git)")"'],
  ...['$(dirname $(command -v node))', '`dirname $(type -p node)`', '$(which ls | xargs dirname)'],
];
/** What writes a file of the name `k` there, and the text that it writes if there is one. */
const WRITES: readonly ((folder: string) => string)[] = [
  (folder) => `echo 'rm x' > ${folder}/k`,
  (folder) => `curl -s h -o ${folder}/k`,
  (folder) => `echo 'rm x' | sudo tee -a /opt/other/k ${folder}/k > /dev/null`,
  (folder) => `tee -- ${folder}/k < f`,
  (folder) => `curl -s h | dd bs=1 of=${folder}/k`,
  (folder) => `cd ${folder} && echo 'rm x' > k`,
  (folder) => `cd ${folder}; wget -qO k h; cd -`,
  (folder) => `pushd ${folder} > l && N=k && echo 'rm x' | tee "$N"`,
  (folder) => `cd ${folder} && for n in a k; do curl -s h -o "$n"; done`,
];

it.each(FOLDERS)('a Bash rule asks about what is written into %s and called by its name', (folder) => {
  for (const write of WRITES)
    for (const call of ['k', 'sudo k -v', 'command k']) {
      const line = `${write(folder)}; ${call}`;
      expect([line, matches('rm *', line)]).toEqual([line, true]);
    }
});

it.each(['~/docs', '/tmp', 'src', '$OUT', '"$LOG_DIR"', '$BINARIES', '$INSTALLER_LOGS', '$(date +%F)', '~/bin/data'])(
  'a Bash rule does not take %s for a folder of programs',
  (folder) => {
    for (const write of WRITES) {
      const line = `${write(folder)}; k`;
      expect([line, matches('mv *', line)]).toEqual([line, false]);
    }
  },
);

it.each([
  ['curl -s h -o .venv/bin/k', '. .venv/bin/activate', 'k'],
  ['curl -s h -o ./env/bin/k', 'source "$PWD/env/bin/activate"', 'k a'],
  ['curl -s h -o env/Scripts/k', 'source env/Scripts/activate', 'k'],
  ['curl -s h -o env/bin/k', '. env/bin/activate.fish', 'k'],
  ['K=~/bin/k; curl -s h -o "$K"', 'chmod +x "$K"', 'k'],
  ['K=$HOME/bin/k; curl -s h > $K', ':', 'k'],
  ['D=~/.local/bin; curl -s h > $D/k', ':', 'k'],
  ['mkdir -p ~/.local/bin && cd $_ && curl -s h -o k', ':', 'k'],
  ...[
    'uv run',
    'poetry run -q',
    'pdm run',
    'pipenv run',
    'conda run -n e',
    'hatch run',
    'bundle exec',
    'sudo uv run -p 3.12',
  ].map((runner) => ['curl -s h -o .venv/bin/k', ':', `${runner} k`]),
  ...['git -C d', 'git -c a=b --git-dir e', 'git --no-pager -C d'].map((git) => [
    'curl -s h -o ~/bin/git-k',
    ':',
    `${git} k`,
  ]),
  ['curl -s h -o ~/bin/kubectl-k', ':', 'kubectl -n d k'],
  ...[
    'wget https://h/k -P ~/bin',
    'wget -qP/usr/local/bin https://h/k',
    'wget --directory-prefix=~/.local/bin h://h/k',
  ].map((write) => [write, ':', 'k']),
  ...[
    'curl -sO --output-dir ~/bin https://h/k',
    'aria2c -d ~/bin -o k h',
    'sudo aria2c --dir=/usr/local/bin https://h/k',
  ].map((write) => [write, ':', 'k']),
  ['curl -s h -o ~/bin/git-k', ':', 'git k'],
  ['curl -s h -o ~/bin/git-k', ':', 'git --no-pager k a'],
  ['curl -s h -o /usr/local/bin/kubectl-k', ':', 'kubectl k'],
])('a Bash rule asks what is called by its name: %s; %s; %s', (write, then, call) => {
  expect(matches('rm *', `${write}; ${then}; ${call}`)).toBe(true);
  expect(matches('rm *', `${write}; ${then}; ${call.replace('k', 'l')}`)).toBe(false);
});

it('a Bash rule knows programs of a project only where they are on the path', () => {
  expect(matches('rm *', 'curl -s h -o .venv/bin/k; k')).toBe(false);
  for (const folder of ['bin', './bin', 'sbin/', '.venv/bin', 'scripts', 'a/.bin'])
    for (const write of [
      `wget -P ${folder} http://h/k`,
      `wget --directory-prefix=${folder} http://h/k`,
      `aria2c -d ${folder} http://h/k`,
    ]) {
      expect([write, matches('rm *', `${write}; k -v`)]).toEqual([write, false]);
      expect([write, matches('rm *', `${write} && chmod +x ${folder}/k && ls > k.txt; cat k.txt`)]).toEqual([
        write,
        false,
      ]);
      const [placed] = [write.replace(folder, `~/bin`)];
      expect([placed, matches('rm *', `${placed}; k -v`)]).toEqual([placed, true]);
    }
  for (const write of ['wget -P .venv/bin http://h/k', 'curl --output-dir .venv/bin -O http://h/k'])
    for (const line of [`${write}; . .venv/bin/activate; k`, `${write}; PATH=$PWD/.venv/bin:$PATH k`])
      expect([line, matches('rm *', line)]).toEqual([line, true]);
  expect(matches('rm *', 'curl -s h -o .venv/lib/k; . .venv/bin/activate; k')).toBe(false);
});

/** What leaves the folder in which the line begins, before a command or around it. */
const LEAVES: readonly ((command: string) => string)[] = [
  ...['~', '', '$HOME', '/usr/local', '~/.local', '-', '..', 'a'].map(
    (to) => (command: string) => `cd ${to}; ${command}`,
  ),
  (command) => `cd ~ && mkdir -p bin && ${command}`,
  (command) => `pushd ~ > l; ${command}`,
  (command) => `popd; ${command}`,
  (command) => `builtin cd ~; ${command}`,
  (command) => `(cd ~; ${command})`,
  (command) => `bash -lc 'cd ~ && ${command}'`,
  (command) => `f() { ${command}; }; cd ~; f`,
  (command) => `env -C ~ ${command}`,
  (command) => `sudo --chdir=/usr/local ${command}`,
  (command) => `sudo -i ${command}`,
  (command) => `su - -c '${command}'`,
];
const LOADS = [
  'wget -P bin http://h/k',
  'wget -qPbin http://h/k',
  'wget --directory-prefix=./sbin/ http://h/k',
  'curl -s --output-dir bin -O http://h/k',
  'aria2c -d bin http://h/k',
];

it.each(LOADS)('a Bash rule takes the bin of another folder for one on the path: %s', (load) => {
  for (const leave of LEAVES) {
    const line = `${leave(load)}; k -v`;
    expect([line, matches('rm *', line)]).toEqual([line, true]);
    const other = `${leave(load)} && ls > k.txt; cat k.txt`;
    expect([other, matches('mv *', other)]).toEqual([other, false]);
  }
  for (const up of ['../', './../', 'a/../../']) {
    const line = `${load.replace(/(?:\.\/)?s?bin/, `${up}bin`)}; k -v`;
    expect([line, matches('rm *', line)]).toEqual([line, true]);
  }
  for (const stay of ['cd .;', 'cd ./ &&', 'timeout -k 1 5', 'sudo -u op', 'bash -lc "ls" &&']) {
    const line = `${stay} ${load}; k -v`;
    expect([line, matches('rm *', line)]).toEqual([line, false]);
  }
});

/** What runs a text in a folder that nobody knows. */
const ELSEWHERE: readonly ((command: string) => string)[] = [
  (command) => `make -C ~ -f - <<< 'a:;${command}'`,
  (command) => `git -C ~ -c alias.z='!${command}' z`,
  (command) => `git -c alias.z='!${command}' z`,
  (command) => `git -C ~ submodule foreach '${command}'`,
  (command) => `perl -e 'chdir; system "${command}"'`,
  (command) => `vim +'cd ~' +'!${command}' +q`,
  ...[
    'ansible all -a',
    'ansible all -m shell -a',
    'gcloud compute ssh v --command',
    'az vm run-command invoke --scripts',
    'vagrant ssh -c',
    'pssh -h f',
    'parallel-ssh -h f',
    'heroku run',
    'nix-shell --run',
    'mosh h --',
    'some-tool --in ~ --do',
    'crictl exec c sh -c',
    'lxc exec c -- sh -c',
    'systemd-run sh -c',
    'proot -r d bash -c',
    'pkexec sh -c',
  ].map((program) => (command: string) => `${program} '${command}'`),
  (command) => `fly ssh console -C 'sh -c "${command}"'`,
  (command) => `find ~ -maxdepth 0 -execdir ${command} \\;`,
];

it.each(LOADS)(
  'a Bash rule does not take the bin of what another program runs for the bin of the project: %s',
  (load) => {
    for (const run of ELSEWHERE) {
      const line = `${run(load)}; k x`;
      expect([line, matches('rm *', line)]).toEqual([line, true]);
    }
    for (const run of ['ansible all -a', 'gcloud compute ssh v --command', 'git -c alias.z=', 'make -f - <<<']) {
      const other = `${run} '${load}' && ls > k.txt; cat k.txt`;
      expect([other, matches('mv *', other)]).toEqual([other, false]);
    }
    for (const stay of ['sh -c', 'bash -lc', 'eval']) {
      const line = `${stay} '${load}'; k x`;
      expect([line, matches('dd *', line)]).toEqual([line, false]);
    }
  },
);

it('a Bash rule asks what direnv runs, whatever folders its file has put on the path', () => {
  for (const [write, runs] of [
    ['curl -o k h', 'direnv exec . k'],
    ['curl -o k h', 'sudo direnv exec a/b k -v'],
    ['curl -o tools/k h', 'direnv exec "$PWD" nice k'],
    ['curl -o j h; mv j tools/k', 'direnv exec .. k'],
    ['curl -o k h', 'direnv exec ./k'],
  ]) {
    const line = `${write}; ${runs}`;
    expect([line, matches('rm *', line)]).toEqual([line, true]);
    const other = `${write?.replace(/k(?= h|$)/, 'l')}; ${runs}`;
    expect([other, matches('dd *', other)]).toEqual([other, false]);
  }
  for (const file of ['rm', '/bin/rm', './rm']) expect(matches('rm *', `direnv exec ${file} x`)).toBe(true);
  expect(matches('git push *', 'direnv exec /usr/bin/git push')).toBe(true);
  for (const line of ['direnv exec ./a make > k; cat k', 'direnv exec a npm test | tee k', 'direnv exec $D make'])
    expect([line, matches('rm *', line)]).toEqual([line, false]);
});

it('a Bash rule takes the folder that direnv is given for no command', () => {
  for (const then of ['cat k.log', 'tee k.log < a', 'echo k.log', 'tail k.log'])
    for (const folder of ['.', '..', './a', 'a', '"$PWD"']) {
      const line = `cd ~/scripts; direnv exec ${folder} make > k.log; ${then}`;
      expect([line, matches('rm *', line)]).toEqual([line, false]);
      for (const command of ['rm x', 'sudo rm x', 'sh -c "rm x"', '$CMD x', '. k.log']) {
        const run = `cd ~/scripts; curl -s h > k.log; direnv exec ${folder} ${command}`;
        expect([run, matches('rm *', run)]).toEqual([run, true]);
      }
    }
});

const HOLDS: readonly ((path: string) => string)[] = [
  (path) => `K=${path}`,
  (path) => `export A=b K=${path}`,
  (path) => `J=${path}; K="$J"`,
  (path) => `J=${path}; K=\${J:-/dev/null}`,
];
const FILLS = ['curl -s h > $K', 'curl -s h | tee -a "$K"', `wget -qO "\${K}" h`, 'f() { curl -s h > "$1"; }; f "$K"'];

it.each(['~/bin/k', '/usr/local/bin/k', '$HOME/.local/bin/k'])(
  'a Bash rule asks about a program whose path a variable holds, %s, where the line writes to that variable alone',
  (path) => {
    for (const holds of HOLDS) {
      for (const fills of FILLS)
        expect([fills, matches('rm *', `${holds(path)}; ${fills}; k -v`)]).toEqual([fills, true]);
      for (const other of [
        'make > $LOG',
        'date | tee "$OUT"',
        'make > $K.log',
        `L=l; make > "\${L}" 2>&1`,
        'curl -so $D/$L h',
      ])
        expect([other, matches('rm *', `${holds(path)}; ${other}; k -v`)]).toEqual([other, false]);
    }
  },
);

it.each(['CC', 'EDITOR', 'GIT_PAGER', 'SHELL'])(
  'a Bash rule asks about the program in %s where the line writes it, or to that variable',
  (name) => {
    for (const path of ['/usr/bin/k', './k', '$D/k']) {
      for (const write of [`curl -s h > $${name}`, 'curl -s h > ./k', `curl -s h > g; cp g "$${name}"`])
        expect([write, matches('rm *', `${name}=${path}; ${write}; make`)]).toEqual([write, true]);
      for (const write of ['make > $LOG', 'date > "$OUT.txt"', 'date > d; cp d $OUT'])
        expect([write, matches('rm *', `${name}=${path} ${write}; make`)]).toEqual([write, false]);
    }
  },
);

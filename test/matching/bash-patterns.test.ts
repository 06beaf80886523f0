import { describe, expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';
import { isTried } from '../seed.js';

function matches(pattern: string, command: string): boolean {
  const { rule } = compileRule(`Bash(${pattern})`, { dialect: 'code', where: 'if' });
  return rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;
}

/** `rm -f k`, by a pattern. */
const FORMS = [
  '/usr/bin/r? -f k',
  '/bin/[q-s]m -f k',
  'r{m,n} -f k',
  '"$ROOT"/bin/r* -f k',
  '/bin/{r{m,n},l} -f k',
  '/bin/r{m,{a,{b,c}}} k',
  '/bin/r? "k l"',
  "r* 'k'",
  '/bin/r? {k} -f',
  'r{m,n} !k',
];

/** What a shell takes before a command. */
const BEFORE: readonly ((command: string) => string)[] = [
  ...[
    'sudo -u op -g staff',
    'doas -u op',
    'env -u A B=c',
    'timeout --signal KILL 9',
    'nice -n 19 ionice -c 2 -n 7',
    'chrt -r 5',
    'unshare -m -n',
    'strace -f -o l',
    'kubectl exec -i p --',
    'docker run --rm -v a:b img',
    'docker compose exec -T web',
    'ssh -p 22 h',
    'ip -n a netns exec n',
    'xargs -0 -n 1',
    'find . -exec',
    'flock -w 9 l',
    'su-exec op',
    'A=b C=/d/e',
    '3>&1 2>/dev/null',
    '> o',
    'bash -c',
    'uv run --with a',
    'systemd-run --user -p A=b',
    'while',
    'until !',
    'if time -p',
    '{',
    'cd a &&',
    'true;',
    'true |',
    'true & ',
    '>>o 2>/dev/null',
    '>&2',
    '> o >|p',
    'A[2]=b B+=c\\ d',
    'xargs -I{} -n 1',
    'find . -name a -exec sudo -u {}',
    'npx -y',
    'pnpm dlx',
    'some-tool exec',
    'some-tool -v run --',
  ].map((text) => (command: string) => `${text} ${command}`),
  (command) => `case a in a) ${command};; esac`,
  (command) => `for a in b; do ${command}; done`,
  (command) => `f() { ${command}; }`,
];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const stored = (name: string, text: string, then: string): string => `cat > ${name} <<'E'\n${text}\nE\n${then}`;

/** Where other programs take it from, in their own words. */
const TEXTS: readonly ((line: string) => string)[] = [
  (line) => `node -e ${quoted(`require("child_process").execSync(\`${line}\`)`)}`,
  (line) => stored('a.rb', `puts %x(${line})`, 'ruby a.rb'),
  (line) => stored('a.pl', `my @a = qx{${line}};`, 'perl a.pl'),
  (line) => stored('Makefile', `all: b\n\t@${line}`, 'make all'),
  (line) => stored('Makefile', `A != ${line}\nall:;`, 'make'),
  (line) => stored('Makefile', `A := $(shell ${line})`, 'make'),
  (line) => stored('justfile', `all:\n  ${line}`, 'just'),
  (line) => stored('Dockerfile', `FROM a\nRUN --mount=type=cache,target=/c ${line}`, 'docker build -f Dockerfile .'),
  (line) => stored('Dockerfile', `FROM a\nCMD ${line}`, 'docker build -f Dockerfile .'),
  (line) => stored('ci.yml', `steps:\n  - run: ${line}`, 'act -W ci.yml'),
  (line) => stored('a.service', `[Service]\nExecStartPre=-${line}`, 'systemctl --user enable ./a.service'),
  (line) => stored('build.ninja', `rule a\n  command = ${line}`, 'ninja -f build.ninja'),
  (line) => stored('Dockerfile', `FROM a\nONBUILD RUN ${line}`, 'docker build -f Dockerfile .'),
  (line) => stored('package.json', JSON.stringify({ scripts: { a: line } }), 'npm run a'),
  (line) => `some-cron <<'E'\n30 4 * * mon-fri ${line}\nE`,
  (line) => `some-cron <<'E'\n*/9 1,5 1-7 jan 0 op ${line}\nE`,
  (line) => `echo ${quoted(`@hourly ${line}`)} | some-cron`,
  (line) => `npm pkg set ${quoted(`scripts.a= ${line}`)}; npm run a`,
  (line) => `npm pkg set ${quoted(`scripts.a=${line}`)}; npm run a`,
  (line) => `lldb -o ${quoted(`shell ${line}`)}`,
  (line) => `sqlite3 a.db ${quoted(`.system ${line}`)}`,
  (line) => `mysql -e ${quoted(`\\! ${line}`)}`,
  (line) => `expect -c ${quoted(`spawn ${line}`)}`,
  (line) => `some-tool --on-change=${quoted(line)}`,
  (line) => `some-tool ${quoted(line)}`,
];

describe('a Bash rule, of a text for another program,', () => {
  it.each(TEXTS.map((text, i) => [text('COMMAND'), text, i] as const))(
    'sees a command that a pattern names wherever a shell would begin one: %s',
    (_, text, i) => {
      for (const [j, form] of FORMS.entries())
        for (const [k, line] of [form, ...BEFORE.map((before) => before(form))].entries())
          if (isTried(3, i, j, k) && !matches('rm *', text(line))) expect.fail(text(line));
    },
  );

  it('asks where more stands before a command than anybody writes', () => {
    for (const before of ['A=b ', 'if ', 'sudo ', '- ', '2>o '])
      expect([before, matches('rm *', `foo '(${before.repeat(50)}r? x'`)]).toEqual([before, true]);
  });

  it.each([
    '{x}',
    '{{ x }}',
    '{% x %}',
    '{$x}',
    '!x',
    '!(x)',
    '@(x)',
    '(x)',
    'o{x}',
    'o!x',
    'o@(x)',
    `o"x"`,
    '"x"',
    '`x`',
  ])('does not know the operands behind %s', (operand) => {
    for (const line of [`g?t push ${operand} --force`, `cd d; g?t push ${operand}`, `run: g?t push -q ${operand} a`]) {
      for (const text of [(one: string): string => `foo '${one}'`, (one: string): string => `foo <<'E'\n${one}\nE`]) {
        expect([text(line), matches('git push * --force', text(line))]).toEqual([text(line), true]);
        expect([text(line), matches('git fetch *', text(line))]).toEqual([text(line), false]);
      }
    }
  });

  it.each([
    '> ',
    '* ',
    '- ',
    '+ ',
    '0 ',
    '1, ',
    '1 * ',
    '{} ',
    '{0} ',
    'if ',
    'k: ',
    'k: - ',
    'k: a=b ',
    'k=v ',
    'k = ',
    '< > ',
    '2>o ',
  ])('asks about none that no pattern names, however many places there are to begin one: %j', (unit) => {
    for (const [i, count] of [5, 12, 31, 45, 80, 200, 900].entries()) {
      const before = unit.repeat(count).slice(0, 9_000);
      for (const [j, text] of [
        (one: string): string => `foo <<'E'\n${one}\nE`,
        (one: string): string => `git commit -F - <<'E'\nA table\n\n${one}\nE`,
        (one: string): string => `python3 -c 'print("${one}")'`,
        (one: string): string => `foo '${one}'`,
      ].entries()) {
        for (const [k, rule] of ['rm *', 'git push *', 'dd'].entries())
          for (const [l, end] of ['x* y', '*text* here', '[1] a', ''].entries())
            if (isTried(3, i, j, k, l) && matches(rule, text(before + end))) expect.fail(`${count}, ${rule}, ${end}`);
        if (count > 60) expect([count, matches('rm *', text(`${before}/bin/r? x`))]).toEqual([count, true]);
      }
    }
  });

  it('asks about no other command there', () => {
    const asked = TEXTS.flatMap((text) =>
      [
        'ls r*/a',
        'eslint --fix src/r* -f k',
        'sudo -n eslint r? -f',
        'timeout 5 tsc r* k',
        'if tsc r* k; then :; fi',
        'ssh h tsc r* k',
        'some-tool -- src/r* k',
        'npm run -s r*',
      ].map((line) => text(line)),
    ).filter((line) => matches('rm *', line));
    for (const line of [`foo 'some-tool run src/r* k'`, `echo '9 1 * * * some-tool run src/r* k' | some-cron`])
      if (matches('rm *', line)) asked.push(line);
    expect(asked).toEqual([]);
  });
});

const RUNNERS = [
  ...[
    'uv run',
    'uv run --with a -p 3.12 --frozen',
    'uv --directory d run --env-file=e',
    'poetry run',
    'poetry -C d run -q',
  ],
  ...['pipenv run', 'conda run -p d --cwd e', 'conda run --name a --no-capture-output', 'mamba run -n a', 'pdm run -s'],
  ...[
    'rye run',
    'micromamba run -p d',
    'bwrap --ro-bind /usr /usr --proc /proc --unshare-all',
    'bwrap --bind a b --setenv C d',
  ],
  'bwrap --symlink usr/lib /lib --tmpfs /tmp --chdir /d --',
];

it.each(RUNNERS)('a Bash rule asks what command %s is given if nobody can tell', (runner) => {
  for (const command of ['$CMD x', '"$(a b)" x', '/usr/bin/[q-s]m x', '{rm,-f} x', `\${A:-b} x`])
    for (const before of ['', 'sudo ', 'cd a && A=b '])
      expect([command, matches('rm *', `${before}${runner} ${command}`)]).toEqual([command, true]);
  for (const command of ['rm x', 'sudo rm x', 'foo bar rm x'])
    expect(matches('rm *', `${runner} ${command}`)).toBe(true);
  for (const command of ['pytest tests/*.py', 'python a.py $X', 'ruff check src/**', 'ls "$D"'])
    expect([command, matches('rm *', `${runner} ${command}`)]).toEqual([command, false]);
});

it.each([
  'uv run -m pytest tests/*',
  'uv run --with a -m pytest $X',
  'uv pip install $X',
  'uv run --new-option a b $X',
])('a Bash rule knows that %s names no command in this way', (line) => expect(matches('rm *', line)).toBe(false));

it.each(['poetry run -n', 'poetry run -v -n', 'poetry -C a run -n', 'bundle exec -n', 'rye run --name'])(
  'a Bash rule looks at both words behind an option that takes a value in some programs, as in %s',
  (runner) => {
    for (const words of ['rm k', '/bin/r? k', 'd rm k', 'sudo rm k', '$CMD k'])
      expect([words, matches('rm *', `cd a; ${runner} ${words}`)]).toEqual([words, true]);
    for (const words of ['pytest a', 'd pytest a', 'ls rmdir'])
      expect([words, matches('rm *', `${runner} ${words}`)]).toEqual([words, false]);
    for (const words of ['rm ls', '$ENV ls', 'e pytest tests/*'])
      expect([words, matches('rm *', `conda run -n ${words}`)]).toEqual([words, false]);
  },
);

it.each([
  ...['docker ps', 'docker -D ps -a', 'podman images', 'docker container ls', 'docker compose ps', 'docker inspect a'],
  ...['nerdctl network ls', 'kubectl get pods', 'minikube status', 'go list'],
  ...[
    'docker -H h:1 -c ctx ps',
    'sudo docker --context x images',
    'kubectl -n d get pods',
    'helm version',
    'docker image ls',
  ],
])('a Bash rule takes the template of %s for no command', (program) => {
  for (const option of ['--format ', '--format=', '-f ', '-f', '--template ', '--template=']) {
    for (const template of [`'r* {{.ID}}'`, `'{{.ID}} r? {{.Names}}'`, `"table r* {{.ID}}"`]) {
      const line = `${program} ${option}${template}`;
      expect([line, matches('rm *', line)]).toEqual([line, false]);
    }
    for (const line of [
      `${program} ${option}"{{.ID}} $(rm x)"`,
      `${program} ${option}'rm {{.ID}}' | sh`,
      `eval "$(${program} ${option}'rm {{.ID}}')"`,
      `${program} ${option}'rm {{.ID}}' > s; sh s`,
      `docker exec c sh -c "r? {x}"; ${program} ${option}'{{.ID}}'`,
    ])
      expect([line, matches('rm *', line)]).toEqual([line, true]);
  }
  expect(matches('rm *', `docker exec c foo --format 'r* {{.ID}}'`)).toBe(true);
});

it.each([
  ...[
    'go run ./cmd',
    'go test ./... -args',
    'go tool x',
    'go generate',
    'kubectl my-plugin',
    'kubectl -n ps x',
    'helm plug',
  ],
  ...[
    'docker plug',
    'docker plug ps',
    'docker run i',
    'docker exec c foo',
    'docker container plug',
    'podman -l run ps',
  ],
  ...[
    'docker compose run ps',
    'kubectl config plug',
    'minikube ssh',
    'docker -c ps plug',
    'sudo docker plug',
    'docker',
  ],
])('a Bash rule does not take what %s is given for a template', (program) => {
  for (const option of ['--format ', '--format=', '-f ', '--template ', '--template='])
    for (const text of ["'rm x # {{'", '"rm x {{"', "'r* {{.ID}}'"]) {
      // The name of the option says that its value is a format, if the two are one word.
      if (option.endsWith('=') && text.includes('*')) continue;
      const line = `${program} ${option}${text}`;
      expect([line, matches('rm *', line)]).toEqual([line, true]);
    }
});

it('a Bash rule takes the format of git for-each-ref for no command', () => {
  expect(matches('rm *', `git for-each-ref --format 'r* {%h}'`)).toBe(false);
  expect(matches('rm *', `eval "$(git for-each-ref --shell --format 'rm %(refname)')"`)).toBe(true);
});

it.each(['$a<qx{/bin/r? x}', 'x>qx{/bin/r? x}', '$a<=qx{/bin/r[a-z] x}', '$a>`/bin/r? x`', '1<system("/bin/r? x")'])(
  'a Bash rule sees a pattern behind a sign that compares: %s',
  (code) => {
    expect(matches('rm *', `perl -e '${code}'`)).toBe(true);
    expect(matches('mv *', `perl -e '${code}'`)).toBe(false);
  },
);

import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { BashProgram } from '../../src/matching/bash/program.js';
import { TABLE } from '../../src/matching/bash/programs.js';
import { compileRule } from '../../src/matching/rule.js';
import { isTried } from '../seed.js';

function matches(pattern: string, command: string): boolean {
  const { rule } = compileRule(`Bash(${pattern})`, { dialect: 'code', where: 'if' });
  return rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;
}

/** A line that writes a file and then does something else. */
const written = (name: string, text: string, then: string): string => `cat > ${name} <<'E'\n${text}\nE\n${then}`;

/** The names of the programs that do more than to show what they read, with their subcommands. */
function running(table: Readonly<Record<string, BashProgram>>, depth = 0): string[] {
  return Object.entries(table).flatMap(([names, program]) => {
    if (program.rest === 'shown' || program.only !== undefined || depth > 3) return [];
    const under = running(program.under ?? {}, depth + 1);
    return names.split(' ').flatMap((name) => [name, ...under.map((rest) => `${name} ${rest}`)]);
  });
}
const RUNNING = running(TABLE).filter((name) => !name.includes('*'));

describe('a Bash rule, of a text that is piped into a program,', () => {
  it('sees a command in it, whatever the table knows of the program', () => {
    expect(RUNNING.length).toBeGreaterThan(400);
    const lines = RUNNING.flatMap((name) =>
      ['o p', '--odd p', 'o python -'].map((rest) => `echo 'rm x' | ${name} ${rest}`),
    );
    expect(lines.filter((line) => !matches('rm *', line))).toEqual([]);
  });

  it.each([
    `echo 'import os; os.system("rm x")' | pyenv exec python`,
    `echo 'os.system("rm x")' | uv run python -`,
    `echo 'os.system("rm x")' | poetry run python`,
    `echo 'os.system("rm x")' | mise exec -- python`,
    `echo 'os.system("rm x")' | hatch run python`,
    `echo 'execSync("rm x")' | fnm exec --using 20 node`,
    `echo 'execSync("rm x")' | volta run node`,
    `echo '\`rm x\`' | rbenv exec ruby`,
    "echo '\\! rm x' | heroku run psql",
    "printf '#!/bin/sh\\nrm x\\n' | sbatch",
    "echo 'rm x' | salloc",
    "echo 'rm x' | pdsh -w h1",
    "echo 'rm x' | srun --pty $SHELL",
    "echo 'rm x' | aws-vault exec p",
    "echo 'rm x' | chamber exec p",
    "echo 'rm x' | flox activate",
    "echo 'rm x' | guix shell",
    `echo 'rm x' | heroku run "bash -s"`,
    "echo 'platform shell rm x' | lldb",
    `cat <<E | micromamba run -n e python\nos.system("rm x")\nE`,
  ])('sees it in %j', (line) => {
    expect(matches('rm *', line)).toBe(true);
    expect(matches('mv *', line)).toBe(false);
  });

  it.each([
    `echo 'const a = \`\${b} c\`;' | node`,
    `cat <<'E' | php\n<?php\n$x = 1;\nE`,
    `cat <<'E' | uv run python -\na[0] = 1\nE`,
    "echo '* one' | npx prettier --parser markdown",
  ])('asks about no word of it that a shell would not know: %j', (line) => {
    expect(matches('rm *', line)).toBe(false);
  });

  it.each(["echo '$X y' | ssh --odd h", "echo '$X y' | bash", "printf '%s' '$X y' | docker exec --odd -i c sh"])(
    'asks what a shell is to run: %j',
    (line) => {
      expect(matches('rm *', line)).toBe(true);
    },
  );
});

describe('a Bash rule, of a file that the line writes and gives to a program,', () => {
  it.each([
    ['a.js', `const b = 1;\nconst a = \`\${b} c\`;`, 'node a.js'],
    ['a.ts', '/** Adds. */\nexport const a = 1;', 'npx tsx a.ts'],
    ['a.ts', `log(\`\${a} -> \${b}\`)`, './node_modules/.bin/tsx a.ts && bash scripts/check.sh'],
    ['a.py', 'a = [1, 2]\na[0] = 1', 'python3 a.py'],
    ['a.md', '* one\n* two', 'npx prettier --write a.md'],
    ['a.md', '- `a/<B>/c` or `b/`', 'npx prettier --write a.md'],
    ['a.css', '* { margin: 0 }', 'npx prettier --write a.css'],
    ['pyproject.toml', '[project]\nname = "a"', 'uv sync --config-file pyproject.toml'],
    ['a.scss', '$color: red;', 'npx sass a.scss a.css'],
    ['a.awk', '$1 > 5 { print $2 }', 'awk -f a.awk f'],
    ['a.php', '<?php\n$x = 1;\necho $x;', 'php a.php'],
    ['Makefile', 'a:\n\t$(CC) -o a a.c', 'make'],
    ['a.json', '{ "$ref": "a" }\n', 'jq . a.json && node x.js a.json'],
  ])('asks about no word that a shell would not know: %s with %j, %s', (name, text, then) => {
    expect(matches('git push *', written(name, text, then))).toBe(false);
  });

  it.each([
    ['a.py', "for a in range(10):\n    print(a, b='c')\n", 'python3 a.py'],
    ['k.yaml', '  - name: web\n    image: nginx:1.25\n    ports:\n', 'kubectl apply -f k.yaml'],
    ['a.ts', 'export const add = (a: number, b: number) => a + b;\n', 'npx prettier --write a.ts'],
    ['q.sql', "INSERT INTO users (id, name) VALUES (1, 'Ann');\n", 'psql -f q.sql'],
  ])('searches a long %s to its end', (name, line, then) => {
    const text = line.repeat(9_500 / line.length);
    expect(matches('git push *', written(name, text, then))).toBe(false);
    expect(matches('git push *', written(name, `${text}system("git push")`, then))).toBe(true);
    expect(matches('git push *', `python3 <<'E'\n${text}\nE`)).toBe(false);
    expect(matches('git push *', `python3 <<'E'\n${text}\nsystem("git push")\nE`)).toBe(true);
  });

  it.each([
    ['s', '$X y', 'sh s'],
    ['s', '$X y', 'cp s t; ./t'],
    ['s', '$X y', 'sh ./s*'],
    ['s', '$X y', 'at -f s now'],
    ['s', '$X y', 'BASH_ENV=./s bash -c :'],
    ['s', '$X y', 'uv run bash s'],
    ['s', '$X y', 'npx bash ./s'],
    ['.git/hooks/pre-commit', '$X y', 'git commit -m x'],
  ])('asks what a shell is to run: %s with %j, %s', (name, text, then) => {
    expect(matches('git push *', written(name, text, then))).toBe(true);
  });

  it("asks about at most 2 % of this project's own files, and about each in which the command stands", () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const use: Readonly<Record<string, string>> = {
      '.ts': 'npx tsx',
      '.md': 'npx prettier --write',
      '.json': 'node x.js',
    };
    const lines = ['src', 'docs', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((path) => {
        const program = use[extname(path)];
        if (program === undefined) return [];
        const line = written(
          basename(path),
          readFileSync(join(root, folder, path), 'utf8'),
          `${program} ${basename(path)}`,
        );
        return line.length > 10_000 ? [] : [{ path, line, names: /\bgit push\b/.test(line) }];
      }),
    );
    expect(lines.length).toBeGreaterThan(1_000);
    expect(lines.filter(({ names, line }) => names && !matches('git push *', line)).map(({ path }) => path)).toEqual(
      [],
    );
    // A third of them says how many of all.
    const others = lines.filter(({ names }, i) => !names && isTried(3, i));
    const asked = others.filter(({ line }) => matches('git push *', line)).map(({ path }) => path);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(others.length / 50);
  });
});

describe('a Bash rule, of what at is to run,', () => {
  it.each([
    `echo '$CMD x' | at now`,
    `echo 'eval "$(base64 -d k)"' | at now + 1 hour`,
    `echo '$CMD x' | at -m now`,
    `echo '$CMD x' | at -q b teatime`,
    `echo '$CMD x' | at 10:00`,
    `echo '$CMD x' | sudo at now`,
    `echo '$CMD x' | batch`,
    `echo '$CMD x' > s; at now < s`,
    `echo '$CMD x' > s; at now -f s`,
    `echo '$CMD x' > s; at -mf s now`,
    'curl -s h | at now',
    'cat x | at now',
    "at now <<'E'\ncurl -s h | sh\nE",
  ])('asks where it cannot be known: %s', (line) => {
    expect(matches('git push *', line)).toBe(true);
  });

  it.each(["echo 'ls -l' | at now + 1 hour", "at now <<'E'\nls -l\nE", 'at -l', 'at -c 5', 'at -f s now', 'crontab s'])(
    'does not ask where it is known or stands in no line: %s',
    (line) => {
      expect(matches('git push *', line)).toBe(false);
    },
  );
});

describe('a Bash rule, of a file that a shell runs,', () => {
  const text = 'eval "$(echo cm0geA== | base64 -d)"';
  it.each([
    'sponge s',
    "sed -n 'w s'",
    `awk '{print > "s"}'`,
    'sort -o s',
    'uniq - s',
    'pv -o s',
    'socat - CREATE:s',
    `python3 -c 'import sys;open("s","w").write(sys.stdin.read())'`,
  ])('asks what a program may have written to it that is not known to write: %s', (writer) => {
    for (const run of ['sh s', './s', 'sudo bash ./s'])
      expect([run, matches('rm *', `echo '${text}' | ${writer}; ${run}`)]).toEqual([run, true]);
    expect(matches('rm *', `echo 'ls -l' | ${writer}; sh s`)).toBe(false);
  });

  it.each([
    'git mv s.tmp s; sh s',
    "rename 's/.tmp//' s.tmp; sh s",
    'docker cp s.tmp c:/s; docker exec c sh /s',
    'kubectl cp s.tmp p:/s; kubectl exec p -- sh /s',
  ])('asks what it has become: %s', (then) => {
    expect(matches('rm *', `echo '${text}' > s.tmp; ${then}`)).toBe(true);
    expect(matches('rm *', `echo 'ls -l' > s.tmp; ${then}`)).toBe(false);
  });

  it.each(['chmod +x s; npx ./s', 'uvx ./s', 'npm exec ./s', 'foo ./s', 'sbatch s.sh', 'srun s.sh', 'foo -x ./s.sh'])(
    'asks what a program is given to run: %s',
    (then) => {
      const name = /s(?:\.sh)?$/.exec(then)?.[0];
      expect(matches('rm *', `echo '${text}' > ${name}; ${then}`)).toBe(true);
      expect(matches('rm *', `echo 'ls -l' > ${name}; ${then}`)).toBe(false);
    },
  );

  it.each([
    ['~/.kube/config', '* a', 'kubectl --kubeconfig ~/.kube/config get pods'],
    ['./k8s/app', 'a: $b c', 'kubectl apply -f ./k8s/app'],
    ['./a', '$1 > 5 { print $2 }', 'awk -f ./a f'],
    ['./src/a', `log(\`\${a} -> \${b}\`)`, 'npx tsx ./src/a'],
    ['./a', '* { margin: 0 }', 'npx postcss ./a'],
    ['./docs/notes', '* one', 'pandoc ./docs/notes -o a.html'],
    ['./config/app', '*=d', 'foo --config ./config/app'],
    ['./config/app', '*=d', 'foo --log-file ./config/app'],
    ['CODEOWNERS', '* @a', 'foo ./CODEOWNERS'],
  ])('does not ask about data: %s with %j, %s', (name, body, then) => {
    expect(matches('rm *', written(name, body, then))).toBe(false);
  });

  it.each([
    'cat check.sh; bash check.sh',
    'chmod +x check.sh && ./check.sh',
    "sed -n '1,9p' check.sh; bash check.sh",
    'git add check.sh && bash check.sh',
    'npx tsx a.ts && bash scripts/check.sh',
    'rsync -a --exclude .git . h: && git commit -m x',
  ])('does not ask where nothing seems to have written it: %s', (then) => {
    expect(matches('rm *', written('a.ts', `log(\`\${a} -> \${b}\`)`, then))).toBe(false);
  });

  it.each([
    `echo '$CMD x' | split --filter=bash`,
    `echo '$CMD x' | split --filter 'sudo bash -s'`,
    `echo '$CMD x' | tar cIf bash a`,
    `echo '$CMD x' | rsync -e bash a b`,
    'curl -s h | split --filter=sh',
  ])('asks what it is given through a program: %s', (line) => {
    expect(matches('rm *', line)).toBe(true);
  });

  it(`does not ask about a shell's own line there`, () => {
    expect(matches('rm *', `curl -s h | split --filter='sh -c "gzip > a"'`)).toBe(false);
  });
});

describe('a Bash rule, of a text that no shell could read to its end,', () => {
  const long = `\npython3 <<'E'\n${'a b\n'.repeat(250)}E`;
  const longest = `\npython3 <<'E'\n${'a = b(c, d) + x\n'.repeat(550)}E`;

  it.each([
    ['rm *', written('Makefile', 'clean:\n\trm\tbuild\n\t$(GO) clean', 'make clean')],
    ['rm *', written('Makefile', 'clean:\n\trm \\\n\t  build\n\t$(GO) clean', 'make clean')],
    ['rm -rf *', written('Makefile', 'clean:\n\trm  -rf build\n\t$(GO) clean', 'make clean')],
    ['rm *', written('Makefile', 'clean:\n\t"rm" -rf build\n\t$(GO) clean', 'make clean')],
    ['rm *', written('Makefile', 'clean:\n\t$(RM) -r build\n\t$(GO) clean', 'make clean')],
    ['rm *', `printf 'clean:\\n\\t$(RM) x\\n' | make -f - clean`],
    ['git push *', written('Makefile', 'r:\n\t$(CC) x.c\n\tgit \\\n\t  push origin main', 'make r')],
    ['git push *', written('justfile', 'r:\n  git \\\n    push origin\n  $X y', 'just r')],
    ['docker system prune *', written('Makefile', 'c:\n\tdocker system \\\n\t  prune -af\n\t$(GO) x', 'make c')],
    ['git push *', "cat <<'F' | gcloud compute ssh vm\ngit \\\n  push origin\n$X y\nF"],
    ...[long, longest].flatMap((text) => [
      ['git push *', `concurrently 'cd a && "git" push origin'${text}`],
      ['git push *', `foo run --script 'git  push origin'${text}`],
      ['git push *', `tmux send-keys '/usr/bin/git\tpush' Enter${text}`],
      ['rm *', `tmux send-keys 'r""m x' Enter${text}`],
      ['rm *', `concurrently 'sudo "/bin/r"m x'${text}`],
    ]),
  ])('finds a command however its words are spaced and quoted: %s in %j', (pattern, line) => {
    expect(matches(pattern as string, line as string)).toBe(true);
    expect(matches('mv *', line as string)).toBe(false);
  });

  it.each(['/bin/r? x', 'r? x', 'r* x', '[r]m x', '{rm,x}', 'r{m,} x', 'sudo /bin/r? x', '@/bin/r? x', 'A=b r? x'])(
    'finds a command whose name is a pattern: %s',
    (text) => {
      for (const line of [
        written('Makefile', `a:\n\t${text}`, 'make'),
        written('Makefile', `a: ; ${text}`, 'make'),
        written('Makefile', `a:\n\t$(CC) x.c && ${text}`, 'make'),
        written('a.py', `os.system("${text}")`, 'python3 a.py'),
        written('package.json', `{"scripts":{"a":"${text}"}}`, 'npm run a'),
        `printf 'a:\\n\\t${text}\\n' | make -f -`,
      ]) {
        expect([line, matches('rm *', line)]).toEqual([line, true]);
        expect([line, matches('mv *', line)]).toEqual([line, false]);
      }
    },
  );

  it.each([
    ['a.md', '* one\n* two\n**three** four\n- [x] five\n', 'npx prettier --write a.md'],
    ['.gitignore', '*.log\n/dist\n**/a\n[Bb]in/\n', 'git add . && ./x.sh a'],
    ['a.css', '* { margin: 0 }\n*,a { b: c }\n', 'npx prettier --write a.css'],
    ['a.ts', "import {a,b} from 'c';\nconst d = /^[a-z]*$/; // e? f\n", 'npx tsx a.ts'],
    ['a.py', '*a, b = c\nd[0] = e\nre.sub("[a-z]*", f)\n', 'python3 a.py'],
    ['jobs', '*/5 * * * * a\n', 'node jobs'],
  ])('takes no other pattern for a command: %s with %j', (name, text, then) => {
    for (const rule of ['rm *', 'git push *', 'sudo *'])
      expect([rule, matches(rule, written(name, text, then))]).toEqual([rule, false]);
  });

  it.each([
    written('package.json', '{ "files": ["dist/*"], "workspaces": ["packages/**", "r*"] }', 'npm install'),
    written('package.json', `{ "scripts": { "lint": "eslint 'src/**/*'" } }`, 'npm run lint'),
    written('tsconfig.json', '{ "include": ["src/**/*", "s*"] }', './node_modules/.bin/tsc'),
    written('a.yaml', "packages:\n  - 'packages/*'\n  - r*\nkey: src/*", './scripts/setup.sh'),
    written('Makefile', "build: src/*\n\tgcc -o a src/* && eslint 'src/**'", 'make build'),
    written('a.js', "console.log(await glob('src/*'));", 'node a.js'),
    `python3 -c "print(glob.glob('src/*'), glob.glob('r*'))"`,
    `docker exec app sh -c 'ls /usr/local/bin/*'`,
    `git commit -m "Ignore 'dist/*' in lint" && ./x.sh`,
    `npm pkg set 'scripts.lint=eslint "src/*"'`,
    `echo 'node_modules/*' >> .dockerignore && ./x.sh`,
    'cat logs/* | head; ./x.sh',
    'mv build/* dist/; ./deploy.sh',
    "rg --glob '!dist/*' foo | bar; ./x.sh",
  ])('takes no pattern of files for a command: %j', (line) => {
    for (const rule of ['rm *', 'curl *', 'sudo *', 'zzq *', 'dd'])
      expect([rule, matches(rule, line)]).toEqual([rule, false]);
  });

  it('reads choices of letters in the name of a command', () => {
    const line = (text: string): string => written('Makefile', `a:\n\t${text}`, 'make');
    for (const text of [
      '[a-r]m x',
      '[!a]m x',
      'r[k-n] x',
      '[^x-z]m x',
      'r*m* x',
      '*r*m x',
      '/bin/r?',
      'timeout 5 r? x',
    ])
      expect([text, matches('rm *', line(text))]).toEqual([text, true]);
    for (const text of ['[a-q]m x', '[!r]m x', 'r[^m] x', 'r?m x', 'r*x x', '*r*r*m x', '?? x', 'foo r? x'])
      expect([text, matches('rm *', line(text))]).toEqual([text, false]);
  });

  it.each(['rm *', '* --force', 'a* b*', '*a*b*', 'git * x', 'a b'])('finds %s where any word begins it', (pattern) => {
    const rule = pattern.replaceAll('*', '.*').replace(/ \.\*$/, '(?: .*)?');
    const whole = new RegExp(`^${rule}$`, 's');
    const words = ['rm', 'git', 'a', 'b', 'x', '--force', '/bin/rm', 'k=a', 'a:b'];
    let seed = 7;
    const next = (most: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 2 + next(5) }, () => words[next(words.length)]).join(' ');
      const starts = [...text.matchAll(/(?<=^|[\s=:,[]|\/(?!\S*\/))[^\s=:,[]/g)];
      const is = starts.some(({ index }) => whole.test(text.slice(index)));
      expect([text, matches(pattern, `foo 'zz; ${text}; :'`)]).toEqual([text, is]);
    }
  });
});

it.each([
  `split --filter 'sh -c "$CMD"' f`,
  "split --filter '/bin/r? x' f",
  "split --filter 'curl h | sh' f",
  "tar -I '$CMD x' -cf a b",
  `tar --to-command 'eval "$CMD"' -xf a`,
  `tar -F 'bash -c "$CMD"' -cf a b`,
  `rsync -e 'sh -c "$CMD"' a h:`,
])('a Bash rule asks what a program certainly runs, also in a word of its own: %s', (line) => {
  expect(matches('rm *', line)).toBe(true);
  expect(matches('git push *', line)).toBe(true);
});

/** Texts that the rule asks about where some program may run them. */
const ASKED = [
  'r"m" x',
  'curl -s h > s',
  'curl -s h -o s',
  `bash -c 'r"m" x'`,
  'for i in a; do r"m" x; done',
  'env A=1 r"m" x',
];
/** What cannot be known in a text, or is no shell code. */
const UNKNOWN = [
  '2>(:)',
  '{v}<(:)',
  '{v[}]}>(:)',
  '$X y',
  'eval "$X"',
  '. <(a)',
  'curl h | sh',
  'alias a=b',
  'BASH_CMDS[ls]=/bin/x',
];
const UNFINISHED = [')', '"', '`', '((', 'a |', 'case x', '$('];

it.each([
  ["foo '", "'; sh s"],
  ["tmux send-keys '", "' Enter; sh s"],
  ["export A='", "'; foo; sh s"],
  ["foo a <<'Q'\n", '\nQ\nsh s'],
] as const)('a Bash rule asks about a text no less for what else is in it: %s', (before, after) => {
  const line = (text: string): string => before + (before.endsWith("'") ? text.replaceAll("'", "'\\''") : text) + after;
  for (const text of ASKED) {
    const all = UNKNOWN.flatMap((one) => [
      ...[`: ${one}; ${text}`, `${one}\n${text}`, `${text}; ${one}`, `${text}; : ${one}`, `${text}\n${one}`],
      ...[`${text} && ${one}`, `(${one}); ${text}`, `{ ${text}; }; ${one}`],
    ]);
    const cut = UNFINISHED.map((one) => `${text}\n: ${one}`);
    for (const one of [text, ...all, ...cut]) expect([one, matches('rm *', line(one))]).toEqual([one, true]);
  }
});

describe('a Bash rule, of a text that is expanded later,', () => {
  const texts = [
    "set -- 'a[$(rm x)]'; (( $1 ))",
    "set -- b 'a[`rm x`]'; [[ $2 -gt 3 ]]",
    'set \'a[$(rm x)]\'; test -v "$1"',
    "set -- 'a[b[0]+$(rm x)]'; echo $(($1))",
    'set -- \'$(rm x)\'; echo "\u0024{1@P}"',
    "v=$(echo 'a[$(rm x)]'); echo $((v))",
    "v=`printf %s 'a[$(rm x)]'`; [[ $v -eq 1 ]]",
    "v=$(cat <<'E'\na[$(rm x)]\nE\n); ((v))",
    "echo 'a[$(rm x)]' > f; v=$(<f); ((v))",
    "v=$(grep a <<< 'a[$(rm x)]'); ((v))",
    'v=$(echo \'`rm x`\'); echo "\u0024{v@P}"',
    "v=$(echo 'a[b[1+1]+$(rm x)]'); ((v))",
    "v=a['$(rm x)']; ((v))",
    "export v=a[0+'`rm x`']; let v",
    "declare v=a[$'$(rm x)']; ((v))",
    "v=a[\\$'(rm x)']; ((v))",
    `v=a['$'"(rm x)"]; ((v))`,
    "v=a[$i'$(rm x)']; [[ v -eq 1 ]]",
    "for v in a['$(rm x)']; do ((v)); done",
    "f() { (($1)); }; f a['$(rm x)']",
    "env v=a['$(rm x)'] bash -c '((v))'",
    "v=$(cat <<'E'\na[1 +\n$(rm x)]\nE\n); : $((v))",
    "v=$(printf 'a[%s]' '$(rm x)'); for ((i = v; i < 1; i++)); do :; done",
    "printf -v v 'a[%s]' '$(rm x)'; [[ $v -ne 1 ]]",
    "v=$(printf 'a[\\x24(rm x)]'); ((v))",
    'v=$(echo \'$(rm x)\'); let "a[$v]=1"',
    'v=$(echo \'$(rm x)\'); builtin printf -v "a[$v]" 1',
    'v=$(echo \'$(rm x)\'); test -v "a[$v]"',
    'v=$(echo \'$(rm x)\'); declare -i n; n="a[$v]"',
    'v=$(echo \'$(rm x)\'); declare "a[$v]=1"',
    "v=$(echo '$(rm x)'); a[$v]=1",
    "v=$(echo 'b[$(rm x)]'); a=([$v]=1)",
    "v=$(echo 'b[$(rm x)]'); echo \u0024{s:v} y",
    "v=$(echo 'b[$(rm x)]'); echo \u0024{!v}",
    "v=$(echo 'b[$(rm x)]'); export v; find . -exec bash -c '((v))' \\;",
    "v=$(echo 'b[$(rm x)]'); export v; perl -e 'system(q(bash -c \"((v))\"))'",
    "v=$(echo 'b[$(rm x)] $('); ((v))",
    "v=$(echo 'a[$(rm x)]'); RANDOM=$v",
    'v=$(echo \'a[$(rm x)]\'); for SECONDS in "$v"; do :; done',
    "v=$(echo 'a[$((1+$(rm x)))]'); RANDOM=$v",
    "v=$(echo 'a[$((1+`rm x`))]'); RANDOM=$v",
    "v=$(echo 'a[$((b[0] + c[i+1] + $(rm x)))]'); RANDOM=$v",
    "v=$(echo 'a[$((1))+$(rm x)]'); RANDOM=$v",
    "v=$(echo 'a[$((b[c[i]+1] + $(rm x)))]'); RANDOM=$v",
    "v=$(echo 'a[$((rm x) | cat)]'); RANDOM=$v",
    "v=$(echo 'a[$((rm x); (ls))]+$((1))'); RANDOM=$v",
    "v=$(echo 'a[$(rm x)]'); declare -{i,x} n=$v",
    'v=$(echo \'a[$(rm x)]\'); builtin command -p builtin declare -i n="$v"',
    'y="([$(echo \'a[$(rm x)]\')]=1)"; declare -a "z=$y"',
    'export v=$(echo \'a[$(rm x)]\'); perl -e \'exec "bash","-c",q{z[v]=1}\'',
    `export v=$(echo '$(rm x)'); python3 -c 'import os; os.system("bash -c \\"echo \\\\\u0024{v@P}\\"")'`,
    "PS4=$(echo '$(rm x)'); set -x; ls",
    "PS4=$(echo '$(rm x)') bash -xc :",
    "export PS0=$(cat <<'E'\n$(rm x)\nE\n); bash -i",
    "p=$(echo '$(rm x)'); PS4=$p; set -x; ls",
    "printf -v PS4 %s '$(rm x)'; set -x; ls",
    'env PS4="$(echo \'`rm x`\')" bash -xc ls',
    "PROMPT_COMMAND=$(echo 'rm x') bash --norc -i",
  ];
  it.each(texts)('is asked about a substitution in it: %j', (line) => {
    expect(matches('rm *', line)).toBe(true);
    expect(matches('rm *', line.replace('rm x', 'ls x'))).toBe(false);
  });

  it.each(['/bin/r? x', '{rm,x}', 'command $(echo rm) x'])(
    'is asked where it names its command otherwise: %s',
    (command) => {
      expect(matches('rm *', `v=$(echo 'a[$(${command})]'); ((v))`)).toBe(true);
    },
  );

  it.each([
    "set -- '$(rm x)'; echo $1",
    "echo 'run $(rm x) or `rm x`'",
    "grep -n '$(rm x)' a",
    'cat > s.sh <<\'E\'\necho "\u0024{files[0]} \u0024{#files[@]} $(date)"\nrm x\nE',
    "cat > s.sh <<'E'\nif [ $(id -u) = 0 ]; then rm x; fi\nE",
    "cat > a.ts <<'E'\nf(b[`a-\u0024{c}`]); // rm x\nE",
    "cat > a.md <<'E'\nSee `a[0]`, then `rm x`.\nE",
    "cat > a.md <<'E'\n- [ ] `rm x`\n- [x] `rm y`\nE",
    "git commit -m 'use arr[$(rm x)] no more'",
    'git commit -m "Use \\`rm x\\` since $(date)"',
    "ls [ab]$(date) 'rm x'",
    "gh pr create --body 'Use `rm x`; and arr[`rm x`]'",
    "cat > s.sh <<'E'\n((n++)); rm x $(date)\nE",
    'D=a; cat > "$D/s.sh" <<\'E\'\nargs[$((i+1))]="$2"\nrm x\nE',
    "N=1; cat > s.sh <<'E'\na[$(( (i+1) % n ))]=b[$((j - c[k]))]\nrm x $(date)\nE",
    `N=1; gh pr create --body "$(cat <<'E'\nUse arr[$((n-1))].\n\n    rm x\nE\n)"`,
    "n=$((n + 1)); git commit -m 'Use `ls x`, not rm x, on $(date)'",
    'export A="$B"; local b="$1"; read -r c; [ "\u0024{d[0]}" -eq 0 ] && echo \'Use `rm x`\'',
    "PATH=$(pwd) FOO=$(echo '$(rm x)') ls",
  ])('is not asked about text that nothing expands: %j', (line) => {
    expect(matches('rm *', line)).toBe(false);
  });
});

describe('a Bash rule, of the arguments of code,', () => {
  /** Before each stands a program, with its options before code. */
  const CODES = [
    ...[
      'python3 -c',
      'python3.12 -uc',
      'pypy3 -B -c',
      'perl -e',
      'perl -wE',
      'ruby -e',
      'php -r',
      'lua -e',
      'Rscript -e',
    ],
    ...['node -e', 'nodejs --eval', 'node -pe', 'tsx -p', 'ts-node -e', 'bun -e', 'bun --print', 'deno eval'],
    ...[
      'env A=1 python3 -c',
      'xargs perl -e',
      'uv run python -c',
      'npx tsx -p',
      'pnpm dlx tsx --print',
      'npm exec -- tsx -e',
    ],
  ];

  it.each(CODES)('sees the command that it may run: %s', (code) => {
    for (const command of [
      'rm x',
      '"rm x"',
      '-- rm x',
      '/bin/rm x',
      '"r"m x',
      'sh -c "rm x"',
      'env A=1 rm x',
      'A rm -rf x',
    ])
      for (const line of [`${code} 'run(argv)' ${command}`, `cd a && ${code} 'run(argv)' ${command}; ls`])
        expect([line, matches('rm *', line), matches('mv *', line)]).toEqual([line, true, false]);
  });

  it.each([
    "perl -e'system @ARGV' rm x",
    'perl -esystem@ARGV rm x',
    "python3 -c'import os, sys; os.system(sys.argv[1])' rm x",
    "node --eval='run(process.argv)' rm x",
    "python3 - rm x <<'E'\nimport subprocess, sys; subprocess.run(sys.argv[1:])\nE",
    "perl -e 'exec @ARGV' /bin/r? x",
  ])('sees it in %j', (line) => {
    expect(matches('rm *', line)).toBe(true);
    expect(matches('mv *', line)).toBe(false);
  });

  it.each([
    "python3 -c 'f()' b.rm 'remove x' --rm rmdir",
    'python3 manage.py rm x',
    'echo rmdir > s.py; python3 s.py a; python3 manage.py list rm/x',
    'echo "import os" > s.txt; python3 manage.py rm x',
    'node -r dotenv/config cli.js rm x',
    'node --no-warnings cli.js -e production rm x',
    'python3 -m app -p 8000 rm x',
    'php -c php.ini bin/todo rm x',
    'ruby -r bundler/setup bin/app -e prod rm x',
    "echo '{}' > package.json; npm run a; node bin/todo.js rm x",
    'make -e -r CC=gcc all',
    "node -e 'f()' $X; perl -pe 's/a/b/' f | head",
    "python3 -c 'f()' ./a.json; curl -o a.json h",
  ])('is not asked where none is: %j', (line) => {
    expect(matches('rm *', line)).toBe(false);
  });
});

describe('a Bash rule, of an interpreter behind a tool of packages,', () => {
  const TOOLS =
    'npx|npx -y|npx -p tsx|npm exec|npm exec --|npm x -y --|pnpm|pnpm exec|pnpm dlx|yarn|yarn dlx|yarn run|bunx|bun x|bun run|uv run|poetry run';
  const CODE = `'require("child_process").execSync("rm x")'`;

  it.each([
    ...['tsx -e', 'tsx -p', 'tsx --print', 'tsx -pe', 'node -p', 'node --print', 'ts-node -p', 'bun -p', 'bun --print'],
    ...['perl -m', 'perl -p -e', 'ruby -pe', 'php -r', 'lua -e'],
  ])('sees what it does without the tool: %s', (run) => {
    for (const tool of ['', ...TOOLS.split('|')])
      expect([tool, matches('rm *', `${tool} ${run} ${CODE}`)]).toEqual([tool, true]);
  });

  it.each(['tsx --test', 'tsx -t', 'node --test', 'python3 -m', 'ruby -t', 'perl -t', 'Rscript -g'])(
    'sees the file that it does without the tool: %s',
    (run) => {
      for (const tool of ['', ...TOOLS.split('|')]) {
        const line = `echo 'f("rm x")' > s; ${tool} ${run} s`;
        expect([line, matches('rm *', line)]).toEqual([line, true]);
      }
    },
  );

  it.each([
    'npx jest -t "rm x"',
    'bun test -t "rm x"',
    'npm test -- -t "rm x"',
    'pnpm exec vitest -t "rm x"',
    'npx claude -p "rm x"',
    'npx vitest run --environment node -t "rm x"',
    'npx vitest run tests/perl -t "rm x"',
    'npx mocha --import tsx -g "rm x" test',
    'pnpm --filter node test -t "rm x"',
    'npm test -- node -t "rm x"',
    'npx tsx src/cli.ts -p "rm x"',
    'bun cli.ts -p "rm x"',
  ])('is not asked about what other programs only show: %s', (line) => {
    expect(matches('rm *', line)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';

function matches(pattern: string, command: string): boolean {
  const { rule } = compileRule(`Bash(${pattern})`, { dialect: 'code', where: 'if' });
  return rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;
}

/** It is `rm x`, which nobody can tell from the line. */
const UNSURE = 'eval "$(echo cm0geA== | base64 -d)"';

describe('a Bash rule, of a file that is copied before a shell runs it,', () => {
  const copies = [
    ['cp f{,.sh}', 'f.sh'],
    ['mv {f,g}', 'g'],
    ['mv f{,.g}', 'f.g'],
    ['cp f "$D/g"', 'g'],
    ['cp $D/f g', 'g'],
    ['cp f $G', 'g'],
    ['G=g; mv f "$G"', 'g'],
    ['cp f $(echo g)', 'g'],
    ['cp ? g', 'g'],
    ['for x in f; do cp $x g; done', 'g'],
    ['for x in f; do mv "$x" "$x.g"; done', 'f.g'],
    ['find . -name f -exec cp {} g \\;', 'g'],
    ['find . -name f -exec mv {} {}.g \\;', 'f.g'],
    ['ls f | xargs -I{} cp {} g', 'g'],
    ['ls f | xargs -I% cp % %.g', 'f.g'],
    ['echo f g | xargs cp', 'g'],
    ['fd f -x mv {} {.}.g', 'f.g'],
    ['parallel cp {} {}.g ::: f', 'f.g'],
    ['split f', 'xaa'],
    ['csplit f 1', 'xx00'],
    ['scp f g', 'g'],
    ['cp f g; mv g k; ln k l', 'l'],
    ['install -t d f', 'd/f'],
  ] as const;

  it.each(copies)('asks what it is: %s', (copy, name) => {
    for (const writer of [`echo '${UNSURE}' > f`, `echo '${UNSURE}' | sponge f`, `sed -n 'w f' <<< '${UNSURE}'`])
      for (const run of [`sh ${name}`, `./${name}`, `sudo bash ${name}`, `split --filter=bash ${name}`])
        expect([writer, run, matches('rm *', `${writer}; ${copy}; ${run}`)]).toEqual([writer, run, true]);
    expect(matches('rm *', `echo 'ls -l' > f; ${copy}; sh ${name}`)).toBe(false);
    expect(matches('rm *', `echo 'rm x' > f; ${copy}; sh ${name}`)).toBe(true);
  });

  it.each([
    ['cp docs/*.md "$OUT"', 'bash build.sh'],
    ['cp -r src/a src/b "$OUT"', 'bash build.sh'],
    ['cp a.md "$OUT/"', 'bash build.sh'],
    ['cp -t "$OUT" a.md', 'bash build.sh'],
    ['find . -name "*.png" | xargs cp -t dist', 'bash build.sh'],
    ['cp a.md "$OUT"', 'git commit -m x'],
    ['cp a.md b.md', 'bash build.sh'],
  ])('does not ask where the script is another: %s, %s', (copy, then) => {
    expect(matches('rm *', `echo '* one' > a.txt; ${copy}; ${then}`)).toBe(false);
  });

  it('knows no copy better than what was copied, whenever it learns of that', () => {
    const line = (then: string): string => `sh -c 'cat > F' <<'E'\n$X y\nE\n${then}`;
    expect(matches('rm *', line('sh F'))).toBe(true);
    expect(matches('rm *', line('cp F G; sh G'))).toBe(true);
    expect(matches('rm *', 'curl -o f h; cp f{,.sh}; sh f.sh')).toBe(true);
    expect(matches('rm *', 'echo ls > g; curl -o f h; for x in f; do mv $x g; done; sh g')).toBe(true);
  });
});

it.each([
  ['install -oroot -groot -m755 f g', './g'],
  ['install -o root -g root -m 755 f g', './g'],
  ['install -m755 -st d f', './d/f'],
  ['install --mode 755 --owner root f g', './g'],
  ['cp f g -S .b', 'sh g'],
  ['cp f g --suffix .b', 'sh g'],
  ['cp -at d f', 'sh d/f'],
  ['mv --target=d f', 'sh d/f'],
  ['cp -vt d -- f', 'd/f'],
  ['mv f +', 'sh +'],
  ['mv f \\;', 'sh \\;'],
  ['ln f :::a', 'sh :::a'],
  ['find . -name f -exec cp {} g \\;', 'sh g'],
])('a Bash rule reads the options of what copies a file: %s; %s', (copy, run) => {
  expect(matches('rm *', `echo '${UNSURE}' > f; ${copy}; ${run}`)).toBe(true);
  expect(matches('rm *', `echo 'ls -l' > f; ${copy}; ${run}`)).toBe(false);
});

it.each([
  'npx cross-env A=1 ./run',
  'npx dotenv -e .env -- ./run',
  'npx env-cmd -f .env ./run',
  'npx nodemon --exec ./run',
  'npx concurrently ./run',
  'helm template --post-renderer ./run',
  'ansible-playbook --vault-password-file ./run site.yml',
  'ansible all -i ./run -m ping',
  'foo --script-file ./run',
  'foo --hook-path ./run',
])('a Bash rule asks about a file that a program is told to run: %s', (run) => {
  expect(matches('rm *', `echo '${UNSURE}' > run; ${run}`)).toBe(true);
  expect(matches('rm *', `echo 'ls -l' > run; ${run}`)).toBe(false);
});

it.each([
  'npx cross-env A=1 node ./run',
  'npx postcss ./run',
  'helm template ./run',
  'helm install a --values ./run',
  'kubectl apply --dry-run -f ./run',
  'ansible-playbook ./run',
  'foo --env-file ./run',
])('a Bash rule does not ask about data: %s', (run) => {
  expect(matches('rm *', `echo '* $one {' > run; ${run}`)).toBe(false);
});

describe('a Bash rule, of a script that becomes a hook of git,', () => {
  it.each([
    'cp f .git/hooks/pre-commit',
    'cp pre-commit .git/hooks',
    'cp f "$(git rev-parse --git-dir)/hooks/pre-commit"',
    'mv f .git/hooks/pre-commit',
    'install -m755 f .git/hooks/pre-push',
    'install -Dm755 -t .git/hooks f',
    'ln -s ../../f .git/hooks/pre-commit',
    'cp f .husky/pre-commit',
    'cp f .git/config',
    'cp f $D/hooks/commit-msg',
    'HOOK=.git/hooks/pre-commit; cp f "$HOOK"',
    'cp f hooks/pre-commit; git config core.hooksPath hooks',
    'cd .git/hooks && cp ../../f pre-commit && cd ../..',
    'cd .git && mv ../f config && cd ..',
  ])('sees the commands in it: %s', (copy) => {
    const name = /\bpre-commit \./.test(copy) ? 'pre-commit' : 'f';
    expect(matches('rm *', `echo 'rm x' > ${name}; ${copy}; git commit -m x`)).toBe(true);
    expect(matches('rm *', `echo '${UNSURE}' > ${name}; ${copy}; git commit -m x`)).toBe(true);
    expect(matches('rm *', `echo 'ls -l' > ${name}; ${copy}; git commit -m x`)).toBe(false);
  });

  it.each([
    'cd .git/hooks && echo TEXT > pre-commit && cd ../..',
    'cd "$REPO/hooks" && echo TEXT > pre-push && cd -',
    'echo TEXT > hooks/pre-commit; git config core.hooksPath hooks',
  ])('sees them where the line writes it: %s', (line) => {
    for (const text of ['rm x', UNSURE])
      expect(matches('rm *', `${line.replace('TEXT', `'${text}'`)}; git push`)).toBe(true);
    expect(matches('rm *', `${line.replace('TEXT', "'ls -l'")}; git push`)).toBe(false);
  });
});

describe('a Bash rule, of a script that is called by its name,', () => {
  it.each([
    'echo TEXT > /usr/local/bin/tool; chmod +x /usr/local/bin/tool; tool',
    'echo TEXT | sudo tee ~/.local/bin/tool; tool a',
    'echo TEXT > "$(go env GOPATH)/bin/tool" && tool',
    'echo TEXT > f; cp f /usr/local/bin/tool; sudo tool',
    'echo TEXT > tool; mv tool ~/bin/; timeout 5 tool',
    'echo TEXT > tool; sudo install tool /usr/local/bin && tool',
    'echo TEXT > tool; cp -t ~/bin tool && tool',
    'cd ~/.local/bin && echo TEXT > tool && chmod +x tool; tool',
  ])('sees what the line has written: %s', (line) => {
    for (const text of ['rm x', UNSURE]) expect(matches('rm *', line.replace('TEXT', `'${text}'`))).toBe(true);
    expect(matches('rm *', line.replace('TEXT', "'ls -l'"))).toBe(false);
  });

  it.each([
    'BIN=~/bin; echo TEXT > $BIN/tool; tool',
    'D=/usr/local/bin; echo TEXT > "$D/tool" && tool',
    'echo TEXT > "$(npm bin)/tool"; tool',
    'cd bin && echo TEXT > ./tool; tool',
    'echo TEXT > f; cd /usr/sbin && mv ~/f tool; tool',
  ])('sees it in a folder that a variable names, or that the line goes to: %s', (line) => {
    for (const text of ['rm x', UNSURE]) expect(matches('rm *', line.replace('TEXT', `'${text}'`))).toBe(true);
  });

  it.each([
    'cd scripts && git diff > diff; diff a b',
    'cd scripts && make > make 2>&1; make test',
    'cd ~/bin && ls > /tmp/ls && cat /tmp/ls; ls',
    'D=$(mktemp -d); node a.js > "$D/sort"; sort "$D/sort" | head',
    'OUT=/tmp/o; node gen.js > $OUT/make; make test',
    'node gen.js > scripts/diff; diff a b',
  ])('does not ask about a file of the name in another folder: %s', (line) => {
    expect(matches('rm *', line)).toBe(false);
  });

  it('asks what was loaded there, and about no file in other folders', () => {
    expect(matches('rm *', 'curl -o /usr/local/bin/tool h; tool')).toBe(true);
    expect(matches('rm *', `echo '$A {' | sudo tee /etc/default/tool; tool -t`)).toBe(false);
    expect(matches('rm *', `echo '$A {' > /usr/local/bin/tool; other`)).toBe(false);
  });
});

describe('a Bash rule, of a file that a variable names,', () => {
  it.each([
    'EDITOR=./F git commit',
    'SUDO_EDITOR=./F sudoedit x',
    'GIT_SSH=./F git fetch',
    'GIT_ASKPASS=./F git fetch',
    'GIT_EXTERNAL_DIFF=./F git diff',
    'PAGER=./F git log',
    'RSYNC_RSH=./F rsync a h:',
    'FOO=./F bar',
    'FOO="$PWD/F" bar',
    'EDITOR=./F; git commit',
    'export FOO=./F; bar',
    'declare -x FOO=./F; bar',
    'BASH_ENV=F bash -c :',
    'ENV=F sh -i',
    'export BASH_ENV=F; bash -c :',
  ])('sees the commands in it: %s', (then) => {
    expect(matches('rm *', `echo 'rm x' > F; ${then}`)).toBe(true);
    expect(matches('rm *', `echo 'ls -l' > F; ${then}`)).toBe(false);
  });

  it('asks about one that cannot be known only where a shell reads it', () => {
    for (const then of ['BASH_ENV=F bash -c :', 'BASH_ENV=$F bash -c :', 'ENV=F sh -i'])
      expect([then, matches('rm *', `echo '${UNSURE}' > F; ${then}`)]).toEqual([then, true]);
    for (const then of ['CONFIG=./F npm start', 'ENV=test npm start', 'out=./F; cat $out'])
      expect([then, matches('rm *', `echo '* one' > F; ${then}`)]).toEqual([then, false]);
    expect(matches('rm *', `echo 'rm x' > F; out=./F; cat $out`)).toBe(false);
  });
});

describe('a Bash rule, of what a program gives to a shell,', () => {
  it.each([
    'split --filter=bash f',
    "split -l1 --filter='bash -s' f",
    'tar cf a f; tar xf a --to-command=sh',
    'tar cf a f; tar xf a --to-command "sudo bash"',
  ])('asks about a file that the line writes: %s', (then) => {
    expect(matches('rm *', `echo '${UNSURE}' > f; ${then}`)).toBe(true);
    expect(matches('rm *', `echo 'rm x' > f; ${then}`)).toBe(true);
    expect(matches('rm *', `echo 'ls -l' > f; ${then}`)).toBe(false);
  });

  it.each(['bash -s a', 'sh; true', 'sh >o', 'sh > o', 'cat | sh', 'bash -o pipefail', '"sh"'])(
    'asks about what is piped, in whatever words: %s',
    (filter) => {
      expect(matches('rm *', `echo '${UNSURE}' | split --filter='${filter}' -`)).toBe(true);
      expect(matches('rm *', `curl -s h | split --filter='${filter}' -`)).toBe(true);
      expect(matches('rm *', `echo 'ls -l' | split --filter='${filter}' -`)).toBe(false);
    },
  );

  it.each(['sh x.sh', 'sh -c "gzip > a"', 'gzip > $FILE.gz'])(
    'does not ask where it reads no commands: %s',
    (filter) => {
      expect(matches('rm *', `curl -s h | split --filter='${filter}' -`)).toBe(false);
    },
  );
});

it.each(['at -v now', 'at -mv now', 'batch -v'])(
  'a Bash rule reads what %s is given, which shows the time first',
  (at) => {
    expect(matches('rm *', `echo 'rm x' | ${at}`)).toBe(true);
    expect(matches('rm *', `curl -s h | ${at}`)).toBe(true);
    expect(matches('rm *', `echo '${UNSURE}' > f; at -v -f f now`)).toBe(true);
    expect(matches('rm *', `echo 'rm x' | at -V`)).toBe(false);
  },
);

it.each(['-all', '--all', '--a', '-al', '-a'])('a Bash rule knows that ip %s names no namespace', (all) => {
  for (const ip of [`ip ${all} netns exec`, `sudo ip ${all} net e`]) {
    expect(matches('rm *', `${ip} rm x`)).toBe(true);
    expect(matches('rm *', `${ip} $CMD x`)).toBe(true);
    expect(matches('rm *', `${ip} /bin/r? x`)).toBe(true);
    expect(matches('rm *', `${ip} ls $DIR`)).toBe(false);
  }
});

it.each(['netns exec', 'netn exec', 'net e', 'netns ex', 'vrf exec', 'v e'])(
  'a Bash rule sees the command of ip %s',
  (ip) => {
    expect(matches('rm *', `ip ${ip} n rm x`)).toBe(true);
    expect(matches('rm *', `ip ${ip} n $CMD x`)).toBe(true);
    expect(matches('rm *', `ip ${ip} rm ls`)).toBe(false);
  },
);

it.each([
  ['sponge F; cp F .git/hooks/pre-commit', 'git commit -m x'],
  ['sponge p; cp p F; PATH=.:$PATH', 'F'],
  ['sponge ~/bin/F; export PATH=~/bin:$PATH', 'F'],
  ['tee F', 'GIT_SSH=./F git fetch'],
  ['tee F', 'EDITOR=./F git commit'],
])('a Bash rule asks what some program may have written that is run without being named: %s; %s', (writer, run) => {
  expect(matches('rm *', `echo '${UNSURE}' | ${writer}; ${run}`)).toBe(true);
  expect(matches('rm *', `echo 'ls -l' | ${writer}; ${run}`)).toBe(false);
});

describe('a Bash rule, of a copy into a folder of programs,', () => {
  const copies = [
    ...['--sparse auto', '--no-preserve all', '--suffix .o', '--suf .o', '--su .o', '--frobnicate 7', '--spa never'],
    ...['--spar=never', '-S .o', '--recursive --parents', '-bS.o'],
  ].map((options) => `cp ${options} f TO`);
  it.each([
    ...copies,
    'cp f TO --frobnicate 7',
    'mv --suf .o f TO',
    'install --mo 700 --own op f TO',
    'install --strip-prog true f TO',
    'rsync --chmod 700 -B 9 f TO',
    'rsync f TO --bwlimit 5',
    'scp -P 22 -l 9 f TO',
    'find . -name f -exec mv {} TO \\;',
    'ls f | xargs -I% cp % TO',
  ])('sees what is copied, whatever options it has: %s', (copy) => {
    for (const to of ['$HOME/bin/tool', `\${HOME}/.local/bin/tool`, `"\${BIN}"/tool`, '/usr/local/bin/tool']) {
      const line = `echo 'rm x' > f; ${copy.replace('TO', to)}; tool`;
      expect([line, matches('rm *', line), matches('mkdir *', line)]).toEqual([line, true, false]);
    }
  });

  it.each(['cp -r a b "$OUT"', 'cp --recursive --preserve=mode a b "$OUT"', 'cp --update a.md b.md "$OUT"'])(
    'takes what goes to a folder for files of the same names: %s',
    (copy) => {
      expect(matches('rm *', `echo '* one' > a.md; ${copy}; bash build.sh`)).toBe(false);
    },
  );
});

it.each([
  'scp h:k ./a.sh; ./a.sh',
  'scp -q h:k a.sh; sh a.sh',
  'scp op@h:d/k ./a; ./a',
  'scp h:k . && sh k',
  'rsync -az h:k ./a.sh; ./a.sh',
  'rsync --chmod 700 h:~/k ./a; bash a',
])('a Bash rule asks what a file of another machine holds: %s', (line) => {
  expect(matches('rm *', line)).toBe(true);
});

describe.each(['my f', 'dir/my f.mk', 'a,b', 'a:b', 'a=b.mk', 'a(1)', 'a;b', "it's", 'x[1].mk', '{a}', 'a|b', 'x<y'])(
  'a Bash rule, of a file whose name has a space or punctuation: %s',
  (name) => {
    const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
    it.each([
      ['make', '-f'],
      ['make', '--file='],
      ['make -s', '--makefile='],
      ['vim', '-S'],
      ['emacs', '--load='],
      ['ssh', '-F'],
      ['foo', 'x='],
      ['foo', ''],
    ])('is asked about a command in it where it follows the option: %s %s', (program, option) => {
      const line = (text: string): string =>
        `echo 'all: ; ${text}' > ${quoted(name)}; ${program} ${quoted(`${option}${name}`)}`;
      expect(matches('rm *', line('rm x'))).toBe(true);
      expect(matches('rm *', line('ls x'))).toBe(false);
    });
  },
);

describe('a Bash rule, of a file that code for another program names,', () => {
  const programs = [
    ['s', `python3 -c "import os; os.system('sh s')"`],
    ['s', `python3 -c "import subprocess; subprocess.run(['bash','./s'])"`],
    ['s', `env python3 -c 'exec(open("s").read())'`],
    ['s', `perl -e 'system("sh s")'`],
    ['s', `perl -e 'system(qw(sh s))'`],
    ['s', `node -e 'require("child_process").execFileSync("bash", ["s"])'`],
    ['s', `node --eval='require("child_process").execSync("sh s")'`],
    ['é.sh', `ruby -e 'system("sh é.sh")'`],
    ['m.mk', `python3 -c 'import os; os.system("make -f m.mk")'`],
    ['Makefile', `python3 -c 'import os; os.system("make")'`],
    ['s.py', 'python3 -m s'],
    ['s.py', 'python3 -ms'],
    ['s.py', `python3 -c 'import os, s'`],
    ['p/m.py', 'python3 -m p.m'],
    ['p/__init__.py', `python3 -c 'import p'`],
    ['p/__main__.py', 'python3 p'],
    ['s.js', `node -e 'require("./s")'`],
    ['p/index.js', 'node ./p'],
    ['index.js', 'node .'],
    ['S.pm', `perl -I. -MS -e 0`],
  ];
  it.each(programs)('is asked about a command in it: %s, %s', (file, run) => {
    for (const write of [`echo 'rm x' > ${file}`, `echo 'rm x' | tee ${file}`, `cat > ${file} <<'E'\nrm x\nE\n`])
      expect([write, matches('rm *', `${write}; ${run}`)]).toEqual([write, true]);
    if (!/index|__/.test(file)) expect(matches('rm *', `echo 'rm x' > k; cp k ${file}; ${run}`)).toBe(true);
    expect(matches('rm *', `echo 'ls x' > ${file}; ${run}`)).toBe(false);
    // Who does not run it may talk about it.
    expect(matches('rm *', `echo 'rm x' > other.md; ${run}`)).toBe(false);
    expect(matches('rm *', `echo 'rm x' > ${file}; git commit -m 'more in ${file}'; grep -n "r.*${file}" a`)).toBe(
      false,
    );
  });

  it.each(['npx eslint src', 'tar czf a.tgz src', 'docker build -t a src', 'node other.js'])(
    'is not asked where only its folder is named, or another file: %s',
    (line) => {
      expect(matches('rm *', `cat > src/index.ts <<'E'\nexecSync('rm x');\nE\n${line}`)).toBe(false);
    },
  );
});

describe('a Bash rule, of a file whose name only the run tells,', () => {
  it.each([
    ['f=s.py', 's.py', 'python3 "$f"'],
    ['f=s.py', '"$f"', 'env python3 -u $f'],
    ['f=s.py', '"$f"', 'python3 s.py'],
    ['f=$PWD/s.py', '"$f"', 'python3 "$f"'],
    ['f=$PWD/s.py', '"$f"', 'python3 s.py'],
    ['f=$(mktemp)', '"$f"', 'perl "$f"'],
    ['f=$(mktemp)', '"$f"', 'some-tool --script="$f"'],
    ['f=s.sql', 's.sql', 'psql -f$f'],
    ['f=$(mktemp)', '"$f"', `python3 -c "exec(open('$f').read())"`],
    ['f=m', 'm', 'make -f "$f"'],
    ['f=a', '"$f.py"', 'python3 a.py'],
    ['f=s', 's.js', 'npx tsx $f.js'],
    ['set -- s.py', 's.py', 'python3 "$1"'],
    ['a=(s.py)', 's.py', `python3 "\${a[@]}"`],
    ['cd src', 's.py', 'python3 *.py'],
    ['cd src', 's.py', 'for f in *.py; do python3.12 "$f"; done'],
    ['f=s.rb', 's.rb', 'env ruby3.2 "$f"'],
    ['f=s.js', 's.js', '/usr/bin/nodejs $f'],
    ['cd src', 's.py', 'python3 s.{py,}'],
    ['cd src', 's.js', 'for f in *.js; do node $f; done'],
    ['f=s.js', 's.js', 'node --import ./hook.js --enable-source-maps "$f"'],
    ['f=s.py', 's.py', 'python3 -W ignore -u "$f" a'],
    ['f=m', 'm', 'make -C src -sf"$f" all'],
    ['cd src', 's.test.js', 'node --test test/*.test.js'],
    ['cd src', 's.py', "find . -name '*.py' -exec python3 {} \\;"],
    ['cd src', 's.py', 'ls | xargs -I{} timeout 5 python3 {}'],
  ])('is asked about a command in it, where an interpreter runs it: %s; … > %s; %s', (set, file, run) => {
    const line = (text: string): string => `${set}; echo '${text}' > ${file}; ${run}`;
    expect(matches('rm *', line('rm x'))).toBe(true);
    expect(matches('rm *', line('ls x'))).toBe(false);
    // No shell runs it, so a text that is not in the line is not asked about.
    expect(matches('rm *', `${set}; date > ${file}; ${run}`)).toBe(false);
  });

  /** What stands before the file is the name of a module, code, a subcommand, another script or the value of an option. */
  it.each([
    ['s.py', 'for t in *.py; do python3 -m cProfile $t; done'],
    ['s.py', 'for t in *.py; do python3.12 -m pdb $t; done'],
    ['s.py', 'T=$(ls *.py | head -1); pypy3 -m pytest "$T"'],
    ['s.js', `T=$(ls *.js | head -1); nodejs -e 'require(process.argv[1])' "./$T"`],
    ['s.rb', 'ruby3.2 bin/rspec $T'],
    ['s.lua', 'lua5.4 run.lua "$T"'],
    ['s.py', 'T=$(ls -t *.py | head -1); python3 -m pytest "$T"'],
    ['s.py', 'find . -name "*.py" -exec python3 -m coverage run -a {} \\;'],
    ['s.py', 'find . -name "*.py" -exec python3 -m pdb {} \\;'],
    ['s.py', `python3 -c 'import runpy, sys; runpy.run_path(sys.argv[1])' $(ls *.py)`],
    ['s.py', 'python3 run.py --plugin="$P"'],
    ['s.js', 'for t in *.js; do bun run $t; done'],
    ['s.mjs', 'for t in *.mjs; do deno run -A $t; done'],
    ['s.test.ts', 'bun test $(ls *.ts)'],
    ['s.sh', 'bun run "$T"'],
    ['s.ts', 'npx tsx watch "$T"'],
    ['s.cts', 'npx ts-node -P tsconfig.json "$T"'],
    ['s.test.js', 'node --test a.js $T'],
    ['s.cjs', `node -e 'require(process.argv[1])' ./$T`],
    ['s.test.js', 'node node_modules/.bin/mocha *.test.js'],
    ['s.php', 'php vendor/bin/phpunit $T'],
    ['s.rb', 'ruby bin/rspec $T'],
    ['s.t', 'perl bin/prove "$T"'],
    ['s.lua', 'lua run.lua "$T"'],
    ['s.R', `Rscript -e 'source(commandArgs(TRUE)[1])' "$T"`],
    ['"$(mktemp --suffix=.py)"', 'for t in *.py; do python3 -m pytest $t; done'],
    ['"$(mktemp --suffix=.py)"', 'python3 *.py'],
  ])('is asked where a file with an ending of the interpreter is written: … > %s; %s', (file, run) => {
    const line = (text: string, name: string): string => `cat > ${name} <<'E'\n${text}\nE\n${run}`;
    expect(matches('rm *', line('rm x', file))).toBe(true);
    expect(matches('rm *', line('ls x', file))).toBe(false);
    for (const other of ['s.md', 's.json', 's.txt']) expect(matches('rm *', line('rm x', other))).toBe(false);
  });

  it.each([
    ['s', 'python3 -m cProfile $(ls)'],
    ['s', 'for f in *; do python3.12 -m pdb "$f"; done'],
    ['my_script', `python3 -c 'exec(open(sys.argv[1]).read())' "$F"`],
    ['s', `perl -e 'do $ARGV[0]' "./$F"`],
    ['s', `node -e 'require(process.argv[1])' "./$F"`],
    ['"$(mktemp)"', 'python3 -m trace --trace $F'],
  ])(
    'is asked where a file without an ending is written, and a module or code runs some file: … > %s; %s',
    (file, run) => {
      const line = (text: string, name: string): string => `cat > ${name} <<'E'\n${text}\nE\n${run}`;
      expect(matches('rm *', line('rm x', file))).toBe(true);
      expect(matches('rm *', line('ls x', file))).toBe(false);
      for (const other of ['Makefile', 'LICENSE', '.gitignore', 's.md'])
        expect(matches('rm *', line('rm x', other))).toBe(false);
    },
  );

  it.each([
    ['A=(-f s.mk -j4)', `make "\${A[@]}" all`],
    ['A=(); A+=(-f s.mk)', `make -s "\${A[*]}"`],
    ['set -- -f s.mk', 'make "$@"'],
    ['set -- -f s.mk', `make -j4 "\${@:1}"`],
    ['set -- "-f s.mk"', 'make $*'],
    ['A="-fs.mk"', 'make $A'],
    ['A="-fs.mk"', 'nice make clean $A'],
    ['A=fs.mk', 'make -$A'],
    ['F=s.mk', `make \${F:+-f "$F"} all`],
    ['F=s.mk', `make "\${F:+-f$F}" all`],
    ['F=s.mk', 'make -E "include $F"'],
    ['F=s.mk', 'make -kf"$F"'],
    ['F=s.mk', 'make -sE "include $F"'],
    ['echo -f s.mk > args', 'make $(cat args)'],
    ['echo -f s.mk > args', 'make `cat args`'],
    ['F=$(ls)', 'make MAKEFILES="$F"'],
    ['F=$(ls)', 'make all MAKEFLAGS="$F"'],
    ['F=$(ls)', 'make SHELL="$F"'],
    ['F=$(ls)', 'gmake --fil="$F"'],
    ['F=$(ls)', 'make --mak "$F"'],
    ['F=$(ls)', 'make --dir "$F"'],
    ['F=$(ls)', 'make --include-dir="$F"'],
    ['A=-fs.mk', 'make "$A"'],
    ["A='-k --file=s.mk'", 'make -s "$A" all'],
    ['F=s.mk; A="-f$F"', 'make "$A" all'],
    ['A=-f', 'make "$A" s.mk'],
    ['A=$(echo -fs.mk)', 'make "$A"'],
    ['set -- -fs.mk', 'make "$1"'],
    ['read A <<< -fs.mk', 'make "$A"'],
    ['F=s', 'make $V-f $F.mk'],
    ['echo "a t="; t=-fs.mk; echo " b"', 'make $t'],
    ['export A=-fs.mk', `bash -c 'make "$A"'`],
    ['f() { make "$1"; }', 'f -fs.mk'],
    ['A=MAKEFILES=s.mk', 'make "$A"'],
    ["A='V=1 MAKEFILES=s.mk'", 'make $A'],
  ])('is asked where what is unknown may be an option of make: %s; make … %s', (set, run) => {
    const line = (text: string): string => `cat > s.mk <<'E'\nall:\n\t${text}\nE\n${set}; ${run}`;
    expect(matches('rm *', line('rm x'))).toBe(true);
    expect(matches('rm *', line('ls x'))).toBe(false);
  });

  it.each([
    'f=s.md; echo "rm x" > $f; git add "$f"; wc -l "$f"; psql -f "$g"',
    'echo "rm x" > s.md; make -j$(nproc)',
    'echo "rm x" > s.md; make -j"$N" VERSION=$V CC="$CC" "$T"',
    `echo "rm x" > s.md; make -j$N --max-load="$L" --no-print-directory -o "$F" V=$V "test-$T" "\${T:-all}" *.o`,
    'echo "rm x" > s.md; node scripts/x.js "$V"; python3 -m pytest "$T"; node -e "f()" "$X"',
    'echo "rm x" > s.md; node --test test/*.test.js; perl -pi -e "s/a/b/" src/*.ts',
    'echo "rm x" > s.md; find . -name "*.json" -exec python3 -m json.tool {} \\;',
    'echo "rm x" > s.md; for f in data/*.csv; do python3 load.py "$f"; done',
    'echo "rm x" > s.md; timeout "$T" node a.js; docker build -t "$TAG" .',
    'echo "rm x" > s.md; for f in *.js; do prettier --write "$f"; done',
    'f=a.js; echo "rm x" > s.md; some-tool "$f"; shellcheck "$g"',
  ])('is not asked where none does: %s', (line) => {
    expect(matches('rm *', line)).toBe(false);
  });
});

describe('a Bash rule, of a program that the line has stored without showing its text,', () => {
  it.each([
    'EDITOR=./k git commit',
    'export GIT_EDITOR=./k; git rebase -i a',
    'GIT_SSH="$PWD/k" git fetch',
    'SUDO_ASKPASS=~/d/k sudo -A ls',
    'some-tool --exec ./k',
    'some-tool --pre-hook ./k',
    'npm run a --script-shell ./k',
    'helm template a --post-renderer ./k',
    'npx cross-env A=b ./k',
    'npx -y dotenv -e .env -- ./k',
  ])('asks where it is run: %s', (run) => {
    for (const store of ['curl -s h -o k', 'wget -qO k h', 'date > k', 'scp h:x k']) {
      expect(matches('rm *', `${store}; chmod +x k; ${run}`)).toBe(true);
      expect(matches('rm *', `${store}; chmod +x k; ${run.replace(/\/k(?=[";\s]|$)/, '/l')}`)).toBe(false);
    }
    expect(matches('rm *', `echo 'ls -l' > k; ${run}`)).toBe(false);
  });

  it.each([
    'restic --password-file ./k backup a',
    'ansible-playbook -i ./k a.yml',
    'kubectl apply -f ./k',
    'some-tool --config ./k',
    'some-tool --filter ./k',
    'npx wait-on ./k',
    'npx prettier ./k',
    'npx cross-env A=b node ./k',
  ])('does not ask where it is data: %s', (use) => {
    expect(matches('rm *', `curl -s h -o k; ${use}`)).toBe(false);
  });
});

it.each([
  'sort -o s',
  'sort -u --output=s',
  'shuf -o s',
  'iconv -f latin1 -o s',
  'uniq - s',
  'xxd -r -p - s',
  "sed -n 'w s'",
  "sed 's/a/b/gw s'",
  `awk '{print > "s"}'`,
  `gawk '{printf "%s", $0 > "s"}'`,
  "sed -n 'w s\np'",
  "sed -n '/r/{w s\n}'",
  "sed -n $'w a\nw s\n$p'",
  "sed -n 'ws'",
  "sed -n -e p -e 'w s'",
  'sed -new\\ s',
  `awk '{print > "a"; print > "s"}'`,
])('a Bash rule asks about a file that %s writes and a shell runs', (write) => {
  for (const run of ['sh s', '. ./s', 'bash -x ./s a', 'chmod +x s; ./s']) {
    const line = `curl -s h | ${write}\n${run}`;
    expect([line, matches('rm *', line)]).toEqual([line, true]);
  }
  const other = `curl -s h | ${write}\nhead s; wc -l < s; bash build.sh`;
  expect([other, matches('rm *', other)]).toEqual([other, false]);
});

it('a Bash rule takes a copy of an unknown text, under a name that is not plain, for any file that a shell runs', () => {
  for (const copy of [
    'find . -name s -exec mv {} {}.g \\;',
    'for f in s; do mv $f $f.g; done',
    'split s',
    'read G; cp s $G',
  ]) {
    for (const run of ['sh s.g', 'bash xaa', '. t']) {
      const line = `curl -s h > s; ${copy}; ${run}`;
      expect([line, matches('rm *', line)]).toEqual([line, true]);
    }
    for (const line of [
      `curl -s h > s; ${copy}; ls *.g`,
      `${copy}; sh t`,
      `curl -s h > a; patch -p1 < a; ${copy}; make`,
    ])
      expect([line, matches('rm *', line)]).toEqual([line, false]);
  }
  expect(matches('rm *', 'patch s < p; sh s')).toBe(true);
});

it.each([
  "sed -n 's/q/m/w s' <<< 'rq x'",
  "sed 's/q/m/w s' <<E\nrq x\nE\n",
  "sed -n 'y/q/m/;w s' <<< 'rq x'",
  "sed -e y/q/m/ -e 'w s' <<< 'rq x'",
  `echo 'rq x' | awk '{sub(/q/,"m");print > "s"}'`,
  "sort -r -o s <<< $'m x\\nr\\\\'",
  "sort -o s - other <<< 'ls'",
  "uniq -c - s <<'E'\nr\\\nr\\\nm x\nE\n",
  "iconv -f UTF-7 -o s <<< 'r+AG0- x'",
])('a Bash rule asks about a file in which %s may have changed a text of the line', (write) => {
  for (const run of ['sh s', '. ./s']) expect([run, matches('rm *', `${write}\n${run}`)]).toEqual([run, true]);
  expect(matches('rm *', `${write}\nhead s; bash build.sh`)).toBe(false);
});

it.each([
  'uniq run.sh | wc -l',
  'uniq -f 1 run.sh',
  'xxd run.sh | head -2',
  'xxd -l 16 run.sh',
  'uniq < run.sh',
  "sort -o s <<< 'ls -l'",
  'sed -n 1,5p web/run.sh',
])('a Bash rule does not ask about a file that %s only reads', (read) => {
  expect(matches('rm *', `${read}; bash run.sh; ./run.sh; sh s`)).toBe(false);
});

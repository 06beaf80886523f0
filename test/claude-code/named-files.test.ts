// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';

const VARIABLES = { projectDir: '/p', pluginRoot: '/plugin', skillDir: '/skill' };
const named = (command: string, args?: string[]) =>
  namedFiles({ type: 'command', command, ...(args && { args }) }, VARIABLES).files;

test.each<[string, string[]]>([
  ['./x.sh', ['x.sh']],
  ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.py', ['/p/.claude/hooks/x.py']],
  [`"\${CLAUDE_PROJECT_DIR:-.}/.claude/my hooks/x.sh" arg`, ['/p/.claude/my hooks/x.sh']],
  ['$CLAUDE_PROJECT_DIR/a\\ b.sh', ['/p/a b.sh']],
  ['bash x', ['x']],
  ['python3 x', ['x', 'x/__main__.py']],
  ['node x', ['x', 'x.js', 'x.cjs', 'x.mjs', 'x/index.js', 'x/package.json']],
  ['uv run $CLAUDE_PROJECT_DIR/x.py --config=./c.toml', ['/p/x.py', 'c.toml']],
  ['bash -c "python3 ./deep.py && cat \'notes.txt\'"', ['deep.py', 'notes.txt']],
  ['cd "$CLAUDE_PROJECT_DIR" && ./x.sh out.log', ['/p', '/p/out.log', '/p/x.sh', 'out.log', 'x.sh']],
  ['cd -P -- hooks && ./x', ['hooks/x']],
  ['uv run --with tool hook', ['hook']],
  ['python3 -W ignore hook', ['hook']],
  ['cd hooks; node run.mjs', ['hooks/run.mjs', 'run.mjs']],
  ['node ${CLAUDE_PLUGIN_ROOT}/x.js', ['/plugin/x.js']],
  ['S="${CLAUDE_SKILL_DIR}/s.sh"; sh "$S"', ['/skill/s.sh']],
  ['~/bin/guard', [join(homedir(), 'bin/guard')]],
  ['$(git rev-parse --show-toplevel)/.claude/x.sh', ['.claude/x.sh', '/p/.claude/x.sh']],
  ['"$(pwd)/x.sh"', ['x.sh']],
  ['x=`./made.sh` ./used.sh <in.txt >out.txt', ['in.txt', 'made.sh', 'used.sh']],
  ['>out.txt ./used.sh 2>&1', ['used.sh']],
  ['>out.txt cd hooks; ./x.sh <>both.txt', ['hooks/x.sh']],
  ['./x.sh > >(./log.sh)', ['x.sh', 'log.sh']],
  ['./x.sh > $LOG ./arg.txt', ['x.sh', 'arg.txt']],
  [`node -e "[1].map(x=>'./x.js')"`, ['x.js']],
  ['awk -f prog', ['prog']],
  ['cat <<E > /dev/null\n. ./lib.sh\nE', ['lib.sh']],
  ['curl -d @body.json https://example.com/x.sh', ['body.json']],
  ['/usr/bin/python3 /bin/x.py', []],
  ['npm run lint', ['package.json']],
  // A value that is attached to its option.
  ['node --require=./pre x.js', ['pre.js', 'x.js']],
  ['node --import=./pre.mjs x.js', ['pre.mjs', 'x.js']],
  ['node --loader=./load x.js', ['load.js', 'x.js']],
  ['node --require=setup x.js', ['setup', 'setup.js', 'node_modules/setup/index.js', 'x.js']],
  ['node --env-file=guards x', ['guards', 'x.js']],
  ['NODE_OPTIONS=--require=./pre node x', ['pre.js', 'x.js']],
  ['bun --preload=./pre hook', ['pre.ts', 'hook.ts']],
  ['make --file=rules all', ['rules']],
  ['make --directory=hooks all', ['hooks/Makefile']],
  ['jq --from-file=filter .', ['filter']],
  ['awk --file=prog', ['prog']],
  ['npm --prefix=hooks run x', ['hooks/package.json']],
  ['bash --rcfile=rc -i', ['rc']],
  ['env --chdir=hooks ./guard', ['hooks/guard']],
  ['java -javaagent:agent -jar x', ['agent', 'x']],
  // A runner that runs a program that is known.
  ['npx tsx hooks/guard', ['node_modules/.bin/tsx', 'hooks/guard.ts']],
  ['npx --no-install ts-node hooks/guard', ['hooks/guard.ts']],
  ['bunx vite-node hooks/guard', ['hooks/guard.ts']],
  ['uv run -m hooks.guard', ['hooks/guard.py']],
  ['vim -es -S guard', ['guard']],
  ['echo done', []],
])('%s', (command, files) => {
  const found = named(command);
  for (const file of files) expect(found).toContain(file);
  if (files.length === 0) expect(found).toEqual([]);
});

test('what the line itself writes is not bound, unless it is also read', () => {
  expect(named('echo x >out.log; echo y >> "log s/x.log" 2>err.log &>all.log >|c.log')).toEqual([]);
  expect(named('echo x >made.sh; . ./made.sh')).toEqual(expect.arrayContaining(['made.sh']));
});

test('in exec form every argument is looked at, and what an interpreter runs', () => {
  expect(named('node', ['--enable-source-maps', '${CLAUDE_PROJECT_DIR}/run me.mjs'])).toContain('/p/run me.mjs');
  expect(named('python3', ['hook'])).toContain('hook');
  expect(named('node', ['--no-warnings', '-r', 'setup', 'hook'])).toEqual(expect.arrayContaining(['setup', 'hook']));
  expect(named('uv', ['run', 'hook'])).toContain('hook');
  expect(named('./own', ['--rules=${CLAUDE_PLUGIN_ROOT}/rules.json'])).toEqual(
    expect.arrayContaining(['own', '/plugin/rules.json']),
  );
});

test('PowerShell takes either slash', () => {
  const command = '& .\\hooks\\x.ps1';
  expect(namedFiles({ type: 'command', shell: 'powershell', command }, VARIABLES).files).toContain('hooks/x.ps1');
});

test('what is no command names nothing', () => {
  expect(namedFiles({ type: 'http', url: 'http://h/x.sh' }, VARIABLES)).toMatchObject({ files: [], unresolved: [] });
});

test('a project that lies among the system’s own folders is bound all the same', () => {
  const variables = { projectDir: '/usr/src/app' };
  expect(namedFiles({ type: 'command', command: '$CLAUDE_PROJECT_DIR/x.sh' }, variables).files).toEqual([
    '/usr/src/app/x.sh',
  ]);
});

test.each<[string, string[]]>([
  ['./x.sh words.json ./other.sh', ['x.sh', 'other.sh']],
  ['sh ./x.sh words.json ./other.sh', ['other.sh']],
  ['cd hooks && bash -e ./x.sh; ./x.sh', ['x.sh', 'hooks/x.sh']],
  ['. ./env.sh; timeout 5 ./x', ['x']],
  ['python3 ./x.py && uv run ./y.py', ['y.py']],
  ['sh -c "./x.sh | node y.js"', ['x.sh']],
  ['bash $(./x.sh)', ['x.sh']],
  ['node x', []],
  // A program may have any name; an argument of these names is data.
  ['./guard.txt words.txt', ['guard.txt']],
  ['cat words.txt | ./words.txt', ['words.txt']],
  ['"$(git rev-parse --show-toplevel)"/.env-guard', ['.env-guard']],
  ['G=./guard.md; if ! timeout 5 "$G" ./a.toml; then exit 2; fi', ['guard.md']],
  // What an unknown program, a function or a line is given may be a program too.
  ['setpriv --no-new-privs ./a.txt; prlimit --nofile=100 ./b.md', ['a.txt', 'b.md']],
  ['unshare -r ./a.txt || exit $?', ['a.txt']],
  ['set -- ./a.txt; "$1"', ['a.txt']],
  [`sh -c '"$@"' _ ./a.txt; bash -c '"$0"' ./b.txt; sh ./x.sh ./c.txt`, ['a.txt', 'b.txt']],
  ['run() { "$1"; }; run ./a.txt', ['a.txt']],
  ["alias g=./a.txt h='./b.txt x.json'; g", ['a.txt', 'b.txt']],
  ['[ -x ./a.txt ] && sh ./a.txt', ['a.txt']],
  ['uv run x.py ./a.txt; ./x.sh ./b.txt --rules=./c.json; git add ./d.md', ['x.py', 'x.sh']],
  // What is tested or printed may also be executed, in a way that cannot be seen.
  ['[ -f "${G:=./x.sh}" ] && "$G"; cat "${H:=./y.sh}" > /dev/null && "$H"', ['x.sh', 'y.sh']],
  ['[ -f ./x.sh ] || exit 2; npm run -s guard; test -e ./y.sh && "$_"', ['x.sh', 'y.sh']],
  ['[ -f ./x.sh ] && ./x.s?; [[ -s ./y.sh ]] && for y in *.sh; do "$y"; done', ['x.sh', 'y.sh']],
  ['wc() { "$@"; }; wc ./x.sh', ['x.sh']],
  ['{ read -r l; } < ./x.sh; "$(dirname ./y.sh)/x.sh"', ['x.sh', 'y.sh']],
  ['test -f ./x.sh && bash ./x.sh; cat y.sh | sh', ['x.sh', 'y.sh']],
  ['[ -x ./x.sh ] && sh ./x.sh; [ -z "$(./y.sh)" ]', ['x.sh', 'y.sh']],
  ['bash +x ./x.sh ./y.sh', ['y.sh']],
  ['node --import ./x.mjs --require=./y.js z.js; java -jar x.jar', []],
  ['cp ./x.sh /tmp/x && ls ./y.sh | sh', ['x.sh', 'y.sh', '/tmp/x']],
  ['direnv exec . ./x.sh && direnv exec "$DIR" ./guard.txt a.txt', ['.', 'x.sh', 'guard.txt']],
  ["bash -c 'xargs ./guard.yml'; env A=1 ./guard.lock", ['guard.lock', 'guard.yml']],
])('of the files that %s names, those that have to be executable are %j', (command, files) => {
  const { executed } = namedFiles({ type: 'command', command }, VARIABLES);
  expect([...executed].filter((name) => !name.startsWith('/p'))).toEqual(files.sort());
});

test.each(['echo Li9nLnNoCg== | base64 -d', 'base64 -d <<< Li9nLnNoCg==', 'echo "x(y)" | m4'])(
  'what %s prints is not known, so a shell that runs it is told',
  (line) => {
    const { unresolved } = namedFiles({ type: 'command', command: `${line} | sh` }, VARIABLES);
    expect(unresolved).toEqual([line.split(' | ').at(-1)]);
  },
);

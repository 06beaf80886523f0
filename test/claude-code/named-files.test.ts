// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

test.each([
  'tee -a ~/calls.log /p/more.log > /dev/null',
  'jq . | sudo tee -a out.log',
  'touch a.stamp; rm -f a.lock; mkdir -p a.d; rmdir a.d; truncate -s 0 a.log; rm -r "$CLAUDE_PROJECT_DIR/old.log"',
  "sed -i.bak -e 's/a.b/c.d/' state.json",
  "sed -ni '/x/p' state.json",
  "sed --in-place=.bak 'y/a/b/' state.json",
  "perl -pi -e 's/a/b/' state.json",
  'flock -w 5 /p/a.lock echo done',
  '/usr/bin/tee a.log',
])('%s: what a program only writes to is not bound', (command) => {
  expect(named(command).filter((name) => /\.(?:log|stamp|lock|d|json)$/.test(name))).toEqual([]);
});

test.each<[string, string[]]>([
  ['tee x.sh; sh x.sh', ['x.sh']],
  ['tee >(sh log.sh) | cat out.log', ['log.sh', 'out.log']],
  ['sed -n p state.json', ['state.json']],
  ['sed -i -f edit.sed state.json', ['edit.sed']],
  ['perl -pi hook.pl state.json', ['hook.pl']],
  ['flock a.lock sh x.sh', ['x.sh']],
  ['flock -x x.sh sh y.sh', ['y.sh']],
  ['./tee guard.json', ['tee', 'guard.json']],
  ['hooks/sed -i guard.json', ['hooks/sed', 'guard.json']],
  ['cp from.sh to.sh', ['from.sh', 'to.sh']],
])('%s: what runs or is read is bound all the same', (command, files) => {
  expect(named(command)).toEqual(expect.arrayContaining(files));
});

describe('in the folder for data of a plugin', () => {
  const data = (command: string): readonly string[] =>
    namedFiles({ type: 'command', command }, { ...VARIABLES, pluginData: '/data' }).files.filter((name) =>
      name.startsWith('/data/'),
    );
  test.each([
    'sh ${CLAUDE_PLUGIN_ROOT}/g.sh "${CLAUDE_PLUGIN_DATA}/state.json"',
    'n=$(cat "$CLAUDE_PLUGIN_DATA/n"); echo $((n + 1)) > "$CLAUDE_PLUGIN_DATA/n"',
    'read n < $CLAUDE_PLUGIN_DATA/n.txt',
    'python3 x.py --cache=${CLAUDE_PLUGIN_DATA}/cache.db',
    'F=$CLAUDE_PLUGIN_DATA/log.txt; node x.js "$F"',
  ])('what a command names is data: %s', (command) => {
    expect(data(command)).toEqual([]);
  });
  test.each([
    '"$CLAUDE_PLUGIN_DATA/run"',
    'sh "$CLAUDE_PLUGIN_DATA/run"',
    '. $CLAUDE_PLUGIN_DATA/run',
    'sh < $CLAUDE_PLUGIN_DATA/run',
    'cat $CLAUDE_PLUGIN_DATA/run | sh',
    'sed s/a/b/ "$CLAUDE_PLUGIN_DATA/run" | tac | bash -s x',
    '{ cat "$CLAUDE_PLUGIN_DATA/run"; } | sh',
    'eval "$(cat $CLAUDE_PLUGIN_DATA/run)"',
    'sh -c "$(cat $CLAUDE_PLUGIN_DATA/run)"',
    'x=$(cat $CLAUDE_PLUGIN_DATA/run); $x',
    'sh <(cat $CLAUDE_PLUGIN_DATA/run)',
    'env -i $CLAUDE_PLUGIN_DATA/run',
    'R=$CLAUDE_PLUGIN_DATA/run; "$R"',
    'cd $CLAUDE_PLUGIN_DATA && ./run',
    'for f in $CLAUDE_PLUGIN_DATA/run; do sh $f; done',
    'node -e "require(process.argv[1])" $CLAUDE_PLUGIN_DATA/run',
    'node --require $CLAUDE_PLUGIN_DATA/run x.js',
    'find . -exec $CLAUDE_PLUGIN_DATA/run \\;',
    'awk -f $CLAUDE_PLUGIN_DATA/run',
    'xargs $CLAUDE_PLUGIN_DATA/run',
  ])('what it runs is bound: %s', (command) => {
    expect(data(command)).toContain('/data/run');
  });
  test('what is code by its name is bound, also where it is but an argument', () => {
    expect(data('sh x.sh $CLAUDE_PLUGIN_DATA/more.sh $CLAUDE_PLUGIN_DATA/more.txt')).toEqual(['/data/more.sh']);
  });
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
  expect(namedFiles({ type: 'http', url: 'http://h/x.sh' }, VARIABLES)).toEqual({ files: [], unresolved: [] });
});

test('a project that lies among the system’s own folders is bound all the same', () => {
  const variables = { projectDir: '/usr/src/app' };
  expect(namedFiles({ type: 'command', command: '$CLAUDE_PROJECT_DIR/x.sh' }, variables).files).toEqual([
    '/usr/src/app/x.sh',
  ]);
});

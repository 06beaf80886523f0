// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { describe, expect, test } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';

const VARIABLES = { projectDir: '/p', pluginRoot: '/plugin', skillDir: '/skill', pluginData: '/data' };
const named = (command: string, more: object = {}): readonly string[] =>
  namedFiles({ type: 'command', command, ...more }, VARIABLES).files;

test.each([
  'tee -a ~/calls.log /p/more.log > /dev/null',
  'touch a.stamp; rm -f a.lock; mkdir -p a.d; rmdir a.d; truncate -s 0 a.log; rm -r "$CLAUDE_PROJECT_DIR/old.log"',
  'if true; then touch a.stamp; fi',
  'flock -w 5 /p/a.lock echo done',
  '/usr/bin/tee a.log; /bin/touch -- a.stamp',
])('%s: what a plain command only writes to is not bound', (command) => {
  expect(named(command).filter((name) => /\.(?:log|stamp|lock|d)$/.test(name))).toEqual([]);
});

/** Each of these may run the file, which must not change unnoticed. */
test.each([
  // In front of the program stands another one, or an assignment.
  'env tee ./guard.sh',
  'sudo tee -a ./guard.sh',
  'command tee ./guard.sh',
  'busybox tee ./guard.sh',
  'timeout 5 tee ./guard.sh',
  'nice touch ./guard.sh',
  'xargs -a ./list tee ./guard.sh',
  'PATH=./bin tee ./guard.sh',
  'LD_PRELOAD=./x.so tee ./guard.sh',
  'env -S "tee ./guard.sh"',
  'chroot ./jail sh -c "tee ./guard.sh"',
  'sudo flock ./guard.sh true',
  'parallel rm {} ";" sh ./guard.sh ::: a',
  "fd . -x rm ';' -x sh ./guard.sh",
  "find . -maxdepth 0 -exec touch {} ';' -exec sh ./guard.sh ';'",
  "[ -n \"$(find . -maxdepth 0 -exec rm -f ./old.log ';' -exec sh ./guard.sh ';' -print)\" ] || exit 2",
  "find . -iname a -exec perl ./run.pl ./guard.sh ';'",
  // Its name means something else.
  'PATH=./bin:$PATH; tee ./guard.sh',
  'export PATH=./bin; tee ./guard.sh',
  'export P"AT"H=./bin; tee ./guard.sh',
  'export {PA,X}TH=./bin; tee ./guard.sh',
  'x=ATH; export "P$x=./bin"; tee ./guard.sh',
  'read "$x" < ./v; tee ./guard.sh',
  'alias tee=sh\ntee ./guard.sh',
  "ali''as tee=sh\ntee ./guard.sh",
  'x=ali; ${x}as tee=sh\ntee ./guard.sh',
  'tee() { sh "$1"; }; tee ./guard.sh',
  'rm() { . ./"guard.sh"; }; rm ./guard.sh',
  'function tee { sh "$1"; }; tee ./guard.sh',
  'enable -f ./t.so tee; tee ./guard.sh',
  'hash -p ./bin/tee tee; tee ./guard.sh',
  'source ./lib.sh; tee ./guard.sh',
  '. ./lib.sh; tee ./guard.sh',
  'eval "$X"; tee ./guard.sh',
  '/usr/bin/../..$PWD/bin/tee ./guard.sh',
  './tee ./guard.sh',
  '/opt/bin/tee ./guard.sh',
  // It is more than written to.
  'tee ./guard.sh < ./src.txt; sh ./guard.sh',
  'touch ./guard.sh; exec ./guard.sh',
  'flock ./guard.sh ./guard.sh',
  'flock ./guard.sh sh < ./guard.sh',
  'flock --timeout 5 ./lock ./guard.sh',
  'touch "$(sh ./guard.sh)"',
  'tee >(sh ./guard.sh) < ./x',
  'rm ./guard.sh; "$(cat x)"',
  // Programs that may run what they write to.
  'perl ./run.pl -ignore-case ./guard.sh',
  'perl ./run.pl ./guard.sh -i',
  'env -i /usr/bin/perl ./run.pl ./guard.sh',
  "perl -e 'do shift' ./guard.sh -i",
  "perl -pi -e 's/a/b/' ./guard.sh",
  "env -i /bin/sed 's/@A@/1/' ./guard.sh | sh",
  "sed -i 'w /dev/stdout' ./guard.sh | sh",
  'sed -i -f ./guard.sh ./x.txt',
  'sed -nf ./guard.sh -i ./x.txt',
  'sed -i -n -f ./guard.sh ./x.txt',
])('%s: what may run is bound', (command) => {
  expect(named(command)).toContain('guard.sh');
});

test('a script of sed is bound behind any of its options', () => {
  for (const options of ['-n -f', '-nf', '-Enf', '-i -n -f', '-i.bak -nf', '-s -n --file'])
    expect(named(`sed ${options} guard x.txt`)).toContain('guard');
});

test('nothing is left out where the handler itself says which programs are meant, or its shell is another one', () => {
  expect(named('tee ./guard.sh', { env: { LEVEL: '1' } })).toEqual([]);
  for (const name of ['PATH', 'LD_PRELOAD', 'BASH_ENV', 'BASH_FUNC_tee%%', 'ENV'])
    expect(named('tee ./guard.sh', { env: { [name]: 'x' } })).toContain('guard.sh');
  expect(named('tee ./guard.sh', { shell: 'powershell' })).toContain('guard.sh');
});

describe('in the folder for data of a plugin', () => {
  const DATA = '"$CLAUDE_PLUGIN_DATA/run"';
  test.each([
    `sh \${CLAUDE_PLUGIN_ROOT}/g.sh ${DATA}`,
    `"\${CLAUDE_PLUGIN_ROOT}/g.sh" --state ${DATA}`,
    `bash -eu ./x.sh ${DATA}`,
    'python3 x.py --cache=${CLAUDE_PLUGIN_DATA}/cache.db',
    `node --no-warnings x.js ${DATA}`,
    `[ -f ${DATA} ] && cat ${DATA}`,
    `cat ${DATA} | wc -l > "$CLAUDE_PLUGIN_DATA/m"; echo x >> "$CLAUDE_PLUGIN_DATA/n"`,
    `sh \${CLAUDE_PLUGIN_ROOT}/g.sh; cat ${DATA} 2>/dev/null; sh \${CLAUDE_PLUGIN_ROOT}/g.sh`,
    `sh ./x.sh | tee ${DATA}`,
    `mkdir -p "$CLAUDE_PLUGIN_DATA/d"; touch ${DATA}; wc -l ${DATA}`,
  ])('what a command is given as data is not bound: %s', (command) => {
    expect(named(command).filter((name) => name.startsWith('/data/'))).toEqual([]);
  });

  test.each([
    DATA,
    `sh ${DATA}`,
    `. ${DATA}`,
    `sh < ${DATA}`,
    `sh -s ${DATA} ${DATA}`,
    `cat ${DATA} | sh`,
    `cat ${DATA} | (cat; true) | firejail x`,
    `sed s/a/b/ ${DATA} | tac | bash -s x`,
    `{ cat ${DATA}; } | sh`,
    `exec > ./g.sh; cat ${DATA}; sh ./g.sh`,
    `cat ${DATA} > ./g.sh; sh ./g.sh`,
    `cat ${DATA} > "$CLAUDE_PLUGIN_DATA/g2"; sh "$CLAUDE_PLUGIN_DATA/g2"`,
    `eval "$(cat ${DATA})"`,
    `sh -c "$(cat ${DATA})"`,
    `x=$(cat ${DATA}); $x`,
    `n=$(cat ${DATA}); awk "$n"`,
    `n=$(cat ${DATA}); echo $((n + 1))`,
    `awk "$(cat ${DATA})" ./x.txt`,
    `sh <(cat ${DATA})`,
    `env -i ${DATA}`,
    `R=${DATA}; "$R"`,
    'cd $CLAUDE_PLUGIN_DATA && ./run',
    'for f in $CLAUDE_PLUGIN_DATA/run; do sh $f; done',
    `node -e "require(process.argv[1])" ${DATA}`,
    `node --require ${DATA} x.js`,
    `node x.js -r ${DATA}`,
    `NODE_OPTIONS=--inspect node x.js ${DATA}`,
    `python3 -m runpy ${DATA}`,
    `find . -exec ${DATA} \\;`,
    `alias g=${DATA}\ng`,
    `setpriv --no-new-privs ${DATA}`,
    `unshare ${DATA}`,
    `busybox sh ${DATA}`,
    `firejail ${DATA}`,
    `systemd-run --user ${DATA}`,
    `$HOME/.local/bin/firejail ${DATA}`,
    `"$CLAUDE_PROJECT_DIR/node_modules/.bin/runs" ${DATA}`,
    `"$CLAUDE_PLUGIN_ROOT/../../usr/bin/setpriv" ${DATA}`,
    `sh /usr/bin/which ${DATA}`,
    `cp ${DATA} ./g.sh; sh ./g.sh`,
    `sed -nf ${DATA} ./x.txt`,
    `sed -n -f ${DATA} ./x.txt`,
    `perl -pi ${DATA} ./x.txt`,
    `perl ./run.pl ${DATA}`,
    `awk -f ${DATA}`,
    `xargs ${DATA}`,
    `read n < ${DATA}`,
  ])('what may run is bound: %s', (command) => {
    expect(named(command)).toContain('/data/run');
  });

  test('what is code by its name is bound, also where it is but an argument', () => {
    const ends =
      'bash zsh fish lua ps1 psm1 jar exe bat cmd awk sed pl rb php ts mts cts tcl r jl wasm so node sh py js mjs cjs SH'.split(
        ' ',
      );
    for (const end of ends)
      expect(named(`sh x.sh $CLAUDE_PLUGIN_DATA/more.${end} $CLAUDE_PLUGIN_DATA/more.txt`)).toEqual([
        `/data/more.${end}`,
        'x.sh',
      ]);
  });
});

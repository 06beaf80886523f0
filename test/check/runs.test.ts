import { describe, expect, test } from 'vitest';
import type { FilePlace } from '../../src/check/files/kinds.js';
import { type HandlerNode, readSource, type SourceFile } from '../../src/check/files/source-file.js';
import { runsOf } from '../../src/check/scripts/runs.js';

const BEARINGS = { home: '/home/dev', cwd: '/elsewhere' };
const PROJECT: FilePlace = { kind: 'project', project: '/project', plugin: undefined };

function hook(handler: object, place: FilePlace = PROJECT): [HandlerNode, SourceFile] {
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', ...handler }] }] } });
  const file = readSource('/project/.claude/settings.json', text, place) as SourceFile;
  return [file.handlers[0] as HandlerNode, file];
}

const scripts = (handler: object, place?: FilePlace): string[] =>
  runsOf(...hook(handler, place), BEARINGS).flatMap(({ path, certain }) =>
    path === undefined ? [] : [certain ? path : `perhaps ${path}`],
  );

describe('the scripts of a command line', () => {
  test.each([
    ['"$CLAUDE_PROJECT_DIR"/a.sh', ['/project/a.sh']],
    [`\${CLAUDE_PROJECT_DIR}/a.sh x.json`, ['/project/a.sh']],
    [`"\${CLAUDE_PROJECT_DIR:-.}/a.sh"`, ['/project/a.sh']],
    ['./a.sh', ['/project/a.sh']],
    ['~/a.sh', ['/home/dev/a.sh']],
    ['"$HOME"/a.sh', ['/home/dev/a.sh']],
    ['bash -e a.sh', ['/project/a.sh']],
    ['bash -o pipefail /x/a.sh', ['/x/a.sh']],
    ['python3 -u /x/a.py --flag', ['/x/a.py']],
    ['python3.12 -X dev a.py', ['/project/a.py']],
    ['node --import tsx /x/a.ts', ['/x/a.ts']],
    ['uv run --with rich /x/a.py', ['/x/a.py']],
    ['bun run /x/a.ts', ['/x/a.ts']],
    ['A=1 timeout 5 env B=2 python3 /x/a.py', ['/x/a.py']],
    ['cd "$CLAUDE_PROJECT_DIR" && sh /x/a.sh', ['/x/a.sh']],
    ['cd "$CLAUDE_PROJECT_DIR/b" && ./a.sh', ['/project/b/a.sh']],
    ['cd /usr; ./a.sh', ['/usr/a.sh']],
    ['cd b && cd c && sh a.sh', ['/project/b/c/a.sh']],
    ['(cd b); ./a.sh', ['/project/a.sh']],
    ['cd && ./a.sh', ['/home/dev/a.sh']],
    ['cd b & ./a.sh', ['/project/a.sh']],
    ['mkdir -p out && echo "exit 0" > out/a.sh && sh ./out/a.sh', ['perhaps /project/out/a.sh']],
    ['cp b.sh a.sh; sh a.sh', ['perhaps /project/a.sh']],
    ['curl -so a.sh https://x.example; sh ./a.sh', ['perhaps /project/a.sh']],
    [': > a.sh; . ./a.sh', ['perhaps /project/a.sh']],
    ['. ~/.nvm/nvm.sh && /x/a.sh', ['perhaps /home/dev/.nvm/nvm.sh', '/x/a.sh']],
    ['test -n "$A" && sh /x/a.sh', ['perhaps /x/a.sh']],
    ['[ -x ./a.sh ] || exit 0; ./a.sh', ['perhaps /project/a.sh']],
    ['[[ -f "/x/a.sh" ]] || exit 0; sh /x/a.sh', ['perhaps /x/a.sh']],
    ["bash -c '/x/a.sh'", ['/x/a.sh']],
    [`sh -ec 'cd "$CLAUDE_PROJECT_DIR/b" && ./a.sh "$1"' x`, ['/project/b/a.sh']],
    ["sh -c 'if test -f x; then /x/a.sh; fi'", ['perhaps /x/a.sh']],
    ["false || sh -c '/x/a.sh'", ['perhaps /x/a.sh']],
    ['eval "$CLAUDE_PROJECT_DIR/a.sh" -x', ['/project/a.sh']],
    ['npx -y tsx a.ts', ['/project/a.ts']],
    ['npx --package tsx tsx /x/a.ts', ['/x/a.ts']],
    ['pnpm exec tsx /x/a.ts', ['/x/a.ts']],
    ['uv run --with rich python /x/a.py', ['/x/a.py']],
    ['. /x/a.sh', ['/x/a.sh']],
    ['out=$(/x/a.sh); echo "$out"', ['/x/a.sh']],
    ['echo "$(sh /x/a.sh)"', ['/x/a.sh']],
    ['if ! /x/a.sh; then exit 2; fi', ['/x/a.sh']],
    ['case "$(/x/a.sh)" in no) exit 2;; esac', ['/x/a.sh']],
    ['[ -f /x/a.sh ] && sh /x/a.sh', ['perhaps /x/a.sh']],
    ['sh /x/a.sh || true', ['perhaps /x/a.sh']],
    ['if true; then /x/a.sh; fi', ['perhaps /x/a.sh']],
    ['jq . | /x/a.sh', ['/x/a.sh']],
    ['/x/a.sh; /x/b.sh', ['/x/a.sh', '/x/b.sh']],
  ])('%s', (command, expected) => {
    expect(scripts({ command })).toEqual(expected);
  });

  test.each([
    'python3 -m pytest tests/a.py',
    "python3 -c 'import a' /x/a.py",
    `bash -c '"$1"' x /x/a.sh`,
    'bash -c "$LINE"',
    "sh -c 'echo ('",
    'uv run pytest',
    'npx eslint a.ts',
    'npm run node scripts/a.js',
    'cd "$(dirname "$0")" && ./a.sh',
    'cd b; ./a.sh',
    'if cd b; then :; fi; cd - ; ./a.sh',
    'f() { cd b; }; f; ./a.sh',
    'bun run build',
    'node -e "1" a.js',
    '$TOOL/a.sh',
    'sh "$SH"',
    'CLAUDE_PROJECT_DIR=/x; $CLAUDE_PROJECT_DIR/a.sh',
    'C:/Users/me/a.exe',
    'python3',
    'cat a.txt',
  ])('%s names none that can be known', (command) => {
    expect(scripts({ command })).toEqual([]);
  });
});

test('without a shell the words are the arguments', () => {
  expect(scripts({ command: 'node', args: [`\${CLAUDE_PROJECT_DIR}/my guard.mjs`] })).toEqual([
    '/project/my guard.mjs',
  ]);
  expect(scripts({ command: `\${CLAUDE_PROJECT_DIR}/run`, args: [] })).toEqual(['/project/run']);
  expect(scripts({ command: 'node', args: ['$CLAUDE_PROJECT_DIR/guard.mjs'] })).toEqual([]);
  expect(scripts({ command: 'node guard.mjs', args: 'x' })).toEqual([]);
});

test('what a plugin runs lies in the plugin, what has no project is not known', () => {
  const plugin: FilePlace = { kind: 'plugin', project: undefined, plugin: '/plugins/p' };
  expect(scripts({ command: `"\${CLAUDE_PLUGIN_ROOT}"/a.sh` }, plugin)).toEqual(['/plugins/p/a.sh']);
  expect(scripts({ command: './a.sh' }, plugin)).toEqual([]);
  expect(scripts({ command: '$CLAUDE_PROJECT_DIR/a.sh' }, plugin)).toEqual([]);
});

test('a text that no shell can read runs nothing, nor does PowerShell', () => {
  expect(scripts({ command: "/x/a.sh 'b" })).toEqual([]);
  expect(scripts({ command: '/x/a.ps1', shell: 'powershell' })).toEqual([]);
});

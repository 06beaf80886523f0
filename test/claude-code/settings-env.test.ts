import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { envOf, hookTexts, lackingIn } from '../../src/claude-code/files/settings-env.js';
import { loadClaudeCode } from '../../src/claude-code/load.js';
import { createHost } from '../../src/create-host.js';

const VARIABLES = envOf({ env: { TEAM: 'a', CLAUDE_PROJECT_DIR: '/x' } }, 'settings.json');
const lacks = (hook: Readonly<Record<string, unknown>>): boolean =>
  ['command', 'args', 'headers'].some((key) => lackingIn(hookTexts(hook, key), VARIABLES, {}).length > 0);

test.each([
  './g.sh --team "$TEAM"',
  "echo '$TEAM' \"it's $TEAM\"",
  'echo "$TEAM # no comment"',
  'echo a#$TEAM',
  `bash -c 'echo $TEAM'`,
  `sh -euc 'echo $TEAM'`,
  `eval 'echo $TEAM'`,
  'TEAM=$TEAM ./g.sh',
  'TEAM="$TEAM" ./g.sh',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's.
  'echo "${TEAM:-a}"',
  'echo $TEAM; read TEAM',
  'cat <<E\n$TEAM\nE',
  "bash <<'E'\necho $TEAM\nE",
  "cat <<'E'\nx\nE\necho $TEAM",
  'echo x # y\necho $TEAM',
  "cat <<'E' && echo $TEAM\nx\nE",
  "cat <<'A' <<'B'; echo $TEAM\nx\nA\ny\nB",
  "cat <<'A' <<'B'\nx\nA\ny\nB\necho $TEAM",
  "cat <<'E' | bash\necho $TEAM\nE",
  "cat <<E\nit's $TEAM\nE",
  "cat <<E\nit's\nE\necho $TEAM",
  "x=$((1<<'2'))\necho $TEAM",
  'cat <<<"$TEAM"',
  `echo $'it\\'s' "$TEAM"`,
  `bash -c $'echo $TEAM'`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's.
  'echo ${x/ # /}$TEAM',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's.
  'echo "${x:-"a # b"}" $TEAM',
  `echo "$(echo 'x' "$TEAM")"`,
  `echo "$(echo "it's")" "$TEAM"`,
  'TEAM="pre-$TEAM" ./g.sh',
  'TEAM=pre-$TEAM ./g.sh',
  'TEAM=$(f "$TEAM") ./g.sh',
  'TEAM="a b $TEAM"; ./g.sh',
  'TEAM=(a "$TEAM"); ./g.sh',
  'TEAM+=(a); echo "$TEAM"',
  '(( TEAM == 1 )); echo $TEAM',
  'echo $TEAM; TEAM=(a b)',
  "echo 'TEAM=(a b)'; echo $TEAM",
  '# TEAM=(a b)\necho $TEAM',
  'printf -v OTHER %s $TEAM',
  'TEAM=$(a $(b $(c $TEAM))); ./g.sh',
])('%s lacks a variable of the settings', (command) => {
  expect(lacks({ type: 'command', command })).toBe(true);
});

test.each([
  `awk '{print $TEAM}'`,
  `jq -e --arg TEAM x '.team == $TEAM'`,
  'read TEAM; echo "$TEAM"',
  'jq -r .x | while IFS= read -r TEAM; do echo "$TEAM"; done',
  'for TEAM in a b; do echo "$TEAM"; done',
  'echo x # uses $TEAM',
  "cat <<'E'\n$TEAM\nE",
  'echo $$TEAM',
  String.raw`echo \$TEAM`,
  'TEAM=b; echo $TEAM',
  'TEAM="a b"; echo $TEAM',
  'TEAM=$(cat x); echo $TEAM',
  'TEAM=a"b c"\'d e\'; echo $TEAM',
  `echo "$(echo '$TEAM')"`,
  "cat <<<'$TEAM'",
  "cat <<'E'\n  E\n$TEAM\nE",
  "cat <<'A' <<'B'\n$TEAM\nA\n$TEAM\nB",
  'cat <<\\E\n$TEAM\nE',
  "cat <<-'E'\n\t$TEAM\n\tE",
  `echo $'a\\'$TEAM'`,
  '"$CLAUDE_PROJECT_DIR"/g.sh',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's.
  'TEAM=(a b); echo "${TEAM[0]}"',
  'declare -a TEAM=(a b); echo "$TEAM"',
  'TEAM[0]=a; echo "$TEAM"',
  'TEAM=$(a $(b $(c))); echo "$TEAM"',
  'TEAM="$(a "$(b "$(c)")")"; echo "$TEAM"',
  'TEAM=$(echo ")"); echo "$TEAM"',
  "TEAM=$(echo ')'); echo $TEAM",
  'TEAM=<(x); cat $TEAM',
  'TEAM=$(cat <(a <(b <(c)))); echo "$TEAM"',
  'TEAM=$(cat <<E\na ) b\nE\n)\necho "$TEAM"',
  "TEAM=$(cat <<'E'\nit's ( $TEAM\nE\n)\necho \"$TEAM\"",
  'TEAM=$(case $x in (a) echo b;; esac); echo "$TEAM"',
  'TEAM=`a "b c" (`; echo "$TEAM"',
  'TEAM=$((1 + (2 * (3)))); echo $TEAM',
  '(( TEAM = 1 )); echo $TEAM',
  'let TEAM=1+1; echo $TEAM',
  "printf -v TEAM '%s' a; echo $TEAM",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's.
  'TEAM=${x:-"a b"}; echo $TEAM',
  'echo x # y\nTEAM=(a b); echo $TEAM',
  'echo $$; TEAM=(a b); echo $TEAM',
  'cat <<E\nx\nE\nTEAM=(a b); echo $TEAM',
  `echo $'a\\'b' 'c'; TEAM=(a b); echo $TEAM`,
])('%s lacks none', (command) => {
  expect(lacks({ type: 'command', command })).toBe(false);
});

test('PowerShell names them in its own way', () => {
  const lacksIn = (command: string) => lacks({ type: 'command', command, shell: 'powershell' });
  expect(lacksIn('Write-Host $env:TEAM')).toBe(true);
  expect(lacksIn("Write-Host '$x' $env:TEAM")).toBe(true);
  expect(lacksIn('$TEAM = "x"; Write-Host $TEAM')).toBe(false);
  expect(lacksIn('$env:TEAM = "x"; Write-Host $env:TEAM')).toBe(false);
});

test('arguments and headers are no command lines', () => {
  expect(lacks({ type: 'command', command: 'bash', args: ['-c', "echo '$TEAM'"] })).toBe(true);
  expect(lacks({ type: 'http', url: 'http://x/', headers: { a: "'$TEAM'" } })).toBe(true);
});

test('hooks that are turned off lack nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'hookscope-env-'));
  const projectDir = join(home, 'project');
  mkdirSync(join(home, '.claude'), { recursive: true });
  mkdirSync(projectDir);
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo $HOOKSCOPE_TEAM' }] }] };
  for (const disableAllHooks of [false, true]) {
    const settings = { env: { HOOKSCOPE_TEAM: 'a' }, disableAllHooks, hooks };
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
    const host = createHost({ logger: () => undefined });
    const { problems } = await loadClaudeCode({ host, projectDir, home });
    await host.close();
    const { findings } = await checkHookFiles({ paths: [join(home, '.claude', 'settings.json')], cwd: home, home });
    const rules = [problems, findings].map((some) => some.filter(({ rule }) => rule === 'settings-env').length);
    expect(rules).toEqual(disableAllHooks ? [0, 0] : [1, 1]);
  }
  rmSync(home, { recursive: true });
});

test.each(["'x' ", 'sh ', 'cat <<E\n', 'sh <<E ', '"$(', 'TEAM="', '| a '])(
  'a line of many times %s costs no more than its length, and is read',
  (part) => {
    for (const count of [1_000, 100_000]) lacks({ type: 'command', command: part.repeat(count) });
    expect(lacks({ type: 'command', command: `echo $TEAM; ${part.repeat(100_000)}` })).toBe(true);
  },
);

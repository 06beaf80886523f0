// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-ends-')));
  mkdirSync(join(dir, 'hooks'));
  writeFileSync(join(dir, 'hooks/d.sh'), ': >> "$RAN"\n', { mode: 0o755 });
  chmodSync(dir, 0o777);
});
afterAll(() => rmSync(dir, { recursive: true }));

function runs(shell: string, line: string): boolean {
  const ran = join(dir, 'ran');
  rmSync(ran, { force: true });
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = { PATH: process.env['PATH'], HOME: dir, RAN: ran, CLAUDE_PROJECT_DIR: dir };
  spawnSync(shell, ['-c', line], { ...user, cwd: dir, env, input: '', timeout: 20_000 });
  return existsSync(ran);
}

const named = (line: string) => namedFiles({ type: 'command', command: line }, { projectDir: dir });
const binds = (line: string): boolean =>
  named(line).files.some((file) => resolve(dir, file) === join(dir, 'hooks/d.sh'));

/** What may be taken for the beginning or the end of something that goes on. */
const SIGNS = [
  ...[
    "don't",
    '"',
    '(',
    ')',
    '`',
    '$(',
    '${',
    '$((',
    '((',
    '<<F',
    "# it's",
    "'#",
    '\\',
    "$'",
    '[',
    '[[',
    'esac',
    'case x in',
  ],
  ...['E)', 'Ex)', ' E', '\tE', "\tE\nit's", 'E\\\n', '\\\nE', 'a\\\nE', "a\\\\\nE\nit's"],
];
/** What stands in a substitution. */
const CONTENTS: readonly ((sign: string) => string)[] = [
  (sign) => `cat <<E\n${sign}\nE\n`,
  (sign) => `cat <<'E'\n${sign}\nE\n`,
  (sign) => `cat <<-E\n\t${sign}\n\tE\n`,
  (sign) => `cat <<\\E; echo ")"\n${sign}\nE\n`,
  (sign) => `cat <<E <<'G'\n'\nE\n${sign}\nG\n`,
  (sign) => `cat <<'E 1'\n${sign}\nE 1\n`,
  (sign) => `cat <<$'E'\n${sign}\nE\n`,
  (sign) => `cat <<E)\n${sign}\nE\n: $(`,
  (sign) => `cat <<E\n${sign}\nE`,
  (sign) => `cat <<"E\nE"\n${sign}\nE\nE\n`,
  (sign) => `cat <<E | (cat; echo "'"\n${sign}\nE\n)\n`,
  (sign) => `# ${sign}\n`,
  (sign) => `echo a # ${sign}\n`,
  (sign) => `(echo a) # ${sign}\n`,
  (sign) => `case x in x) echo a ;; esac # ${sign}\n`,
  (sign) => `case x in (y) ;; x) echo "'" # ${sign}\n;; esac; `,
  (sign) => `case x in (y|z) echo 1;; (x) echo ")"\n# ${sign}\n;;\nesac\n`,
  (sign) => `case x in\n(y) ;; z | x) cat <<E ;; *) ;; esac\n${sign}\nE\n`,
  (sign) => `! case x in esac # ${sign}\n`,
  (sign) => `case x in (esac) ;; x) echo "'" ;; esac # ${sign}\n`,
  (sign) => `time case x in x) echo a ;; esac # ${sign}\n`,
  (sign) => `f() { case x in x) cat <<E;; esac\n${sign}\nE\n}; f`,
  (sign) => `echo $(cat <<E\n${sign}\nE\n)`,
  (sign) => `echo $((1 << 2)) # ${sign}\n`,
  (sign) => `(echo $(( $(echo 1 # ${sign}\n) + 1 )))`,
  (sign) => `echo "\${y:-$(cat <<E\n${sign}\nE\n)}"`,
  (sign) => `[[ xa == @(xa|#${sign}) ]]\necho "'"\n`,
  (sign) => `[[ x =~ (x|a <<E) ]]\necho ${sign}\nE\n`,
  (sign) => `echo [;echo ${sign};:]`,
];
const OPENED: readonly ((content: string) => string)[] = [
  (content) => `x=$(${content})`,
  (content) => `x="$(${content})"`,
  (content) => `: "\${y:-$(${content})}"`,
  (content) => `: $(( $(${content}\necho 1) + 1 ))`,
  (content) => `: <(${content})`,
  (content) => `{ ${content}\n}`,
  (content) => `: $((${content}); echo 1)`,
  (content) => `cat <<H\n$(${content})\nH`,
];
/** What runs behind it, in ways that only a reader of shell sees. */
const TAILS = [
  'bash hooks/{d,e}.sh',
  'h=hooks; h+=/d.sh; . "$h"',
  'cd hooks && . ./"d"\'.sh\'',
  "sh $(echo hooks)/d.sh # '",
  'sh hooks/d\\.sh; : " \' )"',
  "sh ''hooks/''d.sh",
];

it.each(SIGNS)('what runs behind %j in a substitution is bound, or something is listed', (sign) => {
  const lines = CONTENTS.flatMap((content) =>
    OPENED.flatMap((opened, i) =>
      TAILS.filter((_, n) => (n + i + sign.length) % 3 === 0).map((tail) => `${opened(content(sign))}\n${tail}`),
    ),
  );
  const missed = lines.filter((line) => !binds(line) && named(line).unresolved.length === 0);
  expect(missed.length).toBeLessThan(lines.length / 2);
  expect(missed.filter((line) => runs('bash', line) || runs('dash', line))).toEqual([]);
});

it.each([
  `MSG="$(cat <<'EOF'\nDon't push.\nEOF\n)"\ncd "$CLAUDE_PROJECT_DIR" && bash hooks/{d,e}.sh`,
  "X=$(\n  # it's a comment (\n  date\n)\nbash hooks/{d,e}.sh",
  'X=$(case "$1" in a | b) echo "(";; (c) ;; d) echo 1 ;; esac)\nbash hooks/{d,e}.sh',
  'X=$(( $(cat <<EOF\n1\nEOF\n) << 2 ))\nbash hooks/{d,e}.sh',
  'jq -n --arg m "$(cat <<-EOF\n\tIt\'s (\n\tEOF\n)" "{m: \\$m}"; bash hooks/{d,e}.sh',
  'a=(1 2) # it\'s\nif [[ "$1" =~ ^(a|b)$ ]]; then bash hooks/{d,e}.sh; fi',
  "node - <<'EOF'\nconst m = $(1 << x); // it's (\nEOF\nbash hooks/{d,e}.sh",
  "cat <<EOF | python3 -\nx = (1 << y) #it's\nEOF\nbash hooks/{d,e}.sh",
])('an everyday line is read to its end: %j', (line) => {
  expect(named(line).unresolved).toEqual([]);
  expect(binds(line)).toBe(true);
});

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-backquotes-')));
  writeFileSync(join(dir, 'c.sh'), '#!/bin/sh\n: >> "$RAN"\necho 1\n', { mode: 0o755 });
  chmodSync(dir, 0o777);
});
afterAll(() => rmSync(dir, { recursive: true }));

/** What stands in a substitution and may be taken for the begin of something that goes on behind it; in backquotes, also what goes on. */
const SIGNS = [
  "'",
  '"',
  '(',
  ')',
  '{',
  '}',
  '$(',
  '${',
  '$((',
  '((',
  '<<E',
  '#',
  "it's",
  "'#",
  '\\\\',
  "$'",
  '[',
  '\\`',
];
const CONTENTS: readonly ((sign: string) => string)[] = [
  (sign) => `# ${sign}\necho 1`,
  (sign) => `echo 1 # ${sign}`,
  (sign) => `echo 1 # ${sign}\n`,
  (sign) => `cat <<E\n${sign}\nE\n`,
  (sign) => `cat <<'E'\n${sign}\nE\n`,
  (sign) => `cat <<\\E\na${sign}\nE\necho 1`,
  (sign) => `echo \\${sign}`,
  (sign) => `echo '${sign}'`,
  (sign) => `echo "${sign}"`,
  (sign) => `# ${sign}\necho `,
];
const OPENED: readonly ((content: string) => string)[] = [
  (content) => `\`${content}\``,
  (content) => `"\`${content}\`"`,
  (content) => `"a \`${content}\` b"`,
  (content) => `\${y:-\`${content}\`}`,
  (content) => `"\${y:-\`${content}\`}"`,
  (content) => `$(echo \`${content}\`)`,
  (content) => `$(${content}\n)`,
  (content) => `"$(${content}\n)"`,
];
/** Lines around it, in which `@` is where it stands. */
const LINES = [
  'x=@; y=`./c.sh` || exit 2 #a`b%',
  'x=@; : `./c.sh` %a`b%',
  'x=@; : `./c.sh` %`%',
  'x=@; : "`./c.sh`" %`%',
  'x=@\n`./c.sh`\n#%',
  'x=@\n./c.sh\n#%',
  'x=@; ./c.sh; echo %%',
  ': @ `./c.sh`',
  ': @`./c.sh`%`%',
  ': @ && ./c.sh %`%',
  'x=`echo 1`@`./c.sh` #`%',
  'cat <<F\n@ `./c.sh` %\nF',
  'cat <<F\n@\nF\n./c.sh %`%',
];

function runs(shell: string, line: string): boolean {
  const ran = join(dir, 'ran');
  rmSync(ran, { force: true });
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = { PATH: process.env['PATH'], HOME: dir, RAN: ran };
  spawnSync(shell, ['-c', line], { ...user, cwd: dir, env, input: '', timeout: 20_000 });
  return existsSync(ran);
}

const names = (line: string): boolean =>
  namedFiles({ type: 'command', command: line }, { projectDir: dir }).files.some(
    (file) => resolve(dir, file) === join(dir, 'c.sh'),
  );

it.each(SIGNS)('what runs behind a substitution with %j in it is seen', (sign) => {
  const lines = CONTENTS.flatMap((content) =>
    OPENED.flatMap((opened) =>
      LINES.flatMap((line) =>
        ["'", '"'].map((quote) => line.replaceAll('%', quote).replace('@', () => opened(content(sign)))),
      ),
    ),
  );
  const seen = lines.filter(names);
  expect(seen.length).toBeGreaterThan(lines.length / 2);
  const missed = lines.filter((line) => !names(line));
  expect(missed.filter((line) => runs('bash', line) || runs('sh', line))).toEqual([]);
});

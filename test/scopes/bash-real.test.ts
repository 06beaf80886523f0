import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileRule } from '../../src/scopes/rule.js';

function matches(pattern: string, command: unknown): boolean {
  const { rule } = compileRule(`Bash(${pattern})`, { dialect: 'code', where: 'if' });
  return rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }) ?? true;
}

function findProgram(name: string): string {
  const dirs = (process.env['PATH'] ?? '').split(delimiter);
  const found = dirs.map((dir) => join(dir, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

const single = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;
const double = (line: string): string => `"${line.replace(/[\\"$`]/g, '\\$&')}"`;

/** Ways to spell a word. */
const spelt = (word: string): fc.Arbitrary<string> => {
  const [first = '', rest = ''] = [word.slice(0, 1), word.slice(1)];
  return fc.constantFrom(
    word,
    `"${word}"`,
    `${first}'${rest}'`,
    `${first}\\${rest}`,
    `\\${word}`,
    `${first}\\\n${rest}`,
    `$'${word}'`,
    `$'\\x${word.charCodeAt(0).toString(16)}'${rest}`,
    `${first}$E${rest}`,
    `\${E:-${word}}`,
    `$(echo ${word})`,
    `{${word},}`,
  );
};

/** Ways to run a line from another one. */
const around: readonly ((line: string) => string)[] = [
  (line) => `( ${line} )`,
  (line) => `{ ${line}; } 2>/dev/null`,
  (line) => `true && ${line} | cat`,
  (line) => `if ${line}; then :; fi`,
  (line) => `f() { ${line}; }; f`,
  (line) => `case a in a) ${line};; esac`,
  (line) => `: "$( ${line} )"`,
  (line) => `echo \`${line.replace(/[\\`]/g, '\\$&')}\``,
  (line) => `cat <<EOF\n$( ${line} )\nEOF`,
  (line) => `cat <( ${line} )`,
  (line) => `a=( $( ${line} ) )`,
  (line) => `echo \${E:-$( ${line} )}`,
  (line) => `eval ${single(line)}`,
  (line) => `bash -c ${double(line)}`,
  (line) => `env A=1 sh -c ${single(line)}`,
  (line) => `bash <<'EOF'\n${line}\nEOF`,
  (line) => `echo ${single(line)} | bash`,
  (line) => `xargs -I% bash -c % <<< ${double(line)}`,
  (line) => `trap ${single(line)} EXIT`,
  (line) => `c=${single(line)}; eval "$c"`,
  (line) => `. /dev/stdin <<< ${single(line)}`,
];

const anyPush = fc
  .tuple(
    fc.constantFrom('', 'A=1 ', 'env ', 'exec ', 'command ', 'xargs '),
    fc.oneof(spelt('git'), fc.constant('$X')),
    fc.constantFrom(' ', '\t', ' \\\n '),
    spelt('push'),
    fc.constantFrom('', ' origin', ' "$X"', ' >/dev/null'),
    fc.array(fc.constantFrom(...around), { maxLength: 3 }),
  )
  .map(([before, name, gap, verb, after, wraps]) =>
    wraps.reduce((line, wrap) => wrap(line), `${before}${name}${gap}${verb}${after}`),
  );

it('misses no command that a real bash runs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookscope-bash-'));
  const ran = join(dir, 'ran');
  try {
    const bin = join(dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "git $*" >> '${ran}'\n`, { mode: 0o755 });
    for (const name of ['bash', 'sh', 'cat', 'env', 'xargs']) symlinkSync(findProgram(name), join(bin, name));
    let runs = 0;
    for (const command of fc.sample(anyPush, { numRuns: 60, seed: 20 })) {
      rmSync(ran, { force: true });
      const env = { PATH: bin, X: 'git', E: '' };
      spawnSync(findProgram('bash'), ['--norc', '-c', command], { cwd: dir, env, input: '', timeout: 5000 });
      if (!existsSync(ran) || !/^git push/m.test(readFileSync(ran, 'utf8'))) continue;
      runs++;
      expect([command, matches('git push *', command), matches('git *', command)]).toEqual([command, true, true]);
    }
    expect(runs).toBeGreaterThan(30);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

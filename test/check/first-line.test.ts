import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';

const BODIES: Readonly<Record<string, string>> = {
  perl: 'print "ran\\n";',
  node: 'console.log("ran");',
  python3: 'print("ran")',
  sh: 'echo ran',
  bash: 'echo ran',
  dash: 'echo ran',
  nosuch: '',
};
const OPTION: Readonly<Record<string, string>> = { perl: '-w', node: '--no-warnings', python3: '-u', nosuch: '-x' };
const LINES: readonly ((program: string, option: string) => string)[] = [
  (name) => `/usr/bin/${name}`,
  (name) => `/usr/bin/${name} \t`,
  (name, option) => ` \t/usr/bin/${name}\t${option}`,
  (name) => `/usr/bin/env ${name}`,
  (name) => `/usr/bin/env  ${name}  `,
  (name, option) => `/usr/bin/env ${name} ${option}`,
  (name) => `/usr/bin/env -S ${name}`,
  (name, option) => `/usr/bin/env -S ${name} ${option}`,
  (name) => `/usr/bin/env -S${name}`,
  (name) => `/usr/bin/env -S A=sh ${name}`,
  (name) => `/usr/bin/env -S -u sh A=1 B= ${name}`,
  (name) => `/usr/bin/env -S -u sh -- ${name}`,
  (name) => `/usr/bin/env -iS ${name}`,
  (name, option) => `/usr/bin/env --split-string=${name} ${option}`,
  (name) => `/usr/bin/env -S /usr/bin/${name}`,
  (name, option) => `/usr/bin/env -S '${name}' ${option}`,
  (name) => `/usr/bin/env -S "/usr/bin/"'${name}'`,
  (name, option) => `/usr/bin/env -S X="a sh" ${name} ${option}`,
  (name) => `/usr/bin/env -S -i -u sh X=1 ${name}`,
  (name) => `/usr/bin/env -S '-u' sh ${name}`,
  (name) => `/usr/bin/env -vS ${name}`,
  (name) => `/usr/bin/env -S ${name} # x`,
  (name) => `/usr/bin/env -S ${name}#x`,
  (name, option) => `/usr/bin/env -S ${name} ${option}\t# "x`,
  (name) => `/usr/bin/env /nowhere/${name}`,
  (name) => `/usr/bin/env /usr/bin/${name}`,
  (name, option) => `/usr/bin/env /usr/bin/${name} ${option}`,
  (name) => `/usr/bin/env ${name} --loader ts-node/esm`,
  (name, option) => `/usr/bin/env ${name}\u00A0${option}`,
  (name, option) => `/usr/bin/env -S ${name}\u00A0${option}q`,
  () => '/nosuch/env -S sh',
];

/** The first lines with which a script does not do what it says, and those of which the check says so. */
async function judged(end: string): Promise<{ readonly wrong: readonly string[]; readonly told: readonly string[] }> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'first-line-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  chmodSync(cwd, 0o755);
  const scripts = Object.entries(BODIES)
    .flatMap(([name, body]) => LINES.map((line) => ({ first: line(name, OPTION[name] ?? '-u'), body })))
    .map(({ first, body }, i) => ({ first: first.replace('nosuch', `nosuch-${i}`), body })); // One that is missing is told of once.
  const files = scripts.map(({ first, body }, i) => {
    const file = join(cwd, `script-${i}`);
    writeFileSync(file, [`#!${first}`, body, ''].join(end), { mode: 0o755 });
    return file;
  });
  const path = '/usr/bin:/bin';
  const told: string[] = [];
  // No more are told of one file.
  for (let from = 0; from < files.length; from += 100) {
    const hooks = files.slice(from, from + 100).map((command) => ({ type: 'command', command }));
    writeFileSync(join(cwd, 'hooks.json'), JSON.stringify({ hooks: { Stop: [{ hooks }] } }));
    const { findings } = await checkHookFiles({ paths: ['hooks.json'], cwd, home: cwd, managedDir: cwd, path });
    const said = findings.filter(({ rule }) => /^(?:program-missing|script-line-ends)$/.test(rule));
    const isSaid = (i: number): boolean => said.some(({ where }) => where.startsWith(`hooks.Stop[0].hooks[${i}].`));
    told.push(...hooks.flatMap((_, i) => (isSaid(i) ? [(scripts[from + i] as { first: string }).first] : [])));
  }
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const runs = (file: string): boolean =>
    spawnSync(file, { cwd, env: { PATH: path }, encoding: 'utf8', timeout: 20_000, ...user }).stdout === 'ran\n';
  const firsts = scripts.map(({ first }) => first);
  return { wrong: firsts.filter((_, i) => !runs(files[i] as string)), told };
}

test.runIf(process.platform === 'linux').each(['\n', '\r\n'])(
  'of scripts whose lines end in %j, those are told of that do not run',
  async (end) => {
    const { wrong, told } = await judged(end);
    expect(told).toEqual(wrong);
  },
);

test.each([
  ['', 'does not begin with #!'],
  ['#!\n', 'names no program behind #!'],
  ['#! \t \n', 'names no program behind #!'],
])('a script that begins with %j is read by sh, which is told, and no program is missing', async (first, words) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'first-line-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'g.sh'), `${first}echo ran\n`, { mode: 0o755 });
  const hooks = [{ type: 'command', command: join(cwd, 'g.sh') }];
  writeFileSync(join(cwd, 'hooks.json'), JSON.stringify({ hooks: { Stop: [{ hooks }] } }));
  const { findings } = await checkHookFiles({ paths: ['hooks.json'], cwd, home: cwd, managedDir: cwd });
  const message = `g.sh ${words}, so sh reads it, whatever it is written in.`;
  expect(findings).toMatchObject([{ rule: 'script-no-interpreter', message }]);
  expect(spawnSync('sh', ['-c', './g.sh'], { cwd, encoding: 'utf8' }).stdout).toBe('ran\n');
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bindSet } from '../../src/server/bound/bind-set.js';
import { BESIDE_SERVER, Binding, whyChanged, whyScriptChanged } from '../../src/server/bound/binding.js';
import { FATES, type FileFate, isNamedGone } from '../../src/server/bound/files.js';
import { KeptTexts } from '../../src/server/bound/kept-texts.js';
import { unboundScripts } from '../../src/server/bound/scripts.js';
import { mendFor } from '../../src/why/mends.js';
import { cli } from '../cli/cli.js';
import { fire } from '../emit/samples.js';
import { asNobodyHere } from '../nobody.js';
import { createUser, GUARD, hooksFile, type User } from './kit.js';

const OPEN = 'let this user read it and enter its folders';
let user: User;
let guard: string;
let folder: string;
beforeEach(() => {
  user = createUser();
  folder = join(user.path, 'project');
  mkdirSync(join(folder, 'sub'));
  guard = user.write('sub/guard.sh', GUARD, 0o755);
  chmodSync(user.path, 0o755);
  chmodSync(folder, 0o755);
});
afterEach(async () => {
  chmodSync(join(folder, 'sub'), 0o755);
  await user.remove();
});

/** As a user whom permissions hold back, which they do not for the superuser. */
async function held<T>(look: () => T): Promise<Awaited<T>> {
  const isSuper = process.getuid?.() === 0;
  if (isSuper) process.seteuid?.(65_534);
  try {
    return await look();
  } finally {
    if (isSuper) process.seteuid?.(0);
  }
}

const CLOSED: [string, () => void][] = [
  ['in a closed folder', () => chmodSync(join(folder, 'sub'), 0)],
  ['that is closed itself', () => chmodSync(guard, 0)],
];

test.each(CLOSED)(
  'a guard %s is said to be closed, and how to open it; nobody is told to serve it with --data',
  async (_, close) => {
    const bound = () => {
      const binding = new Binding({ files: {}, scripts: {} }, folder);
      const check = binding.commandsOf(join(folder, 'hooks.json'))({ type: 'command', command: './sub/guard.sh' });
      return { binding, scripts: binding.scripts, check: () => check?.({ cwd: folder, env: {} } as never) };
    };
    const before = bound();
    const kept = new KeptTexts({ files: {}, scripts: before.scripts });
    expect(before.check()).toBeUndefined();
    close();
    const said = await held(async () => {
      const now = bound();
      return [
        (before.check() as { why: string }).why,
        (now.check() as { why: string }).why,
        ...unboundScripts(now.scripts),
        whyChanged(guard, {}),
        before.binding.whyChanged(guard),
        whyScriptChanged(guard, BESIDE_SERVER, before.scripts),
        await kept.change(guard, (text) => text),
      ];
    });
    expect(said).toHaveLength(7);
    for (const one of said) {
      expect(one).toContain(OPEN);
      expect(one).toContain('cannot be read: ');
      expect(one).not.toMatch(/--data|is gone|cannot be bound/);
    }
  },
);

test.each(CLOSED)('check says that of a guard %s', async (_, close) => {
  user.write('hooks.json', hooksFile(guard));
  const check = () => cli(['check', 'hooks.json'], { cwd: folder, env: { HOME: join(user.path, 'home') } });
  // So that what it needs is loaded.
  expect((await check()).stdout).not.toContain('script-missing');
  close();
  const { stdout } = await held(check);
  expect(stdout).toMatch(/script-missing\n.*sub\/guard\.sh cannot be read by this user\.\n/);
  expect(stdout).toMatch(/fix: Let this user read it and enter its folders\.\n/);
});

test('of what may be executed but not read, nobody knows whether it is a script: --data is named for a compiled program', async () => {
  user.write('hooks.json', hooksFile(guard));
  const look = () => {
    const binding = new Binding({ files: {}, scripts: {} }, folder);
    const check = binding.commandsOf(join(folder, 'hooks.json'))({ type: 'command', command: './sub/guard.sh' });
    const refused = check?.({ cwd: folder, env: {} } as never) as { why: string };
    return [refused.why, ...unboundScripts(binding.scripts)];
  };
  chmodSync(guard, 0o711);
  const said = await held(look);
  expect(said).toHaveLength(2);
  for (const one of said)
    expect(one).toMatch(
      new RegExp(`cannot be read: .*${OPEN}; only a compiled program runs unread: hookscope serve --data .* whatever `),
    );
});

/** What can be done to a file, and what is then said of it. */
const FATE_OF: Readonly<Record<string, readonly [fate: FileFate, spoil: (file: string) => void]>> = {
  changed: ['changed', (file) => writeFileSync(file, `${readFileSync(file)}\n`)],
  deleted: ['gone', (file) => rmSync(file)],
  'a broken link': ['gone', (file) => [rmSync(file), symlinkSync('/nowhere/x', file)]],
  'a looping link': ['no file', (file) => [rmSync(file), symlinkSync(basename(file), file)]],
  'a folder': ['no file', (file) => [rmSync(file), mkdirSync(file)]],
  'a named pipe': ['no file', (file) => [rmSync(file), execFileSync('mkfifo', [file])]],
  closed: ['closed', (file) => chmodSync(file, 0)],
  'in a closed folder': ['closed', (file) => chmodSync(dirname(file), 0)],
};

/** Sets, the file in them that is spoilt, and the paths that are bound and change by that. */
const BOUND: Readonly<Record<string, readonly [set: object, file: string, package_?: true]>> = {
  hooks: [{ hooks: ['sub/hooks.json'] }, 'sub/hooks.json'],
  config: [{ config: 'sub/conf.mjs' }, 'sub/conf.mjs'],
  plugin: [{ plugin: ['./sub/plugin.mjs'] }, 'sub/plugin.mjs'],
  'file of a package': [{ plugin: ['plug'] }, 'node_modules/plug/lib/i.js', true],
};

const WAYS = Object.keys(BOUND).flatMap((what) => Object.keys(FATE_OF).map((how) => [what, how] as const));

test.each(WAYS)('of a %s that is %s the same is said wherever something is said of it', async (what, how) => {
  const [set, name, isPackage = false] = BOUND[what] as (typeof BOUND)[string];
  const [spoilt, spoil] = FATE_OF[how] as (typeof FATE_OF)[string];
  // A package of which a file is gone, or is something else, is still there.
  const fate = isPackage && spoilt !== 'closed' ? 'changed' : spoilt;
  user.write('sub/hooks.json', hooksFile(guard));
  for (const file of ['sub/conf.mjs', 'sub/plugin.mjs', 'node_modules/plug/lib/i.js'])
    user.write(file, 'export default {};');
  user.write('node_modules/plug/package.json', { name: 'plug', type: 'module', exports: './lib/i.js' });
  for (const one of ['node_modules', 'node_modules/plug', 'node_modules/plug/lib']) chmodSync(join(folder, one), 0o755);
  const files = await bindSet(set, folder);
  const path = isPackage ? join(folder, 'node_modules/plug/**') : join(folder, name);
  const binding = new Binding({ files, scripts: {} }, folder);
  const consented = new Binding({ files: {}, scripts: {} }, folder, { consented: files });
  const kept = new KeptTexts({ files, scripts: {} });
  spoil(join(folder, name));
  const said = await held(async () => [
    binding.whyChanged(path),
    consented.whyChanged(path),
    ...(fate === 'changed' ? [] : [await kept.change(path, (text) => text)]),
    `${path} ${isNamedGone(path, files[path]) ? 'put it back' : ''}`,
  ]);
  chmodSync(dirname(join(folder, name)), 0o755);
  for (const one of said.slice(0, -1)) expect(one).toContain(FATES[fate]);
  expect(said.at(-1)?.endsWith('put it back')).toBe(fate === 'gone' || fate === 'no file');
  const failure = { cause: 'untrusted', message: said[0] };
  const advice = mendFor({ ...fire().handlers[0], status: 'failed', failure } as never, 'PreToolUse');
  const mend = { changed: /hookscope serve --accept$/, closed: new RegExp(`^it cannot be read: ${OPEN}$`) };
  expect(advice).toMatch(fate === 'changed' || fate === 'closed' ? mend[fate] : /; put it back, or /);
});

test.each(Object.entries(FATE_OF))(
  'doctor says that of a file of the last server that is %s',
  async (_, [fate, spoil]) => {
    const file = user.write('sub/hooks.json', hooksFile('/bin/true'));
    const server = await user.serve(['--hooks', 'sub/hooks.json']);
    await server.stop();
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534', user.path]);
    const doctor = () => user.run(['doctor', '--json']);
    expect((await asNobodyHere(doctor)).stdout).toBe('');
    spoil(file);
    const { stdout } = await asNobodyHere(doctor);
    chmodSync(join(folder, 'sub'), 0o755);
    expect(stdout).toContain(`a file that it served is not what it was: ${file} (${fate}). Hooks that need it fail`);
    if (fate === 'closed') expect(stdout).toContain(`"fix":"For ${file}: ${OPEN}."`);
    else expect(stdout).toContain('"fix":"Look at what changed, and accept it in a terminal: hookscope serve');
  },
);

test('a server says that of a file that has become a folder, and of one that is gone, each once', async () => {
  const files = ['sub/a.json', 'sub/b.json', 'sub/c.json'].map((name) => user.write(name, hooksFile('/bin/true')));
  const server = await user.serve(files.flatMap((file) => ['--hooks', file]));
  const [a = '', b = '', c = ''] = files;
  for (const [file, how] of [
    [a, 'a folder'],
    [b, 'deleted'],
    [c, 'changed'],
  ] as const)
    FATE_OF[how]?.[1](file);
  const rest = 'so its hooks fail as untrusted until';
  const accepted = 'somebody accepts it (hookscope serve --accept)';
  // No acceptance can serve a name that leads nowhere.
  const back = 'put it back, or stop the server and start it without it in a terminal, which asks';
  const lines = [
    `changed, ${rest} ${accepted}: ${c}`,
    `gone, ${rest} you ${back}: ${b}`,
    `no file, ${rest} you ${back}: ${a}`,
  ];
  await expect.poll(() => lines.filter((line) => server.output().includes(line))).toEqual(lines);
  const { stderr } = await user.run(['serve', '--accept']);
  expect(stderr.split(back)).toHaveLength(3);
  for (const line of [`no file: ${a}`, `gone: ${b}`, `changed: ${c}`]) expect(stderr).toContain(`${line}\n`);
  await server.stop();
  const refused = await user.refused(files.flatMap((file) => ['--hooks', file])).catch((error: Error) => error.message);
  for (const [fate, file] of [
    ['no file', a],
    ['gone', b],
    ['changed', c],
  ] as const)
    expect(refused).toContain(`${fate} since it was served last: ${file}`);
});

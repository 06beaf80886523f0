import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ServeFlags, serveCommand } from '../../src/cli/server/serve.js';
import { acceptChanges } from '../../src/cli/server/serve-accept.js';
import { readAcceptances } from '../../src/trust/acceptances.js';
import { BIN } from '../cli/cli.js';
import { bash, GUARD, guardedUser, hooksFile, type Running, type User } from './kit.js';
import { asAPerson } from './person.js';

let user: User;
const argv = [...process.argv];
beforeEach(() => {
  user = guardedUser();
  // What serves is a process of the command.
  process.argv[1] = BIN;
});
afterEach(async () => {
  process.argv[1] = argv[1] as string;
  await user.remove();
});
const at = (file: string): string => join(user.path, 'project', file);

/** A start to which a person says yes, and that is ended once it serves. */
async function start(flags: ServeFlags, meanwhile = (): void => undefined) {
  const [asked, told]: [string[], string[]] = [[], []];
  const how = { asked, told, meanwhile, untilItPrints: true };
  const starting = asAPerson(user, (terminal) => serveCommand([], flags, terminal), how);
  const came = await starting.then(String, ({ message }: Error) => message);
  return { came, asked, told: told.join('\n'), kept: readAcceptances(0, user.places.state).map(({ what }) => what) };
}
const change = () => user.write('guard.sh', `${GUARD}# and more\n`, 0o755);

test('a yes to a start is kept once it serves', async () => {
  await (await user.serve(['--hooks', 'hooks.json'])).stop();
  change();
  expect(await start({ hooks: [at('hooks.json')] })).toMatchObject({ came: '0', kept: [at('guard.sh')] });
  expect(await start({ hooks: [at('hooks.json')] })).toMatchObject({ came: '0', asked: [], kept: [at('guard.sh')] });
});

test('a yes to a start that then fails is kept by no file: a port is taken', async () => {
  await (await user.serve(['--hooks', 'hooks.json'])).stop();
  change();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as AddressInfo;
    const { came, asked, kept } = await start({ hooks: [at('hooks.json')], port });
    expect(came).toMatch(/EADDRINUSE|in use/);
    expect(asked).toHaveLength(1);
    expect(kept).toEqual([]);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('nor by one whose hooks cannot be loaded', async () => {
  user.write('plugin.mjs', `export default { name: 'p', apply: () => undefined };`);
  await (await user.serve(['--hooks', 'hooks.json', '--plugin', './plugin.mjs'])).stop();
  user.write('plugin.mjs', `throw new Error('not today');`);
  const { came, asked, kept } = await start({ hooks: [at('hooks.json')], plugin: [at('plugin.mjs')] });
  expect([came, asked.length, kept]).toEqual([expect.stringContaining('not today'), 1, []]);
});

test('a yes that cannot be kept ends the start, and names the file', async () => {
  await (await user.serve(['--hooks', 'hooks.json'])).stop();
  change();
  mkdirSync(join(user.places.state, 'acceptances.jsonl'));
  const serve = asAPerson(user, (terminal) => serveCommand([], { hooks: [at('hooks.json')] }, terminal));
  await expect(serve).rejects.toThrow(`${join(user.places.state, 'acceptances.jsonl')}: is a directory, not a file`);
});

test.each<[what: string, prepare: () => unknown, hooks: string, why: RegExp]>([
  ['a server runs', () => user.serve(['--hooks', 'hooks.json']), 'hooks.json', /a server is running there already/],
  ['other hooks, and a server runs', () => user.serve(['--hooks', 'hooks.json']), 'own.json', /running there already/],
  ['a named file is gone', () => rmSync(at('hooks.json')), 'hooks.json', /hooks\.json: there is no such file/],
  ['a named file is none', () => user.write('hooks.json', '{'), 'hooks.json', /hooks\.json.*is not JSON/],
])('nobody is asked where the start must fail: %s', async (_, prepare, hooks, says) => {
  user.write('own.json', hooksFile('true'));
  await (await user.serve(['--hooks', 'hooks.json'])).stop();
  await prepare();
  change();
  const { came, asked, told, kept } = await start({ hooks: [at(hooks)] });
  expect([came, asked, kept]).toEqual([expect.stringMatching(says), [], []]);
  expect(told).toMatch(/(?:changed|gone) since it was served last|no longer named/);
});

const LIBRARY = `export const word = 'no';\n`;
test.each<[what: string, file: string, text: string]>([
  ['a file that was shown', 'guard.sh', '#!/bin/sh\nexit 0\n'],
  ['a script that was not', 'other.sh', '#!/bin/sh\nexit 0\n'],
  ['a hooks file that was not', 'hooks.json', JSON.stringify(hooksFile('true'))],
  ['a module that was not', 'library.mjs', `${LIBRARY}throw new Error('it has run');`],
  ['a hooks file that is new', 'new.json', JSON.stringify(hooksFile('false'))],
])('a start ends if this changes while it asks, and serves and keeps nothing: %s', async (_, file, text) => {
  user.write('other.sh', GUARD, 0o755);
  user.write('other.json', hooksFile(at('other.sh')));
  user.write('new.json', hooksFile('true'));
  user.write('library.mjs', LIBRARY);
  user.write('plugin.mjs', `import './library.mjs';\nexport default { name: 'p', apply: () => undefined };`);
  const args = ['--hooks', 'hooks.json', '--hooks', 'other.json', '--plugin', './plugin.mjs'];
  await (await user.serve(args)).stop();
  const before = readFileSync(user.places.served, 'utf8');
  change();
  const flags = { hooks: ['hooks.json', 'other.json', 'new.json'].map(at), plugin: [at('plugin.mjs')] };
  const { came, asked, told, kept } = await start(flags, () => void user.write(file, text, 0o755));
  expect(came).toContain(`${at(file)}: it changed while you were asked, so nothing is served;`);
  expect([asked.length, kept, told]).toEqual([1, [], expect.stringContaining('it did not start')]);
  expect(readFileSync(user.places.served, 'utf8')).toBe(before);
  const again = await start(flags);
  if (file !== 'library.mjs') expect([again.came, again.asked]).toEqual(['0', asked]);
});

test.each<[what: string, before: readonly string[], flags: ServeFlags, file: string]>([
  ['a script that was not served before', [], { hooks: ['hooks.json', 'other.json'] }, 'other.sh'],
  ['with --dev', [], { hooks: ['hooks.json'], dev: true }, 'guard.sh'],
  ['after a server with --dev', ['--hooks', 'other.json', '--dev'], { hooks: ['hooks.json'] }, 'guard.sh'],
])('a start serves this as it is after the answer: %s', async (_, before, { hooks = [], ...flags }, file) => {
  user.write('other.sh', GUARD, 0o755);
  user.write('other.json', hooksFile(at('other.sh')));
  await (await user.serve(['--hooks', 'hooks.json', ...before])).stop();
  if (before.length === 0) change();
  const meanwhile = () => void user.write(file, '#!/bin/sh\nexit 0\n', 0o755);
  const { came, asked } = await start({ hooks: hooks.map(at), ...flags }, meanwhile);
  expect([came, asked.length]).toEqual(['0', 1]);
});

describe('a guard that can no longer be executed', () => {
  const stop = () => chmodSync(at('guard.sh'), 0o644);
  const serves = (): Promise<Running> => user.serve(['--hooks', 'hooks.json']);

  test('is asked about at a start, and then is served as it is', async () => {
    await (await serves()).stop();
    stop();
    const { stdout } = await user.hook(['PreToolUse', '--timeout', '10'], bash('rm x'));
    expect(stdout).toMatch(
      /guard\.sh could be executed when the server was started with it, and cannot now: chmod \+x mends it, unless .* is mounted noexec; if you accept it as it is, its hook may fail on every call; see .*serve/,
    );
    expect(await user.refused(['--hooks', 'hooks.json'])).toContain('nothing is served: start it at a terminal');
    const { came, asked, told } = await start({ hooks: [at('hooks.json')] });
    expect([came, asked.length]).toEqual(['0', 1]);
    expect(told).toContain(
      `changed since it was served last: ${at('guard.sh')}, which can no longer be executed: chmod +x mends it`,
    );
    const [kept] = readAcceptances(0, user.places.state);
    expect(kept).toMatchObject({ what: at('guard.sh'), from: kept?.to, executable: false });
    const doctor = await user.run(['doctor']);
    expect(doctor.stdout).toMatch(
      /guard\.sh was accepted at \S+ by hookscope serve, although it can no longer be exec/,
    );
    expect(await start({ hooks: [at('hooks.json')] })).toMatchObject({ came: '0', asked: [] });
  });

  test.each([
    ['as it was served', () => user.write('more.sh', GUARD)],
    ['as it was shown', change],
  ])('while a start asks, it ends the start: %s before', async (_, before) => {
    user.write('more.sh', `${GUARD}# more\n`, 0o755);
    user.write('more.json', hooksFile(at('more.sh')));
    await (await user.serve(['--hooks', 'hooks.json', '--hooks', 'more.json'])).stop();
    before();
    const { came, kept } = await start({ hooks: [at('hooks.json'), at('more.json')] }, stop);
    expect([came, kept]).toEqual([expect.stringContaining(`${at('guard.sh')}: it changed while you were asked`), []]);
  });

  test('is what serve --accept asks about, unless it changes meanwhile', async () => {
    await serves();
    stop();
    const accept = async (meanwhile = (): void => undefined) => {
      const [asked, told]: [string[], string[]] = [[], []];
      const code = await asAPerson(user, acceptChanges, { asked, told, meanwhile });
      return [code, asked.length, told.join('\n')];
    };
    expect(await accept()).toEqual([0, 1, `changed: ${at('guard.sh')}`]);
    expect(await accept()).toEqual([0, 0, '']);
    chmodSync(at('guard.sh'), 0o755);
    expect(await accept()).toEqual([0, 0, '']);
    change();
    await accept();
    user.write('guard.sh', GUARD, 0o755);
    expect(await accept(stop)).toEqual([1, 1, expect.stringContaining('it has changed again meanwhile')]);
  });

  test('is not asked about where the last server did not keep that it could', async () => {
    await (await serves()).stop();
    const served = readFileSync(user.places.served, 'utf8').replace(/,\s*"executable": true/, '');
    writeFileSync(user.places.served, served);
    stop();
    expect(await start({ hooks: [at('hooks.json')] })).toMatchObject({ came: '0', asked: [] });
  });

  test.each([
    ['is not asked about, and runs, where sh reads it', ['sh ./guard.sh words.json'], 0],
    ['is asked about where another hook executes it', ['sh ./guard.sh', './guard.sh'], 1],
  ])('%s', async (_, commands, questions) => {
    user.write('words.json', '[]', 0o755);
    const hooks = commands.map((command) => ({ type: 'command', command }));
    user.write('hooks.json', JSON.stringify({ PreToolUse: [{ hooks }] }));
    const running = await serves();
    for (const file of ['guard.sh', 'words.json']) chmodSync(at(file), 0o644);
    const said = async (): Promise<string> => (await user.hook(['PreToolUse', '--timeout', '10'], bash('rm x'))).stdout;
    expect(await said()).toContain('nothing is removed');
    await running.stop();
    expect((await said()).includes('nothing is removed')).toBe(questions === 0);
    const { came, asked } = await start({ hooks: [at('hooks.json')] });
    expect([came, asked.length]).toEqual(['0', questions]);
  });
});

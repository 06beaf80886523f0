import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FSWatcher } from 'chokidar';
import { afterEach, expect, test, vi } from 'vitest';
import { until } from '../host/kit.js';
import { ROOT } from '../package/sources.js';
import { type Input, on, opened } from './kit.js';

const folders: string[] = [];
function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-watch-')));
  folders.push(made);
  return made;
}
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

test('a watched file that is added, changed or removed is a FileChanged', async () => {
  const cwd = folder();
  const { host, session, seen } = await opened({ cwd });
  on(host, 'FileChanged', ({ event }: Input) => ({ systemMessage: `seen: ${event}` }));
  // One write may be told more than once.
  const changes = () => [
    ...new Set(
      seen.filter((s) => s.event === 'FileChanged').map(({ input }) => `${input['event']} ${input['file_path']}`),
    ),
  ];
  writeFileSync(join(cwd, 'old.txt'), '1');
  writeFileSync(join(cwd, 'other.txt'), '1');
  await session.watch(['old.txt', 'new.txt']);
  expect(session.watchPaths).toEqual([join(cwd, 'old.txt'), join(cwd, 'new.txt')]);
  // A change in the same tick of the clock as the first look at the file is not seen, so this one is made again and again.
  let text = '1';
  await until(() => {
    text += '2';
    writeFileSync(join(cwd, 'old.txt'), text);
    return changes().includes(`change ${join(cwd, 'old.txt')}`);
  });
  writeFileSync(join(cwd, 'other.txt'), '22');
  // Nor is a file that appears while its folder is looked at.
  await until(() => {
    writeFileSync(join(cwd, 'new.txt'), text);
    return changes().includes(`add ${join(cwd, 'new.txt')}`);
  });
  rmSync(join(cwd, 'old.txt'));
  await until(() => changes().includes(`unlink ${join(cwd, 'old.txt')}`));
  expect(changes().filter((change) => change.includes('other.txt'))).toEqual([]);
  await until(() => session.pendingContext().includes('seen: unlink'));
  expect(session.pendingContext()).toEqual(expect.arrayContaining(['seen: change', 'seen: add']));
  await session.close();
});

test('what hooks ask for is watched too, from SessionStart and from FileChanged itself', async () => {
  const cwd = folder();
  const [first, second] = [join(cwd, 'first'), join(cwd, 'second')];
  const { host, seen } = await opened();
  on(host, 'SessionStart', () => ({ hookSpecificOutput: { watchPaths: [first] } }));
  on(host, 'FileChanged', () => ({ hookSpecificOutput: { watchPaths: [second] } }));
  const session = await host.openSession({ session_id: 'x', cwd });
  const paths = () => seen.filter((s) => s.event === 'FileChanged').map(({ input }) => input['file_path']);
  // What FileChanged asks for begins beside it: changes until then are not seen, so this one is made again and again.
  let n = 0;
  const grow = (file: string) => () => {
    writeFileSync(file, 'x'.repeat(++n));
    return paths().includes(file);
  };
  await until(grow(first));
  expect(session.watchPaths).toEqual([first, second]);
  await until(grow(second));
  await session.close();
});

test('what SessionStart and CwdChanged ask for is watched when the session is open, and when it has moved', async () => {
  const [first, second] = [folder(), folder()];
  const { host } = await opened();
  on(host, 'SessionStart', () => ({ hookSpecificOutput: { watchPaths: [first] } }));
  on(host, 'CwdChanged', () => ({ hookSpecificOutput: { watchPaths: [second] } }));
  const ready: string[] = [];
  const { emit } = FSWatcher.prototype;
  const heard = vi.spyOn(FSWatcher.prototype, 'emit').mockImplementation(function (this: FSWatcher, name, ...rest) {
    if (name === 'ready') ready.push('ready');
    return emit.call(this, name, ...(rest as never));
  });
  const session = await host.openSession({ session_id: 'x', cwd: first });
  expect(ready).toEqual(['ready']);
  await session.changeCwd(second);
  expect(ready).toEqual(['ready', 'ready']);
  heard.mockRestore();
  await session.close();
});

test('a watch that never begins holds up neither the opening of a session for long nor its end', async () => {
  const cwd = folder();
  const { host } = await opened();
  on(host, 'SessionStart', () => ({ hookSpecificOutput: { watchPaths: [cwd] } }));
  const { emit } = FSWatcher.prototype;
  const heard = vi.spyOn(FSWatcher.prototype, 'emit').mockImplementation(function (this: FSWatcher, name, ...rest) {
    return name === 'ready' ? true : emit.call(this, name, ...(rest as never));
  });
  const session = await host.openSession({ session_id: 'x', cwd });
  const watching = session.watch(['other']);
  await until(() => session.watchPaths.includes(join(cwd, 'other')));
  await session.close();
  await watching;
  heard.mockRestore();
});

test('with watch: false they are only named', async () => {
  const cwd = folder();
  const { host } = await opened();
  on(host, 'SessionStart', () => ({ hookSpecificOutput: { watchPaths: [cwd] } }));
  const session = await host.openSession({ session_id: 'x', cwd, watch: false });
  expect(session.watchPaths).toEqual([cwd]);
  await session.close();
});

test('a session that ended watches nothing', async () => {
  const cwd = folder();
  const { host, session, seen } = await opened({ cwd });
  const child = await session.spawn({ agent_type: 'w', id: 'a' });
  await child.watch(['.']);
  const other = await host.openSession({ session_id: 'x', cwd });
  await other.watch(['.']);
  await child.stop();
  writeFileSync(join(cwd, 'file'), '1');
  await until(() => seen.some((s) => s.event === 'FileChanged'));
  const told = seen.filter((s) => s.event === 'FileChanged').map((s) => s.input['session_id']);
  expect(new Set(told)).toEqual(new Set(['x']));
  await host.close();
});

test('a host that closes waits until what its sessions and their agents watch is let go', async () => {
  const cwd = folder();
  const { host, session } = await opened({ cwd });
  const child = await session.spawn({ agent_type: 'w', id: 'a' });
  await session.watch(['a']);
  await child.watch(['b']);
  const done: string[] = [];
  const { close } = FSWatcher.prototype;
  const heard = vi.spyOn(FSWatcher.prototype, 'close').mockImplementation(async function (this: FSWatcher) {
    await close.call(this);
    await new Promise(setImmediate);
    done.push('let go');
  });
  await host.close();
  heard.mockRestore();
  expect(done).toEqual(['let go', 'let go']);
});

test('a watch keeps no process alive', async () => {
  const cwd = folder();
  const program = `
    import { createHost } from 'hookscope';
    const host = createHost();
    const session = await host.openSession({ cwd: ${JSON.stringify(cwd)} });
    await session.watch(['.']);
    console.log('watching');
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 240_000 });
  expect(stdout).toBe('watching\n');
});

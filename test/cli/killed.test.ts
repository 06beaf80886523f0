import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cli } from './cli.js';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-killed-')));
  mkdirSync(join(root, 'state/hookscope'), { recursive: true, mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const dist = (file: string): string => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href);
/** Fires, keeps some of it, fires again and ends as it is told: what came last has waited for no turn. */
const PROGRAM = `
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createHost, ndjsonSink } from ${dist('index.js')};
import { sqliteSink } from ${dist('sinks/sqlite.js')};
const [file, end, durability, capacity] = process.argv.slice(2);
const host = createHost();
const sink = (file.endsWith('.db') ? sqliteSink : ndjsonSink)(file, { durability, ...(capacity && { capacity: Number(capacity) }) });
sink.attach(host.events$);
let id;
host.events$.subscribe((record) => { id = record.host_id; });
const fire = (text) => host.fire('Stop', { stop_hook_active: false, ...(text && { last_assistant_message: text }) });
for (let i = 0; i < 3; i++) await fire();
await sink.flush();
for (let i = 0; i < 4; i++) await fire();
if (end === 'kill') { process.stdout.write(id, () => undefined); process.kill(process.pid, 'SIGKILL'); }
if (end === 'exit') { console.log(id); process.exit(); }
if (end === 'late') {
  // It has written everything, and writes once more while it ends.
  await sink.flush();
  process.emit('exit', 0);
  await fire();
  process.stdout.write(id, () => undefined);
  process.kill(process.pid, 'SIGKILL');
}
if (end === 'gone') {
  await sink.flush();
  console.log(id);
  rmSync(dirname(file), { recursive: true });
  writeFileSync(dirname(file), '');
  process.exit();
}
if (end === 'again') {
  await sink.flush();
  await fire();
}
if (end.startsWith('full'))
  for (let i = 0; i < 300; i++) {
    await fire(randomBytes(1500).toString('base64'));
    await sink.flush();
  }
if (end === 'full, killed') { process.stdout.write(id + ' ' + sink.dropped, () => undefined); process.kill(process.pid, 'SIGKILL'); }
if (end === 'full, runs') {
  console.log(id, sink.dropped);
  await new Promise((resolve) => process.stdin.resume().once('end', resolve));
}
await host.close();
await sink.close();
if (end !== 'full, runs') console.log(id, sink.dropped);
`;

/** Its host's id; and behind it how many records were dropped, where it has closed. */
async function run(
  file: string,
  end: string,
  durability = 'batch',
  capacity = '',
  limit = 'unlimited',
  meanwhile?: (said: string) => Promise<void>,
): Promise<string> {
  const program = join(root, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`,
      'sh',
      process.execPath,
      program,
      file,
      end,
      durability,
      capacity,
    ],
    { env: { ...process.env, ...env() } },
  );
  let text = '';
  child.stdout.on('data', (part) => (text += String(part)));
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (meanwhile !== undefined) {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await meanwhile(text.trim()).finally(() => child.stdin.end());
  }
  // It ends as it is told: no sink changes that.
  expect(await closed).not.toBe(1);
  return text.trim();
}
const env = () => ({ HOME: root, XDG_STATE_HOME: join(root, 'state'), XDG_RUNTIME_DIR: join(root, 'run') });
const hookscope = (...args: string[]) => cli(args, { cwd: root, env: env() });
const marks = (): string[] => readdirSync(join(root, 'state/hookscope')).filter((name) => name.includes('.writing.'));

describe.each(['records.db', 'records.ndjson'])('of whoever was killed while it wrote to %s', (name) => {
  const file = (): string => join(root, 'state/hookscope', name);

  test('doctor says behind which record its last may be missing, and history that it was', async () => {
    await run(file(), 'close');
    expect(marks(), 'whoever closes leaves nothing').toEqual([]);
    const host = await run(file(), 'kill');
    // The next one counts anew: no number shows what is missing.
    await run(file(), 'close');
    expect(marks()).toHaveLength(1);
    for (const store of [[], ['--store', file()]]) {
      const { stdout } = await hookscope('doctor', '--json', ...store);
      const told = stdout.split('\n').filter((line) => line.includes('was killed'));
      expect(told).toHaveLength(1);
      expect(JSON.parse(told[0] as string)).toMatchObject({
        level: 'remark',
        about: 'records',
        text: expect.stringMatching(
          new RegExp(
            `^Process \\d+, which wrote to .*${name} since .*: what it had not written yet \\(of a server, .*\\) may be missing, after record 3 of host ${host}\\.$`,
          ),
        ),
      });
      const { stderr } = await hookscope('history', ...store);
      expect(
        stderr.match(
          /which wrote some of these to .* was killed, or ended without closing it \(await sink\.close\(\) at the end of a program avoids this\): what it had not written yet \(/g,
        ),
      ).toHaveLength(1);
    }
    // What is not shown is not spoken of.
    expect((await hookscope('history', '--event', 'PreToolUse')).stderr).not.toMatch(/was killed/);
  });

  test('one that ended by itself without closing ends as it would without the sink, and may have written until the very end', async () => {
    await run(file(), 'gone');
    rmSync(join(root, 'state/hookscope'));
    mkdirSync(join(root, 'state/hookscope'), { mode: 0o700 });
    const host = await run(file(), 'late');
    const { stdout } = await hookscope('doctor');
    expect(stdout).toContain(`of host ${host}`);
    expect(stdout).toContain('If it was your own program, end it with await sink.close();');
  });

  test('nothing is said of one that ended by itself and had closed, one that still writes, and one that kept all at once', async () => {
    await run(file(), 'close');
    await run(file(), 'kill', 'sync');
    expect(marks()).toHaveLength(1);
    expect((await hookscope('doctor')).stdout).not.toMatch(/was killed/);
    await run(file(), 'close', 'sync');
    expect(marks(), 'the next writer takes away what has nothing to tell').toEqual([]);
    writeFileSync(
      `${file()}.writing.${process.pid}-0123abcd`,
      JSON.stringify({ pid: process.pid, since: 'x', hosts: ['h'] }),
    );
    writeFileSync(`${file()}.writing.999999999-0123abcd`, 'no JSON');
    expect((await hookscope('doctor')).stdout).not.toMatch(/was killed/);
    rmSync(`${file()}.writing.${process.pid}-0123abcd`);
    rmSync(`${file()}.writing.999999999-0123abcd`);
    // It ended without closing: as good as killed.
    const host = await run(file(), 'exit');
    expect((await hookscope('doctor')).stdout).toContain(`of host ${host}`);
  });

  test.each([
    ['full', 'batch'],
    ['full', 'sync'],
    // What was kept at once is all that is missing, however it ends.
    ['full, killed', 'sync'],
  ])(
    'doctor and history say how many records at the end found no room on the disk, and behind which: %s, %s',
    async (end, durability) => {
      const [host, dropped] = (await run(file(), end, durability, '', '400')).split(' ');
      expect(Number(dropped)).toBeGreaterThan(1);
      const last = 307 - Number(dropped);
      await tellsOf(`could not write its last ${dropped} records`, `after record ${last} of host ${host}`);
    },
  );

  test.each(['batch', 'sync'])(
    'they say it while it still runs and cannot write, and exit with 1: %s',
    async (durability) => {
      await run(file(), 'full, runs', durability, '', '400', async (said) => {
        const [host, dropped] = said.split(' ');
        expect(Number(dropped)).toBeGreaterThan(1);
        const { stdout, code } = await hookscope('doctor');
        expect(stdout).toMatch(
          new RegExp(
            `^problem  Process \\d+, which writes to .*${name} since .*, could not write its last ${dropped} records, after record \\d+ of host ${host}\\.$`,
            'm',
          ),
        );
        expect(code).toBe(1);
        // It is said whatever is shown.
        const { stderr } = await hookscope('history', '--event', 'PreToolUse');
        expect(stderr).toMatch(new RegExp(`which writes to .*${name}, could not write its last ${dropped} records`));
      });
    },
  );

  test('they say the same of records at the end for which its queue had no room', async () => {
    const [host, dropped] = (await run(file(), 'close', 'batch', '3')).split(' ');
    expect(dropped).toBe('1');
    await tellsOf('could not write its last record', `after record 6 of host ${host}`);
    rmSync(join(root, 'state/hookscope', marks()[0] as string));
    // What came after them was written, so the numbers show them.
    const [, between] = (await run(file(), 'again', 'batch', '3')).split(' ');
    expect([between, marks()]).toEqual(['1', []]);
    expect((await hookscope('doctor')).stdout).toContain('1 record is missing between those of one host');
  });

  async function tellsOf(what: string, behind: string): Promise<void> {
    const { stdout } = await hookscope('doctor');
    expect(stdout).toMatch(
      new RegExp(`^problem  Process \\d+, which wrote to .*${name} since [-\\dT:.Z]+, ${what}, ${behind}\\.$`, 'm'),
    );
    expect(stdout).toContain('See that the file may be written and that there is room on the disk,');
    expect(stdout).not.toMatch(/was killed|missing between/);
    const { stderr } = await hookscope('history');
    expect(stderr).toMatch(new RegExp(`${name}, ${what} \\(hookscope doctor says after which record\\)$`, 'm'));
  }
});

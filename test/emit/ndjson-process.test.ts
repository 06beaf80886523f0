import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useCompiled } from './compiled.js';

/** How many processes are killed while they write; `npm run soak` kills 20, and HOOKSCOPE_GENERATED asks for as many as it says. */
const KILLED = Number(process.env['HOOKSCOPE_GENERATED'] ?? 8);

interface Line {
  readonly run: string;
  readonly seq: number;
}

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-ndjson-'));
  path = join(folder, 'hooks.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the sink, oldest first. A kill between two moves may leave a place empty. */
function files(): string[] {
  const places = readdirSync(folder).flatMap((name) => /\.(\d+)$/.exec(name)?.[1] ?? []);
  const moved = places.map(Number).sort((a, b) => b - a);
  return [...moved.map((place) => `${path}.${place}`), ...(existsSync(path) ? [path] : [])];
}

/** Every line that ends with a newline, parsed; and what stands behind the last newline. */
function read(file: string): { lines: Line[]; tail: string } {
  const parts = readFileSync(file, 'utf8').split('\n');
  const tail = parts.pop() ?? '';
  return { lines: parts.map((line) => JSON.parse(line) as Line), tail };
}

/** Looked at in its last byte only: there is much of it, and more with every run. */
function isTorn(file: string): boolean {
  const { size } = statSync(file);
  const last = Buffer.alloc(1);
  const opened = openSync(file, 'r');
  try {
    return size > 0 && readSync(opened, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
  } finally {
    closeSync(opened);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('the NDJSON file', () => {
  const { start, startShell } = useCompiled();

  test('has whole lines only, none lost, after its process was killed again and again in the middle of writing', async () => {
    const acknowledged: number[] = [];
    let torn = 0;
    for (let run = 0; run < KILLED; run++) {
      // Lines of up to 400 kB: most kills find a write under way.
      const child = start('write-lines.mjs', path, String(run), '0', '20000000', '90', '60000');
      await child.says('written 20\n');
      await sleep((run * 7) % 20);
      child.kill('SIGKILL');
      const { signal, stdout } = await child.ended;
      expect(signal).toBe('SIGKILL');
      acknowledged.push(Number(/written (\d+)\n(?!.*written)/s.exec(stdout)?.[1]));
      torn += files().filter(isTorn).length;
    }
    const { code, stdout } = await start('write-lines.mjs', path, 'last', '5', '20000000', '90', '10').ended;
    expect([code, JSON.parse(stdout.trim().split('\n').at(-1) as string)]).toMatchObject([0, { dropped: 0 }]);

    const all = files().map(read);
    expect(all.filter(({ tail }) => tail !== '')).toEqual([]);
    const lines = all.flatMap((file) => file.lines);
    for (const [run, least] of acknowledged.entries()) {
      const seqs = lines.filter((line) => line.run === String(run)).map((line) => line.seq);
      expect(seqs).toEqual(upTo(seqs.length));
      expect(seqs.length).toBeGreaterThanOrEqual(least);
    }
    expect(lines.filter((line) => line.run === 'last').map((line) => line.seq)).toEqual(upTo(5));
    const kept = existsSync(`${path}.torn`) ? readFileSync(`${path}.torn`, 'utf8').split('\n').length - 1 : 0;
    expect(kept).toBe(torn);
  });

  test('sync: has every record whose push had returned, once, after its process was killed in the middle of writing', async () => {
    const acknowledged: number[] = [];
    for (let run = 0; run < KILLED; run++) {
      const child = start('write-lines.mjs', path, String(run), '0', '20000000', '90', '20000', 'sync');
      await child.says('written 20\n');
      child.kill('SIGKILL');
      const { signal, stdout } = await child.ended;
      expect(signal).toBe('SIGKILL');
      acknowledged.push(Number(/written (\d+)\n(?!.*written)/s.exec(stdout)?.[1]));
    }
    let torn = 0;
    const lines = files().flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => {
          try {
            return line === '' ? [] : [JSON.parse(line) as Line];
          } catch {
            torn += 1;
            return [];
          }
        }),
    );
    expect(torn).toBeLessThanOrEqual(KILLED);
    for (const [run, least] of acknowledged.entries()) {
      const seqs = lines.filter((line) => line.run === String(run)).map((line) => line.seq);
      expect(seqs).toEqual(upTo(seqs.length));
      expect(seqs.length).toBeGreaterThanOrEqual(least);
    }
  });

  test('written and moved aside by three processes at once has every line of each, once and whole', async () => {
    const runs = ['a', 'b', 'c'];
    const children = runs.map((run) => start('write-lines.mjs', path, run, '1500', '60000', '500', '100'));
    for (const { ended } of children) {
      const { code, stdout } = await ended;
      expect([code, JSON.parse(stdout.trim().split('\n').at(-1) as string)]).toEqual([0, { dropped: 0, told: [] }]);
    }
    expect(files().length).toBeGreaterThan(5);
    const lines = files().flatMap((file) => read(file).lines);
    for (const run of runs) {
      const seqs = lines.filter((line) => line.run === run).map((line) => line.seq);
      expect(seqs.sort((a, b) => a - b)).toEqual(upTo(1500));
    }
    expect(readdirSync(folder).filter((name) => /lock|torn/.test(name))).toEqual([]);
  });

  test.each(['batch', 'sync'].flatMap((way) => [30, 40, 100].map((blocks) => [way, blocks] as const)))(
    '%s: that cannot grow beyond %i blocks keeps whole lines; what did not fit is counted, and reported once, whatever fits in between',
    async (way, blocks) => {
      // The file size limit makes the kernel write a part of a line and then refuse, as a full disk does.
      const lines = ['write-lines.mjs', path, 'x', '300', '99999999', '5', '1000', way] as const;
      const { code, stdout } = await startShell(`ulimit -f ${blocks}`, ...lines).ended;
      expect(code).toBe(0);
      const { dropped, told } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
      const kept = read(path);
      expect(kept.tail).toBe('');
      const seqs = kept.lines.map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThan(5);
      expect(seqs.length + dropped).toBe(300);
      // Some fit after one that did not.
      expect(seqs).not.toEqual(upTo(seqs.length));
      expect(told).toMatchObject([
        { code: 'EFBIG' },
        { message: `${dropped} records were not written to ${path}, which is closed` },
      ]);
    },
  );

  test('in a folder it may not write is reported as EACCES, and written as soon as it may', async () => {
    const shut = join(folder, 'shut');
    mkdirSync(shut);
    chmodSync(folder, 0o755);
    chmodSync(shut, 0o500);
    const child = start('write-unprivileged.mjs', join(shut, 'hooks.ndjson'));
    await child.says('refused\n');
    chmodSync(shut, 0o777);
    const { code, stdout, stderr } = await child.ended;
    expect([code, stderr]).toEqual([0, '']);
    const { pushed, dropped, told } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
    expect(dropped).toBeGreaterThan(2);
    expect(told).toEqual([expect.stringContaining('EACCES'), expect.stringContaining('again')]);
    expect(read(join(shut, 'hooks.ndjson')).lines).toHaveLength(pushed - dropped);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { createSink, type Sink } from '../../src/emit/sink.js';
import { SINK_CONTRACT, type SinkUnderTest } from '../../src/emit/sinks/contract.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { openStore } from '../../src/store/place.js';

const folder = mkdtempSync(join(tmpdir(), 'contract-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

const SINKS: Readonly<Record<string, () => SinkUnderTest>> = {
  createSink() {
    const kept: HookRecord[] = [];
    return {
      make: (options) => createSink((record) => void kept.push(record), options),
      kept: () => kept,
      broken: (options) => createSink(() => Promise.reject(new Error('it is gone')), options),
    };
  },
  'createSink, of copies': () => writing((record) => structuredClone(record)),
  'createSink, of text': () => writing((record) => JSON.parse(JSON.stringify(record))),
  'createSink, of text, slowly': () =>
    writing(async (record) => {
      const text = JSON.stringify(record);
      await nextTurn();
      return JSON.parse(text);
    }),
  ndjsonSink: () => ndjson('batch'),
  'ndjsonSink, sync': () => ndjson('sync'),
  sqliteSink: () => sqlite('batch'),
  'sqliteSink, sync': () => sqlite('sync'),
};

/** A sink that is right, whatever it stores of a record. */
function writing(stored: (record: HookRecord) => HookRecord | Promise<HookRecord>): SinkUnderTest {
  const kept: HookRecord[] = [];
  return {
    make: (options) => createSink(async (record) => void kept.push(await stored(record)), options),
    kept: () => kept,
  };
}

function ndjson(durability: 'batch' | 'sync'): SinkUnderTest {
  const path = join(folder, `${++count}.ndjson`);
  const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n');
  return {
    make: (options) => ndjsonSink(path, { ...options, durability }),
    kept: () => lines().map((line) => JSON.parse(line) as HookRecord),
  };
}

function sqlite(durability: 'batch' | 'sync'): SinkUnderTest {
  const path = join(folder, `${++count}.db`);
  const inFile = join(folder, `${count}.txt`);
  writeFileSync(inFile, 'a text, and no database');
  return {
    make: (options) => sqliteSink(path, { ...options, durability }),
    async kept() {
      const store = await openStore(path);
      const kept: HookRecord[] = [];
      for await (const record of store.records()) kept.push(record);
      await store.close();
      return kept;
    },
    ...(durability === 'batch' ? { broken: (options) => sqliteSink(inFile, options) } : {}),
  };
}

describe.each(Object.entries(SINKS))('%s', (_, make) => {
  for (const { name, run } of SINK_CONTRACT) test(name, () => run(make));
});

test.each<[string, (sink: Sink) => Sink, RegExp]>([
  [
    'throws at what it cannot write',
    (sink) => ({ ...sink, push: (record) => sink.push(JSON.parse(JSON.stringify(record))) }),
    /circular/,
  ],
  [
    'counts nothing',
    (sink) => ({ ...sink, close: () => sink.close(), dropped: 0 }),
    / of 3 records were stored, and 0 counted: .*detached/,
  ],
])('a sink that %s breaks the promise about what cannot be written, and is told how', async (_, spoil, why) => {
  const { make, kept } = writing((record) => JSON.parse(JSON.stringify(record)));
  const [found] = SINK_CONTRACT.filter(({ name }) => name.startsWith('push never throws'));
  await expect(found?.run(() => ({ make: (options) => spoil(make(options)), kept }))).rejects.toThrow(why);
});

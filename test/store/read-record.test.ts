import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFire, formatRecord } from '../../src/emit/reading/print.js';
import type { HookRecord } from '../../src/emit/record.js';
import { readRecord } from '../../src/store/read-record.js';
import { FIRE, fire, stamped, started } from '../emit/samples.js';
import { generated } from '../seed.js';
import { anyRecords } from './records.js';

test('a record of this version is read as it is', () => {
  const records = [fire(), stamped(2), { seq: 3, time: fire().time, ...started() }];
  for (const record of records) {
    const plain = JSON.parse(JSON.stringify(record));
    expect(readRecord(plain)).toEqual({ record: plain });
  }
});

test('fields of a later version pass, and a word that is not known yet', () => {
  const later = { ...fire(), shape: { of: 'things' }, handlers: [{ ...FIRE.handlers[0], reason: 'moon', mood: 1 }] };
  expect(readRecord(JSON.parse(JSON.stringify(later)))).toEqual({ record: JSON.parse(JSON.stringify(later)) });
});

test.each([
  [{ type: 'receipt' }, { unknown: 'receipt' }],
  [{ type: 'system', subtype: 'init' }, { unknown: 'init' }],
  [{ type: 'system', subtype: 'constructor' }, { unknown: 'constructor' }],
  [{ type: '__proto__' }, { unknown: '__proto__' }],
  [{ type: 'hook_fire' }, { unknown: undefined }],
  [{ ...fire(), time: 'yesterday' }, { unknown: undefined }],
  [{ ...fire(), handlers: 'all' }, { unknown: undefined }],
  [null, { unknown: undefined }],
  [[], { unknown: undefined }],
])('%j is %j', (found, reading) => {
  expect(readRecord(found)).toEqual(reading);
});

test('whatever stands in a record, it can be printed', () => {
  fc.assert(
    fc.property(anyRecords, (found) => {
      const { record } = readRecord(JSON.parse(found));
      if (record === undefined) return;
      const lines = [formatRecord(record), ...(record.type === 'hook_fire' ? [formatFire(record)] : [])];
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what no terminal may see
      for (const text of lines) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    }),
    { numRuns: generated(800) },
  );
});

test('reading again what was read changes nothing', () => {
  fc.assert(
    fc.property(anyRecords, (found) => {
      const { record } = readRecord(JSON.parse(found)) as { record?: HookRecord };
      if (record)
        expect(readRecord(JSON.parse(JSON.stringify(record))).record).toEqual(JSON.parse(JSON.stringify(record)));
    }),
    { numRuns: generated(200) },
  );
});

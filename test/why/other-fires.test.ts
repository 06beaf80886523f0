import { expect, test } from 'vitest';
import type { FireRecord, HookRecord } from '../../src/index.js';
import type { RecordQuery } from '../../src/store/store.js';
import { findForEach, findInOtherFires } from '../../src/why/other-fires.js';
import { fire } from '../emit/samples.js';

const [handler] = fire().handlers as [FireRecord['handlers'][number]];
const of = (id: string, scope: string, more: Partial<FireRecord> = {}): FireRecord => ({
  ...fire(1, { fire_id: id, handlers: [{ ...handler, id: `${scope}#1`, name: scope, scope }], scope, ...more }),
});
const plain = (text: string): string => text;

/** A store that counts how often, and how many of, its records were read. */
function counted(records: readonly FireRecord[]) {
  const read = { times: 0, records: 0 };
  async function* all({ event }: RecordQuery = {}): AsyncGenerator<HookRecord> {
    read.times++;
    for (const record of records.toReversed()) {
      read.records++;
      if (event === undefined || record.event === event) yield record as unknown as HookRecord;
    }
  }
  return { read, records: all };
}

test('hooks of other scopes are looked for once, for all fires of a call together', async () => {
  const own = Array.from({ length: 100 }, (_, i) => of(`own ${i}`, 'mine', { out_of_scope: i % 3 }));
  const store = counted([of('a', 'first'), of('b', 'second'), of('c', 'third'), ...own]);
  const found = await findForEach(store, own, undefined, plain);
  expect(store.read).toEqual({ times: 1, records: 102 });
  for (const [i, record] of own.entries()) {
    const alone = await findInOtherFires(
      counted([of('b', 'second'), of('c', 'third'), record]),
      record,
      undefined,
      plain,
    );
    expect(found.get(record)).toEqual(alone);
    const names = [[], ['third'], ['third', 'second']][i % 3] as string[];
    for (const name of ['first', 'second', 'third'])
      expect(found.get(record)?.sentences.join().includes(name)).toBe(names.includes(name));
  }
});

test('a hook that no fire of a call lists is looked for once for each event', async () => {
  const own = Array.from({ length: 40 }, (_, i) =>
    of(`own ${i}`, 'mine', { event: i % 2 ? 'PreToolUse' : 'PostToolUse' }),
  );
  const store = counted([of('a', 'first'), ...own]);
  const found = await findForEach(store, own, 'nobody', plain);
  expect(store.read.times).toBe(2);
  expect([...found.values()].every(({ sentences }) => sentences.join().includes('No record lists a hook'))).toBe(true);
});

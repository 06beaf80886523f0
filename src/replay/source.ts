import type { FireRecord, HookRecord } from '../emit/record.js';
import { openStore } from '../store/place.js';
import type { StoreOptions } from '../store/store.js';
import { fireOfRecord } from './from-record.js';
import type { RecordedFire, RecordedFires, RecordedHook } from './recorded.js';

/** Within so many fires after its own, what is asked in a shadow has answered. */
const SHADOWS_WITHIN = 256;

/** The fires of what sinks have written: NDJSON (with the files moved aside), SQLite, or a server's address. */
export async function* firesIn(place: string, options: StoreOptions = {}): RecordedFires {
  const store = await openStore(place, options);
  try {
    yield* firesOf(store.records({ types: ['hook_fire'] }), place);
  } finally {
    await store.close();
  }
}

/** The fires among records, in their order. What was asked in the shadow of a fire, after it, is told with that fire. */
export async function* firesOf(
  records: AsyncIterable<HookRecord> | Iterable<HookRecord>,
  place: string,
): RecordedFires {
  const waiting = new Map<string, { fire: RecordedFire; readonly until: number }>();
  let count = 0;
  for await (const record of records) {
    if (record.type !== 'hook_fire') continue;
    if (record.shadow_of !== undefined) {
      const waits = waiting.get(record.shadow_of);
      if (waits !== undefined) waits.fire = withShadow(waits.fire, record);
      continue;
    }
    count += 1;
    const hasShadow = record.handlers.some(({ reason }) => reason === 'shadow');
    waiting.set(record.fire_id, { fire: fireOfRecord(record, place), until: count + (hasShadow ? SHADOWS_WITHIN : 0) });
    for (const [id, { fire, until }] of waiting) {
      if (until > count) break;
      waiting.delete(id);
      yield fire;
    }
  }
  for (const { fire } of waiting.values()) yield fire;
}

/** It was asked about what ran: the last form of the input. */
function withShadow(fire: RecordedFire, record: FireRecord): RecordedFire {
  const asked = fireOfRecord(record, fire.place).hooks ?? [];
  const hooks = fire.hooks?.map((hook): RecordedHook => {
    const shadow = asked.find(({ id, answers }) => id === hook.id && answers.length > 0);
    if (shadow === undefined) return hook;
    return { ...hook, answers: shadow.answers.map((answer) => ({ ...answer, judged: fire.versions.length })) };
  });
  return { ...fire, hooks };
}

import type { FireRecord } from '../emit/record.js';
import type { ReplayItem } from './checked.js';
import { fireOfRecord } from './from-record.js';
import type { RecordedFire, RecordedFires, RecordedHook } from './recorded.js';

/** How many fires later the answers of hooks that are not enforced (shadow fires) are still looked for. */
const SHADOWS_WITHIN = 256;

/** The fires of a source, in order; other records are dropped. Shadow fires come later, and are merged into the fire they belong to. */
export async function* firesOf(source: AsyncIterable<ReplayItem> | Iterable<ReplayItem>, place: string): RecordedFires {
  const waiting = new Map<string, { fire: RecordedFire; readonly until: number }>();
  let count = 0;
  for await (const one of source) {
    if ('type' in one && one.type !== 'hook_fire') continue;
    if ('type' in one && one.shadow_of !== undefined) {
      const waits = waiting.get(one.shadow_of);
      if (waits !== undefined) waits.fire = withShadow(waits.fire, one);
      continue;
    }
    count += 1;
    const fire = 'type' in one ? fireOfRecord(one, place) : one;
    const hasShadow = 'type' in one && one.handlers.some(({ reason }) => reason === 'shadow');
    waiting.set(fire.id, { fire, until: count + (hasShadow ? SHADOWS_WITHIN : 0) });
    for (const [id, { fire: next, until }] of waiting) {
      if (until > count) break;
      waiting.delete(id);
      yield next;
    }
  }
  for (const { fire } of waiting.values()) yield fire;
}

/** Adds the answers of shadow hooks. They were asked about the input that ran: the last form. */
function withShadow(fire: RecordedFire, record: FireRecord): RecordedFire {
  const asked = fireOfRecord(record, fire.place).hooks ?? [];
  const hooks = fire.hooks?.map((hook): RecordedHook => {
    const shadow = asked.find(({ id, answers }) => id === hook.id && answers.length > 0);
    if (shadow === undefined) return hook;
    return { ...hook, answers: shadow.answers.map((answer) => ({ ...answer, judged: fire.versions.length })) };
  });
  return { ...fire, hooks };
}

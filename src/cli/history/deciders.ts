import type { HookRecord } from '../../emit/record.js';
import { hasRun, isShadow } from '../../why/meaning.js';

/** How many calls are remembered; older ones are forgotten. */
const REMEMBERED = 1000;

/** The names of the hooks that decided about calls. The record of a call has only the hook's id; a fire of that call has its name. */
export class DeciderNames {
  /** By call: the names of the hooks that ran, by id. For records in order. */
  readonly #ran = new Map<string, ReadonlyMap<string, string>>();
  /** By call: what decided, whose name is not known yet. For the newest records first. */
  readonly #sought = new Map<string, string>();
  readonly #found = new Map<string, string>();

  /** `isShown`: the name of what decided about it will be asked for. */
  learn(record: HookRecord, isShown: boolean): void {
    if (record.type === 'tool_call') {
      if (isShown && record.decided_by !== undefined && this.nameFor(record) === undefined)
        put(this.#sought, keyOf(record), record.decided_by);
    } else if (record.type === 'hook_fire' && record.tool_use_id !== undefined && !isShadow(record))
      this.#learnFire(keyOf(record), new Map(record.handlers.filter(hasRun).map(({ id, name }) => [id, name])));
  }

  #learnFire(call: string, names: ReadonlyMap<string, string>): void {
    const sought = this.#sought.get(call);
    const name = sought === undefined ? undefined : names.get(sought);
    if (name === undefined) {
      put(this.#ran, call, new Map([...(this.#ran.get(call) ?? []), ...names]));
      return;
    }
    this.#sought.delete(call);
    put(this.#found, call, name);
  }

  /** Whether an older record may have a name that will be asked for. */
  get seeks(): boolean {
    return this.#sought.size > 0;
  }

  /** The name of the hook that decided about a call, if the record of its fire has been learned. */
  nameFor(record: HookRecord): string | undefined {
    if (record.type !== 'tool_call' || record.decided_by === undefined) return undefined;
    const key = keyOf(record);
    return this.#found.get(key) ?? this.#ran.get(key)?.get(record.decided_by);
  }
}

function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED) map.delete(oldest as string);
}

/** Two sessions, or two hosts, may use the same id for a call. */
function keyOf(record: HookRecord): string {
  const { host_id, session_id, tool_use_id } = record as Partial<
    Record<'host_id' | 'session_id' | 'tool_use_id', string>
  >;
  return JSON.stringify([host_id, session_id, tool_use_id]);
}

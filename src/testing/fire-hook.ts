import { createHost, type Host } from '../create-host.js';
import type { FireRecord } from '../emit/fire-record.js';
import { type HookRecord, nextId } from '../emit/record.js';
import type { FireInput, HookEvent } from '../events/catalogue.js';
import { fire } from '../host/fire/fire.js';
import type { FireOptions } from '../host/fire-options.js';
import { servicesOf } from '../host/internals.js';
import { checkFireOptions, type HostOptions } from '../host/options.js';
import type { Decision } from '../host/types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks, type Shape } from '../values/shape.js';
import { type Fired, FiredEvent } from './fired.js';
import type { Fields } from './payload.js';
import { SAMPLES } from './samples.js';
import { noLogger, registerTested, TEST_SESSION, type Tested } from './tested.js';

/** Options of `fireHook`. */
export interface FireHookOptions extends FireOptions {
  /** Options of the host. Default: nothing is logged, and hooks with a share (`enforce: 0.1`) always decide, by the choice of the session id. */
  readonly host?: HostOptions;
  /** Plugins or hooks that are registered first. Their records are in the result too. */
  readonly beside?: readonly Tested[];
}

const OPTIONS: Keys<FireHookOptions> = {
  host: checks.object,
  beside: checks.list,
  scope: true,
  signal: true,
  canAsk: true,
};

/** Throws INVALID_OPTIONS. `more`: additional keys that the caller accepts. */
export function checkFireHook(options: object, where: string, more: Shape = {}): void {
  checkKeys(options, { ...OPTIONS, ...more }, where);
  const { scope, signal, canAsk } = options as FireHookOptions;
  checkFireOptions({ scope, signal, canAsk });
}

/**
 * Fires one event at a plugin, at hooks, or at one hook, in a host of its own. Resolves when hooks in the background have ended too.
 * Fields that the input lacks are those of a sample.
 *
 * ```ts
 * const fired = await fireHook(noForcePush, 'PreToolUse', payload.preToolUse.bash('git push --force'));
 * expectFired(fired).toDeny(/force/);
 * ```
 * @throws HookscopeError INVALID_OPTIONS, INVALID_HOOKS, INVALID_PLUGIN, PLUGIN_FAILED, INVALID_INPUT, UNKNOWN_EVENT, ABORTED
 */
export async function fireHook<E extends HookEvent>(
  tested: Tested<NoInfer<E>>,
  event: E,
  input?: Fields<E>,
  options: FireHookOptions = {},
): Promise<Fired<E>> {
  checkFireHook(options, 'fireHook: ');
  return fireIn((host) => registerTested(tested as Tested, event, host), event, input, options);
}

/** Fires an event and waits for hooks in the background. The record is found by id, because a hook may fire other events first. */
export async function firedWithRecord(
  host: Host,
  records: readonly HookRecord[],
  event: string,
  input: Readonly<Record<string, unknown>>,
  how: FireOptions,
): Promise<[Decision, FireRecord]> {
  const services = servicesOf(host);
  const id = nextId();
  const decision = (await fire(services, event, input, { ...how, id })) as Decision;
  await services.background.followed();
  const isIts = (one: HookRecord): one is FireRecord => one.type === 'hook_fire' && one.fire_id === id;
  return [decision, records.find(isIts) as FireRecord];
}

/** Like `fireHook`, with a function that registers the hooks. The event may be one that `host.events` defines. */
export async function fireIn<E extends HookEvent>(
  setUp: (host: Host) => Promise<unknown>,
  event: E,
  input: Fields<E> | undefined,
  options: FireHookOptions,
): Promise<Fired<E>> {
  const { host: hostOptions, beside = [], ...how } = options;
  const records: HookRecord[] = [];
  const host = createHost({
    logger: noLogger,
    ...hostOptions,
    session: { session_id: TEST_SESSION, ...hostOptions?.session },
  });
  try {
    for (const one of beside) await registerTested(one, event, host);
    await setUp(host);
    // A wrong name has no sample, and is refused below.
    const sample = typeof event === 'string' && Object.hasOwn(SAMPLES, event) ? SAMPLES[event] : {};
    const full = { ...structuredClone(sample), ...input } as FireInput<E>;
    const { scope } = how;
    const explanation = host.explain(event, full, scope === undefined ? {} : { scope });
    host.events$.subscribe((record) => records.push(record));
    const [decision, record] = await firedWithRecord(host, records, event, full, how);
    await host.close();
    return new FiredEvent(event, decision as never, record, records, explanation) as Fired<E>;
  } finally {
    await host.close();
  }
}

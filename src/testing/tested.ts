import { HookscopeError } from '../errors.js';
import type { HookEvent } from '../events/catalogue.js';
import type { Plugin, Registers } from '../host/plugin-types.js';
import type { HookHandler, Hooks } from '../host/types.js';
import type { PluginUse } from '../session/options.js';
import { asName, isObject } from '../values/shape.js';

/** The subject of a test: a plugin, a plugin with its options, hooks as for `register`, or one hook. */
export type Tested<E extends HookEvent = HookEvent> = PluginUse | Hooks | HookHandler<E>;

/** The session id for tests. It is in every share (`enforce: 0.1`), so that such a hook decides in tests. */
export const TEST_SESSION = 'test-session-671813';

/** A logger that does nothing: a test reads the records instead. */
export const noLogger = (): void => undefined;

const isPlugin = (given: unknown): given is Plugin => isObject(given) && typeof given['apply'] === 'function';
const isUse = (given: unknown): given is Exclude<PluginUse, Plugin> => Array.isArray(given) && isPlugin(given[0]);
const isHook = (given: unknown): boolean =>
  typeof given === 'function' || (isObject(given) && ('handler' in given || 'type' in given));

/** Registers the subject in a host or scope; resolves to a function that unregisters it. */
export async function registerTested(tested: Tested, event: string, where: Registers): Promise<() => unknown> {
  if (isPlugin(tested)) return where.use(tested);
  if (isUse(tested)) {
    const [plugin, options, how] = tested;
    return (where.use as (...given: unknown[]) => Promise<() => Promise<void>>)(plugin, options, how);
  }
  if (isHook(tested)) return where.register({ [asName(event)]: [{ hooks: [tested] }] } as Hooks);
  if (isObject(tested)) return where.register(tested as Hooks);
  throw new HookscopeError('INVALID_OPTIONS', {
    where: 'fireHook(tested)',
    expected: 'expected a plugin, [plugin, options], an object of hooks by event, or one hook',
  });
}

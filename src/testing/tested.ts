import { HookscopeError } from '../errors.js';
import type { HookEvent } from '../events/catalogue.js';
import type { Plugin, Registers } from '../host/plugin-types.js';
import type { HookHandler, Hooks } from '../host/types.js';
import type { PluginUse } from '../session/options.js';
import { isObject } from '../values/shape.js';

/** What is tested: a plugin, a plugin with its options, hooks as `register` takes them, or one hook. */
export type Tested<E extends HookEvent = HookEvent> = PluginUse | Hooks | HookHandler<E>;

/** The session of tests. It is in every share of sessions: a hook that is enforced in some decides here. */
export const TEST_SESSION = 'test-session-671813';

/** For hosts of tests, whose records contain what would be logged. */
export const noLogger = (): void => undefined;

const isPlugin = (given: unknown): given is Plugin => isObject(given) && typeof given['apply'] === 'function';
const isUse = (given: unknown): given is Exclude<PluginUse, Plugin> => Array.isArray(given) && isPlugin(given[0]);
const isHook = (given: unknown): boolean =>
  typeof given === 'function' || (isObject(given) && ('handler' in given || 'type' in given));

/** Registers it there; resolves to what takes it back. */
export async function put(tested: Tested, event: string, where: Registers): Promise<() => unknown> {
  if (isPlugin(tested)) return where.use(tested);
  if (isUse(tested)) {
    const [plugin, options, how] = tested;
    return (where.use as (...given: unknown[]) => Promise<() => Promise<void>>)(plugin, options, how);
  }
  if (isHook(tested)) return where.register({ [event]: [{ hooks: [tested] }] } as Hooks);
  if (isObject(tested)) return where.register(tested as Hooks);
  throw new HookscopeError('INVALID_OPTIONS', {
    where: 'fireHook(tested)',
    expected: 'expected a plugin, [plugin, options], an object of hooks by event, or one hook',
  });
}

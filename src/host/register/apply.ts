import { HookscopeError } from '../../errors.js';
import { messageOf, resultOf } from '../../values/promises.js';
import type { Description, Hooks, Plugin, RegisterOptions, Undo } from '../types.js';

/** What a plugin registers through; everything it does is under its name. */
export interface PluginScope {
  readonly id: string;
  /** Adds hooks, all or none. Throws INVALID_HOOKS. */
  register(hooks: Hooks, options?: RegisterOptions): Undo;
  /** Hooks for every agent of an exact type. */
  spawnHooks(agentType: string, hooks: Hooks, options?: RegisterOptions): Undo;
  /** Applies another plugin under this one; it is unregistered with it. */
  use(plugin: Plugin, options?: unknown): Promise<Undo>;
  /** What is registered in this scope and the scopes inside it. */
  describe(): Description;
}

/** Applies a plugin: all of its hooks, or none when it throws. */
export async function applyPlugin(
  plugin: Plugin,
  given: unknown,
  scope: PluginScope,
): Promise<{ undo: Undo; cleanup: (() => unknown) | undefined }> {
  const name = checkPlugin(plugin);
  const options = readOptions(plugin, given);
  const undos: Undo[] = [];
  const undo = (): void => {
    for (const take of undos.reverse()) take();
    undos.length = 0;
  };
  const kept = <A extends unknown[]>(register: (...args: A) => Undo): ((...args: A) => Undo) => {
    return (...args) => {
      const take = register(...args);
      undos.push(take);
      return take;
    };
  };
  const own = {
    ...scope,
    register: kept(scope.register),
    spawnHooks: kept(scope.spawnHooks),
    use: async (inner: Plugin, innerOptions?: unknown) => {
      const take = await scope.use(inner, innerOptions);
      undos.push(take);
      return take;
    },
  };
  try {
    const cleanup = await resultOf(() => plugin.apply(own as never, options));
    return { undo, cleanup: typeof cleanup === 'function' ? (cleanup as () => unknown) : undefined };
  } catch (error) {
    undo();
    throw new HookscopeError('PLUGIN_FAILED', { plugin: name, message: messageOf(error) }, { cause: error });
  }
}

function checkPlugin(plugin: unknown): string {
  const { name, apply } = (plugin ?? {}) as { name?: unknown; apply?: unknown };
  if (typeof name !== 'string' || name === '') {
    throw new HookscopeError('INVALID_PLUGIN', {
      plugin: '(no name)',
      expected: 'expected { name, apply(scope, options) }; make it with definePlugin()',
    });
  }
  if (typeof apply !== 'function')
    throw new HookscopeError('INVALID_PLUGIN', {
      plugin: name,
      expected: 'apply: expected a function (scope, options)',
    });
  return name;
}

function readOptions(plugin: Plugin, given: unknown): unknown {
  if (!plugin.options) return given;
  try {
    return plugin.options.parse(given ?? {});
  } catch (error) {
    throw new HookscopeError(
      'INVALID_PLUGIN',
      { plugin: plugin.name, expected: `options: ${zodMessage(error)}` },
      { cause: error },
    );
  }
}

/** zod's issues in a line: `options: max: Invalid input: expected number, received string`. */
function zodMessage(error: unknown): string {
  const { issues } = error as { issues?: { path: PropertyKey[]; message: string }[] };
  if (!issues) return messageOf(error);
  return issues.map((i) => [...i.path.map(String), i.message].join(': ')).join('; ');
}

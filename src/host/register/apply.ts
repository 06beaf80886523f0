import { HookscopeError } from '../../errors.js';
import { messageOf, resultOf } from '../../values/promises.js';
import type { Plugin, PluginScope } from '../plugin-types.js';
import type { Life } from './lives.js';

/** A plugin that was checked, and its options, read. */
export interface ReadPlugin {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** Throws INVALID_PLUGIN. */
export function readPlugin(plugin: Plugin, given: unknown): ReadPlugin {
  checkPlugin(plugin);
  return { plugin, options: readOptions(plugin, given) };
}

/** Applies a plugin: all of its hooks, or none when it throws or its scope ends meanwhile. Rejects with PLUGIN_FAILED. */
export async function applyPlugin({ plugin, options }: ReadPlugin, life: Life, scope: PluginScope): Promise<void> {
  try {
    const cleanup = cleanupIn(await resultOf(() => plugin.apply(scope as never, options)));
    // Where it has ended already, it is called at once.
    if (cleanup) life.onClose(cleanup);
    if (life.over) throw new Error(`the scope "${life.scope.id}" ended meanwhile`);
  } catch (error) {
    await life.end();
    throw new HookscopeError('PLUGIN_FAILED', { plugin: plugin.name, message: messageOf(error) }, { cause: error });
  }
}

/** A function, an AsyncDisposable or a Disposable. */
function cleanupIn(answer: unknown): (() => unknown) | undefined {
  if (typeof answer === 'function') return () => Reflect.apply(answer, undefined, []);
  if (typeof answer !== 'object' || answer === null) return undefined;
  for (const key of [Symbol.asyncDispose, Symbol.dispose]) {
    const dispose: unknown = Reflect.get(answer, key);
    if (typeof dispose === 'function') return () => Reflect.apply(dispose, answer, []);
  }
  return undefined;
}

function checkPlugin(plugin: unknown): void {
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

import { HookscopeError } from '../../errors.js';
import { kindOf } from '../../values/problem.js';
import { messageOf, resultOf } from '../../values/waiting/promises.js';
import { timerDelay } from '../../values/waiting/timer.js';
import { OPTIONS_SCHEMA, type Plugin, type PluginScope } from '../plugin-types.js';
import type { Life } from './lives.js';
import { readOptions } from './plugin-options.js';

/** A validated plugin with its parsed options. */
export interface ReadPlugin {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** Throws INVALID_PLUGIN. */
export function readPlugin(plugin: Plugin, given: unknown): ReadPlugin {
  checkPlugin(plugin);
  return { plugin, options: readOptions(plugin, given) };
}

/** Ends the start that a plugin is part of: once the signal aborts, `apply` has a limited number of seconds left. */
export interface Cut {
  readonly signal: AbortSignal;
}

/**
 * Applies a plugin: all of its hooks, or none if it throws or its scope ends in the meantime. Rejects with PLUGIN_FAILED, also some seconds after the end of its scope, of
 * the plugin that uses it, or of the start that it is part of, if `apply` has not come back by then.
 */
export async function applyPlugin(
  { plugin, options }: ReadPlugin,
  life: Life,
  scope: PluginScope,
  { seconds, cut }: { readonly seconds: number; readonly cut: Cut | undefined },
): Promise<void> {
  const apply = async (): Promise<void> => {
    const cleanup = cleanupIn(await resultOf(() => plugin.apply(scope as never, options)));
    // Called at once if it has ended already.
    if (cleanup) life.onClose(cleanup);
  };
  try {
    const ends = cut ? [life.signal, cut.signal] : [life.signal];
    await unlessEnded(apply(), ends, seconds);
    if (life.over) throw new Error(`the scope "${life.scope.id}", or a plugin that uses it, ended meanwhile`);
  } catch (error) {
    await life.end();
    throw new HookscopeError('PLUGIN_FAILED', { plugin: plugin.name, message: messageOf(error) }, { cause: error });
  }
}

/** Rejects if the work is not done some seconds after the first of the signals. The work continues, and cleans up when it is done. */
async function unlessEnded(work: Promise<void>, ends: readonly AbortSignal[], seconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let begin = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `apply did not come back within ${seconds} s after what it was for had ended`;
    begin = () => {
      timer ??= setTimeout(() => reject(new Error(why)), timerDelay(seconds));
    };
  });
  if (ends.some((signal) => signal.aborted)) begin();
  for (const signal of ends) signal.addEventListener('abort', begin, { once: true });
  try {
    await Promise.race([work, late]);
  } finally {
    for (const signal of ends) signal.removeEventListener('abort', begin);
    clearTimeout(timer);
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
  const { name, apply, options } = (plugin ?? {}) as { name?: unknown; apply?: unknown; options?: unknown };
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
  if (options !== undefined && !OPTIONS_SCHEMA.accepts(options))
    throw new HookscopeError('INVALID_PLUGIN', {
      plugin: name,
      expected: `options: expected ${OPTIONS_SCHEMA.expected}, got ${kindOf(options)}`,
    });
}

import { HookscopeError } from '../../errors.js';
import { eventName } from '../../events/catalogue.js';
import { kindOf } from '../../values/problem.js';
import { isPlain, itemsOf } from '../../values/shape.js';
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
    const answer = await resultOf(() => plugin.apply(scope as never, options));
    const cleanup = cleanupIn(answer);
    // Called at once if it has ended already.
    if (cleanup) life.onClose(cleanup);
    else refuseUnread(answer);
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

/** Throws for objects with keys, also in a list, of which nothing would be read: hooks that are returned in place of being registered would never run. */
function refuseUnread(answer: unknown): void {
  for (const one of Array.isArray(answer) ? itemsOf(answer) : [answer]) {
    if (typeof one !== 'object' || one === null || cleanupIn(one)) continue;
    // An instance of a class, such as what `emitter.on(…)` returns, is meant only if it has hooks.
    const key = Object.keys(one).find((name) => isPlain(one) || eventName(name) !== undefined);
    if (key === undefined) continue;
    const read = 'a function, a Disposable or an AsyncDisposable, which is called at the end';
    throw new Error(
      `apply returned an object with the key "${key}", which nobody reads; register hooks with scope.register(hooks), and return nothing or ${read}`,
    );
  }
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

import { HookscopeError } from '../../errors.js';
import { nearest } from '../../values/nearest.js';
import { kindOf } from '../../values/problem.js';
import { isObject } from '../../values/shape.js';
import { messageOf, resultOf } from '../../values/waiting/promises.js';
import type { Plugin, PluginScope } from '../plugin-types.js';
import type { Life } from './lives.js';

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

/** Applies a plugin: all of its hooks, or none if it throws or its scope ends in the meantime. Rejects with PLUGIN_FAILED. */
export async function applyPlugin({ plugin, options }: ReadPlugin, life: Life, scope: PluginScope): Promise<void> {
  try {
    const cleanup = cleanupIn(await resultOf(() => plugin.apply(scope as never, options)));
    // Called at once if it has ended already.
    if (cleanup) life.onClose(cleanup);
    if (life.over) throw new Error(`the scope "${life.scope.id}", or a plugin that uses it, ended meanwhile`);
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
  try {
    if (!plugin.options) return refuseAny(given);
    const options = plugin.options.parse(given ?? {});
    refuseUnknown(plugin.options, given);
    return options;
  } catch (error) {
    throw new HookscopeError(
      'INVALID_PLUGIN',
      { plugin: plugin.name, expected: `options: ${zodMessage(error)}` },
      { cause: error },
    );
  }
}

/** A plugin that declares no options reads none: what is meant for `use` itself, or for another plugin, must not look as if it were in force. */
function refuseAny(given: unknown): unknown {
  if (given === undefined || given === null) return given;
  const keys = isObject(given) ? Object.keys(given) : [];
  if (isObject(given) && keys.length === 0) return given;
  const what = isObject(given) ? `${keys[0]}: is not a known option` : `got ${kindOf(given)}`;
  throw new Error(`${what}; the plugin has none, since it declares no schema for them (definePlugin({ options }))`);
}

/** A plain `z.object` of zod drops what it does not know: a misspelt option must not leave its default in force. `z.looseObject` takes all. */
function refuseUnknown(schema: unknown, given: unknown): void {
  const { def } = (schema as { readonly _zod?: { readonly def: ObjectDef } })._zod ?? {};
  if (def?.type !== 'object' || def.catchall !== undefined || !isObject(given)) return;
  const names = Object.keys(def.shape);
  const key = Object.keys(given).find((name) => !Object.hasOwn(def.shape, name));
  if (key === undefined) return;
  const near = nearest(key, names);
  const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  throw new Error(`${key}: is not a known option; ${there}${near === undefined ? '' : `. Did you mean "${near}"?`}`);
}

/** The part of a zod object schema that lists its keys. */
interface ObjectDef {
  readonly type: string;
  readonly shape: object;
  readonly catchall?: unknown;
}

/** zod's issues on one line: `options: max: Invalid input: expected number, received string`. */
function zodMessage(error: unknown): string {
  const { issues } = error as { issues?: { path: PropertyKey[]; message: string }[] };
  if (!issues) return messageOf(error);
  return issues.map((i) => [...i.path.map(String), i.message].join(': ')).join('; ');
}

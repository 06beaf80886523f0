import type { z } from 'zod';
import type { CustomEvents } from '../events/catalogue.js';
import { type NoOptions, OPTIONS_SCHEMA, type Plugin, type PluginScope } from '../host/plugin-types.js';
import { checkKeys, checkOption, type Keys } from '../values/options.js';
import { FILLED } from '../values/shape.js';

/** The argument of `definePlugin`: the plugin's name, the schema of its options, and the function that registers its hooks. */
export interface PluginDefinition<Schema extends z.ZodType | undefined> {
  /** The package's name, which records and errors show. */
  readonly name: string;
  /** The schema of the user's options. Wrong options are an error with plugin and key. Without a schema, any options are an error. */
  readonly options?: Schema;
  /**
   * Registers the plugin's hooks. A function, an AsyncDisposable or a Disposable that it returns is called once: when the plugin is
   * unregistered, or its scope, session or host ends. Hooks that it returns are an error, and so is any other object with keys.
   */
  apply(scope: PluginScope, options: Schema extends z.ZodType ? z.output<Schema> : undefined): unknown;
}

/** Only the keys are checked here; the values are checked when the plugin is used. */
const DEFINITION: Keys<PluginDefinition<undefined>> = { name: FILLED, options: OPTIONS_SCHEMA, apply: true };

/**
 * Defines a plugin. An npm package exports the result by default.
 *
 * ```ts
 * export default definePlugin({
 *   name: 'hookscope-plugin-no-rm',
 *   options: z.object({ paths: z.array(z.string()).default(['/']) }),
 *   apply(scope, { paths }) {
 *     scope.register({ PreToolUse: [{ matcher: 'Bash', hooks: [guard(paths)] }] });
 *   },
 * });
 * ```
 * @throws HookscopeError INVALID_OPTIONS, for an unknown key, an empty name, or `options` that are not a schema
 */
export function definePlugin<Schema extends z.ZodType | undefined = undefined>(
  definition: PluginDefinition<Schema>,
): Plugin<
  Schema extends z.ZodType ? z.output<Schema> : undefined,
  CustomEvents,
  Schema extends z.ZodType ? z.input<Schema> : NoOptions
> {
  checkKeys(definition ?? null, DEFINITION, 'definePlugin: ');
  checkOption('definePlugin: name', definition.name, FILLED);
  return Object.freeze({ ...definition }) as never;
}

import type { z } from 'zod';
import type { CustomEvents } from '../events/catalogue.js';
import { type NoOptions, OPTIONS_SCHEMA, type Plugin, type PluginScope } from '../host/plugin-types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { FILLED } from '../values/shape.js';

/** A plugin before it is checked: its name, the schema of its options, and what it does. */
export interface PluginDefinition<Schema extends z.ZodType | undefined> {
  /** The package's name; records and errors carry it. */
  readonly name: string;
  /** The schema of the user's options. Wrong options are an error that names plugin and key; without a schema, any option is one. */
  readonly options?: Schema;
  /**
   * Registers the plugin's hooks. A function, an AsyncDisposable or a Disposable that it returns is called once: when the plugin is
   * unregistered, or its scope, session or host ends.
   */
  apply(scope: PluginScope, options: Schema extends z.ZodType ? z.output<Schema> : undefined): unknown;
}

/** Errors in the values are reported by whoever uses the plugin. */
const DEFINITION: Keys<PluginDefinition<undefined>> = { name: FILLED, options: OPTIONS_SCHEMA, apply: true };

/**
 * Defines a plugin, as an npm package exports it by default.
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
 * @throws HookscopeError INVALID_OPTIONS, for a key that a plugin does not have, an empty name, or options that are no schema
 */
export function definePlugin<Schema extends z.ZodType | undefined = undefined>(
  definition: PluginDefinition<Schema>,
): Plugin<
  Schema extends z.ZodType ? z.output<Schema> : undefined,
  CustomEvents,
  Schema extends z.ZodType ? z.input<Schema> : NoOptions
> {
  checkKeys(definition, DEFINITION, 'definePlugin: ');
  return Object.freeze({ ...definition }) as never;
}

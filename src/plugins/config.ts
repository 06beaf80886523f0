import { dirname } from 'node:path';
import type { Host } from '../create-host.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import { type CustomEvents, eventName, type NoEvents } from '../events/catalogue.js';
import { servicesOf } from '../host/internals.js';
import { checkHostOptions, ENFORCE, HOST_OPTIONS, type HostOptions } from '../host/options.js';
import type { Plugin, UseOptions } from '../host/plugin-types.js';
import { lessOf } from '../host/register/enforce.js';
import type { Origin } from '../host/register/origin.js';
import type { AgentHooks, Hooks, Undo } from '../host/types.js';
import { nearest } from '../values/nearest.js';
import { checkKeys, checkOption, type Keys } from '../values/options.js';
import { kindOf } from '../values/problem.js';
import { checks, FILLED, isObject, keyless } from '../values/shape.js';
import { type LoadPluginOptions, loadPlugin } from './load.js';

/** A plugin by package name or path, or the plugin itself, optionally followed by its options. */
export type PluginEntry = string | Plugin | readonly [plugin: string | Plugin, options?: unknown, how?: UseOptions];

/** The content of a configuration file: the options of `createHost`, and the plugins and hooks for the host. */
export interface HookscopeConfig<C extends CustomEvents = NoEvents> extends HostOptions<C> {
  /** Applied before the hooks, in this order. Names are resolved from the file's directory. */
  readonly plugins?: readonly PluginEntry[];
  /** Hooks for every agent. They are registered after the plugins' hooks, so they win a conflict of rewrites. */
  readonly hooks?: Hooks<NoInfer<C>>;
  /** By exact agent type: hooks that are registered for each agent of the type, or a function that makes them. */
  readonly spawnHooks?: Readonly<Record<string, AgentHooks<NoInfer<C>>>>;
  /** Like a group's `enforce`, for all of its hooks and plugins; the lower of the two counts. */
  readonly enforce?: boolean | number;
}

/**
 * Types the default export of `hookscope.config.ts`.
 *
 * ```ts
 * export default defineConfig({
 *   timeout: 10,
 *   plugins: [['hookscope-plugin-protected-paths', { paths: ['dist/**'] }]],
 *   hooks: { PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [command('./guard.sh')] }] },
 *   spawnHooks: { reviewer: { PreToolUse: [{ matcher: 'Edit|Write', onFailure: 'block', hooks: [() => deny('Reviewers only read.')] }] } },
 * });
 * ```
 */
export function defineConfig<const C extends CustomEvents = NoEvents>(config: HookscopeConfig<C>): HookscopeConfig<C> {
  return config;
}

const OWN = ['plugins', 'hooks', 'spawnHooks', 'enforce'] as const;

/** Checks the content of a file except for the hooks in `hooks` and `spawnHooks`. Throws INVALID_CONFIG with file and key. */
export function checkConfig(config: unknown, file: string): HookscopeConfig {
  const wrong = (where: string, expected: string, near?: string): HookscopeError =>
    new HookscopeError('INVALID_CONFIG', { file, where, expected, nearest: near });
  if (!isObject(config))
    throw wrong('', 'expected an object, { hooks, plugins, … }, as the default export or the whole file');
  const known = [...OWN, ...HOST_OPTIONS];
  const got = known.some((key) => key in config) ? undefined : keyless(config);
  if (got !== undefined) throw wrong('', `expected an object, { hooks, plugins, … }, got ${got}`);
  for (const key of Object.keys(config)) {
    if (!known.includes(key) && eventName(key) !== undefined)
      throw wrong(key, 'is an event: pass a hooks file with --hooks, or put its events into "hooks"');
    if (!known.includes(key))
      throw wrong(key, `is not a known key; there are ${known.join(', ')}`, nearest(key, known));
  }
  withFileInErrors(file, '', () => checkHostOptions(hostOptionsOf(config)));
  const { plugins = [], hooks = {}, spawnHooks = {}, enforce = true } = config;
  if (!ENFORCE.accepts(enforce)) throw wrong('enforce', `expected ${ENFORCE.expected}`);
  if (!Array.isArray(plugins)) throw wrong('plugins', 'expected an array of names, or of [name, options]');
  for (const [i, entry] of plugins.entries()) {
    if (!isPluginEntry(entry)) throw wrong(`plugins[${i}]`, 'expected a name, a path, a plugin, or [name, options]');
  }
  for (const [key, value] of [
    ['hooks', hooks],
    ['spawnHooks', spawnHooks],
  ] as const) {
    const kind = isObject(value) ? keyless(value) : kindOf(value);
    if (kind !== undefined) throw wrong(key, `expected an object, got ${kind}`);
  }
  return config as HookscopeConfig;
}

/** The options for `createHost` in a configuration. */
export function hostOptionsOf(config: object): HostOptions<CustomEvents> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !(OWN as readonly string[]).includes(key)));
}

/** The options of `applyConfig`. */
export interface ApplyConfigOptions {
  /** The configuration's file: records and errors name it, and plugins are resolved from its directory. */
  readonly file: string;
  /** Called with each warning about a plugin. */
  readonly warn?: LoadPluginOptions['warn'];
}

/**
 * Registers the plugins, `hooks` and `spawnHooks` of a configuration, in this order; if one fails, nothing stays registered. Its host
 * options are not applied: pass them to `createHost`. Resolves to a function that unregisters everything.
 * @throws HookscopeError INVALID_CONFIG, and the errors of loading and applying plugins
 */
export async function applyConfig<C extends CustomEvents>(
  host: Host<C>,
  config: HookscopeConfig<C>,
  options: ApplyConfigOptions,
): Promise<Undo> {
  const named = { ...checks.object, expected: 'an object of options, { file }' };
  checkOption('applyConfig(host, config, options)', options, named);
  checkKeys(options, { file: FILLED, warn: checks.fn } satisfies Keys<ApplyConfigOptions>, 'applyConfig: ');
  checkOption('applyConfig: file', options.file, FILLED);
  checkConfig(config, options.file);
  return applyConfigAs(host, config, options, {});
}

/** Trust checks for a configuration that was found in a folder. */
export interface ConfigOrigin extends Pick<Origin, 'trustCheckOf'> {
  /** Whether a plugin may be loaded: throws if not; `false` skips it silently. */
  readonly mayLoad?: (name: string) => Promise<boolean>;
  /** The checks before the commands of a named plugin run. */
  readonly checksOf?: (name: string, from: string) => Promise<Origin['trustCheckOf']>;
}

/** Like `applyConfig`, with trust checks. */
export async function applyConfigAs<C extends CustomEvents>(
  host: Host<C>,
  config: HookscopeConfig<C>,
  { file, warn }: ApplyConfigOptions,
  { trustCheckOf, mayLoad, checksOf }: ConfigOrigin,
): Promise<Undo> {
  const { registrar } = servicesOf(host);
  const { plugins = [], hooks, spawnHooks = {}, enforce } = config;
  const share = enforce === undefined ? {} : { enforce };
  const undos: Undo[] = [];
  const undo = (): void => {
    for (const take of undos.splice(0).reverse()) void take();
  };
  const from = dirname(file);
  try {
    for (const [i, entry] of plugins.entries()) {
      const [plugin, options, how] = (Array.isArray(entry) ? entry : [entry]) as [
        string | Plugin,
        unknown?,
        UseOptions?,
      ];
      if (typeof plugin === 'string' && mayLoad && !(await mayLoad(plugin))) continue;
      const loaded = typeof plugin === 'string' ? await loadPlugin(plugin, { from, ...(warn && { warn }) }) : plugin;
      const check = typeof plugin === 'string' ? await checksOf?.(plugin, from) : checksOf && trustCheckOf;
      const using = registrar.use(undefined, loaded, options, lessOf(how, enforce), undefined, check);
      undos.push(await using.catch(inFile(file, `plugins[${i}]`)));
    }
    if (hooks)
      undos.push(
        withFileInErrors(file, 'hooks', () =>
          registrar.register(undefined, hooks, { source: { kind: 'config', file }, trustCheckOf, ...share }),
        ),
      );
    for (const [type, own] of Object.entries(spawnHooks)) {
      const source = { kind: 'spawn', name: type, file };
      undos.push(
        withFileInErrors(file, `spawnHooks.${type}`, () =>
          registrar.spawnHooks(type, own, { source, trustCheckOf, ...share }),
        ),
      );
    }
    return undo;
  } catch (error) {
    undo();
    throw error;
  }
}

/** Turns errors about hooks or options into INVALID_CONFIG with the file. */
export function withFileInErrors<T>(file: string, key: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!isHookscopeError(error)) throw error;
    const { where, expected, nearest: near } = error.details as { where?: string; expected?: string; nearest?: string };
    if (where === undefined || expected === undefined) throw error;
    const place = [key, where === key ? '' : where].filter((part) => part !== '').join('.');
    throw new HookscopeError('INVALID_CONFIG', { file, where: place, expected, nearest: near }, { cause: error });
  }
}

/** Throws an error about a plugin's options as INVALID_CONFIG with the file. */
const inFile = (file: string, where: string) => (error: unknown) => {
  if (!isHookscopeError(error) || error.code !== 'INVALID_PLUGIN') throw error;
  throw new HookscopeError('INVALID_CONFIG', { file, where, expected: error.message }, { cause: error });
};

function isPluginEntry(entry: unknown): boolean {
  if (!Array.isArray(entry)) return isPlugin(entry);
  const [plugin, , how, ...more] = entry as unknown[];
  return (
    isPlugin(plugin) &&
    more.length === 0 &&
    (how === undefined || (isObject(how) && ('name' in how || 'enforce' in how)))
  );
}

function isPlugin(entry: unknown): boolean {
  return (typeof entry === 'string' && entry !== '') || (isObject(entry) && typeof entry['apply'] === 'function');
}

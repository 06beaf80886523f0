import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { createHost } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import type { Plugin, PluginScope } from '../../host/plugin-types.js';
import { oneHook } from '../../host/register/handle.js';
import type { RegisterOptions, Undo } from '../../host/types.js';
import { loadPlugin, locatePlugin } from '../../plugins/load.js';
import { readManifest } from '../../plugins/manifest.js';
import { packageFolder } from '../../plugins/package-folder.js';
import { bindPackage } from '../../trust/package-files.js';
import type { Json } from '../../values/shape.js';
import { doneWithin } from '../../values/waiting/timer.js';
import type { AllowList } from './allowed.js';
import type { PolicyFile } from './contents.js';

/** `name@version`, an npm package and one version of it. */
const ENTRY = /^((?:@[\w.~-]+\/)?[a-z0-9~_-][\w.~-]*)@(\d+\.\d+\.\d+[\w.+-]*)$/i;

/** Milliseconds for loading and applying a plugin; everything after it waits. */
const PATIENCE = 10_000;

/** Hooks that a plugin has registered, to be registered above every host. */
export interface PluginHooks {
  /** The path of the file that names the plugin. */
  readonly path: string;
  readonly plugin: string;
  readonly hooks: Json;
  readonly how: RegisterOptions;
  /** Only for agents of this type. */
  readonly type?: string;
}

/** The plugins of a policy, in use. */
export interface Plugins {
  readonly hooks: readonly PluginHooks[];
  /** Ends them: what they have begun is cleaned up. */
  end(): Promise<void>;
}

export const NO_PLUGINS: Plugins = Object.freeze({ hooks: Object.freeze([]), end: async () => undefined });

/** Its name in a file, and its options. */
export function pluginsIn({ plugins = [] }: PolicyFile): { readonly entry: string; readonly options?: unknown }[] {
  return plugins.map((one) => (typeof one === 'string' ? { entry: one } : { entry: one[0], options: one[1] }));
}

/** Its package, as it lies beside the file that allows it: no project has a say in what is found. */
interface Package {
  readonly name: string;
  readonly from: string;
  readonly root: string;
  readonly sha256: string;
}

/** What this process has loaded, by folder: a module cannot be loaded again with other content. */
const loaded = new Map<string, string>();

/** Why no host takes an entry; undefined: some may. */
export const whyNoEntry = (entry: string): string | undefined =>
  ENTRY.test(entry) ? undefined : `it uses the plugin ${entry}; expected a package and one version of it, name@1.2.3`;

/** Why a plugin may not run here, or its package. Nothing of it runs. */
async function lookAt(entry: string, { file, list }: AllowList): Promise<Package | string> {
  const [, name, version] = ENTRY.exec(entry) ?? [];
  if (name === undefined) return whyNoEntry(entry) as string;
  const uses = `it uses the plugin ${entry}`;
  const from = dirname(file);
  const root = packageFolder(name, from);
  if (root === undefined)
    return `${uses}, which is not installed beside ${file}: npm install --prefix ${from} ${entry}`;
  const there = (await readManifest(root))?.version;
  if (there !== version) return `${uses}, and ${root} is version ${there}: npm install --prefix ${from} ${entry}`;
  const { sha256 } = bindPackage(root);
  const allowed = list.plugins && Object.hasOwn(list.plugins, entry) ? list.plugins[entry] : undefined;
  if (allowed === undefined)
    return `${uses}, which ${file} does not allow: add ${JSON.stringify({ [entry]: sha256 })} to "plugins"`;
  if (allowed !== sha256)
    return `${uses}, and ${root} is not what ${file} allows: the SHA-256 of its files is ${sha256}`;
  if ((loaded.get(root) ?? sha256) !== sha256)
    return `${uses}, and this process has loaded ${root} as it was before: it counts once the process is started again`;
  return { name, from, root, sha256 };
}

/**
 * Loads and applies the plugins of a policy, in their own host, which says whether they are in order; what they register is kept, to be registered above
 * the hosts that have joined. Rejects with BUNDLE_REFUSED; then nothing of them is left.
 */
export async function usePlugins(
  files: readonly PolicyFile[],
  allowed: AllowList,
  refuse: (reason: string) => never,
): Promise<Plugins> {
  const wanted = files.flatMap((file) => pluginsIn(file).map((one) => ({ ...one, path: file.path })));
  if (wanted.length === 0) return NO_PLUGINS;
  const found: { readonly of: Package; readonly path: string; readonly options?: unknown }[] = [];
  // All of them may run, or none does.
  for (const { entry, path, options } of wanted) {
    const of = await lookAt(entry, allowed);
    found.push(typeof of === 'string' ? refuse(`${path}: ${of}`) : { of, path, options });
  }
  const stage = createHost({ logger: () => undefined });
  const hooks: PluginHooks[] = [];
  try {
    for (const { of, path, options } of found) {
      const taken: PluginHooks[] = [];
      let isOver = false;
      const taking = { path, taken, isOver: () => isOver };
      const applied = loadOne(of).then((plugin) => stage.use(standIn(plugin, taking), options as never));
      const isDone = await doneWithin(PATIENCE, applied);
      isOver = true;
      if (!isDone) throw new Error(`${path}: the plugin ${of.name} is not in use after ${PATIENCE / 1000} seconds`);
      hooks.push(...taken);
    }
  } catch (error) {
    await stage.close();
    return refuse((error as Error).message);
  }
  return { hooks, end: async () => void (await stage.close()) };
}

async function loadOne({ name, from, root, sha256 }: Package): Promise<Plugin> {
  const { file } = await locatePlugin(name, from);
  if (!realpathSync(file).startsWith(root + sep))
    throw new HookscopeError('INVALID_PLUGIN', { plugin: name, expected: `leads out of its package, to ${file}` });
  loaded.set(root, sha256);
  return loadPlugin(name, { from, warn: () => undefined });
}

interface PluginCopy {
  readonly path: string;
  readonly taken: PluginHooks[];
  isOver(): boolean;
}

/** The plugin, as it is applied; what it registers is taken down. */
const standIn = (plugin: Plugin, taking: PluginCopy): Plugin => ({
  name: plugin.name,
  ...(plugin.options && { options: plugin.options }),
  apply: (scope, options) => plugin.apply(listening(scope, plugin.name, taking), options),
});

function listening(scope: PluginScope, plugin: string, taking: PluginCopy): PluginScope {
  const { path, taken, isOver } = taking;
  const take = (one: Omit<PluginHooks, 'path' | 'plugin'>, register: () => Undo): Undo => {
    if (isOver())
      throw new HookscopeError('PLUGIN_FAILED', {
        plugin,
        message: 'a plugin of a bundle registers its hooks while it is applied, and not later',
      });
    const undo = register();
    const kept = { ...one, path, plugin };
    taken.push(kept);
    return () => {
      undo();
      const at = taken.indexOf(kept);
      // It stays in force until its bundle is replaced.
      if (at >= 0) taken.splice(at, 1);
    };
  };
  return {
    id: 'managed',
    register: (hooks, how = {}) => take({ hooks: hooks as Json, how }, () => scope.register(hooks, how)),
    on: (event, hook, options) =>
      take({ hooks: oneHook(event, hook, options), how: {} }, () => scope.on(event, hook, options)),
    spawnHooks(type, hooks, how = {}) {
      if (typeof hooks === 'function')
        throw new HookscopeError('PLUGIN_FAILED', {
          plugin,
          message: `spawnHooks("${type}", function): in a bundle the hooks of an agent's type are an object`,
        });
      return take({ hooks: hooks as Json, how, type }, () => scope.spawnHooks(type, hooks, how));
    },
    use: (inner, ...given) => scope.use(standIn(inner, taking), ...given),
    describe: () => scope.describe(),
    get signal() {
      return scope.signal;
    },
    onClose: (fn) => scope.onClose(fn),
  } satisfies PluginScope as PluginScope;
}

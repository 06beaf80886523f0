/**
 * Plugins, configuration files, hooks files.
 *
 * @module plugins
 */

export type {
  HookscopeConfig,
  LoadedConfig,
  LoadPluginOptions,
  Plugin,
  PluginDefinition,
  PluginEntry,
  PluginScope,
} from '../../src/index.js';
export { applyConfig, defineConfig, definePlugin, loadConfig, loadHooksFile, loadPlugin } from '../../src/index.js';

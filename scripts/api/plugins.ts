/**
 * Plugins, configuration files, hooks files.
 *
 * @module plugins
 */

export type {
  ApplyConfigOptions,
  HookscopeConfig,
  LoadedConfig,
  LoadPluginOptions,
  NoOptions,
  OptionsReader,
  Plugin,
  PluginDefinition,
  PluginEntry,
  PluginScope,
  PluginUndo,
  UseArguments,
  UseOptions,
} from '../../src/index.js';
export { applyConfig, defineConfig, definePlugin, loadConfig, loadHooksFile, loadPlugin } from '../../src/index.js';

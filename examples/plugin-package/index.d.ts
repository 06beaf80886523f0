import type { Plugin } from 'hookscope';

export interface ProtectedPathsOptions {
  /** Globs, relative to the agent's working directory. */
  readonly paths: string[];
}

/** Keeps agents from changing files that match. */
declare const plugin: Plugin<ProtectedPathsOptions>;
export default plugin;

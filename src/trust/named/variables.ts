/** What commands of one source may name. */
export interface Variables {
  readonly projectDir: string;
  readonly pluginRoot?: string;
  readonly pluginData?: string;
  readonly skillDir?: string;
  /** A plugin's user configuration. */
  readonly userConfig?: Readonly<Record<string, unknown>>;
  /** Those values of it that the plugin's own manifest gives. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** The values of variables that commands of one hook file may use. */
export interface CommandVariables {
  readonly projectDir: string;
  readonly pluginRoot?: string;
  readonly pluginData?: string;
  readonly skillDir?: string;
  /** A plugin's user configuration. */
  readonly userConfig?: Readonly<Record<string, unknown>>;
  /** The default values of the user configuration, from the plugin's manifest. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The commands contain no placeholders, as those of MCP servers once they are filled in. */
  readonly isFilled?: boolean;
}

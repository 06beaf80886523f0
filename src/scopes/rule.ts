/** A compiled `if` rule. */
export interface Rule {
  readonly text: string;
  matches(input: { readonly tool_name?: unknown; readonly tool_input?: unknown; readonly cwd?: unknown }): boolean;
}

/** A question with answers to choose from. */
interface ChoiceQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  readonly multiSelect?: boolean;
}

interface AgentInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly run_in_background?: boolean;
}

/**
 * The inputs of Claude Code's own tools. Types such as `HookInput<'PreToolUse'>` narrow by `tool_name`. The inputs are not checked at run
 * time, and a later Claude Code may send more. Add your own tools by declaration merging:
 *
 * ```ts
 * declare module 'hookscope' {
 *   interface ToolInputs {
 *     deploy: { target: 'staging' | 'prod' };
 *   }
 * }
 * ```
 */
export interface ToolInputs {
  Agent: AgentInput;
  /** The former name of Agent. */
  Task: AgentInput;
  AskUserQuestion: { readonly questions: readonly ChoiceQuestion[] };
  Bash: {
    readonly command: string;
    /** In milliseconds. */
    readonly timeout?: number;
    readonly description?: string;
    readonly run_in_background?: boolean;
  };
  BashOutput: { readonly bash_id: string; readonly filter?: string };
  Edit: {
    readonly file_path: string;
    readonly old_string: string;
    readonly new_string: string;
    readonly replace_all?: boolean;
  };
  ExitPlanMode: { readonly plan?: string };
  Glob: { readonly pattern: string; readonly path?: string };
  Grep: {
    readonly pattern: string;
    readonly path?: string;
    readonly glob?: string;
    readonly type?: string;
    readonly output_mode?: string;
    readonly head_limit?: number;
    readonly multiline?: boolean;
    readonly '-A'?: number;
    readonly '-B'?: number;
    readonly '-C'?: number;
    readonly '-i'?: boolean;
    readonly '-n'?: boolean;
  };
  KillShell: { readonly shell_id: string };
  MultiEdit: {
    readonly file_path: string;
    readonly edits: readonly {
      readonly old_string: string;
      readonly new_string: string;
      readonly replace_all?: boolean;
    }[];
  };
  NotebookEdit: {
    readonly notebook_path: string;
    readonly new_source: string;
    readonly cell_id?: string;
    readonly cell_type?: string;
    readonly edit_mode?: string;
  };
  Read: { readonly file_path: string; readonly offset?: number; readonly limit?: number; readonly pages?: string };
  Skill: { readonly skill: string; readonly args?: string };
  TodoWrite: {
    readonly todos: readonly { readonly content: string; readonly status: string; readonly activeForm?: string }[];
  };
  WebFetch: { readonly url: string; readonly prompt: string };
  WebSearch: {
    readonly query: string;
    readonly allowed_domains?: readonly string[];
    readonly blocked_domains?: readonly string[];
  };
  Write: { readonly file_path: string; readonly content: string };
}

type Name = keyof ToolInputs & string;

/** The type of a tool call. A known tool name narrows the input; for any other name, the input is `unknown`. */
export type CallOf<Rest> = KnownToolCall<Rest>[Name] | (Rest & UnknownToolCall) | (Rest & UnlistedCall);
type KnownToolCall<Rest> = {
  [N in Name]: Rest & { readonly tool_name: N; readonly tool_input: Readonly<ToolInputs[N]> };
};

// Types, not interfaces, because only types can be assigned to a record with an index signature.
type UnknownToolCall = { readonly tool_name: OtherName; readonly tool_input: unknown };
/**
 * TypeScript has no type for "any other string". A member whose name is `string` would remain after `tool_name === 'Bash'`, and its
 * `unknown` input would hide Bash's. So other names are template literal patterns (`OtherName`). Names that these patterns cannot express
 * (beginnings of known names, unusual characters) are in this type. Its input is `never`, which adds nothing to a union.
 */
type UnlistedCall = { readonly tool_name: string; readonly tool_input: never };

type Lower =
  | 'a'
  | 'b'
  | 'c'
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'h'
  | 'i'
  | 'j'
  | 'k'
  | 'l'
  | 'm'
  | 'n'
  | 'o'
  | 'p'
  | 'q'
  | 'r'
  | 's'
  | 't'
  | 'u'
  | 'v'
  | 'w'
  | 'x'
  | 'y'
  | 'z';
type Sign = Lower | Uppercase<Lower> | '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '_' | '-';
type FirstLetter<N> = N extends `${infer C}${string}` ? C : never;
type After<N, C extends string> = N extends `${C}${infer R}` ? R : never;
/** Every name that differs from all known names at some character. */
type OtherThan<N extends string, Begun extends string = ''> =
  | `${Begun}${Exclude<Sign, FirstLetter<N>>}${string}`
  | { [C in FirstLetter<N>]: OtherThan<After<N, C>, `${Begun}${C}`> }[FirstLetter<N>];
type OtherName = OtherThan<Name>;

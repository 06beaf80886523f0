import type { ModelCall } from '../model/api.js';
import type { ModelTurn } from '../model/model.js';

/** The outputs of a hook before the shell tool, in the agent's own format. */
export interface HookWords {
  readonly allow: object;
  readonly deny: object;
  /** A deny without a reason. */
  readonly denyWithoutReason: object;
  readonly ask: object;
  readonly rewrite: object;
}

/** How to run one agent without network and user: its files, its environment, its format. */
export interface ProbedAgent {
  readonly name: string;
  readonly title: string;
  /** The name of its program on the PATH. */
  readonly program: string;
  /** The agent's own name of the event before a tool. */
  readonly beforeTool: string;
  /** Another name of that event, under which the payload differs. */
  readonly alsoNamed?: string;
  readonly words: HookWords;
  /** The outputs of hooks on other events, by the saying's `words` (`sayings.ts`); MARK stands for the text. */
  readonly says: Readonly<Record<string, object>>;
  /** Our events that the agent does not fire without a user. */
  readonly unasked?: readonly string[];
  /** The call of its shell tool. */
  shell(command: string): Pick<ModelCall, 'tool' | 'input'>;
  /** The calls that start a subagent with a prompt and wait for it; undefined if hooks are not told about subagents. */
  readonly subagent?: (prompt: string) => readonly ModelTurn[];
  /** Its configuration files, by path in the run's folder, with a command for each event. `seconds`: the time limit of a hook. */
  files(port: number, hooks: Readonly<Record<string, string>>, seconds: number): Readonly<Record<string, string>>;
  /** Its environment variables, with dummy keys. `folder` is the run's. */
  env(port: number, folder: string): Readonly<Record<string, string>>;
  args(prompt: string): readonly string[];
  /** System-wide files that it reads according to its documentation; a path that ends in a slash is a folder. */
  readonly policies: { readonly linux: readonly string[]; readonly darwin: readonly string[] };
  /** The failure policy for our hooks file; undefined if the file sets none. */
  readonly onFailure?: 'block';
}

export const json = (value: unknown): string => JSON.stringify(value, undefined, 1);

/** One hook for each event, in the agent's format. */
export const mapped = (hooks: Readonly<Record<string, string>>, of: (command: string) => unknown): object =>
  Object.fromEntries(Object.entries(hooks).map(([event, command]) => [event, [of(command)]]));

export const specificOutput = (hookEventName: string, more: object): object => ({
  hookSpecificOutput: { hookEventName, ...more },
});
export const context = (event: string): object => specificOutput(event, { additionalContext: 'MARK' });
/** The command of rewritten calls, which identifies them. */
export const REWRITTEN = 'echo rewritten >> ran; echo hello-rewritten';
export const BLOCK = { decision: 'block', reason: 'MARK' };
export const STOP_ANSWER = { continue: false, stopReason: 'MARK' };

const before = (more: object): object => specificOutput('PreToolUse', more);
/** Claude Code's format, which is also ours and Codex's. */
export const CLAUDE_WORDS: HookWords = {
  allow: before({ permissionDecision: 'allow' }),
  deny: before({ permissionDecision: 'deny', permissionDecisionReason: 'NO-BECAUSE' }),
  denyWithoutReason: before({ permissionDecision: 'deny' }),
  ask: before({ permissionDecision: 'ask', permissionDecisionReason: 'ASK-R' }),
  rewrite: before({ permissionDecision: 'allow', updatedInput: { command: REWRITTEN } }),
};

/** The outputs on other events that both Claude Code and Codex accept. */
export const CLAUDE_SAYS: Readonly<Record<string, object>> = {
  session_context: context('SessionStart'),
  prompt_context: context('UserPromptSubmit'),
  context_before_tool: context('PreToolUse'),
  permission_deny: specificOutput('PermissionRequest', { decision: { behavior: 'deny', message: 'MARK' } }),
  after_tool_block: BLOCK,
  after_tool_context: context('PostToolUse'),
  subagent_context: context('SubagentStart'),
  deny: specificOutput('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'MARK' }),
  subagent_go_on: BLOCK,
  go_on: BLOCK,
  prompt_block: BLOCK,
  stop_prompt: STOP_ANSWER,
  session_stop: STOP_ANSWER,
};

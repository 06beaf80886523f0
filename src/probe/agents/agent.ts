import type { ModelCall } from '../model/api.js';
import type { ModelTurn } from '../model/model.js';

/** The outputs of an agent's own hook before the shell tool. */
export interface HookWords {
  readonly allow: object;
  readonly deny: object;
  /** The same without a reason. */
  readonly denyWithoutReason: object;
  readonly ask: object;
  readonly rewrite: object;
}

/** How one agent is run without a network or a person: its files, its environment, its format. */
export interface ProbedAgent {
  readonly name: string;
  readonly title: string;
  /** The name of its program, as it is found on the PATH. */
  readonly program: string;
  /** The event before a tool, by the agent's own name. */
  readonly beforeTool: string;
  /** Another name of it, under which the payload is another. */
  readonly alsoNamed?: string;
  readonly words: HookWords;
  /** On other events: what is printed for each saying (`sayings.ts`), MARK for the text. */
  readonly says: Readonly<Record<string, object>>;
  /** Our events that it does not fire when no person is present. */
  readonly unasked?: readonly string[];
  /** The call of its shell tool. */
  shell(command: string): Pick<ModelCall, 'tool' | 'input'>;
  /** The calls that start a subagent with a prompt and wait for it; undefined: it does not tell hooks about subagents. */
  readonly subagent?: (prompt: string) => readonly ModelTurn[];
  /** Files of its configuration, in the run's folder, with a command for each event. `seconds`: what the agent gives a hook. */
  files(port: number, hooks: Readonly<Record<string, string>>, seconds: number): Readonly<Record<string, string>>;
  /** Its configuration, with dummy keys. `folder` is the run's. */
  env(port: number, folder: string): Readonly<Record<string, string>>;
  args(prompt: string): readonly string[];
  /** Files of the whole system that it reads by its documents; one that ends in a slash is a folder. */
  readonly policies: { readonly linux: readonly string[]; readonly darwin: readonly string[] };
  /** The failure policy in our hooks file; undefined: none, and failures deny. */
  readonly onFailure?: 'block';
}

export const json = (value: unknown): string => JSON.stringify(value, undefined, 1);

/** One hook for each event, in the agent's form. */
export const mapped = (hooks: Readonly<Record<string, string>>, of: (command: string) => unknown): object =>
  Object.fromEntries(Object.entries(hooks).map(([event, command]) => [event, [of(command)]]));

export const specific = (hookEventName: string, more: object): object => ({
  hookSpecificOutput: { hookEventName, ...more },
});
export const context = (event: string): object => specific(event, { additionalContext: 'MARK' });
/** The command of a rewritten call, by which it is recognised. */
export const REWRITTEN = 'echo rewritten >> ran; echo hello-rewritten';
export const BLOCK = { decision: 'block', reason: 'MARK' };
export const STOP = { continue: false, stopReason: 'MARK' };

const before = (more: object): object => specific('PreToolUse', more);
/** Claude Code's format, which is ours, and which Codex uses too. */
export const CLAUDE_WORDS: HookWords = {
  allow: before({ permissionDecision: 'allow' }),
  deny: before({ permissionDecision: 'deny', permissionDecisionReason: 'NO-BECAUSE' }),
  denyWithoutReason: before({ permissionDecision: 'deny' }),
  ask: before({ permissionDecision: 'ask', permissionDecisionReason: 'ASK-R' }),
  rewrite: before({ permissionDecision: 'allow', updatedInput: { command: REWRITTEN } }),
};

/** On other events, what both of them take. */
export const CLAUDE_SAYS: Readonly<Record<string, object>> = {
  session_context: context('SessionStart'),
  prompt_context: context('UserPromptSubmit'),
  context_before_tool: context('PreToolUse'),
  permission_deny: specific('PermissionRequest', { decision: { behavior: 'deny', message: 'MARK' } }),
  after_tool_block: BLOCK,
  after_tool_context: context('PostToolUse'),
  subagent_context: context('SubagentStart'),
  deny: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'MARK' }),
  subagent_go_on: BLOCK,
  go_on: BLOCK,
  prompt_block: BLOCK,
  stop_prompt: STOP,
  session_stop: STOP,
};

import { randomUUID } from 'node:crypto';
import type { Decision } from '../../host/types.js';
import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { checks, FILLED } from '../../values/shape.js';
import { addWatchPaths, forModel, tellUser } from '../context.js';
import { type Core, wasCut } from '../core.js';

/** A prompt that came as a command: `/review src` or an MCP prompt. */
export interface PromptCommand {
  readonly expansion_type?: 'slash_command' | 'mcp_prompt';
  readonly command_name: string;
  readonly command_args?: string;
  readonly command_source?: string;
  /** The text into which the command was expanded. Default: the prompt itself. */
  readonly expanded?: string;
}

/** The options of `session.prompt`. */
export interface PromptOptions {
  /** Default: a new one. */
  readonly prompt_id?: string | undefined;
  /** Its source: `user`, `sdk`, `system` … */
  readonly source?: string | undefined;
  /** Set if the prompt is a command; UserPromptExpansion is then fired too. */
  readonly command?: PromptCommand | undefined;
}

const PROMPT: Keys<PromptOptions> = { prompt_id: FILLED, source: checks.text, command: true };
const COMMAND: Keys<PromptCommand> = {
  expansion_type: checks.text,
  command_name: FILLED,
  command_args: checks.text,
  command_source: checks.text,
  expanded: checks.text,
};

/** The result of a prompt. */
export interface PromptAnswer {
  readonly prompt_id: string;
  /** The prompt is erased: it must reach neither the transcript nor the model. */
  readonly blocked: boolean;
  readonly reason?: string;
  /** The text for the model; empty when blocked. */
  readonly prompt: string;
  /** What hooks add for the model, in order. It does not appear again in the system prompt. */
  readonly context: readonly string[];
  /** The context, a blank line, the prompt. */
  readonly content: string;
  /** A hook ended the loop, or it was interrupted: call no model. Unless it is blocked, the prompt stays in the transcript. */
  readonly endsLoop: boolean;
  /** The message for the user about a blocked prompt. */
  readonly message?: string;
  readonly sessionTitle?: string;
  readonly decisions: readonly (Decision<'UserPromptSubmit'> | Decision<'UserPromptExpansion'>)[];
}

type PromptDecision = Decision<'UserPromptSubmit'> | Decision<'UserPromptExpansion'>;

/** Begins a new turn: another prompt id, no continuations, nothing interrupted. */
export async function runPrompt(core: Core, text: string, options: PromptOptions): Promise<PromptAnswer> {
  core.demand('prompt');
  checkOption('prompt: text', text, checks.text);
  checkKeys(options, PROMPT, 'prompt: ');
  checkKeys(options.command, COMMAND, 'prompt: command.');
  core.begin(options.prompt_id ?? randomUUID());
  const decisions: PromptDecision[] = [];
  try {
    if (core.dead) return cut(core, decisions);
    const { source, command } = options;
    const submitted = await core.fire('UserPromptSubmit', { prompt: text, source, session_title: core.title });
    decisions.push(submitted);
    core.rename(submitted.sessionTitle);
    if (command && !submitted.blocked && submitted.continue) {
      decisions.push(await core.fire('UserPromptExpansion', expansion(command, text)));
    }
  } catch (error) {
    if (wasCut(error)) return cut(core, decisions);
    throw error;
  }
  for (const decision of decisions) {
    tellUser(core, decision);
    addWatchPaths(core, decision);
  }
  return answer(core, text, options.command?.expanded ?? text, decisions);
}

function expansion(
  { expansion_type = 'slash_command', command_name, command_args = '', command_source }: PromptCommand,
  prompt: string,
) {
  return { expansion_type, command_name, command_args, command_source, prompt };
}

function answer(core: Core, text: string, prompt: string, decisions: readonly PromptDecision[]): PromptAnswer {
  const blocking = decisions.find((d) => d.blocked);
  const stopping = decisions.find((d) => !d.continue);
  if (blocking || stopping) core.endLoop('hook');
  const common = {
    prompt_id: core.promptId as string,
    decisions,
    ...(core.title === undefined ? {} : { sessionTitle: core.title }),
  };
  if (blocking) {
    const { reason } = blocking;
    const said = `${blocking.event} operation blocked by hook${reason === undefined ? '' : `:\n${reason}`}`;
    const message = blocking.suppressOriginalPrompt ? said : `${said}\n\nOriginal prompt: ${text}`;
    const why = reason === undefined ? {} : { reason };
    return { ...common, blocked: true, ...why, prompt: '', context: [], content: '', endsLoop: true, message };
  }
  const context = decisions.flatMap(forModel);
  const content = context.length === 0 ? prompt : `${context.join('\n')}\n\n${prompt}`;
  const why = stopping?.stopReason === undefined ? {} : { reason: stopping.stopReason };
  return { ...common, blocked: false, ...why, prompt, context, content, endsLoop: stopping !== undefined };
}

/** The answer for a prompt that was interrupted while it was judged: it is blocked. */
function cut(core: Core, decisions: readonly PromptDecision[]): PromptAnswer {
  const reason = core.cutText('The prompt');
  const prompt_id = core.promptId as string;
  return {
    prompt_id,
    blocked: true,
    reason,
    prompt: '',
    context: [],
    content: '',
    endsLoop: true,
    message: reason,
    decisions,
  };
}

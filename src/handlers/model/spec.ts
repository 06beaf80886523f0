import { checkOption, checkOptions } from '../../values/options.js';
import { checks } from '../../values/shape.js';
import { type ExternalOptions, OUTSIDE, TEXT } from '../options.js';

/** Options of `prompt()` and `agent()`. All times are seconds. */
export interface PromptHookOptions extends ExternalOptions {
  /** The model to ask. Default: the choice of the host's `model`. */
  readonly model?: string;
  /** Makes a "no" block without ending the turn. */
  readonly continueOnBlock?: boolean;
}

/** A prompt hook as plain frozen data, returned by `prompt()`. */
export interface PromptSpec extends PromptHookOptions {
  readonly type: 'prompt';
  readonly prompt: string;
}

/** An agent hook as plain frozen data, returned by `agent()`. */
export interface AgentSpec extends PromptHookOptions {
  readonly type: 'agent';
  readonly prompt: string;
}

/**
 * A question to the host's model. The event's input replaces `$ARGUMENTS` in it. The answer "no" is the event's deny or block and
 * ends the turn; on Stop and SubagentStop it keeps the agent going.
 *
 * ```ts
 * host.register({ Stop: [{ hooks: [prompt('Were the tests run after the last edit? $ARGUMENTS')] }] });
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS: an unknown option or one of the wrong type.
 */
export function prompt(text: string, options: PromptHookOptions = {}): PromptSpec {
  return specOf('prompt', text, options);
}

/**
 * Like `prompt()`, but the model may investigate with the tools that the harness gives it before it answers.
 *
 * ```ts
 * host.register({ Stop: [{ hooks: [agent('Verify that every changed file has a test. $ARGUMENTS', { timeout: 120 })] }] });
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS: an unknown option or one of the wrong type.
 */
export function agent(text: string, options: PromptHookOptions = {}): AgentSpec {
  return specOf('agent', text, options);
}

export const PROMPT = { ...OUTSIDE, model: TEXT, continueOnBlock: checks.flag };

function specOf<Type extends 'prompt' | 'agent'>(type: Type, text: string, options: PromptHookOptions) {
  checkOption(`${type}(): prompt`, text, TEXT);
  checkOptions(`${type}(): `, options, PROMPT);
  return Object.freeze({ type, prompt: text, ...options });
}

import { HookscopeError } from '../errors.js';
import { nearest } from '../values/nearest.js';

/** The events of other agents that are nothing like our names of them: those of the agent, and its name after `--from`. */
export const OTHER_NAMES: Readonly<
  Record<string, { readonly title: string; readonly from: string; readonly ours: string }>
> = Object.fromEntries(
  (
    [
      ['Gemini', 'BeforeTool', 'PreToolUse'],
      ['Gemini', 'AfterTool', 'PostToolUse'],
      ['Gemini', 'BeforeAgent', 'UserPromptSubmit'],
      ['Gemini', 'AfterAgent', 'Stop'],
      ['Gemini', 'PreCompress', 'PreCompact'],
      ['Cursor', 'beforeSubmitPrompt', 'UserPromptSubmit'],
      ['Cursor', 'beforeShellExecution', 'PreToolUse'],
      ['Cursor', 'beforeMCPExecution', 'PreToolUse'],
      ['Cursor', 'beforeReadFile', 'PreToolUse'],
      ['Cursor', 'afterShellExecution', 'PostToolUse'],
      ['Cursor', 'afterMCPExecution', 'PostToolUse'],
      ['Cursor', 'afterFileEdit', 'PostToolUse'],
      ['Copilot', 'agentStop', 'Stop'],
      ['Copilot', 'errorOccurred', 'StopFailure'],
      ['Copilot', 'ErrorOccurred', 'StopFailure'],
    ] as const
  ).map(([title, name, ours]) => [name, { title, from: title.toLowerCase(), ours }]),
);

/** The INVALID_HOOKS error for hooks of an event that there is not; where another agent has one of that name, it says which of ours that is. */
export function unknownHookEvent(event: string, events: readonly string[]): HookscopeError {
  const other = Object.hasOwn(OTHER_NAMES, event) ? OTHER_NAMES[event] : undefined;
  const expected =
    other === undefined
      ? 'is not a known event'
      : `is ${other.title}'s name of ${other.ours}; for ${other.title}'s own file use --from ${other.from}`;
  const near = other === undefined ? nearest(event, events) : undefined;
  return new HookscopeError('INVALID_HOOKS', { where: event, expected, nearest: near });
}

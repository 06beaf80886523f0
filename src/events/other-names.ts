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

/** What an event's name means that only another agent has, for errors; undefined if none has. `use`: what reads that agent's own file. */
export function otherName(event: string, use = (agent: string) => `--from ${agent} FILE`): string | undefined {
  if (!Object.hasOwn(OTHER_NAMES, event)) return undefined;
  const { title, from, ours } = OTHER_NAMES[event] as (typeof OTHER_NAMES)[string];
  return `is ${title}'s name of ${ours}; for ${title}'s own file use ${use(from)}`;
}

/** Keys of `hookSpecificOutput` that do not affect the verdict. Their values are copied into the decision. */
export const EXTRAS = [
  'retry',
  'sessionTitle',
  'initialUserMessage',
  'watchPaths',
  'suppressOriginalPrompt',
  'reloadSkills',
  'classifierContext',
] as const;

/** Keys of `hookSpecificOutput` that decide nothing: their values are copied into the decision. */
export const EXTRAS = [
  'retry',
  'sessionTitle',
  'initialUserMessage',
  'watchPaths',
  'suppressOriginalPrompt',
  'reloadSkills',
  'classifierContext',
] as const;

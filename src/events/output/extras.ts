/** Keys of `hookSpecificOutput` that decide nothing: what hooks say under them stands in the decision as it is. */
export const EXTRAS = [
  'retry',
  'sessionTitle',
  'initialUserMessage',
  'watchPaths',
  'suppressOriginalPrompt',
  'reloadSkills',
  'classifierContext',
] as const;

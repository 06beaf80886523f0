/** The listener for the end of this process. It is installed while child processes run that must not outlive this one. */
export const exitWatch: {
  /** Removes the listener at once if it is not needed. Otherwise it is removed a little later. */
  rest: () => void;
} = { rest: () => undefined };

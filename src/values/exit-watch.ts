/** What waits for the end of this process, as long as there is something that must not outlive it. */
export const exitWatch: {
  /** Takes it away now if there is no such thing; by itself it goes a little later. */
  rest: () => void;
} = { rest: () => undefined };

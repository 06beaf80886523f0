/**
 * What the last predicate that could not decide had to say. A matcher is shared by the fires of a host and answers at once, so who
 * called it asks right afterwards.
 */
let last: string | undefined;

export function noteThrown(why: string): void {
  last = why;
}

/** What was noted since the last call. */
export function takeThrown(): string | undefined {
  const why = last;
  last = undefined;
  return why;
}

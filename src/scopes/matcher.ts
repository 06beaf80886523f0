/** A compiled matcher. `static`: the answer depends on the subject alone, so it may be remembered per subject. */
export interface Matcher {
  readonly all: boolean;
  readonly static: boolean;
  readonly text: string;
  matches(subject: string | undefined, input: unknown): boolean;
}

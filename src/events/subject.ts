import type { EventSpec } from './spec.js';

/** What matchers look at in an input that need not be whole: undefined where that is not in it. */
export function subjectIn(spec: EventSpec | undefined, input: Readonly<Record<string, unknown>>): string | undefined {
  try {
    const subject: unknown = spec?.subject?.(input);
    return typeof subject === 'string' ? subject : undefined;
  } catch {
    return undefined;
  }
}

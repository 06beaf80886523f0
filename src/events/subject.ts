import type { EventSpec } from './spec.js';

/** The text that matchers are compared with, from an input that may be incomplete; undefined if it is missing. */
export function subjectIn(spec: EventSpec | undefined, input: Readonly<Record<string, unknown>>): string | undefined {
  try {
    const subject: unknown = spec?.subject?.(input);
    return typeof subject === 'string' ? subject : undefined;
  } catch {
    return undefined;
  }
}

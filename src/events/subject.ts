import type { EventSpec, Subject } from './spec.js';
import { shownName } from './tool-calls.js';

/** The subject of an input that may be incomplete; undefined if it is missing. */
export function subjectOf(spec: EventSpec | undefined, input: Readonly<Record<string, unknown>>): Subject {
  try {
    const subject: unknown = spec?.subject?.(input);
    return typeof subject === 'string' || subject === null ? subject : undefined;
  } catch {
    return undefined;
  }
}

/** The subject of an input that may be incomplete, as messages show it; undefined if it is missing or could not be computed. */
export function subjectIn(spec: EventSpec | undefined, input: Readonly<Record<string, unknown>>): string | undefined {
  return shownName(subjectOf(spec, input) ?? '') || undefined;
}

import { plain } from '../../plain.js';

/** Lines for accepted files and plugins that were not executed, so that nobody knows their hooks. */
export function unknownLines(unknown: readonly string[]): string[] {
  return unknown.map((name) => `hooks not known: ${plain(name)} was not executed`);
}

/** The same for programs, as the field `unknown`. */
export function withUnknown<T extends object>(told: T, unknown: readonly string[]): T {
  return unknown.length === 0 ? told : { ...told, unknown };
}

import { isWellFormed } from '../plain.js';

/**
 * Explains why a value may not survive being written as JSON and read again; undefined if it does. `levels`: how deeply the reader allows
 * objects and arrays to nest, if there is a limit.
 */
export function whyUnreadable(value: unknown, levels = Number.POSITIVE_INFINITY): string | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : 'a text in it has half a surrogate pair';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value} in it is no JSON`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels <= 0) return 'it is nested too deeply';
  for (const [key, part] of Object.entries(value)) {
    const why = whyUnreadable(key) ?? whyUnreadable(part, levels - 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

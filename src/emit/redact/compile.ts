/** V8 compiles a pattern for its processor, and not first for its interpreter, where a text has as many characters. */
const LONG = '\0'.repeat(1000);

/**
 * A long pattern, compiled once. V8 would compile it for its interpreter at the first text and for the processor at the second; the first
 * takes several times as long, and more than everything else that a program does which masks a single record.
 */
export function compiledOnce(pattern: RegExp): RegExp {
  pattern.test(LONG);
  pattern.lastIndex = 0;
  return pattern;
}

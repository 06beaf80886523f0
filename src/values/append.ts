/** Adds values to the end of a list of any length: `push(...values)` puts each on the stack, where some 120,000 have no room. */
export function append<T>(list: T[], values: Iterable<T>): void {
  for (const value of values) list.push(value);
}

/** The greatest of any number of numbers and a least one; `Math.max(...numbers)` has the same limit. */
export function greatest(least: number, numbers: Iterable<number>): number {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

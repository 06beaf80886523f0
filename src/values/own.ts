/** Looks up a key that comes from a record, a file or a user. Inherited properties such as `constructor` do not count. */
export function own<K extends string, T>(table: Readonly<Partial<Record<K, T>>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key as K] : undefined;
}

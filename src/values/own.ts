/** An entry of a table whose key comes from a record, a file or a user: a word like `constructor` is no entry of it. */
export function own<K extends string, T>(table: Readonly<Partial<Record<K, T>>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key as K] : undefined;
}

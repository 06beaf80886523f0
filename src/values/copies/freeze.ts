/** Freezes plain data recursively. Stops at values that are already frozen. */
export function deepFreeze<T>(data: T): T {
  if (typeof data !== 'object' || data === null || Object.isFrozen(data)) return data;
  for (const key of Object.keys(data)) {
    const part = (data as Readonly<Record<string, unknown>>)[key];
    if (typeof part === 'object') deepFreeze(part);
  }
  return Object.freeze(data);
}

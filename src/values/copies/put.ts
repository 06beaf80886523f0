/** Sets a key of a copy. `__proto__` needs `defineProperty`, because assigning it would set the prototype. */
export function put(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

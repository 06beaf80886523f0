/** Computes a value on first use and keeps it: a schema is far more expensive than the rest of its module, and most are never used. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

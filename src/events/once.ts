/** Made on first use and kept: a schema costs far more than the rest of a module, and most are never used. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

import { createRequire } from 'node:module';
import type { z as Zod } from 'zod';

let loaded: typeof Zod | undefined;

/**
 * zod, loaded when a schema is first made, with `require`, since schemas are made synchronously. What is built has a copy of what `src/`
 * asks it for (scripts/bundle.js), and of nothing else: the whole is 95 files, as much work as Node's own start. Schemas work across instances.
 */
export function zod(): typeof Zod {
  loaded ??= (createRequire(import.meta.url)('zod') as { readonly z: typeof Zod }).z;
  return loaded;
}

/** A schema that is made when it is first asked for. */
export function schema<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

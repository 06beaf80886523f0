import { createRequire } from 'node:module';
import type { z as Zod } from 'zod';

let loaded: typeof Zod | undefined;

/**
 * Loads zod when the first schema is made, with `require`, because schemas are made synchronously. The bundle contains only the parts of zod that
 * `src/` uses (scripts/bundle.js), because loading all 95 files takes as long as starting Node. Schemas of different zod instances work together.
 */
export function zod(): typeof Zod {
  loaded ??= (createRequire(import.meta.url)('zod') as { readonly z: typeof Zod }).z;
  return loaded;
}

/** Delays making a schema until it is first used. */
export function schema<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

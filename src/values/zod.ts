import { createRequire } from 'node:module';
import type { z as Zod } from 'zod';

const require = createRequire(import.meta.url);
let loaded: typeof Zod | undefined;

/**
 * zod, loaded when a schema is first made: it is 95 files, as much work as Node's own start. With `require`, since schemas are
 * made synchronously: another instance than one that a user imports, which zod's schemas work across.
 */
export function zod(): typeof Zod {
  loaded ??= (require('zod') as { readonly z: typeof Zod }).z;
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

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

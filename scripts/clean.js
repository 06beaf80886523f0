// Removes what `npm run build` makes, so that a deleted source file cannot be published.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });

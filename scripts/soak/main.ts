import { fileURLToPath } from 'node:url';
import { reloads } from './reloads.js';
import { soak } from './soak.js';

// `npm run soak`: some minutes. What it came to is looked at in the same way as in the short form (test/server/soak.test.ts).
console.log(await soak({ fires: 100_000, agents: 1_000 }));
console.log(await reloads(fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)), 100));

import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import usual from './vitest.config.js';

// What needs a real nats-server: `npm run test:fleet`.
export default defineConfig({
  plugins: usual.plugins ?? [],
  resolve: usual.resolve ?? {},
  test: {
    include: [fileURLToPath(new URL('./test/fleet/nats/*.fleet.ts', import.meta.url))],
    env: { XDG_STATE_HOME: join(tmpdir(), `hookscope-test-state-${userInfo().uid}`) },
    pool: 'forks',
    fileParallelism: false,
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/own-folder.ts', 'test/small.ts'],
  },
});

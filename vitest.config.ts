import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: [{ find: /^hookscope$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) }] },
  test: {
    environment: 'node',
    setupFiles: ['test/setup.ts'],
    // Handlers spawn process groups and listen for signals: that needs a process per file, not a thread.
    pool: 'forks',
    maxWorkers: '100%',
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['test/fixtures/**', '**/node_modules/**'],
    // What is built is loaded as it is.
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'html'],
      thresholds: { lines: 90 },
    },
  },
});

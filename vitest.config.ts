import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const seeded = fileURLToPath(new URL('./test/fast-check.ts', import.meta.url));

export default defineConfig({
  plugins: [
    {
      name: 'generated tests have one seed',
      enforce: 'pre',
      resolveId: (id, importer) => (id === 'fast-check' && importer !== seeded ? seeded : undefined),
    },
  ],
  resolve: { alias: [{ find: /^hookscope$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) }] },
  test: {
    environment: 'node',
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

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What is built stays beside the packages that it loads. */
const EXTERNAL = [/^rxjs/, 'execa', 'signal-exit', 'zod'];

/**
 * Builds files of the project, `{ name: 'src/…ts' }`, before the tests of a file, for the processes that these start: a process
 * cannot run the sources. Answers the folder, in which `name.js` will be.
 */
export function useBuilt(input: Readonly<Record<string, string>>): string {
  const folder = join(ROOT, 'node_modules/.cache/hookscope', `test-${process.pid}-${Object.keys(input).join('-')}`);
  beforeAll(async () => {
    const bundle = await rolldown({ cwd: ROOT, input: { ...input }, platform: 'node', external: EXTERNAL });
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js' });
    await bundle.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `test/fixtures/programs/hook-host.mjs`, built. */
export function useHookHost(): string {
  return join(useBuilt({ 'hook-host': 'test/fixtures/programs/hook-host.mjs' }), 'hook-host.js');
}

import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** In a process of its own: a bundler takes hundreds of megabytes, and starting a process takes longer the more its parent has. */
const BUILD = `
  import { rolldown } from 'rolldown';
  const { input, dir } = JSON.parse(process.argv[1]);
  // What is built stays beside the packages that it loads.
  const bundle = await rolldown({ input, platform: 'node', external: [/^rxjs/, 'execa', 'signal-exit', 'zod'] });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
`;

/**
 * Builds files of the project, `{ name: 'src/…ts' }`, before the tests of a file, for the processes that these start: a process
 * cannot run the sources. Answers the folder, in which `name.js` will be.
 */
export function useBuilt(input: Readonly<Record<string, string>>): string {
  const folder = join(ROOT, 'node_modules/.cache/hookscope', `test-${process.pid}-${Object.keys(input).join('-')}`);
  beforeAll(async () => {
    const args = ['--input-type=module', '--eval', BUILD, JSON.stringify({ input, dir: folder })];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `test/fixtures/programs/hook-host.mjs`, built. */
export function useHookHost(): string {
  return join(useBuilt({ 'hook-host': 'test/fixtures/programs/hook-host.mjs' }), 'hook-host.js');
}

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

/**
 * What `make` gives, which can be JSON, made by whichever file of a run asks first, in a folder that is gone after the run; the
 * others wait for it. Of a run that is `system`.
 */
export async function once<T>(name: string, make: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(inject('sharedFolder'), name);
  const made = join(folder, 'made.json');
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    while (!existsSync(made)) await sleep(20);
  }
  if (!existsSync(made)) {
    const result = await make(folder).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: String(error) }),
    );
    writeFileSync(`${made}.new`, JSON.stringify(result));
    renameSync(`${made}.new`, made);
  }
  const result = JSON.parse(readFileSync(made, 'utf8')) as { value: T } | { error: string };
  if ('error' in result) throw new Error(`${name} was not made: ${result.error}`);
  return result.value;
}

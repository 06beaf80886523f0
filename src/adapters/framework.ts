import { createRequire } from 'node:module';
import { HookscopeError } from '../errors.js';
import { messageOf } from '../values/promises.js';

/** Loads the package of a framework, an optional peer. Rejects with INVALID_OPTIONS, which says what to install, where it is missing or older than `since` (`1.5`). */
export async function framework<T>(adapter: string, name: string, since: string, load: () => Promise<T>): Promise<T> {
  const needs = (has: string, cause?: unknown): HookscopeError =>
    new HookscopeError(
      'INVALID_OPTIONS',
      {
        where: adapter,
        expected: `needs the package ${name}, ${since} or later, and there is ${has}: npm install ${name}`,
      },
      { cause },
    );
  const version = versionOf(name);
  if (version !== undefined && isOlder(version, since)) throw needs(version);
  try {
    return await load();
  } catch (error) {
    const { code } = (error ?? {}) as { code?: unknown };
    const missing = code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).startsWith(`Cannot find package '${name}'`);
    throw missing ? needs('none', error) : error;
  }
}

/** `undefined`: it does not say, or is not there. */
function versionOf(name: string): string | undefined {
  try {
    const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** By major and minor. */
function isOlder(version: string, since: string): boolean {
  const [[major = 0, minor = 0], [first = 0, second = 0]] = [version, since].map((one) =>
    one.split('.').map(Number),
  ) as [number[], number[]];
  return major < first || (major === first && minor < second);
}

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Functions whose first argument is a descriptor or a path, and which write to it or open it. */
const WRITING = [
  ...['write', 'writev', 'writeFile', 'appendFile', 'ftruncate', 'open'],
  ...['writeSync', 'writevSync', 'writeFileSync', 'appendFileSync', 'ftruncateSync', 'openSync'],
];
const WRITING_LATER = ['writeFile', 'appendFile', 'open'];

// biome-ignore lint/complexity/noBannedTypes: functions of Node's of many kinds, which are only called.
type Functions = Record<string, Function>;

/**
 * Whoever writes to the descriptor of standard output by `node:fs` writes to standard error from now on, in this thread: each has functions
 * of its own.
 */
export function keepDescriptor(): void {
  redirect(fs as unknown as Functions, WRITING);
  redirect(fs.promises as unknown as Functions, WRITING_LATER);
  leaveOpen(fs as unknown as Functions);
  // For those who import them by name.
  syncBuiltinESMExports();
}

function redirect(module: Functions, names: readonly string[]): void {
  for (const name of names)
    replace(
      module,
      name,
      (before) =>
        (to: unknown, ...rest: unknown[]) =>
          before(elsewhere(to), ...rest),
    );
}

/** Some close what they have written to, and the answer is still to come. */
function leaveOpen(module: Functions): void {
  replace(module, 'close', (before) => (file: unknown, done?: () => void) => {
    if (file === 1) setImmediate(() => done?.());
    else if (done) before(file, done);
    else before(file);
  });
  replace(module, 'closeSync', (before) => (file: unknown) => (file === 1 ? undefined : before(file)));
}

// biome-ignore lint/complexity/noBannedTypes: as above.
function replace(module: Functions, name: string, made: (before: Function) => Function): void {
  const before = module[name] as (typeof module)[string];
  // With what `promisify` needs to know of it.
  module[name] = Object.defineProperties(made(before), Object.getOwnPropertyDescriptors(before));
}

const OURS = new RegExp(`^/(?:dev|proc/(?:self|thread-self|${process.pid})(?:/task/\\d+)?)/(?:stdout|fd/1)$`);

/** One that names no file is an error of the function that it is given to. */
function pathOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** Standard error, where standard output is meant. */
function elsewhere(to: unknown): unknown {
  if (to === 1) return 2;
  const path = to instanceof URL ? pathOf(to) : Buffer.isBuffer(to) ? String(to) : to;
  return typeof path === 'string' && OURS.test(path) ? path.replace(/stdout$/, 'stderr').replace(/1$/, '2') : to;
}

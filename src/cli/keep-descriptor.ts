import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Functions that write to or open their first argument, a descriptor or a path. */
const WRITING = [
  ...['write', 'writev', 'writeFile', 'appendFile', 'ftruncate', 'open'],
  ...['writeSync', 'writevSync', 'writeFileSync', 'appendFileSync', 'ftruncateSync', 'openSync'],
];
const WRITING_LATER = ['writeFile', 'appendFile', 'open'];

// biome-ignore lint/complexity/noBannedTypes: functions of Node's of many kinds, which are only called.
type Functions = Record<string, Function>;

/**
 * From now on, what `node:fs` writes to the descriptor of standard output goes to standard error. This holds for this thread alone, since
 * each thread has its own copy of these functions.
 */
export function keepDescriptor(): void {
  redirect(fs as unknown as Functions, WRITING);
  redirect(fs.promises as unknown as Functions, WRITING_LATER);
  leaveOpen(fs as unknown as Functions);
  // Named imports of these functions are replaced, too.
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

/** Closing standard output does nothing: some code closes what it has written to, and the command's own output is still to come. */
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
  // Keeps the properties that `promisify` reads.
  module[name] = Object.defineProperties(made(before), Object.getOwnPropertyDescriptors(before));
}

const OURS = new RegExp(`^/(?:dev|proc/(?:self|thread-self|${process.pid})(?:/task/\\d+)?)/(?:stdout|fd/1)$`);

/** Undefined for a URL that names no file: the function that it is passed to reports that. */
function pathOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** Standard error in place of standard output; anything else unchanged. */
function elsewhere(to: unknown): unknown {
  if (to === 1) return 2;
  const path = to instanceof URL ? pathOf(to) : Buffer.isBuffer(to) ? String(to) : to;
  return typeof path === 'string' && OURS.test(path) ? path.replace(/stdout$/, 'stderr').replace(/1$/, '2') : to;
}

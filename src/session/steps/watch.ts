import { resolve } from 'node:path';
import { checkOption } from '../../values/options.js';
import { TEXTS } from '../../values/shape.js';
import type { Core } from '../core.js';
import { fileChanged } from './workspace.js';

const CHANGES = ['add', 'change', 'unlink'] as const;

/**
 * Watches files and directories; each file that is added, changed or removed is a FileChanged. Resolves when they are
 * watched. Paths are taken from the session's current directory; one that is watched already, or that does not exist yet, is
 * no error. The watch ends with the session, and keeps no process alive.
 */
export async function watchPaths(core: Core, paths: readonly string[]): Promise<void> {
  checkOption('watch(paths)', paths, TEXTS);
  const added = paths.map((path) => resolve(core.cwd, path)).filter((path) => !core.watched.has(path));
  if (added.length === 0) return;
  for (const path of added) {
    core.watched.add(path);
    core.watchPaths.add(path);
  }
  // Most sessions watch nothing, so it is loaded on demand.
  const chokidar = await import('chokidar');
  if (!core.isOpen) return;
  const watcher = chokidar.watch(added, { ignoreInitial: true, persistent: false });
  core.cleanups.push(() => watcher.close());
  const problem = (error: unknown): void => core.deps.report(`Watching ${added.join(', ')}: ${String(error)}`, error);
  watcher.on('error', problem);
  for (const event of CHANGES) {
    watcher.on(event, (file_path) => {
      if (core.isOpen) fileChanged(core, { file_path, event }).catch(problem);
    });
  }
  await new Promise<void>((ready) => {
    watcher.once('ready', ready);
    // One that is closed before is never ready.
    core.cleanups.push(ready);
  });
}

/** Watches what hooks ask for. */
export function watchForHooks(core: Core, paths: readonly string[]): void {
  const watching = watchPaths(core, paths)
    .catch((error) => core.deps.report(`Watching ${paths.join(', ')}: ${String(error)}`, error))
    .finally(() => core.beginning.delete(watching));
  core.beginning.add(watching);
}

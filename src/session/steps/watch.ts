import { resolve } from 'node:path';
import { checkOption } from '../../values/options.js';
import { TEXTS } from '../../values/shape.js';
import type { Core } from '../core.js';
import { fileChanged } from './workspace.js';

const CHANGES = ['add', 'change', 'unlink'] as const;

/**
 * Watches files and directories; each file that is added, changed or removed fires FileChanged. Resolves when they are
 * watched. Paths are relative to the session's current directory; a path that is already watched or does not exist yet is
 * not an error. The watch ends with the session, and does not keep the process alive.
 */
export async function watchPaths(core: Core, paths: readonly string[]): Promise<void> {
  checkOption('watch(paths)', paths, TEXTS);
  const added = paths.map((path) => resolve(core.cwd, path)).filter((path) => !core.watched.has(path));
  if (added.length === 0) return;
  for (const path of added) {
    core.watched.add(path);
    core.watchPaths.add(path);
  }
  // Loaded on demand, because most sessions watch nothing.
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
    // A watcher that is closed before it is ready never emits `ready`.
    core.cleanups.push(ready);
  });
}

/** Watches the paths that hooks ask for. */
export function watchForHooks(core: Core, paths: readonly string[]): void {
  const watching = watchPaths(core, paths)
    .catch((error) => core.deps.report(`Watching ${paths.join(', ')}: ${String(error)}`, error))
    .finally(() => core.beginning.delete(watching));
  core.beginning.add(watching);
}

import type { BaseDecision } from '../../host/decide/decision.js';
import type { Decision } from '../../host/types.js';
import { resultOf } from '../../values/waiting/promises.js';
import { askAbout, remember, untilWatched, whyBlocked } from '../context.js';
import type { Core } from '../core.js';
import type { OwnFields } from '../options.js';
import { afterwards } from '../tool/results.js';

/** Moves the session, or only the agent, to another directory. For the current directory nothing happens. */
export async function changeCwd(core: Core, directory: string): Promise<void> {
  core.demand('changeCwd');
  if (directory === core.cwd) return;
  const old_cwd = core.cwd;
  core.moveTo(directory);
  await tell(core, core.fire('CwdChanged', { old_cwd, new_cwd: directory }));
  await untilWatched(core);
}

export async function addDirectory(core: Core, directory: string, source: string): Promise<void> {
  core.demand('addDirectory');
  if (core.directories.includes(directory)) return;
  core.directories.push(directory);
  await tell(core, core.fire('DirectoryAdded', { directory, source }));
}

export async function instructionsLoaded(core: Core, fields: OwnFields<'InstructionsLoaded'>): Promise<void> {
  core.demand('instructionsLoaded');
  await tell(core, core.fire('InstructionsLoaded', fields));
}

/** Whether to apply a changed setting. */
export interface ConfigAnswer {
  readonly applied: boolean;
  readonly reason?: string;
  readonly decision: Decision<'ConfigChange'>;
}

export async function configChanged(core: Core, fields: OwnFields<'ConfigChange'>): Promise<ConfigAnswer> {
  const decision = await askAbout(core, 'configChanged', 'ConfigChange', fields);
  return { applied: !decision.blocked, ...whyBlocked(decision), decision };
}

/** Fires FileChanged for a watched file. */
export async function fileChanged(core: Core, fields: OwnFields<'FileChanged'>): Promise<void> {
  await tell(core, core.fire('FileChanged', fields));
}

/** The path of a worktree, or why there is none. */
export interface WorktreeAnswer {
  readonly path?: string;
  readonly reason?: string;
  readonly decision: Decision<'WorktreeCreate'>;
}

/** Creates a worktree: by a hook or else by the harness's own `make`. Any failing hook fails the creation. */
export async function createWorktree(
  core: Core,
  name: string,
  make: ((name: string) => string | Promise<string>) | undefined,
): Promise<WorktreeAnswer> {
  const decision = await askAbout(core, 'worktree.create', 'WorktreeCreate', { name });
  if (decision.blocked) return { reason: decision.reason ?? 'A hook failed to create it.', decision };
  if (typeof decision.value === 'string') return { path: decision.value, decision };
  return make
    ? { path: (await resultOf(() => make(name))) as string, decision }
    : { reason: 'No hook created it.', decision };
}

export async function removeWorktree(core: Core, path: string): Promise<void> {
  core.demand('worktree.remove');
  await tell(core, core.fire('WorktreeRemove', { worktree_path: path }));
}

/** Waits for an event that hooks cannot prevent, and keeps their texts. If it is interrupted, there are none. */
async function tell(core: Core, fired: Promise<BaseDecision>): Promise<void> {
  const decision = await afterwards(fired);
  if (decision) remember(core, decision);
}

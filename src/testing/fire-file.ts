import { basename, dirname, resolve } from 'node:path';
import { loadClaudeCode } from '../claude-code/load.js';
import type { Host } from '../create-host.js';
import { HookscopeError } from '../errors.js';
import type { HookEvent } from '../events/catalogue.js';
import { loadHooksFile } from '../plugins/hooks-file.js';
import { checks, oneOf } from '../values/shape.js';
import { checkFireHook, type FireHookOptions, fireIn } from './fire-hook.js';
import type { Fired } from './fired.js';
import type { Fields } from './payload.js';

/** How a file of hooks is tested. */
export interface FireFileOptions extends FireHookOptions {
  /** Whose file it is. Default: Claude Code's in a `.claude` folder, under the name of a settings file, or in markdown; else ours. */
  readonly as?: 'hookscope' | 'claude-code';
  /** `CLAUDE_PROJECT_DIR`, and where its commands run. Default: the folder that holds it, or that holds its `.claude`. */
  readonly projectDir?: string;
}

const OWN = { as: oneOf('hookscope', 'claude-code'), projectDir: checks.text };

const isClaudes = (file: string): boolean =>
  basename(dirname(file)) === '.claude' ||
  /^(managed-)?settings(\.local)?\.json$/.test(basename(file)) ||
  file.endsWith('.md');

async function registerClaudes(host: Host, file: string, projectDir: string): Promise<void> {
  const named = file.endsWith('.md') ? { agents: [{ file, trusted: true }] } : { settings: [file] };
  const { problems } = await loadClaudeCode({ host, projectDir, places: [], trust: 'all', ...named });
  const error = problems.find(({ level }) => level === 'error');
  if (error) {
    const { where, message: expected, nearest } = error;
    throw new HookscopeError('INVALID_CONFIG', { file, where, expected, nearest });
  }
}

/**
 * Fires one event at the hooks of a file, `.claude/settings.json` or hooks of ours, in a host of its own, and resolves to all that came of it.
 * Its commands really run. Naming the file is consent.
 *
 * ```ts
 * const fired = await fireFile('.claude/settings.json', 'PreToolUse', payload.preToolUse.bash('git push'));
 * ```
 * @throws HookscopeError as `fireHook`; FILE, INVALID_CONFIG: what is wrong with the file, and where
 */
export async function fireFile<E extends HookEvent>(
  file: string,
  event: E,
  input?: Fields<E>,
  given: FireFileOptions = {},
): Promise<Fired<E>> {
  checkFireHook(given, 'fireFile: ', OWN);
  const { as, projectDir, ...options } = given;
  const path = resolve(file);
  const folder = dirname(path);
  const project = projectDir ?? (basename(folder) === '.claude' ? dirname(folder) : folder);
  const host = { ...options.host, session: { cwd: project, ...options.host?.session } };
  const setUp = async (made: Host): Promise<unknown> =>
    (as ?? (isClaudes(path) ? 'claude-code' : 'hookscope')) === 'claude-code'
      ? registerClaudes(made, path, project)
      : made.register(await loadHooksFile(path), { source: { kind: 'hooks-file', file: path } });
  return fireIn(setUp, event, input, { ...options, host });
}

import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AGENT_NAMES } from '../agents/agents.js';
import { agentEvents } from '../agents/own-events.js';
import { loadClaudeCode } from '../claude-code/load.js';
import type { Host } from '../create-host.js';
import { HookscopeError } from '../errors.js';
import type { HookEvent } from '../events/catalogue.js';
import { loadAgentHooks } from '../foreign/load.js';
import { placeOfFile } from '../foreign/places.js';
import { loadHooksFile } from '../plugins/hooks-file.js';
import { checkOption } from '../values/options.js';
import { checks, FILLED, oneOf } from '../values/shape.js';
import { checkFireHook, type FireHookOptions, fireIn } from './fire-hook.js';
import type { Fired } from './fired.js';
import type { Fields } from './payload.js';

/** Options for testing a file of hooks. */
export interface FireFileOptions extends FireHookOptions {
  /**
   * The format of the file. Default: by its path (`.codex/hooks.json`, `.github/hooks/*.json`); `claude-code` for settings files, Markdown
   * files and files of a Claude Code plugin; else `hookscope`.
   */
  readonly as?: 'hookscope' | 'claude-code' | 'codex' | 'copilot' | 'gemini' | 'cursor';
  /** `CLAUDE_PROJECT_DIR`, and where commands run. Default: the folder that holds the agent's folder (`.claude`), else the file's. */
  readonly projectDir?: string;
}

const OWN = { as: oneOf('hookscope', ...AGENT_NAMES), projectDir: checks.text };

const isClaudes = (file: string): boolean =>
  basename(dirname(file)) === '.claude' ||
  /^(managed-)?settings(\.local)?\.json$/.test(basename(file)) ||
  file.endsWith('.md') ||
  pluginOf(file) !== undefined;

/** The folder of the Claude Code plugin to which the file belongs. */
function pluginOf(file: string): string | undefined {
  const root = dirname(dirname(file));
  return basename(dirname(file)) === 'hooks' && existsSync(join(root, '.claude-plugin')) ? root : undefined;
}

/** The folder with the nearest `.claude` above the file; else its own folder. */
function projectOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (basename(folder) === '.claude') return dirname(folder);
  return dirname(file);
}

/** Throws INVALID_CONFIG if part of the file would not run as written. */
function checkProblems(
  file: string,
  problems: readonly { level: string; where: string; message: string; nearest?: string | undefined }[],
): void {
  const error = problems.find(({ level }) => level === 'error');
  if (error === undefined) return;
  const { where, message: expected, nearest } = error;
  throw new HookscopeError('INVALID_CONFIG', { file, where, expected, nearest });
}

/** Registers the hooks of a file by the rules of its format. */
async function registerFile(host: Host, file: string, as: string, projectDir: string): Promise<void> {
  if (as === 'hookscope') {
    host.register(await loadHooksFile(file), { source: { kind: 'hooks-file', file } });
  } else if (as === 'claude-code') {
    const plugin = pluginOf(file);
    const settings = plugin === undefined ? { settings: [file] } : { plugins: [plugin] };
    const named = file.endsWith('.md') ? { agents: [{ file, trusted: true }] } : settings;
    checkProblems(file, (await loadClaudeCode({ host, projectDir, places: [], trust: 'all', ...named })).problems);
  } else {
    checkProblems(file, (await loadAgentHooks({ host, agent: as, file, projectDir })).problems);
  }
}

/**
 * Fires one event at the hooks of a file (`.claude/settings.json`, another agent's file, or a hooks file of hookscope) in a host of its
 * own. The file needs no acceptance, and its commands really run. Events have hookscope's names; events that only one agent has keep
 * that agent's name.
 *
 * ```ts
 * const fired = await fireFile('.claude/settings.json', 'PreToolUse', payload.preToolUse.bash('git push'));
 * ```
 * @throws HookscopeError as `fireHook`; FILE and INVALID_CONFIG say what is wrong with the file, and where
 */
export async function fireFile<E extends HookEvent>(
  file: string,
  event: E,
  input?: Fields<E>,
  given?: FireFileOptions,
): Promise<Fired<E>>;
export async function fireFile(
  file: string,
  event: string,
  input?: Readonly<Record<string, unknown>>,
  given?: FireFileOptions,
): Promise<Fired>;
export async function fireFile(
  file: string,
  event: string,
  input?: Readonly<Record<string, unknown>>,
  given: FireFileOptions = {},
): Promise<Fired> {
  checkOption('fireFile(file)', file, FILLED);
  checkFireHook(given, 'fireFile: ', OWN);
  const path = resolve(file);
  const found = placeOfFile(path);
  const { as = found?.agent ?? (isClaudes(path) ? 'claude-code' : 'hookscope'), projectDir, ...options } = given;
  const project = projectDir ?? found?.folder ?? projectOf(path);
  const events = AGENT_NAMES.includes(as) ? agentEvents(as) : {};
  const host = {
    ...options.host,
    events: { ...events, ...options.host?.events },
    session: { cwd: project, ...options.host?.session },
  };
  return fireIn((made) => registerFile(made, path, as, project), event as HookEvent, input as object, {
    ...options,
    host,
  });
}

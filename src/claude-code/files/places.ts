import { resolve } from 'node:path';
import type { Keys } from '../../values/options.js';
import { checks, oneOf, TEXTS } from '../../values/shape.js';
import { homeFolder } from '../../values/user-folders.js';
import type { AgentEntry, FindOptions, PluginFolder } from './source.js';

/** The usual places of hook files. */
export const CLAUDE_PLACES = ['managed', 'user', 'project', 'local', 'agents', 'skills'] as const;
/** One of the usual places. */
export type ClaudePlace = (typeof CLAUDE_PLACES)[number];

/** The places of Claude Code's files. */
export interface ClaudeFiles {
  /** The project folder, with `.claude/settings.json`, `.claude/settings.local.json`, agents and skills. Also the value of `CLAUDE_PROJECT_DIR`. Default: the current folder. */
  readonly projectDir?: string;
  /** The home folder. Default: the user's. */
  readonly home?: string;
  /** The folder of managed settings and their drop-ins. Default: the platform's. */
  readonly managedDir?: string;
  /** Which of the usual places are read. Default: all. */
  readonly places?: readonly ClaudePlace[];
  /** More settings files, which are read after the usual ones. They need no consent, because you named them explicitly. */
  readonly settings?: readonly string[];
  /** The folders of plugins. */
  readonly plugins?: readonly (string | PluginFolder)[];
  /** The Markdown files of agents. */
  readonly agents?: readonly (string | AgentEntry)[];
  /** The name of the agent that is the main thread. Its hooks apply to all agents, and its Stop remains Stop. */
  readonly mainAgent?: string;
  /** The effect of a wrong entry: its whole file is dropped (default, as in Claude Code), or only the entry is skipped. */
  readonly onInvalid?: 'drop' | 'skip';
}

/** The checks of `ClaudeFiles`. A misspelt place, for instance, would silently leave out files. */
export const FILES: Keys<ClaudeFiles> = {
  projectDir: checks.text,
  home: checks.text,
  managedDir: checks.text,
  places: {
    expected: `an array of ${CLAUDE_PLACES.map((place) => `"${place}"`).join(', ')}`,
    accepts: (v) => Array.isArray(v) && v.every((place) => CLAUDE_PLACES.includes(place)),
  },
  settings: TEXTS,
  plugins: checks.list,
  agents: checks.list,
  mainAgent: checks.text,
  onInvalid: oneOf('drop', 'skip'),
};

/** Fills in defaults. */
export function completeFiles(files: ClaudeFiles, events: readonly string[]): FindOptions {
  const { home = homeFolder(), managedDir = platformDir(), places = CLAUDE_PLACES, onInvalid = 'drop' } = files;
  return {
    projectDir: resolve(files.projectDir ?? process.cwd()),
    home: resolve(home),
    managedDir,
    places,
    onInvalid,
    events,
    settings: files.settings ?? [],
    plugins: (files.plugins ?? []).map((plugin) => (typeof plugin === 'string' ? { dir: plugin } : plugin)),
    agents: (files.agents ?? []).map((agent) => (typeof agent === 'string' ? { file: agent } : agent)),
    mainAgent: files.mainAgent,
  };
}

function platformDir(): string {
  if (process.platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  if (process.platform === 'win32') return 'C:\\Program Files\\ClaudeCode';
  return '/etc/claude-code';
}

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The kind of a hook file, which decides how it is read. The last ones are hookscope's two and another agent's; all others are Claude Code's. */
export type FileKind =
  | 'managed'
  | 'user'
  | 'project'
  | 'local'
  | 'settings'
  | 'plugin'
  | 'manifest'
  | 'agent'
  | 'skill'
  | 'command'
  | 'config'
  | 'hooks-file'
  | 'agent-hooks';

/** The kind of a hook file and what it belongs to. */
export interface FilePlace {
  readonly kind: FileKind;
  /** The value of `CLAUDE_PROJECT_DIR`; undefined if the file can be used in any project. */
  readonly project: string | undefined;
  /** The value of `CLAUDE_PLUGIN_ROOT`; undefined if the file is not a plugin's. */
  readonly plugin: string | undefined;
  /** The agent to which the file belongs if it is not Claude Code, by the name of its codec. */
  readonly agent?: string;
}

export const KIND_WORDS: Readonly<Record<FileKind, string>> = {
  managed: 'managed settings',
  user: 'user settings',
  project: 'project settings',
  local: 'local settings',
  settings: 'settings',
  plugin: 'plugin hooks',
  manifest: 'plugin manifest',
  agent: 'agent',
  skill: 'skill',
  command: 'slash command',
  config: 'hookscope configuration',
  'hooks-file': 'hooks file',
  'agent-hooks': "another agent's hooks",
};

/** The kind of the file at an absolute path, judged by its name and folders. */
export function placeOf(path: string, home: string | undefined): FilePlace {
  const name = basename(path);
  const folder = dirname(path);
  const claude = folderAbove(path, (above) => basename(above) === '.claude');
  const ofUser = claude !== undefined && dirname(claude) === home;
  const project = claude === undefined || ofUser ? undefined : dirname(claude);
  const plugin = folderAbove(path, (above) => existsSync(join(above, '.claude-plugin', 'plugin.json')));
  const at = (kind: FileKind): FilePlace => ({ kind, project, plugin });

  if (name === 'hookscope.config.json') return { kind: 'config', project: folder, plugin: undefined };
  if (name.endsWith('.md')) return at(markdownKind(path));
  // Other agents also have a plugin.json, in folders of their own.
  if (name === 'plugin.json' && basename(folder).startsWith('.')) return { ...at('manifest'), plugin: dirname(folder) };
  if (name === 'managed-settings.json' || basename(folder) === 'managed-settings.d') return at('managed');
  if (name === 'settings.local.json') return at('local');
  if (folder === claude && /^settings\b.*\.json$/.test(name)) return at(ofUser ? 'user' : 'project');
  if (/^settings\b.*\.json$/.test(name)) return at('settings');
  // Claude Code's state file.
  if (name === '.claude.json')
    return { kind: 'settings', project: folder === home ? undefined : folder, plugin: undefined };
  if (basename(folder) === 'hooks' && claude === undefined)
    return { ...at('plugin'), plugin: plugin ?? dirname(folder) };
  if (plugin !== undefined) return at('plugin');
  return at(isOwnName(path) ? 'hooks-file' : 'settings');
}

/** Whether a file is `hooks.json` or like `guards.hooks.json`, and not in another agent's folder (`.codex/hooks.json`). */
function isOwnName(path: string): boolean {
  return /(^|\.)hooks\.json$/.test(basename(path)) && !/[/\\]\.[^/\\]+[/\\]/.test(path);
}

function markdownKind(path: string): FileKind {
  if (basename(path) === 'SKILL.md') return 'skill';
  const folders = dirname(path).split(/[/\\]/);
  const nearest = folders.findLast((name) => name === 'agents' || name === 'commands' || name === 'skills');
  if (nearest === 'commands') return 'command';
  return nearest === 'skills' ? 'skill' : 'agent';
}

function folderAbove(path: string, test: (folder: string) => boolean): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (test(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { CLAUDE_KINDS } from '../../events/handler-kinds.js';
import { readBytes } from '../../files/json-file.js';
import { decodeText } from '../../files/utf8.js';
import { isObject } from '../../values/shape.js';
import { agentOfPlace, isAboutHooks } from './foreign.js';
import { frontmatterOf, holdsHooks } from './yaml-tree.js';

/** The hook files found at a path. */
export interface FoundFiles {
  /** Files with hooks, in a stable order. */
  readonly files: readonly string[];
  /** Files of other agents. */
  readonly others: readonly string[];
  /** Files with hooks outside the places that are searched. */
  readonly elsewhere: readonly string[];
}

/**
 * Finds the files with hooks at a path: the file itself, or all in a folder. Links to folders are not followed, and folders with
 * installed packages or build output are not searched. Throws FILE if the path does not exist.
 */
export function findHookFiles(path: string): FoundFiles {
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch (error) {
    throw new HookscopeError('FILE', { file: path, problem: 'there is no such file or folder' }, { cause: error });
  }
  if (!folder)
    return agentOfPlace(path)
      ? { files: [], others: [path], elsewhere: [] }
      : { files: [path], others: [], elsewhere: [] };
  const found = { files: [], others: [], elsewhere: [], left: MOST_READ };
  walk(path, found);
  return found;
}

interface FileSearch {
  readonly files: string[];
  readonly others: string[];
  readonly elsewhere: string[];
  /** How many more files may be opened because of their content, whatever their name. */
  left: number;
}

/** A project may hold thousands of JSON files that are data. */
const MOST_READ = 1000;
/** In bytes. Hook files are written by hand, so they are smaller. */
const LARGEST = 262_144;

const SKIPPED = new Set(['node_modules', '.git', '.hg', '.svn', '.venv', 'venv', '__pycache__']);

function walk(folder: string, found: FileSearch): void {
  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) walk(path, found);
      else if (entry.name === 'node_modules') found.elsewhere.push(...inPackages(path));
    } else if (isLinkedFolder(entry, path)) found.elsewhere.push(...known(path));
    else look(path, found);
  }
}

function look(path: string, found: FileSearch): void {
  const name = basename(path);
  if (agentOfPlace(path) !== undefined) {
    if (/\.(json|toml)$/.test(name) && isAboutHooks(path, smallText(path) ?? '')) found.others.push(path);
  } else if (name.endsWith('.md') ? isHookMarkdown(path) : isHookJson(path)) found.files.push(path);
  else if (name.endsWith('.json') && !name.startsWith('package') && found.left > 0) {
    found.left--;
    if (HELD.test(smallText(path) ?? '')) found.elsewhere.push(path);
  }
}

/** Matches hooks in Claude Code's format in a file of any name. */
const HELD = new RegExp(
  String.raw`"hooks"\s*:\s*\{\s*"[A-Z]\w+"\s*:\s*\[\s*\{[\s\S]*"type"\s*:\s*"(${CLAUDE_KINDS.join('|')})"`,
);

interface FolderEntry {
  readonly name: string;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function isLinkedFolder(entry: FolderEntry, path: string): boolean {
  return entry.isSymbolicLink() && statOf(path)?.isDirectory() === true;
}

/** The usual hook files in a folder that is not searched. */
const USUAL = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  'hooks/hooks.json',
  'hooks.json',
  'settings.json',
];

/** The usual hook files in a folder that exist and have hooks. */
export function known(folder: string): string[] {
  return USUAL.map((place) => join(folder, place)).filter((path) => {
    // A settings.json outside `.claude` belongs to another program.
    if (basename(path) === 'settings.json' && dirname(path) === folder && basename(folder) !== '.claude') return false;
    return (statOf(path)?.size ?? LARGEST) < LARGEST && HELD.test(smallText(path) ?? '');
  });
}

function inPackages(folder: string): string[] {
  return list(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [];
    return entry.name.startsWith('@') ? list(path).flatMap(({ name }) => known(join(path, name))) : known(path);
  });
}

function list(folder: string): FolderEntry[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // An unreadable folder is not an error in a hook file.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return [];
    throw error;
  }
}

function isHookJson(path: string): boolean {
  const name = basename(path);
  const parent = basename(dirname(path));
  if (name === 'plugin.json') return parent === '.claude-plugin';
  if (/^settings\b.*\.json$/.test(name)) return parent === '.claude';
  if (parent === 'managed-settings.d') return name.endsWith('.json');
  if (name === 'managed-settings.json' || name === 'hookscope.config.json') return true;
  if (name === '.claude.json') return holdsTopHooks(path);
  // Files that Claude Code does not read are found too, so that this can be reported.
  if (name.endsWith('.json') && isUnread(path) && HELD.test(smallText(path) ?? '')) return true;
  // Other programs use this file name too.
  if (!/^(.+\.)?hooks\.json$/.test(name)) return false;
  const text = textOf(path);
  return text === undefined || HOOKS.test(text);
}

/** Whether a file is next to Claude Code's settings but is not one of them. */
export function isUnread(path: string): boolean {
  const folder = dirname(path);
  const name = basename(path);
  if (name === '.claude.json') return true;
  if (basename(folder) === '.claude') return name.endsWith('.json') && !/^settings\b.*\.json$/.test(name);
  return basename(folder) === 'hooks' && basename(dirname(folder)) === '.claude' && name.endsWith('.json');
}

/** Whether Claude Code's state file has hooks at the top level. It may be large and mention hooks anywhere. */
function holdsTopHooks(path: string): boolean {
  try {
    const data: unknown = JSON.parse(textOf(path)?.replace(/^\uFEFF/, '') ?? '');
    return isObject(data) && isObject(data['hooks']);
  } catch {
    // A broken state file is not our business to report.
    return false;
  }
}

const HOOKS =
  /^\uFEFF?\s*\{[\s\S]*"(hooks|PreToolUse|PostToolUse|Stop|SubagentStop|SessionStart|UserPromptSubmit)"\s*:/;

/** Whether a Markdown file has hooks, which is rare. */
function isHookMarkdown(path: string): boolean {
  const text = textOf(path);
  return text === undefined
    ? PLACES.test(dirname(path)) && statOf(path) !== undefined
    : holdsHooks(frontmatterOf(text)?.yaml ?? '');
}

/** Folders in which an unreadable file must be reported, because its hooks would be missing. A link that leads nowhere has none. */
const PLACES = /[/\\]\.claude[/\\](?:agents|commands|skills)\b/;

function smallText(path: string): string | undefined {
  const size = statOf(path)?.size ?? LARGEST;
  return size < LARGEST ? textOf(path) : undefined;
}

/** The text of a file; undefined if it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return decodeText(readBytes(path)).text;
  } catch (error) {
    if (error instanceof HookscopeError && error.code === 'FILE') return undefined;
    throw error;
  }
}

/** The status of a file; undefined if it does not exist or is a broken link. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // A link to itself or a folder that cannot be entered has nothing to search.
    return undefined;
  }
}

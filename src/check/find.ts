import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HookscopeError } from '../errors.js';
import { readText } from '../files/json-file.js';
import { frontmatterOf, holdsHooks } from './yaml-tree.js';

/**
 * The files with hooks at a path: the file itself, or all that a folder holds, in a steady order. Links to folders, and
 * what is installed or built, are left out. Throws FILE where there is nothing.
 */
export function findHookFiles(path: string): string[] {
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch (error) {
    throw new HookscopeError('FILE', { file: path, problem: 'there is no such file or folder' }, { cause: error });
  }
  return folder ? [...walk(path)] : [path];
}

const SKIPPED = new Set(['node_modules', '.git', '.hg', '.svn', '.venv', 'venv', '__pycache__']);

function* walk(folder: string): Generator<string> {
  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* walk(path);
    } else if (entry.name.endsWith('.md') ? isHookMarkdown(path) : isHookJson(path)) yield path;
  }
}

function list(folder: string): { name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // An unreadable folder is not a mistake in a hook file.
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
  // Other programs use this file name too.
  if (!/^(.+\.)?hooks\.json$/.test(name)) return false;
  const text = textOf(path);
  return text === undefined || HOOKS.test(text);
}

const HOOKS =
  /^\uFEFF?\s*\{[\s\S]*"(hooks|PreToolUse|PostToolUse|Stop|SubagentStop|SessionStart|UserPromptSubmit)"\s*:/;

/** Markdown files are common; hooks in them are rare. */
function isHookMarkdown(path: string): boolean {
  const text = textOf(path);
  return text === undefined ? PLACES.test(dirname(path)) : holdsHooks(frontmatterOf(text)?.yaml ?? '');
}

/** Places where an unreadable file must be reported, because its hooks would be missing. */
const PLACES = /[/\\]\.claude[/\\](?:agents|commands|skills)\b/;

/** Undefined: it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readText(path);
  } catch (error) {
    if (error instanceof HookscopeError && error.code === 'FILE') return undefined;
    throw error;
  }
}

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { TABLES } from '../agents/agents.js';
import type { AgentTable, Place } from '../agents/table.js';
import { absolute, homeFolder } from '../values/user-folders.js';

/** An existing file in one of an agent's places. */
export interface FoundFile {
  readonly file: string;
  readonly place: Place['for'];
}

/** A file that belongs to another agent (`of`), but is read by this one too. */
export interface OthersPlace {
  readonly file: string;
  readonly of: string;
}

/** The folders that relative paths and `~` in a place refer to. */
export interface BaseFolders {
  readonly projectDir: string;
  readonly home?: string | undefined;
}

/** The agent's files, in the order in which their hooks run, and another agent's files that it reads as well. */
export function findForeign(
  { files, runs }: AgentTable,
  { projectDir, home = homeFolder() }: BaseFolders,
): { found: FoundFile[]; leftAlone: OthersPlace[] } {
  const found: FoundFile[] = [];
  const leftAlone: OthersPlace[] = [];
  for (const { path, for: place, of } of files.places) {
    if (place === 'plugin') continue;
    const folders = place === 'project' && runs?.fromRoot ? upToRoot(projectDir) : [projectDir];
    for (const folder of folders) {
      for (const file of filesAt(path, folder, home)) {
        if (of === undefined) found.push({ file, place });
        else leftAlone.push({ file, of });
      }
    }
  }
  const order = runs?.places ?? [];
  return { found: found.sort((a, b) => order.indexOf(a.place) - order.indexOf(b.place)), leftAlone };
}

/** The agent that reads a file at this path, and the project or home folder that it would be in. */
export function placeOfFile(file: string): { readonly agent: string; readonly folder: string } | undefined {
  for (const { name, files } of TABLES) {
    for (const { path, for: place, of } of files.places) {
      if (of !== undefined || (place !== 'project' && place !== 'user')) continue;
      const parts = path
        .replace(/^\$\w+ /, '')
        .replace(/^~\//, '')
        .split('/');
      const tail = file.split(sep).slice(-parts.length);
      if (tail.length === parts.length && parts.every((part, i) => isPart(part, tail[i] as string)))
        return { agent: name, folder: file.split(sep).slice(0, -parts.length).join(sep) || sep };
    }
  }
  return undefined;
}

const isPart = (part: string, name: string): boolean => part === name || (part === '*.json' && name.endsWith('.json'));

/** The folders from the repository's root down to the project. */
function upToRoot(projectDir: string): string[] {
  const folders: string[] = [];
  for (let at = resolve(projectDir); ; at = dirname(at)) {
    folders.unshift(at);
    if (existsSync(join(at, '.git'))) return folders;
    if (at === dirname(at)) return [resolve(projectDir)];
  }
}

/** The existing files of a place. In `$NAME ~/x/y`, the variable's value replaces `~/x`, unless it is relative: the current folder is nobody's. */
function filesAt(path: string, folder: string, home: string): string[] {
  const [, variable, rest] = /^\$(\w+) (.+)$/.exec(path) ?? [];
  const plain = rest ?? path;
  const set = absolute(variable === undefined ? undefined : process.env[variable]);
  const base = set ? plain.replace(/^~\/[^/]+/, () => set) : plain.replace(/^~/, () => home);
  const file = resolve(folder, base);
  if (!file.endsWith('/*.json')) return existsSync(file) ? [file] : [];
  try {
    return readdirSync(dirname(file))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(dirname(file), name));
  } catch {
    // There is no such folder.
    return [];
  }
}

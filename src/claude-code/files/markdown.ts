import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readBytes } from '../../files/json-file.js';
import { type DecodedText, decodeText } from '../../files/utf8.js';
import { type AgentFile, endOfFrontmatter, nameOfFile, readAgentFile } from './agent-file.js';
import { broken, type HookFile } from './settings.js';
import {
  agentTarget,
  type ClaudeSource,
  type FindOptions,
  makeSource,
  type SourceDetails,
  type SourceTarget,
  unread,
} from './source.js';

/** Finds the agents that were named, and those of the project and the user. */
export async function findAgents(options: FindOptions): Promise<ClaudeSource[]> {
  const { agents: named, home, projectDir, places } = options;
  const found: ClaudeSource[] = [];
  for (const { file: path, id, trusted = false } of named) {
    const file = await read(resolve(path), options);
    if (!file) continue;
    const type = file.name ?? nameOfFile(path);
    const types = [...new Set([type, nameOfFile(path)])];
    const target: SourceTarget = id === undefined ? agentTarget(types, options) : { for: 'agent', id, type };
    found.push(makeSource(options, 'agent', file, target, { name: type, names: [type], needsTrust: !trusted }));
  }
  if (!places.includes('agents')) return found;
  // An agent of the project takes precedence over the user's agent of the same name.
  for (const place of sameFolder(projectDir, home) ? [home] : [projectDir, home]) {
    for (const path of markdownIn(join(place, '.claude', 'agents'))) {
      const file = await readListed(path, options);
      if (!file) continue;
      const name = file.name ?? nameOfFile(file.file);
      const given: SourceDetails = { name, names: [name], needsTrust: place !== home, yields: true };
      found.push(makeSource(options, 'agent', file, agentTarget([name], options), given));
    }
  }
  return found;
}

/** Finds the skills and commands of the project and the user. */
export async function findSkills(options: FindOptions): Promise<ClaudeSource[]> {
  const { home, projectDir, places } = options;
  if (!places.includes('skills')) return [];
  const found = await skillsIn(options, join(projectDir, '.claude'), { needsTrust: true });
  return [
    ...(sameFolder(projectDir, home) ? [] : found),
    ...(await skillsIn(options, join(home, '.claude'), { needsTrust: false })),
  ];
}

/** Finds the skills and commands in a folder that contains `skills` and `commands`. */
export async function skillsIn(options: FindOptions, folder: string, given: SourceDetails): Promise<ClaudeSource[]> {
  const found: ClaudeSource[] = [];
  for (const path of [...skillFiles(join(folder, 'skills')), ...markdownIn(join(folder, 'commands'))]) {
    const file = await readListed(path, options);
    if (!file) continue;
    const own = new Set([file.name ?? nameOfFile(file.file), nameOfFile(file.file)]);
    const names = [...own].flatMap((name) => (given.plugin === undefined ? [name] : [name, `${given.plugin}:${name}`]));
    const variables = { ...(given.variables ?? { projectDir: options.projectDir }), skillDir: dirname(file.file) };
    found.push(
      makeSource(
        options,
        'skill',
        file,
        { for: 'skill', names },
        { ...given, name: names[0] as string, names, variables },
      ),
    );
  }
  return found;
}

/** What is listed in a folder and is gone when it is read has no hooks to lose: a link that leads nowhere, as Emacs locks a file. */
async function readListed(path: string | HookFile, options: FindOptions): Promise<AgentFile | undefined> {
  const file = await read(path, options);
  const isGone = typeof path === 'string' && file?.dropped !== undefined && !statSync(path, { throwIfNoEntry: false });
  return isGone ? undefined : file;
}

async function read(path: string | HookFile, options: FindOptions): Promise<AgentFile | undefined> {
  if (typeof path !== 'string') return path;
  let decoded: DecodedText;
  try {
    decoded = decodeText(readBytes(path));
  } catch (error) {
    return unread(path, error);
  }
  const { text, wrong } = decoded;
  const file = await readAgentFile(text, path, options);
  // Invalid UTF-8 after the frontmatter does not matter, because there are no hooks there.
  const isBroken = file !== undefined && wrong !== undefined && wrong.at < endOfFrontmatter(text);
  return isBroken ? broken(path, { message: wrong.message }) : file;
}

/** Whether two folders are the same. If the project is the home folder, its files count as the user's. */
function sameFolder(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** The `NAME/SKILL.md` files in a folder. NAME may be a link to a folder. */
function skillFiles(folder: string): (string | HookFile)[] {
  return listed(folder, () =>
    readdirSync(folder)
      .sort()
      .map((name) => join(folder, name, 'SKILL.md'))
      .filter((file) => existsSync(file)),
  );
}

/** All Markdown files in a folder and its subfolders, sorted. */
function markdownIn(folder: string): (string | HookFile)[] {
  return listed(folder, () =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => !entry.isDirectory() && /\.md$/i.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !relative(folder, path).split(sep).includes('node_modules'))
      .sort(),
  );
}

/** The entries of a folder. A folder that exists but cannot be listed is returned as a file with a problem. */
function listed(folder: string, list: () => string[]): (string | HookFile)[] {
  if (!existsSync(folder)) return [];
  try {
    return list();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return [broken(folder, { message: code === 'ENOTDIR' ? 'is a file, not a folder' : message })];
  }
}

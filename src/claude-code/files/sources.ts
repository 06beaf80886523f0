import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { readHookText, readNamedText } from '../../files/json-file.js';
import type { CommandVariables } from '../../trust/named/variables.js';
import { findAgents, findSkills, skillsIn } from './markdown.js';
import { type PluginDir, readPluginDir } from './plugin-dir.js';
import { type HookFile, type ReadFileOptions, readSettings } from './settings.js';
import { type ClaudeSource, type FindOptions, makeSource, type PluginFolder, unread } from './source.js';

/** Finds all files with hooks or settings about hooks, in the order in which their hooks run. Rejects with INVALID_CONFIG if a managed file is wrong. */
export async function findSources(options: FindOptions): Promise<ClaudeSource[]> {
  const lists = [await managed(options), await userAndProject(options), await flags(options)];
  return [...lists.flat(), ...(await plugins(options)), ...(await findAgents(options)), ...(await findSkills(options))];
}

const has = ({ places }: FindOptions, place: string): boolean => places.includes(place);

async function managed(options: FindOptions): Promise<ClaudeSource[]> {
  if (!has(options, 'managed')) return [];
  const dropIns = join(options.managedDir, 'managed-settings.d');
  const names = existsSync(dropIns)
    ? readdirSync(dropIns)
        .filter((name) => /^[^.].*\.json$/.test(name))
        .sort()
    : [];
  const paths = [join(options.managedDir, 'managed-settings.json'), ...names.map((name) => join(dropIns, name))];
  const found: ClaudeSource[] = [];
  for (const path of paths) {
    const file = await readIfThere(path, { ...options, onInvalid: 'drop', managed: true });
    if (!file) continue;
    const wrong = file.problems.find((problem) => problem.level === 'error');
    if (wrong) {
      const place = wrong.line === undefined ? '' : ` (line ${wrong.line}, column ${wrong.column})`;
      throw new HookscopeError('INVALID_CONFIG', {
        file: path,
        where: wrong.where,
        expected: `${wrong.message}${place}; it is managed policy, so nothing is loaded without it`,
      });
    }
    found.push(makeSource(options, 'managed', file, { for: 'managed' }, { root: options.managedDir }));
  }
  return found;
}

async function userAndProject(options: FindOptions): Promise<ClaudeSource[]> {
  const { home, projectDir } = options;
  const user = join(home, '.claude', 'settings.json');
  const files = [
    ['user', user, join(home, '.claude')],
    ['project', join(projectDir, '.claude', 'settings.json'), projectDir],
    ['local', join(projectDir, '.claude', 'settings.local.json'), projectDir],
  ] as const;
  const found: ClaudeSource[] = [];
  for (const [kind, path, root] of files) {
    // If the project is the home folder, its settings are the user's.
    const again =
      kind === 'project' &&
      has(options, 'user') &&
      existsSync(path) &&
      existsSync(user) &&
      realpathSync(path) === realpathSync(user);
    const file = has(options, kind) && !again ? await readIfThere(path, options) : undefined;
    if (file) found.push(makeSource(options, kind, file, { for: 'host' }, { root, needsTrust: kind !== 'user' }));
  }
  return found;
}

async function flags(options: FindOptions): Promise<ClaudeSource[]> {
  return Promise.all(
    options.settings.map(async (path) =>
      makeSource(options, 'flag', await readFrom(resolve(path), options, readNamedText), { for: 'host' }, {}),
    ),
  );
}

async function plugins(options: FindOptions): Promise<ClaudeSource[]> {
  const found: ClaudeSource[] = [];
  for (const { dir, trusted = false, config } of options.plugins) {
    const plugin = await readPluginDir(dir, options);
    const { name } = plugin;
    const how = { name, plugin: name, needsTrust: !trusted, variables: pluginVariables(options, plugin, config) };
    plugin.files.forEach((file, i) => {
      const part = plugin.files.slice(0, i).some((other) => other.file === file.file) ? { part: String(i) } : {};
      found.push({ ...makeSource(options, 'plugin', file, { for: 'host' }, how), ...part });
    });
    found.push(...(await skillsIn(options, plugin.root, how)));
  }
  return found;
}

function pluginVariables(
  { projectDir, home }: FindOptions,
  { name, root, defaults }: PluginDir,
  config: PluginFolder['config'],
): CommandVariables {
  const pluginData = join(home, '.claude', 'plugins', 'data', `${name.replace(/[^\w.-]/g, '_')}-inline`);
  return { projectDir, pluginRoot: root, pluginData, userConfig: { ...defaults, ...config }, defaults };
}

async function readIfThere(path: string, options: ReadFileOptions): Promise<HookFile | undefined> {
  return isThere(path) ? readFrom(path, options, readHookText) : undefined;
}

/** Whether a file exists. Also true if it is unreadable or a dangling link, because the user expects its hooks to run. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

async function readFrom(
  path: string,
  options: ReadFileOptions,
  read: (path: string) => string | Promise<string>,
): Promise<HookFile> {
  try {
    return await readSettings(await read(path), path, options);
  } catch (error) {
    return unread(path, error);
  }
}

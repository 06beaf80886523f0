import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingsOf } from '../claude-code/files/policy.js';
import { readSettings } from '../claude-code/files/settings.js';
import type { HookSettings } from '../claude-code/files/settings-keys.js';
import { HookscopeError } from '../errors.js';
import { HOOK_EVENTS } from '../events/catalogue.js';
import { readHookText } from '../files/json-file.js';
import type { CheckMachine } from './checking.js';
import type { SourceFile } from './files/source-file.js';

/** The policy on hooks in one settings file, and the file's scope. */
export interface SettingsPolicy extends SettingsOf {
  /** The absolute path of the file. */
  readonly path: string;
  /** The only project in which the policy applies. */
  readonly project?: string | undefined;
}

/**
 * The settings that apply to these files, whether or not they are among them: those of their projects, the user's and managed ones,
 * in order of increasing precedence. Files that cannot be used are skipped.
 */
export async function findPolicies(
  files: readonly SourceFile[],
  { home, managed }: CheckMachine,
  name: (path: string) => string,
): Promise<SettingsPolicy[]> {
  const projects = [...new Set(files.flatMap(({ project }) => project ?? []))];
  const own = files.filter(({ kind }) => kind === 'settings' || kind === 'managed');
  const places: Omit<SettingsPolicy, 'settings' | 'file'>[] = [
    ...(home === undefined ? [] : [{ kind: 'user', path: join(home, '.claude', 'settings.json') }]),
    ...projects.flatMap((project) => [
      { kind: 'project', project, path: join(project, '.claude', 'settings.json') },
      { kind: 'local', project, path: join(project, '.claude', 'settings.local.json') },
    ]),
    ...own.map(({ kind, path }) => ({ kind, path })),
    ...managedFiles(managed).map((path) => ({ kind: 'managed', path })),
  ];
  const read = places.filter(({ path }, i) => existsSync(path) && places.findIndex((p) => p.path === path) === i);
  return Promise.all(
    read.map(async (place) => ({ ...place, file: name(place.path), settings: await settingsIn(place) })),
  );
}

async function settingsIn({ path }: Pick<SettingsPolicy, 'path'>): Promise<HookSettings> {
  try {
    const { settings, dropped } = await readSettings(readHookText(path), path, {
      events: HOOK_EVENTS,
      onInvalid: 'drop',
    });
    return dropped === undefined ? settings : {};
  } catch (error) {
    if (error instanceof HookscopeError && error.code === 'FILE') return {};
    throw error;
  }
}

function managedFiles(folder: string): string[] {
  const dropIns = join(folder, 'managed-settings.d');
  const names = existsSync(dropIns)
    ? readdirSync(dropIns)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];
  return [join(folder, 'managed-settings.json'), ...names.map((name) => join(dropIns, name))];
}

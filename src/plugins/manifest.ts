import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HookscopeError } from '../errors.js';
import { readJsonFile, readText } from '../files/json-file.js';
import { ownFolder } from './own-folder.js';

/** The fields of a package.json that are read here. */
export interface PackageManifest {
  readonly name?: string;
  readonly version?: string;
  readonly keywords?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
  readonly type?: unknown;
  readonly imports?: unknown;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, unknown>>;
}

/** The keyword that makes a plugin findable in the registry. */
export const KEYWORD = 'hookscope-plugin';

/** The package.json of the package that a file belongs to; undefined if there is none. */
export async function manifestOf(file: string): Promise<PackageManifest | undefined> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = await readManifest(folder);
    if (manifest?.name !== undefined) return manifest;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The folder of the package that a file belongs to; undefined if there is none. */
export function packageOf(file: string): string | undefined {
  // The package.json of an installed plugin need not have a name.
  const [, installed] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/s.exec(file) ?? [];
  if (installed !== undefined) return installed;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (nameIn(folder) !== undefined) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function nameIn(folder: string): unknown {
  try {
    return (JSON.parse(readText(join(folder, 'package.json'))) as PackageManifest).name;
  } catch {
    return undefined;
  }
}

/** Rejects with FILE if the package.json is not valid JSON. */
export async function readManifest(folder: string): Promise<PackageManifest | undefined> {
  const file = join(folder, 'package.json');
  return existsSync(file) ? ((await readJsonFile(file)) as PackageManifest) : undefined;
}

let own: string | undefined;

/** This package's version. */
export async function ownVersion(): Promise<string> {
  own ??= (await readManifest(ownFolder()))?.version ?? '0.0.0';
  return own;
}

/**
 * Rejects with INVALID_PLUGIN if the plugin does not support this version of hookscope. A missing keyword or peer dependency is only
 * a warning: a private plugin works without them, but a published one should have both.
 */
export async function checkManifest(
  plugin: string,
  manifest: PackageManifest,
  warn: (message: string) => void,
): Promise<void> {
  const { keywords, peerDependencies } = manifest;
  if (!Array.isArray(keywords) || !keywords.includes(KEYWORD)) {
    warn(`Plugin "${plugin}": its package.json does not have the keyword "${KEYWORD}". Is it meant as one?`);
  }
  const range = peerDependencies?.['hookscope'];
  if (range === undefined) {
    return warn(
      `Plugin "${plugin}": its package.json does not name hookscope in peerDependencies, so its version cannot be checked.`,
    );
  }
  // In a plugin's own repository the range may be one for the package manager, such as `workspace:^`.
  if (typeof range === 'string' && range.includes(':')) return;
  // Loaded on demand, because it is slow to load and rarely needed.
  const { default: validRange } = await import('semver/ranges/valid.js');
  const { default: satisfies } = await import('semver/functions/satisfies.js');
  if (typeof range !== 'string' || validRange(range) === null) {
    throw invalid(plugin, `peerDependencies.hookscope: ${JSON.stringify(range)} is not a version range`);
  }
  const version = await ownVersion();
  if (!satisfies(version, range, { includePrerelease: true })) {
    const itself = manifest.version === undefined ? 'it' : `its version ${manifest.version}`;
    throw invalid(
      plugin,
      `${itself} needs hookscope ${range}, and this is hookscope ${version}; install versions that fit`,
    );
  }
}

export function invalid(plugin: string, expected: string, cause?: unknown): HookscopeError {
  return new HookscopeError('INVALID_PLUGIN', { plugin, expected }, cause === undefined ? {} : { cause });
}
